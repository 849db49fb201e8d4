// SPDX-License-Identifier: Apache-2.0
// Time in ns, counted by a clock whose period is not a whole number of them.

module roci_clock_time #(
  parameter int unsigned Period = 67108864  // a clock takes it, in 2^-24 ns: 4 ns
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [63:0] now_o  // ns since reset
);

  // Two steps, so that no sum of 88 bits has to be made in one clock.
  logic [31:0] low_q;  // 8 bits of ns and the fraction
  logic [32:0] low_d;
  logic        carry_q;
  logic [7:0]  low_ns_q;
  logic [55:0] high_q;
  assign low_d = 33'(low_q) + 33'(Period);
  assign now_o = {high_q, low_ns_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q    <= '0;
      carry_q  <= 1'b0;
      low_ns_q <= '0;
      high_q   <= '0;
    end else begin
      low_q    <= low_d[31:0];
      carry_q  <= low_d[32];
      low_ns_q <= low_q[31:24];
      high_q   <= high_q + 56'(carry_q);
    end
  end

endmodule
