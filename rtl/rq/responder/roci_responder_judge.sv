// SPDX-License-Identifier: Apache-2.0
// Judges the request at the head: its verdict, and all that follows from it for the state word and
// for other blocks.
//
// Throughput: one request per look_i. Latency: one clock.
//
// `send_o` and `inv_o` follow the request a clock later; it stands from the clock before `look_i`
// on. The other findings are kept in the clock of `look_i`, for the clocks after it; the effects
// are those of the verdict kept then, or of a list that turned out bad.


`include "assert.svh"

module roci_responder_judge (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // the request, what was foreseen of it, and the tables
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::key_rsp_t        key_i,
  input  logic                      foreseen_i,
  input  logic [15:0]               foreseen_index_i,
  input  logic                      placed_i,
  input  logic                      changed_i,     // the key table changed since the lookup
  input  logic [31:0]               key_age_i,     // age of the key table, at most that of key_i
  input  logic [31:0]               ticket_i,
  input  roci_pkg::responder_qp_t   plain_i,       // word of the queue pair: only `dead` counts
                                                   // when it is up; the whole word
  input  logic                      slot_full_i,   // with it: the response of slot_next is due
  input  roci_pkg::responder_qp_t   qp_i,          // a clock later
  input  roci_pkg::qp_attr_t        attr_i,
  input  roci_pkg::qp_attr_t        attr_kept_i,   // likewise
  input  logic [2:0]                state_i,
  input  logic                      reset_i,       // the queue pair was reset since the read
  input  roci_pkg::responder_slot_t slot_i,
  input  logic                      job_waits_i,   // no room for an atomic

  // steps of the event
  input  logic                      pick_i,        // an event begins
  input  logic                      look_i,        // keep the verdict
  input  logic                      peeked_i,      // keep rsp_i
  input  roci_pkg::receive_rsp_t    rsp_i,
  input  logic                      list_bad_i,
  input  logic                      walk_bad_i,
  input  logic                      walk_good_i,
  input  logic [7:0]                walk_status_i,
  input  logic                      inv_bad_i,     // the key of a SEND stays valid
  input  logic                      again_i,       // again_key_i is the result of a lookup
  input  roci_pkg::key_rsp_t        again_key_i,
  input  logic                      commit_i,

  // findings
  output logic [3:0]                verdict_o,
  output logic                      stall_o,
  output logic                      full_o,        // no replay slot is free: a NAK from the next
                                                   // clock on
  output logic                      walks_o,       // the list must be walked
  output logic                      send_o,        // the packet is of a SEND
  output logic                      first_o,       // the packet begins a message; from look_i on
  output logic [31:0]               bytes_o,       // bytes of the message before it; after look_i
  output logic                      inv_o,         // the packet is a SEND that invalidates a key
  output logic                      first_write_o,  // commit of a WRITE whose key was looked up
  output logic                      again_write_o,  // commit of one whose key was looked up again
  output logic                      key_ok_o,      // ok of key_i, a clock later
  output logic                      match_o,       // slot_i belongs to this duplicate
  output logic                      passed_o,      // the response in progress is past its PSN
  output roci_pkg::responder_slot_t replay_slot_o,
  output roci_pkg::key_rsp_t        again_key_o,   // result of the newest lookup in this event
  output logic                      again_o,       // there was such a lookup

  // effects
  output roci_pkg::responder_qp_t   qp_o,
  output roci_pkg::responder_slot_t slot_o,
  output logic                      slot_write_o,
  output roci_pkg::atomic_job_t     job_o,
  output logic                      job_valid_o,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  output logic                      established_o,
  output logic                      count_o,
  output logic [10:0]               drop_o,
  output logic                      responds_o
);

  roci_pkg::ext_reth_t reth;
  logic            unused;
  logic            in_connection, peeked_q, posted_q, fetched_q, atomic_q, foreseen, placed;
  logic            walked_q;
  logic [3:0]      verdict_d, verdict_other, verdict_q, not_q, early;
  // What a request waits for: atomics, responses before the end of a key, a receive.
  logic            busy_q, owes_q, waits_q;
  logic            read_q, full_q;  // a READ or atomic; the response in its slot has not left
  logic [15:0]     index_q;    // index of the receive that was requested
  logic [7:0]      syndrome, syndrome_q, status, status_q;
  logic            access_event, access_event_q, takes, takes_q, first_q, last, last_q;
  assign reth          = meta_i.ext;
  assign unused        = &{reth, rsp_i, plain_i, attr_i};
  assign in_connection = state_i == roci_pkg::QpRtr || state_i == roci_pkg::QpRts
                      || state_i == roci_pkg::QpSqd || state_i == roci_pkg::QpSqe;

  // A foreseen receive counts when it is the receive whose turn it is.
  assign foreseen = foreseen_i && foreseen_index_i == plain_i.recv_next;
  assign placed   = foreseen && placed_i && !changed_i;
  // For what decides on the next event there is a copy of its own, inverted so that synthesis keeps
  // both: the other one chooses the whole word.
  assign early     = ~not_q;
  assign verdict_o = early;
  // The request, kept for the clock of look_i.
  localparam logic [12:0] GrhBytes = 13'(roci_pkg::Ipv6Bits / 8);
  logic        uc_q;
  logic [12:0] own_len;  // without the GRH of a datagram, which the path MTU does not bound
  assign own_len = meta_i.payload_len - (meta_i.ud ? GrhBytes : '0);
  logic        write_q, imm_write_q, filled_q, dma_fits_q, dma_same_q;
  logic [7:0]  opcode_q;  // for the assertion
  logic [23:0] psn_q;
  logic [12:0] len_q;
  logic [31:0] most_q, dma_length_q;
  logic [5:1]  is_mtu_q, fits_mtu_q, dma_on_q;
  logic [2:0]  va_low_q;
  roci_responder_kind u_kind (
    .clk_i, .opcode_i(meta_i.opcode), .payload_len_i(own_len), .dma_length_i(reth.dma_length),
    .send_o, .write_o(write_q), .read_o(read_q), .atomic_o(atomic_q), .first_o, .last_o(last),
    .imm_write_o(imm_write_q), .invalidates_o(inv_o), .filled_o(filled_q), .is_mtu_o(is_mtu_q),
    .fits_mtu_o(fits_mtu_q), .most_o(most_q), .dma_fits_o(dma_fits_q), .dma_same_o(dma_same_q),
    .dma_on_o(dma_on_q));
  always_ff @(posedge clk_i) begin
    uc_q         <= meta_i.uc;
    opcode_q     <= meta_i.opcode;
    psn_q        <= meta_i.psn;
    len_q        <= own_len;
    dma_length_q <= reth.dma_length;
    va_low_q     <= reth.va[2:0];
    key_ok_o     <= key_i.ok;
  end
  `ASSERT(RequestStands, `IMPLIES(look_i, psn_q == meta_i.psn && opcode_q == meta_i.opcode
                                          && len_q == own_len && key_ok_o == key_i.ok))
  roci_responder_decide u_decide (
    .clk_i, .rst_ni,
    .uc_i(uc_q), .send_i(send_o), .write_i(write_q), .read_i(read_q), .atomic_i(atomic_q),
    .first_i(first_o), .last_i(last), .imm_write_i(imm_write_q), .psn_i(psn_q),
    .payload_len_i(len_q), .filled_i(filled_q), .is_mtu_i(is_mtu_q), .fits_mtu_i(fits_mtu_q),
    .most_i(most_q), .dma_length_i(dma_length_q), .dma_fits_i(dma_fits_q),
    .dma_same_i(dma_same_q), .dma_on_i(dma_on_q), .va_i(va_low_q), .key_ok_i(key_ok_o),
    .dead_i(plain_i.dead || !in_connection), .epsn_i(plain_i.epsn), .nak_sent_i(plain_i.nak_sent),
    .message_i(plain_i.message), .write_left_i(plain_i.write_left), .bytes_i(plain_i.bytes),
    .access_i(attr_i.access), .pmtu_i(attr_i.pmtu),
    .max_dest_rd_atomic_i(attr_i.max_dest_rd_atomic),
    .peeked_i(peeked_q || foreseen), .posted_i(posted_q || foreseen),
    .judge_i(look_i), .kept_i(verdict_other), .verdict_o(verdict_d), .syndrome_o(syndrome),
    .status_o(status), .access_event_o(access_event), .takes_o(takes)
  );
  // An atomic changes memory later than it is accepted, and nothing may overtake it. Other atomics
  // cannot, and the response to a READ follows the atomic's write. The end of a key does not
  // overtake READs of its queue pair.
  assign stall_o = early != roci_pkg::VerdictIgnore
                && ((busy_q && (early != roci_pkg::VerdictRead || full_q))
                    || (early == roci_pkg::VerdictAtomic && job_waits_i)
                    || (early == roci_pkg::VerdictSend && owes_q) || waits_q);

  // Slots are looked at beside the verdict. The NAK for want of one is that of an invalid request,
  // and replaces another NAK too.
  assign full_o = full_q && (early == roci_pkg::VerdictRead
                             || early == roci_pkg::VerdictAtomic
                             || early == roci_pkg::VerdictNak);

  logic               again_q;
  logic [63:0]        addr_q, va_q;    // where the payload goes
  logic [19:0]        pasid_q;
  logic [31:0]        left_q, bytes_q; // bytes of a WRITE from the packet on, and before it
  logic [23:0]        packets_q;  // a commit comes at least a clock after the attributes
  roci_pkg::key_rsp_t again_key_q, key;
  roci_pkg::responder_slot_t new_slot, replay_slot;
  always_comb begin
    slot_o                = new_slot;
    slot_o.key_age        = key_age_i;
    replay_slot_o         = replay_slot;
    replay_slot_o.key_age = key_age_i;
  end
  assign again_key_o = again_key_q;
  assign again_o     = again_q;
  assign bytes_o = bytes_q;
  assign key   = again_q ? again_key_q : key_i;
  assign first_write_o = commit_i && verdict_q == roci_pkg::VerdictWrite && first_q;
  assign again_write_o = commit_i && verdict_q == roci_pkg::VerdictWrite && again_q;
  roci_responder_apply u_apply (
    .meta_i, .key_i(key), .addr_i(addr_q), .pasid_i(pasid_q), .va_i(va_q),
    .left_i(left_q), .bytes_i(bytes_q), .qp_i, .attr_i(attr_kept_i), .packets_i(packets_q),
    .in_rtr_i(state_i == roci_pkg::QpRtr), .ticket_i, .walked_i(walked_q), .index_i(index_q),
    .verdict_i(verdict_q), .syndrome_i(syndrome_q), .status_i(status_q),
    .access_event_i(access_event_q), .takes_i(takes_q), .first_i(first_q), .last_i(last_q),
    .qp_o, .slot_o(new_slot), .slot_write_o, .job_o, .job_valid_o, .seg_o, .seg_valid_o,
    .cqe_o, .cqe_valid_o, .fail_o, .fail_valid_o, .established_o, .count_o, .drop_o, .responds_o
  );
  roci_responder_replay u_replay (
    .clk_i, .meta_i, .key_i, .pmtu_i(attr_i.pmtu), .ticket_i, .slot_i, .match_o, .passed_o,
    .slot_o(replay_slot)
  );

  always_comb begin
    verdict_other = verdict_q;
    if (full_o) verdict_other = roci_pkg::VerdictNak;
    if (list_bad_i || walk_bad_i) begin
      verdict_other = roci_pkg::VerdictNak;
      if (uc_q && !list_bad_i && walk_status_i == roci_pkg::StatusLocLenErr) begin
        verdict_other = roci_pkg::VerdictDiscard;  // UC-05: it is longer than the receive
      end
    end
    if (inv_bad_i || (again_i && !again_key_i.ok)) begin
      verdict_other = uc_q ? roci_pkg::VerdictDiscard : roci_pkg::VerdictNak;
    end
  end
  always_ff @(posedge clk_i) begin
    verdict_q <= verdict_d;
    not_q     <= ~verdict_d;
  end

  always_ff @(posedge clk_i) begin
    packets_q <= !read_q || dma_length_q == '0 ? 24'd1
               : 24'((dma_length_q - 32'd1) >> (4'd7 + 4'(attr_i.pmtu))) + 24'd1;
    if (pick_i) peeked_q <= 1'b0;
    walked_q <= !pick_i && (walked_q || walk_good_i);
    again_q  <= !pick_i && (again_q || again_i);
    if (again_i) begin
      again_key_q <= again_key_i;
      addr_q      <= again_key_i.addr;
      pasid_q     <= again_key_i.pasid;
    end
    if (full_o) begin
      syndrome_q     <= roci_pkg::SynNakInvalid;
      status_q       <= roci_pkg::StatusRemInvReqErr;
      access_event_q <= 1'b0;
    end
    if (look_i) begin
      walks_o        <= meta_i.payload_len != '0 && !placed;
      busy_q         <= plain_i.atomics != '0 && !atomic_q;
      owes_q         <= (plain_i.pending & ~plain_i.replayed) != '0 && inv_o;
      waits_q        <= peeked_q && posted_q && !fetched_q && !foreseen;
      full_q         <= slot_full_i && (read_q || atomic_q);
      syndrome_q     <= syndrome;
      status_q       <= status;
      access_event_q <= access_event;
      takes_q        <= takes && (peeked_q || foreseen);
      first_q        <= first_o;
      addr_q         <= first_o ? key_i.addr : plain_i.write_addr;
      pasid_q        <= first_o ? key_i.pasid : plain_i.write_pasid;
      va_q           <= first_o ? reth.va : plain_i.write_va;
      left_q         <= first_o ? reth.dma_length : plain_i.write_left;
      bytes_q        <= first_o ? '0 : plain_i.bytes;
      last_q         <= last;
    end
    if (peeked_i) begin
      peeked_q  <= 1'b1;
      posted_q  <= rsp_i.posted;
      fetched_q <= rsp_i.fetched;
      index_q   <= rsp_i.index;
    end
    if (list_bad_i || walk_bad_i) begin
      syndrome_q     <= !list_bad_i && walk_status_i == roci_pkg::StatusLocLenErr
                        ? roci_pkg::SynNakInvalid : roci_pkg::SynNakOperational;
      status_q       <= list_bad_i ? roci_pkg::StatusLocQpOpErr : walk_status_i;
      access_event_q <= 1'b0;
    end
    if (inv_bad_i || (again_i && !again_key_i.ok)) begin
      // The SEND itself gets no response: see roci_responder_apply.
      syndrome_q     <= inv_bad_i ? roci_pkg::SynAckNoCredits : roci_pkg::SynNakAccess;
      status_q       <= roci_pkg::StatusLocAccessErr;
      access_event_q <= 1'b1;
    end
  end

  // What changes the verdict comes after it.
  `ASSERT(VerdictComesFirst, `IMPLIES(look_i, !list_bad_i && !walk_bad_i && !inv_bad_i && !again_i))
  `ASSERT(WriteStaysInMessage, `IMPLIES(commit_i && verdict_q == roci_pkg::VerdictWrite && !first_q,
                                        32'(meta_i.payload_len) <= qp_i.write_left))
  `ASSERT(PeekIsOfNext, `IMPLIES(peeked_i && in_connection && !qp_i.dead && !attr_i.srq && !reset_i,
                                 rsp_i.index == qp_i.recv_next))

endmodule
