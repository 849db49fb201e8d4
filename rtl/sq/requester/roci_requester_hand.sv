// SPDX-License-Identifier: Apache-2.0
// Step of the event in hand, as its code and as one bit for each step: what ends the event chooses
// the next one, and waits neither for a decoder nor for all that follows the code.

`include "assert.svh"

module roci_requester_hand (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        finish_i,  // the event in hand ends
  input  logic        take_i,    // an event comes into the hand, which is free
  input  logic [3:0]  first_i,   // its first step,
  input  logic [15:0] first_at_i, // and the bit of that
  input  logic [3:0]  next_i,    // the next step of the event in hand

  (* fsm_encoding = "none" *)
  output logic [3:0]  state_o,   // Requester* code
  output logic [15:0] at_o       // bit of that code
);

  // The bits of each possible step are there when it is known which one it is.
  logic [15:0] next_at;
  assign next_at  = 16'd1 << next_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_o <= roci_pkg::RequesterIdle;
      at_o    <= 16'd1 << roci_pkg::RequesterIdle;
    end else if (take_i) begin
      state_o <= first_i;
      at_o    <= first_at_i;
    end else if (at_o[roci_pkg::RequesterIdle] || finish_i) begin
      state_o <= roci_pkg::RequesterIdle;
      at_o    <= 16'd1 << roci_pkg::RequesterIdle;
    end else begin
      state_o <= next_i;
      at_o    <= next_at;
    end
  end

  `ASSERT(BitIsOfTheCode, at_o == 16'd1 << state_o)

endmodule
