// SPDX-License-Identifier: Apache-2.0
// Reset of one clock: active at once, also while the clock stands still, and released with it.

module roci_reset_sync (
  input  logic clk_i,
  input  logic async_rst_ni,
  output logic rst_no
);

  logic [2:0] up_q;
  assign rst_no = up_q[2];

  always_ff @(posedge clk_i or negedge async_rst_ni) begin
    if (!async_rst_ni) up_q <= '0;
    else               up_q <= {up_q[1:0], 1'b1};
  end

endmodule
