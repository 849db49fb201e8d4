// SPDX-License-Identifier: Apache-2.0
// Firmware's fence: holds new work back until all work begun before has ended.
//
// Latency: Settle clocks after the last block went idle.

`include "assert.svh"

module roci_fence #(
  parameter int unsigned Settle = 8  // idle clocks; more than any path between two blocks
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic start_i,
  input  logic all_idle_i,
  output logic busy_o,
  output logic pause_o
);

  localparam int unsigned CountBits = $clog2(Settle + 1);

  logic                 busy_q;
  logic [CountBits-1:0] quiet_q;  // clocks in a row with everything idle

  assign busy_o  = busy_q;
  assign pause_o = busy_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (quiet_q == CountBits'(Settle)) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !busy_q || start_i || !all_idle_i || quiet_q == CountBits'(Settle)) begin
      quiet_q <= '0;
    end else quiet_q <= quiet_q + 1'b1;
  end

  `ASSERT(CountInRange, quiet_q <= CountBits'(Settle))

`ifdef FORMAL
  // A fence ends only after Settle idle clocks in a row since its start.
  logic [CountBits:0] f_quiet_q, f_before_q;
  logic               f_was_busy_q;
  always_ff @(posedge clk_i) begin
    f_was_busy_q <= rst_ni && busy_q;
    f_before_q   <= f_quiet_q;
    if (!rst_ni || start_i || !all_idle_i) f_quiet_q <= '0;
    else if (f_quiet_q != (CountBits + 1)'(Settle)) f_quiet_q <= f_quiet_q + 1'b1;
  end
  `ASSERT(QuietIsCounted, `IMPLIES(busy_q, quiet_q <= f_quiet_q))
  `ASSERT(EndsWhenQuiet, `IMPLIES(f_was_busy_q && !busy_q, f_before_q == (CountBits + 1)'(Settle)))
  `COVER(Ends, f_was_busy_q && !busy_q)
  initial assume (!rst_ni);
`endif

endmodule
