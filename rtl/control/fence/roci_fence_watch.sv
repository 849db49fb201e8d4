// SPDX-License-Identifier: Apache-2.0
// Watches that each fence ends. A fence takes what memory and link take for a few buffers; one that
// does not end would show as HardwareError of some command much later. The assertion that fails
// names the block that holds it up. Nothing of this is synthesized.

`include "assert.svh"

module roci_fence_watch (
  input logic clk_i,
  input logic rst_ni,
  input logic pause_i,
  input logic control_idle_i,
  input logic sq_idle_i,
  input logic rq_idle_i,
  input logic rx_idle_i,
  input logic tx_idle_i,
  input logic dma_idle_i,
  input logic keys_idle_i,
  input logic timer_idle_i
);

  localparam int unsigned CountBits = 21;
  logic [CountBits-1:0] clocks_q;
  logic                 stuck;
  assign stuck = clocks_q[CountBits-1];
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !pause_i) clocks_q <= '0;
    else if (!stuck) clocks_q <= clocks_q + 1'b1;
  end
  `ASSERT(FenceEndsInControl, !stuck || control_idle_i)
  `ASSERT(FenceEndsInSq, !stuck || sq_idle_i)
  `ASSERT(FenceEndsInRq, !stuck || rq_idle_i)
  `ASSERT(FenceEndsInRx, !stuck || rx_idle_i)
  `ASSERT(FenceEndsInTx, !stuck || tx_idle_i)
  `ASSERT(FenceEndsInDma, !stuck || dma_idle_i)
  `ASSERT(FenceEndsInKeys, !stuck || keys_idle_i)
  `ASSERT(FenceEndsInTimer, !stuck || timer_idle_i)

endmodule
