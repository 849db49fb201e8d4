// SPDX-License-Identifier: Apache-2.0
// How many sequence numbers a plan takes, and its whole message (RQ-02, RQ-08). A clock before the
// plan is decided on, because shifts and sums of 32 bits are the longer part of that decision.
// The place of a READ response in its message is counted in each clock: the ring gives the same
// entry in the last clock of Retire and in Act, Place and Placed, which use it.
//
// Latency: one clock.

module roci_requester_span (
  input  logic            clk_i,

  input  roci_pkg::plan_t plan_i,
  input  logic [2:0]      pmtu_i,
  input  logic [23:0]     psn_i,      // PSN of a response
  input  logic [23:0]     first_i,    // first PSN of the oldest message
  output logic [23:0]     span_o,     // sequence numbers of the packet
  output logic [23:0]     message_o,  // and of the whole message
  output logic [31:0]     offset_o    // bytes from first_i to psn_i
);

  logic [31:0] mask, packets, all;
  logic [3:0]  shift;
  logic [23:0] packets_in;
  assign shift   = 4'd7 + 4'(pmtu_i);
  assign mask    = (32'd128 << pmtu_i) - 32'd1;
  assign packets = (plan_i.len + mask) >> shift;
  assign all     = (plan_i.msg_len + mask) >> shift;

  assign packets_in = psn_i - first_i;

  always_ff @(posedge clk_i) begin
    span_o    <= 24'd1;
    message_o <= 24'd1;
    if (plan_i.opcode == roci_pkg::WrOpRead && plan_i.len != '0) span_o <= packets[23:0];
    if (plan_i.msg_len != '0) message_o <= all[23:0];
    offset_o <= 32'(packets_in) << shift;
  end

  logic unused;
  assign unused = &{1'b0, plan_i, packets, all};

endmodule
