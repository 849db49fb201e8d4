// SPDX-License-Identifier: Apache-2.0
// Proof harness: the ACK and NAK record of one queue pair under any requests and any memory.
//
// roci_responder_apply and roci_responder_response change one state word as in the responder: a
// request executes only at the expected PSN (proved for roci_responder_decide). The proof watches
// one packet, chosen freely: when a response that acknowledges it leaves, it was received, and its
// payload is in memory. Distances are counted from the expected PSN; a packet that is 4096 packets
// old is not watched any more.

`include "assert.svh"

module roci_responder_ack_tb (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      commit_i,      // a request
  input  logic [23:0]               psn_i,
  input  logic                      ack_req_i,
  input  logic [23:0]               dma_length_i,
  input  logic [3:0]                verdict_i,
  input  logic [7:0]                syndrome_i,
  input  logic                      takes_i,
  input  logic                      first_i,
  input  logic                      last_i,
  input  logic [15:0]               advance_i,     // tickets from the newest one to this request
  input  logic                      emit_i,        // a response may leave
  input  logic                      landed_i,      // a payload packet reaches memory
  input  logic                      has_slot_i,
  input  logic [23:0]               slot_psn_i,
  input  logic                      slot_done_i,
  input  logic [23:0]               first_psn_i    // expected PSN after reset
);

  localparam logic [23:0] Far = 24'h1000;
  localparam logic [31:0] Long = 32'h1000;

  roci_pkg::responder_qp_t qp_q, apply_qp, response_qp;
  roci_pkg::qp_attr_t      attr;
  roci_pkg::tx_desc_t      desc;
  logic [31:0]             done_q, newest_q, ticket;
  logic                    slot_ready, pick_record, executes, emit, nak;
  logic                    slot_write, job_valid, seg_valid, cqe_valid, fail_valid, established;
  logic                    count, responds;
  roci_pkg::responder_slot_t apply_slot, response_slot;
  roci_pkg::atomic_job_t   job;
  roci_pkg::seg_t          seg, response_seg;
  roci_pkg::cqe_req_t      cqe;
  roci_pkg::event_req_t    fail;
  logic [10:0]             drop;
  logic [12:0]             len;
  logic                    last;
  logic [23:0]             packets;
  roci_pkg::rx_meta_t        meta;
  roci_pkg::ext_reth_t       reth;
  roci_pkg::responder_slot_t slot;
  always_comb begin
    meta               = '0;
    meta.psn           = psn_i;
    meta.ack_req       = ack_req_i;
    reth               = '0;
    reth.dma_length    = 32'(dma_length_i);
    meta.ext           = reth;
    slot               = '0;
    slot.opcode        = roci_pkg::OpRcFetchAdd;
    slot.next_psn      = slot_psn_i;
    slot.done          = slot_done_i;
    attr                    = '0;
    attr.pmtu               = 3'd5;
    attr.max_dest_rd_atomic = 5'd4;
    attr.min_rnr_timer      = 5'd12;
  end
  assign ticket   = newest_q + 32'(advance_i);
  assign packets  = verdict_i != roci_pkg::VerdictRead || reth.dma_length == '0 ? 24'd1
                  : 24'((reth.dma_length - 32'd1) >> (4'd7 + 4'(attr.pmtu))) + 24'd1;
  assign executes = verdict_i >= roci_pkg::VerdictSend;

  roci_responder_apply u_apply (
    .meta_i(meta), .key_i('0), .qp_i(qp_q), .attr_i(attr),
    .packets_i(packets), .in_rtr_i(1'b0), .ticket_i(ticket),
    .walked_i(1'b0), .index_i('0), .addr_i('0), .pasid_i('0), .va_i('0),
    .left_i(first_i ? reth.dma_length : qp_q.write_left), .bytes_i(first_i ? '0 : qp_q.bytes),
    .verdict_i, .syndrome_i, .status_i('0),
    .access_event_i(1'b0), .takes_i, .first_i, .last_i,
    .qp_o(apply_qp), .slot_o(apply_slot), .slot_write_o(slot_write), .job_o(job),
    .job_valid_o(job_valid), .seg_o(seg), .seg_valid_o(seg_valid), .cqe_o(cqe),
    .cqe_valid_o(cqe_valid), .fail_o(fail), .fail_valid_o(fail_valid),
    .established_o(established), .count_o(count), .drop_o(drop), .responds_o(responds)
  );
  roci_responder_response u_response (
    .clk_i, .qpn_i('0), .read_i(qp_q), .qp_i(qp_q), .pmtu_i(attr.pmtu), .has_slot_i,
    .slot_index_i('0), .slot_i(slot),
    .done_i(done_q), .credits_i(1'b0), .posted_i('0), .slot_ready_o(slot_ready),
    .pick_record_o(pick_record), .len_o(len), .last_o(last),
    .slot_picked_i(1'b0), .addr_i('0), .left_i('0), .len_i(len),
    .last_i(last), .desc_o(desc), .seg_o(response_seg),
    .nak_o(nak), .qp_o(response_qp), .slot_o(response_slot)
  );
  assign emit = emit_i && !commit_i && pick_record;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      qp_q          <= '0;
      qp_q.epsn     <= first_psn_i;
      qp_q.last_psn <= first_psn_i - 24'd1;
      done_q        <= '0;
      newest_q      <= '0;
    end else begin
      if (commit_i) begin
        qp_q     <= apply_qp;
        newest_q <= ticket;
      end else if (emit) begin
        qp_q <= response_qp;
      end
      if (landed_i) done_q <= done_q + 32'd1;
    end
  end

  // What the responder guarantees.
  logic [23:0] age_meta, age_ack, age_next, age_last;
  assign age_meta = qp_q.epsn - psn_i;
  assign age_ack  = qp_q.epsn - qp_q.ack_psn;
  assign age_next = qp_q.epsn - qp_q.next_psn;
  assign age_last = qp_q.epsn - qp_q.last_psn;
`ifdef FORMAL
  logic [31:0]     f_ahead;
  assign f_ahead = newest_q - done_q;
  `ASSUME(VerdictIsOne, `IMPLIES(commit_i, verdict_i <= roci_pkg::VerdictAtomic
                                           && verdict_i != roci_pkg::VerdictPeek
                                           && verdict_i != roci_pkg::VerdictDiscard))
  `ASSUME(ExpectedExecutes, `IMPLIES(commit_i && (executes || verdict_i == roci_pkg::VerdictRnr
                                                  || verdict_i == roci_pkg::VerdictNak),
                                     age_meta == '0))
  `ASSUME(DuplicatesAreOld, `IMPLIES(commit_i && (verdict_i == roci_pkg::VerdictReack
                                                  || verdict_i == roci_pkg::VerdictReplay),
                                     age_meta != '0 && age_meta <= 24'h80_0000))
  `ASSUME(DeadIsSilent, `IMPLIES(commit_i && qp_q.dead, verdict_i == roci_pkg::VerdictIgnore))
  `ASSUME(NothingIsVeryOld, age_ack < Far && age_next < Far && age_last < Far)
  `ASSUME(DoneWasGivenOut, f_ahead < Long && `IMPLIES(landed_i, f_ahead != '0))
  initial assume (!rst_ni);

  // The packet that is watched.
  (* anyconst *) logic [23:0] f_psn;
  logic        f_seen_q;
  logic [31:0] f_ticket_q, f_since, f_waits;
  logic [23:0] f_age;
  logic        f_takes, f_acks, f_covered, f_covered_next;
  assign f_age   = qp_q.epsn - f_psn;
  assign f_takes = commit_i && (verdict_i == roci_pkg::VerdictSend
                                || verdict_i == roci_pkg::VerdictWrite) && psn_i == f_psn;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_seen_q <= 1'b0;
    else f_seen_q <= f_takes || (f_seen_q && f_age < Far && f_since < Long);
    if (f_takes) f_ticket_q <= ticket;
  end
  assign f_since = newest_q - f_ticket_q;
  assign f_waits = done_q - f_ticket_q;
  // An ACK acknowledges all up to its PSN, a NAK all before it.
  assign f_acks         = qp_q.ack == roci_pkg::ResponderAckAck
                       || (qp_q.ack == roci_pkg::ResponderAckFatal && !qp_q.ack_syndrome[5]);
  assign f_covered      = f_acks ? f_age >= age_ack : f_age > age_ack;
  assign f_covered_next = f_age >= age_next;

  logic        f_record, f_urgent;
  logic [31:0] f_ack_lead, f_next_lead, f_ack_old, f_next_old;
  assign f_record    = qp_q.ack != roci_pkg::ResponderAckNone;
  assign f_urgent    = qp_q.ack == roci_pkg::ResponderAckNak
                    && qp_q.ack_syndrome == roci_pkg::SynNakSequence;
  assign f_ack_lead  = qp_q.ack_ticket - f_ticket_q;
  assign f_next_lead = qp_q.next_ticket - f_ticket_q;
  assign f_ack_old   = newest_q - qp_q.ack_ticket;
  assign f_next_old  = newest_q - qp_q.next_ticket;
  `ASSUME(RecordsLeaveInTime, `IMPLIES(f_record, f_ack_old < Long)
                              && `IMPLIES(qp_q.next, f_next_old < Long))

  // invariants
  `ASSERT(SeenIsBeforeExpected, `IMPLIES(f_seen_q && f_age < Far, f_age != '0))
  `ASSERT(LastIsBeforeExpected, age_last != '0)
  `ASSERT(NakHasItsSyndrome, `IMPLIES(qp_q.ack == roci_pkg::ResponderAckNak,
                                      qp_q.ack_syndrome[5]))
  `ASSERT(AckIsBeforeExpected, `IMPLIES(f_acks, age_ack != '0))
  `ASSERT(NextIsBeforeExpected, `IMPLIES(qp_q.next, age_next != '0 && f_record))
  `ASSERT(AckWaits, `IMPLIES(f_seen_q && f_age < Far && f_since < Long && f_record && !f_urgent
                             && f_covered, f_ack_lead < Long))
  `ASSERT(NextWaits, `IMPLIES(f_seen_q && f_age < Far && f_since < Long && qp_q.next
                              && f_covered_next, f_next_lead < Long))

  // properties to be shown
  logic f_acked;
  assign f_acked = emit && f_seen_q && f_age < Far && f_since < Long && f_covered;
  `ASSERT(AcknowledgesWhatWasReceived, `IMPLIES(emit && !nak, desc.psn != qp_q.epsn
                                                              && age_ack != '0))
  `ASSERT(AcknowledgesWhatIsWritten, `IMPLIES(f_acked && !f_urgent, f_waits < Long))
  `COVER(CoalescedAckLeaves, f_acked && !nak && f_psn != qp_q.ack_psn && qp_q.next)
  `COVER(AckWaited, f_record && !pick_record && !has_slot_i)
  `COVER(RnrNakLeaves, f_acked && nak && !f_urgent)
  `COVER(LastAckLeaves, f_acked && !nak && qp_q.ack == roci_pkg::ResponderAckFatal)
`endif

endmodule
