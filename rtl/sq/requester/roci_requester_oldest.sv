// SPDX-License-Identifier: Apache-2.0
// The oldest message of the queue pair in hand, and what a response acknowledges of it. The ring's
// memory is followed by the comparison alone: the message and what was found stand in registers.
// The memory has the oldest message in the first step of an event, and from then on the one after
// it, so that a message can be completed in each clock.
//
// Throughput: a message a clock. Latency: one clock.

module roci_requester_oldest (
  input  logic                       clk_i,

  // reads of the ring: for the event that is read, then for the one in hand
  input  logic                       first_i,
  input  logic [6:0]                 first_at_i,
  input  logic [3:0]                 state_i,     // Requester* code
  input  logic                       next_i,      // the oldest leaves the ring in Retire
  input  logic [6:0]                 head_i,
  output logic                       read_o,
  output logic [6:0]                 read_at_o,
  input  roci_pkg::requester_entry_t entry_i,     // what was read,
  input  logic [9:0]                 ticket_i,    // with it

  input  logic [23:0]                upto_i,      // PSNs before this one are acknowledged
  input  logic [23:0]                psn_next_i,
  input  logic [23:0]                psn_i,       // PSN of the response
  input  logic [2:0]                 pmtu_i,

  output roci_pkg::requester_entry_t entry_o,
  output logic [9:0]                 ticket_o,
  output logic                       part_o,      // the acknowledge ends within it,
  output logic                       whole_o,     // or with it
  output logic                       at_first_o,  // the response has its first PSN,
  output logic                       at_last_o,   // or its last
  output logic [31:0]                offset_o,    // bytes of the message before the response
  output logic                       all_o        // nothing is in flight after what it acknowledges
);

  logic comparing;
  assign comparing = state_i == roci_pkg::RequesterCompare;
  assign read_o    = first_i || comparing || next_i;
  assign read_at_o = first_i ? first_at_i : head_i + (comparing ? 7'd1 : 7'd2);

  // A message has at most 2^23 packets, so the sign of one difference is enough.
  logic [23:0] beyond, packets_in;
  assign beyond = upto_i + ~entry_i.last;  // upto - (last + 1)
  assign packets_in = psn_i - entry_i.first;
  always_ff @(posedge clk_i) begin
    all_o <= psn_next_i == upto_i;
    if (comparing || next_i || state_i == roci_pkg::RequesterHandle) begin
      entry_o    <= entry_i;
      ticket_o   <= ticket_i;
      part_o     <= beyond[23];
      whole_o    <= beyond == '0;
      at_first_o <= psn_i == entry_i.first;
      at_last_o  <= psn_i == entry_i.last;
      offset_o   <= 32'(packets_in) << (4'd7 + 4'(pmtu_i));
    end
  end

endmodule
