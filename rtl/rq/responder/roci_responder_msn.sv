// SPDX-License-Identifier: Apache-2.0
// MSN of payload on its way to memory: how many messages of its queue pair precede the packet. A
// NAK for a write that failed carries this MSN, since the queue pair may have counted more messages
// meanwhile.
//
// A packet enters when its request commits and leaves once it is in memory, so the oldest packet is
// the failing one while a failure is reported: its ticket is not counted before the report is
// taken. The scatter unit holds 128 packets and the queues before it fewer than ten.
//
// Throughput: one packet in and one out per clock. Latency: two clocks from `done_i` to `msn_o`.

`include "assert.svh"

module roci_responder_msn #(
  parameter int unsigned Depth = 256  // packets, a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        push_i,     // a request with payload commits
  input  logic [15:0] ticket_i,   // ticket of the packet
  input  logic [23:0] msn_i,      // messages before it
  input  logic [15:0] done_i,     // payload packets in memory

  input  logic        failed_i,   // the packet after `done_i` was not written
  output logic [23:0] msn_o       // messages before it
);

  logic [15:0]            ticket, ticket_q, since;
  logic [23:0]            msn;
  logic                   ready, valid, valid_q, take, landed;
  logic [$clog2(Depth):0] level;
  roci_fifo #(.Width(40), .Depth(Depth)) u_packets (
    .clk_i, .rst_ni,
    .in_data_i({ticket_i, msn_i}), .in_valid_i(push_i), .in_ready_o(ready),
    .out_data_o({ticket, msn}), .out_valid_o(valid), .out_ready_i(take), .level_o(level)
  );
  // The oldest packet stands in registers: what lands is compared with it, not with the memory.
  assign since  = done_i - ticket_q;
  assign landed = !since[15];
  assign take   = valid && (!valid_q || landed);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= take || (valid_q && !landed);
    if (take) {ticket_q, msn_o} <= {ticket, msn};
  end

  logic unused;
  assign unused = &{1'b0, level, since};

  `ASSERT(PacketHasRoom, `IMPLIES(push_i, ready))
  `ASSERT(OldestHasFailed, `IMPLIES(failed_i, valid_q && since == 16'hFFFF))

endmodule
