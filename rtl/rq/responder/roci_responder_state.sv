// SPDX-License-Identifier: Apache-2.0
// State of all queue pairs: the state words and replay slots, how they are read, what each event
// writes back, and the progress of what was given to other blocks.
//
// Throughput: one read and one write per clock. Latency: one clock.

`include "assert.svh"

module roci_responder_state #(
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned Compact = 0,    // 1: no event begins in the clock in which one ends
  parameter int unsigned Atomics = 1     // 0: no atomics
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // reads
  input  logic                      pick_i,
  input  logic                      other_i,       // neither a request nor a step begins, but this:
  input  logic [2:0]                other_kind_i,
  input  logic                      request_i,     // else: a request begins, not a step
  input  roci_pkg::qp_event_t       qp_event_i,
  input  logic [23:0]               live_qpn_i,
  input  roci_pkg::rx_meta_t        meta_i,
  input  logic [$clog2(NumQps)-1:0] queue_row_i,
  output logic [23:0]               qpn_o,         // number of the queue pair that was read
  output roci_pkg::responder_qp_t   read_o,        // its word,
  output roci_pkg::responder_qp_t   plain_o,       // sooner: only `dead` counts when it is up
  output logic                      full_o,        // its next slot has a response that is due
  output roci_pkg::responder_qp_t   qp_o,          // the same a clock later, from registers
  output roci_pkg::qp_attr_t        attr_o,
  output roci_pkg::qp_attr_t        attr_kept_o,   // likewise
  output logic [2:0]                state_o,
  output logic [15:0]               posted_o,      // index up to which receives are posted
  output logic                      reset_o,       // the queue pair was reset since it was read
  input  logic                      slot_read_i,
  input  logic                      find_next_i,   // read the next slot,
  input  logic                      of_result_i,   // or the slot of done_i,
  input  logic                      of_request_i,  // or slot 0; else the oldest pending slot
  output roci_pkg::responder_slot_t slot_o,
  output logic [3:0]                slot_at_o,     // index of slot_o
  output logic                      slot_end_o,    // it is past the last one, a clock later
  output logic                      slot_pending_o,  // its response is to be sent, likewise
  output logic                      bad_read_o,    // the end of that key ends the connection

  input  logic                      posted_write_i,
  input  logic [$clog2(NumQps)-1:0] posted_row_i,
  input  logic [15:0]               posted_i,

  // events, and the words they leave
  input  logic                      commit_i,
  input  roci_pkg::responder_qp_t   apply_qp_i,
  input  roci_pkg::responder_slot_t apply_slot_i,
  input  logic                      apply_slot_write_i,
  input  logic                      finding_i,     // a replay may be made in this clock,
  input  logic                      replay_i,      // and is
  input  roci_pkg::responder_slot_t replay_slot_i,
  input  logic                      emitting_i,    // a response may leave in this clock,
  input  logic                      response_i,    // (the same, for the words)
  input  logic                      emit_i,        // and does
  input  logic                      via_desc_i,    // the response leaves by tx's payload queue
  input  logic                      slot_picked_i,
  input  logic                      gone_i,        // the key of the READ in slot_o is gone
  input  roci_pkg::responder_qp_t   response_qp_i,
  input  roci_pkg::responder_slot_t response_slot_i,
  input  logic                      ordering_i,    // an order to the receives may end in this clock
  input  logic                      init_i,
  input  logic                      flush_i,
  input  logic                      flush_one_i,   // one receive was flushed
  input  logic                      result_i,
  input  roci_pkg::atomic_done_t    done_i,
  input  logic                      last_wqe_i,    // the queue pair takes no more from its SRQ
  input  logic                      fault_taken_i,
  input  roci_pkg::fault_t          fault_i,
  input  logic [23:0]               fault_msn_i,   // messages before its packet
  input  logic [31:0]               written_i,     // payload packets in memory
  input  logic [31:0]               newest_i,      // ticket that a flushed completion waits for
  input  logic [15:0]               issued_i,      // packets given to tx's payload queue
  input  logic [15:0]               sent_i,        // packets that left it

  output logic                      next_write_o,  // recv_next of a queue pair is written
  output logic [$clog2(NumQps)-1:0] next_row_o,
  output logic [15:0]               next_o,
  output logic                      ready_o
);

  localparam int unsigned RowBits = $clog2(NumQps);

  logic                      write, slot_write, table_ready, slots_ready, full_q, full_d, unused;
  logic                      by_slot;  // the event is about slot_at_q, else about the next slot
  logic [3:0]                slot_read_index, oldest;
  logic [4:0]                slot_at_q;  // 16: past the last
  logic [RowBits-1:0]        row;
  roci_pkg::responder_qp_t   read, qp, qp_d;
  roci_pkg::responder_slot_t slot, slot_d;
  assign row          = qpn_o[RowBits-1:0];
  assign by_slot      = finding_i || emitting_i || gone_i || result_i;
  assign read_o       = read;
  assign qp_o         = qp;
  assign slot_o       = slot;
  assign slot_at_o    = slot_at_q[3:0];
  assign ready_o      = table_ready && slots_ready;
  assign next_write_o = write;
  assign next_row_o   = row;
  assign next_o       = qp_d.recv_next;
  assign unused       = &{done_i, attr_o, attr_kept_o, qp_event_i, meta_i};

  logic [23:0] other_qpn;
  always_comb begin
    unique case (other_kind_i)
      roci_pkg::ResponderKindEvent:  other_qpn = qp_event_i.qpn;
      roci_pkg::ResponderKindResult: other_qpn = done_i.qpn;
      roci_pkg::ResponderKindFault:  other_qpn = fault_i.qpn;
      default:                       other_qpn = live_qpn_i;
    endcase
  end
  roci_responder_table #(.NumQps(NumQps), .Compact(Compact)) u_table (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .read_i(pick_i), .other_qpn_i(other_qpn), .other_i, .request_qpn_i(meta_i.qpn), .request_i,
    .queue_row_i, .qpn_o, .qp_o(read), .plain_o, .full_o, .oldest_o(oldest), .attr_o, .state_o,
    .posted_o, .reset_o, .posted_write_i, .posted_row_i, .posted_i,
    .write_i(write), .qp_i(qp_d), .full_i(full_d), .ready_o(table_ready)
  );
  roci_ram #(.Width(roci_pkg::ResponderSlotBits), .Depth(16 * NumQps)) u_slots (
    .clk_i, .rst_ni,
    .write_i(slot_write), .write_row_i({row, by_slot ? slot_at_q[3:0] : qp.slot_next}),
    .write_data_i(slot_d),
    .read_i(slot_read_i), .read_row_i({row, slot_read_index}), .read_data_o(slot),
    .ready_o(slots_ready)
  );
  assign slot_read_index = find_next_i  ? slot_at_q[3:0] + 4'd1
                         : of_result_i  ? done_i.slot
                         : of_request_i ? 4'd0 : oldest;
  // What an event leaves follows from registers: no event ends in the clock in which it is read.
  always_ff @(posedge clk_i) begin
    qp          <= read;
    full_q      <= full_o;
    attr_kept_o <= attr_o;
  end

  // A duplicate is compared with a slot for three clocks.
  always_ff @(posedge clk_i) begin
    slot_end_o     <= slot_at_q >= qp.slot_count;
    slot_pending_o <= qp.pending[slot_at_q[3:0]];
  end

  always_ff @(posedge clk_i) begin
    if (slot_read_i) slot_at_q <= find_next_i ? slot_at_q + 5'd1 : 5'(slot_read_index);
  end

  // What is written back. A failure replaces a fatal NAK that has not left when its PSN is lower.
  // Bits are set by masks, since a write to one bit of a field becomes a shift of the whole word.
  logic [15:0] slot_bit;
  assign slot_bit = 16'd1 << slot_at_q[3:0];
  logic        responds, bad_result, bad_write, bad_read, leads_q;
  logic        leads;
  logic [23:0] fatal_psn, unused_lead;
  assign responds    = !qp.dead || qp.ack == roci_pkg::ResponderAckFatal;
  assign bad_result = result_i && done_i.error && responds;
  assign fatal_psn  = fault_taken_i ? fault_i.psn : gone_i ? slot.next_psn : slot.psn;
  assign bad_read   = gone_i && bad_read_o;
  assign bad_read_o = responds && (qp.replayed & slot_bit) == '0;
  // A fault replaces a fatal record that acknowledges its packet: a NAK acknowledges what is before
  // its PSN, the last ACK its PSN too, which is the carry. It is taken a clock after the read.
  assign {leads, unused_lead} = {fault_i.psn, 1'b1} + {~read.ack_psn, read.ack_syndrome[5]};
  always_ff @(posedge clk_i) leads_q <= leads;
  assign bad_write  = fault_taken_i && !fault_i.response && responds
                   && (!qp.dead || leads_q);
  always_comb begin
    // Written by each event that may change the word, so that what decides on the change does not
    // reach the address side of the table.
    write = commit_i || replay_i || emit_i || init_i || flush_i || flush_one_i || last_wqe_i
         || fault_taken_i || gone_i || result_i;
    // Which word is written follows from registers; whether it is, from the strobes. Other events
    // than requests change a few fields.
    qp_d  = of_request_i && !finding_i ? apply_qp_i : qp;
    if (finding_i) begin
      qp_d.pending  = qp.pending | slot_bit;
      qp_d.replayed = qp.replayed | slot_bit;
    end
    if (response_i) begin
      qp_d = response_qp_i;
      if (via_desc_i) qp_d.last_desc = issued_i + 16'd1;
    end
    if (ordering_i && qp_event_i.kind == roci_pkg::QpEventInitResponder) begin
      qp_d           = '0;
      qp_d.epsn      = attr_kept_o.rq_psn;
      qp_d.last_psn  = attr_kept_o.rq_psn - 24'd1;
      qp_d.last_desc = sent_i;
    end
    if (flush_i) begin
      qp_d.dead    = 1'b1;
      qp_d.flush   = 1'b1;
      qp_d.message = roci_pkg::ResponderInNothing;
      // What was accepted before a fatal NAK still gets its response, so that the peer receives
      // the NAK's cause.
      if (qp.ack != roci_pkg::ResponderAckFatal) begin
        qp_d.ack     = roci_pkg::ResponderAckNone;
        qp_d.next    = 1'b0;
        qp_d.pending = '0;
      end
    end
    if (flush_one_i) begin
      qp_d.recv_next  = qp.recv_next + 16'd1;
      qp_d.ack_ticket = newest_i;
    end
    if (last_wqe_i) begin
      qp_d.flush    = 1'b0;
      qp_d.last_wqe = 1'b1;
    end
    // A queue pair that was reset since has none.
    if (result_i && qp.atomics != '0) qp_d.atomics = qp.atomics - 5'd1;
    // A replay is given up: the peer had that response.
    if (gone_i) qp_d.pending = qp.pending & ~slot_bit;
    if (bad_result || bad_write || bad_read) begin
      qp_d.dead         = 1'b1;
      qp_d.message      = roci_pkg::ResponderInNothing;
      qp_d.ack          = qp.uc ? roci_pkg::ResponderAckNone : roci_pkg::ResponderAckFatal;
      qp_d.ack_psn      = fatal_psn;
      qp_d.ack_msn      = fault_taken_i ? fault_msn_i : slot.msn - 24'd1;
      qp_d.ack_syndrome = gone_i ? roci_pkg::SynNakAccess : roci_pkg::SynNakOperational;
      qp_d.ack_ticket   = written_i;
      qp_d.next         = 1'b0;
    end
    if (bad_result || bad_read) qp_d.pending = '0;
    if (Atomics == 0) qp_d.atomics = '0;  // known to be 0, so that no bit of it is kept
  end

  // Whether the response in the slot that the next READ or atomic takes is still due, as the word
  // says of itself, found beside it and stored with it.
  logic [15:0] due;
  logic [3:0]  after;  // the slot after the next one, unless that is the last
  logic        full_after;
  assign due        = qp.pending & ~qp.replayed;
  assign after      = qp.slot_next + 4'd1;
  assign full_after = 5'(qp.slot_next) + 5'd1 == attr_kept_o.max_dest_rd_atomic
                      ? due[0] || qp.slot_next == '0 : due[after];
  always_comb begin
    full_d = apply_slot_write_i ? full_after : full_q;
    if (by_slot || fault_taken_i || flush_one_i || last_wqe_i) full_d = full_q;
    if (emitting_i) full_d = full_q && response_qp_i.pending[qp.slot_next];
    if ((finding_i || gone_i) && slot_at_q[3:0] == qp.slot_next) full_d = 1'b0;
    if (flush_i) full_d = full_q && qp.ack == roci_pkg::ResponderAckFatal;
    if (init_i || bad_result || bad_read) full_d = 1'b0;
  end
  logic begun_q;  // some event has begun
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b0;
    else if (pick_i) begun_q <= 1'b1;
  end
  `ASSERT(FullIsOfTheWord, `IMPLIES(write && begun_q, full_d == (qp_d.pending[qp_d.slot_next]
                                                    && !qp_d.replayed[qp_d.slot_next])))

  always_comb begin
    slot_write = (commit_i && apply_slot_write_i) || replay_i || (emit_i && slot_picked_i)
              || result_i;
    slot_d     = apply_slot_i;
    if (finding_i) slot_d = replay_slot_i;
    if (response_i) slot_d = response_slot_i;
    if (result_i) begin
      slot_d          = slot;
      slot_d.original = done_i.original;
      slot_d.done     = 1'b1;
    end
    if (Atomics == 0) {slot_d.original, slot_d.done} = '0;
  end

endmodule
