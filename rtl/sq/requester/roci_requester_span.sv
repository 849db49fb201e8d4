// SPDX-License-Identifier: Apache-2.0
// How many sequence numbers a plan takes, and its whole message (RQ-02, RQ-08). A clock before the
// plan is decided on, because shifts and sums of 32 bits are the longer part of that decision.
// So are the credits that a response brings, for the step after the first; whether a blocked queue
// pair has room, and a credit for the message at which it resumes; and whether there is more to
// flush.
// The place of a READ response in its message is counted in each clock: in Compare of the message
// that the memory has, then of the same in its register, for Act, Place and Placed.
//
// Latency: one clock.

module roci_requester_span #(
  parameter int unsigned RingDepth = 128,  // messages in flight of a queue pair
  parameter int unsigned Window    = 256  // packets in flight of a queue pair
) (
  input  logic               clk_i,

  input  roci_pkg::plan_t    plan_i,
  input  logic [2:0]         plan_pmtu_i,
  input  roci_pkg::ext_aeth_t aeth_i,    // credits of a response that is read
  input  logic [23:0]        psn_i,      // PSN of the one in hand
  input  logic [23:0]        first_i,    // first PSN of the oldest message,
  input  logic [23:0]        last_i,     // and its last one
  input  roci_pkg::requester_qp_t qp_i,    // its word
  input  logic [4:0]         max_rd_atomic_i,
  input  logic               placed_i,   // the response is in Place or Placed
  input  logic [15:0]        flush_upto_i,
  output logic [23:0]        span_o,     // sequence numbers of the packet
  output logic [23:0]        message_o,  // and of the whole message, less one
  output logic               bad_o,      // that packet is of the oldest message
  output logic               limited_o,  // its peer counts credits,
  output logic [23:0]        limit_o,    // and has a receive for messages up to this one
  output logic               goes_on_o,  // room for one that is blocked, and a receive
  output logic               flushes_o   // a work request is left to be flushed
);

  logic [31:0] packets, all;
  logic [3:0]  shift;
  assign shift   = 4'd7 + 4'(plan_pmtu_i);
  assign packets = ((plan_i.len - 32'd1) >> shift) + 32'd1;
  assign all     = (plan_i.msg_len - 32'd1) >> shift;

  logic [23:0] into, rest;
  assign into = qp_i.bad_psn - first_i;
  assign rest = last_i - qp_i.bad_psn;

  logic        limited, beyond;
  logic [23:0] limit;
  roci_requester_credit u_credit (
    .code_i(aeth_i.code), .msn_i(aeth_i.msn), .limited_o(limited), .limit_o(limit),
    .known_limited_i(qp_i.limited), .known_limit_i(qp_i.limit),
    .ssn_i(qp_i.messages + 24'(qp_i.count) + 24'(qp_i.resume_offset == '0)), .beyond_o(beyond));

  // Unblocked with a quarter of the ring free, and half of the window and of the READs, so that one
  // fetch serves several work requests, and others are in flight meanwhile. In Place and Placed
  // the word is compared as it will be: without the packet of the response, and without its message
  // when that ends.
  logic [23:0] flight;
  logic        ends, none;
  logic [7:0]  most;
  logic [4:0]  most_rd;
  logic        room, room_q, beyond_q, none_q;
  assign goes_on_o = room_q && (!qp_i.credit_wait || !beyond_q || none_q);
  assign flight  = qp_i.psn_next - qp_i.una;
  assign most    = qp_i.drain_wait ? '0 : 8'(RingDepth - RingDepth / 4);
  assign most_rd = qp_i.fence_wait ? '0 : max_rd_atomic_i >> 1;
  assign ends    = placed_i && psn_i == last_i;
  assign none    = placed_i ? flight == 24'd1 : flight == '0;
  assign room    = (flight <= 24'(Window / 2) || (placed_i && flight == 24'(Window / 2) + 24'd1))
                   && (qp_i.count <= most || (ends && qp_i.count == most + 8'd1))
                   && (qp_i.rd_count <= most_rd || (ends && qp_i.rd_count == most_rd + 5'd1));

  logic [15:0] to_flush;
  assign to_flush = flush_upto_i - qp_i.done;

  always_ff @(posedge clk_i) begin
    span_o    <= 24'd1;
    message_o <= '0;
    if (plan_i.opcode == roci_pkg::WrOpRead && plan_i.len != '0) span_o <= packets[23:0];
    if (plan_i.msg_len != '0) message_o <= all[23:0];
    bad_o     <= !into[23] && !rest[23];
    limited_o <= limited;
    limit_o   <= limit;
    room_q    <= room;
    beyond_q  <= beyond;
    none_q    <= none;
    flushes_o <= !to_flush[15] && to_flush != '0;
  end

  logic unused;
  assign unused = &{1'b0, plan_i, packets, all, qp_i, aeth_i, into, rest};

endmodule
