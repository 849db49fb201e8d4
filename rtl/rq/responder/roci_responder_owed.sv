// SPDX-License-Identifier: Apache-2.0
// Queue pairs that owe a response, the next response of the one in progress, and queues of packets
// that leave.
//
// Throughput: one queue pair in and one out per clock, one response per clock. Latency: three
// clocks through the queue of queue pairs, one through those of packets.

`include "assert.svh"

module roci_responder_owed #(
  parameter int unsigned NumQps = 256,  // power of two
  parameter int unsigned Compact = 0    // 1: one packet of each kind waits, in a register
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      idle_o,           // no packet waits

  // queue pairs
  input  logic                      push_i,           // qpn_i owes a response
  input  logic                      commit_i,         // to a request that is taken,
  input  logic [31:0]               ticket_i,         // with this ticket,
  input  logic                      gap_i,            // or to a gap before it
  input  logic                      posted_valid_i,   // posted_row_i has a receive to flush
  input  logic [$clog2(NumQps)-1:0] posted_row_i,
  output logic                      posted_ready_o,
  output logic                      valid_o,
  output logic [$clog2(NumQps)-1:0] row_o,
  input  logic                      pop_i,
  output logic [$clog2(NumQps):0]   level_o,          // queue pairs inside, and the one pushed now
  output logic                      ready_o,          // the queue is cleared

  // the queue pair in progress
  input  logic [23:0]               qpn_i,
  input  roci_pkg::responder_qp_t   read_i,           // its word,
  input  roci_pkg::responder_qp_t   qp_i,             // and a clock later
  input  roci_pkg::qp_attr_t        attr_i,
  input  roci_pkg::responder_slot_t slot_i,
  input  logic [3:0]                slot_index_i,
  input  logic [31:0]               done_i,           // payload packets in memory
  input  logic [15:0]               posted_i,         // index up to which receives are posted
  input  logic                      clear_of_tx_i,    // tx's payload queue holds no packet of it

  // its next response
  input  logic                      pick_i,           // pick it, and keep the pick
  input  logic                      slot_stale_i,     // the key of the slot may be gone
  output logic                      picked_o,         // there is one that can leave now
  output logic                      stale_o,          // its key is to be looked up again
  output logic                      slot_picked_o,    // the pick that was kept is the slot
  input  logic                      emit_i,           // it leaves
  output logic                      room_emit_o,      // there is room for it
  output logic                      surely_o,         // one leaves that is no NAK; from registers
  output logic                      freed_o,          // there is room that was not
  output logic                      via_desc_o,       // it leaves by tx's payload queue
  output logic [12:0]               len_o,            // its payload
  output logic                      nak_o,
  output roci_pkg::responder_qp_t   qp_o,             // what remains
  output roci_pkg::responder_slot_t slot_o,
  output logic                      more_o,           // the queue pair has more to do

  // packets: with payload, their segments, and without
  output roci_pkg::tx_desc_t        desc_o,
  output logic                      desc_valid_o,
  input  logic                      desc_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,
  output roci_pkg::tx_desc_t        ack_o,
  output logic                      ack_valid_o,
  input  logic                      ack_ready_i
);

  localparam int unsigned RowBits = $clog2(NumQps);

  // A push goes to the queue a clock after its event, so that what decided on it does not reach the
  // queue's memory. If its queue pair is taken from the queue in that very clock, it is put in
  // again: it has one more turn, which finds what the first one left.
  logic               push_q;
  logic [RowBits-1:0] push_row_q;
  logic [RowBits:0]   level;
  assign posted_ready_o = !push_i && ready_o;
  assign level_o        = level + (RowBits + 1)'(push_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) push_q <= 1'b0;
    else push_q <= push_i || (posted_valid_i && ready_o);
    push_row_q <= push_i ? qpn_i[RowBits-1:0] : posted_row_i;
  end
  logic queue_valid;
  roci_rq_queue #(.NumQps(NumQps)) u_queue (
    .clk_i, .rst_ni, .push_i(push_q), .push_row_i(push_row_q),
    .pop_valid_o(queue_valid), .pop_row_o(row_o), .pop_i, .level_o(level), .ready_o
  );
  // A queue pair has no turn before the payload of its ACK is in memory, so that no event is spent
  // on it. What does not wait for that gets a turn at once: a NAK of a gap, slots, a flush.
  logic                    now;
  roci_pkg::responder_qp_t left;  // the word that a step leaves, or the one it found
  assign left = emit_i ? qp_o : qp_i;
  assign now  = !push_i  ? 1'b1
              : commit_i ? gap_i || qp_i.pending != '0
              : left.ack != roci_pkg::ResponderAckAck || left.pending != '0 || left.flush;
  roci_responder_turn #(.NumQps(NumQps)) u_turn (
    .clk_i, .rst_ni, .push_i(push_i || (posted_valid_i && ready_o)), .push_now_i(now),
    .push_rush_i(now && !emit_i),
    .push_ticket_i(commit_i ? ticket_i : left.ack_ticket), .done_i, .level_i(level),
    .head_valid_i(queue_valid), .pop_i, .turn_o(valid_o)
  );

  roci_pkg::tx_desc_t desc;
  roci_pkg::seg_t     seg;
  logic               slot_ready, slot_ready_q, pick_record, record_q, stale_q;
  logic               no_slot_q, no_record_q, picks_slot;
  logic [63:0]        addr_q;
  logic [31:0]        left_q;
  logic               reads, reads_q, has_seg, has_seg_q;  // a READ's response, with payload
  logic               last, last_q;
  logic [12:0]        len, len_q;
  roci_responder_response u_response (
    .clk_i, .qpn_i, .read_i, .qp_i, .pmtu_i(attr_i.pmtu), .has_slot_i(read_i.pending != '0),
    .slot_index_i, .slot_i,
    .done_i, .credits_i(attr_i.credits && !attr_i.srq), .posted_i(posted_i - read_i.recv_next),
    .slot_ready_o(slot_ready), .pick_record_o(pick_record), .len_o(len), .last_o(last),
    .slot_picked_i(slot_picked_o), .read_picked_i(reads_q), .len_i(len_q), .last_i(last_q),
    .addr_i(addr_q), .left_i(left_q), .desc_o(desc), .seg_o(seg), .nak_o, .qp_o, .slot_o
  );
  always_ff @(posedge clk_i) begin
    if (pick_i) begin
      slot_ready_q <= slot_ready;
      record_q     <= pick_record;
      no_slot_q    <= !slot_ready;
      no_record_q  <= !pick_record;
      reads_q      <= reads;
      has_seg_q    <= reads && slot_i.left != '0;
      len_q        <= len;
      last_q       <= last;
      addr_q       <= slot_i.addr_operand;
      left_q       <= slot_i.left;
      stale_q      <= slot_stale_i;
    end
  end
  // The ages of slot and record are long subtractions: what follows from them is decided here.
  assign slot_picked_o = slot_ready_q && !record_q;
  // For the steps of the event there is a copy, inverted so that synthesis keeps both: the other
  // one chooses the whole packet and the word.
  assign picks_slot    = !no_slot_q && no_record_q;
  assign picked_o      = !no_slot_q || !no_record_q;
  assign stale_o       = picks_slot && stale_q;
  assign has_seg       = picks_slot && has_seg_q;
  assign reads         = slot_i.opcode == roci_pkg::OpRcReadRequest;
  assign via_desc_o    = !clear_of_tx_i || (picks_slot && reads_q);
  assign more_o        = qp_o.pending != '0 || qp_o.ack != roci_pkg::ResponderAckNone || qp_o.flush;

  assign len_o = desc.payload_len;

  // Queues of packets.
  localparam int unsigned Depth = Compact != 0 ? 1 : 2;
  logic       desc_room, seg_room, ack_room;
  logic [$clog2(Depth):0] desc_level, seg_level, ack_level;
  logic [2:0] rooms_q;
  logic       no_nak, room_slot, room_record;
  roci_records #(.Width(roci_pkg::TxDescBits), .Depth(Depth)) u_desc (
    .clk_i, .rst_ni, .in_data_i(desc), .in_valid_i(emit_i && via_desc_o), .in_ready_o(desc_room),
    .out_data_o(desc_o), .out_valid_o(desc_valid_o), .out_ready_i(desc_ready_i),
    .level_o(desc_level)
  );
  roci_records #(.Width(roci_pkg::SegBits), .Depth(Depth)) u_seg (
    .clk_i, .rst_ni, .in_data_i(seg), .in_valid_i(emit_i && has_seg), .in_ready_o(seg_room),
    .out_data_o(seg_o), .out_valid_o(seg_valid_o), .out_ready_i(seg_ready_i), .level_o(seg_level)
  );
  roci_records #(.Width(roci_pkg::TxDescBits), .Depth(Depth)) u_ack (
    .clk_i, .rst_ni, .in_data_i(desc), .in_valid_i(emit_i && !via_desc_o), .in_ready_o(ack_room),
    .out_data_o(ack_o), .out_valid_o(ack_valid_o), .out_ready_i(ack_ready_i), .level_o(ack_level)
  );
  // The room for either pick, as which of them was picked is used widely.
  assign room_slot   = clear_of_tx_i && !reads_q ? ack_room
                                                 : desc_room && (!has_seg_q || seg_room);
  assign room_record = clear_of_tx_i ? ack_room : desc_room;
  assign room_emit_o = picks_slot ? room_slot : room_record;
  // A response that is picked leaves at least two clocks after the one before it.
  assign no_nak      = qp_i.ack == roci_pkg::ResponderAckAck || !qp_i.ack_syndrome[5];
  assign surely_o    = picked_o && !stale_q && no_nak && rooms_q == '1;
  assign freed_o     = ({desc_room, seg_room, ack_room} & ~rooms_q) != '0;
  assign idle_o      = {desc_level, seg_level, ack_level} == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) rooms_q <= '0;
    else rooms_q <= {desc_room, seg_room, ack_room};
  end

  logic unused;
  assign unused = &{attr_i, left};

  `ASSERT(SegmentHasLength, `IMPLIES(pick_i && attr_i.pmtu <= 3'd5,
                                     (len != '0) == (slot_i.left != '0)))
  `ASSERT(CopyIsThePick, `IMPLIES(emit_i, picks_slot == slot_picked_o))
  `ASSERT(EmitHasRoom, `IMPLIES(emit_i, room_emit_o))
  `ASSERT(ReadStaysInRequest, `IMPLIES(emit_i && has_seg, 32'(seg.len) <= slot_i.left))

endmodule
