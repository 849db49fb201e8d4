// SPDX-License-Identifier: Apache-2.0
// How many sequence numbers a plan takes, and its whole message (RQ-02, RQ-08). A clock before the
// plan is decided on, because shifts and sums of 32 bits are the longer part of that decision.
//
// Latency: one clock.

module roci_requester_span (
  input  logic            clk_i,

  input  roci_pkg::plan_t plan_i,
  input  logic [2:0]      pmtu_i,
  output logic [23:0]     span_o,    // sequence numbers of the packet
  output logic [23:0]     message_o  // and of the whole message
);

  logic [31:0] mask, packets, all;
  logic [3:0]  shift;
  assign shift   = 4'd7 + 4'(pmtu_i);
  assign mask    = (32'd128 << pmtu_i) - 32'd1;
  assign packets = (plan_i.len + mask) >> shift;
  assign all     = (plan_i.msg_len + mask) >> shift;

  always_ff @(posedge clk_i) begin
    span_o    <= 24'd1;
    message_o <= 24'd1;
    if (plan_i.opcode == roci_pkg::WrOpRead && plan_i.len != '0) span_o <= packets[23:0];
    if (plan_i.msg_len != '0) message_o <= all[23:0];
  end

  logic unused;
  assign unused = &{1'b0, plan_i, packets, all};

endmodule
