// SPDX-License-Identifier: Apache-2.0
// Takes zero bytes at the end of a message out of its CRC again: x^-8 per byte.
//
// Throughput: one state per clock. Latency: two clocks, of enable_i. Three optional constant
// matrices per stage (1, 2, 4 bytes; then 8, 16, 32).

`include "assert.svh"

module roci_icrc_unwind #(
  parameter int unsigned GapBits = 6  // 3 to 6
) (
  input  logic               clk_i,
  input  logic               enable_i,
  input  logic               valid_i,  // state_i is wanted

  input  logic [31:0]        state_i,
  input  logic [GapBits-1:0] gap_i,
  output logic [31:0]        state_o
);

  `PARAM_CHECK(GapInRange, GapBits >= 3 && GapBits <= 6)

  localparam logic [31:0] Polynomial = 32'hEDB8_8320;
  localparam int unsigned MaxBits = 4 << GapBits;  // size of the largest matrix: half the gap

  // Row i of the matrix back over `bits` zero bits lies at 32 * i.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [32*32-1:0] back_rows(input int bits);
    logic [31:0] effect;
    effect = 32'd1;
    back_rows = '0;
    for (int at = 0; at < MaxBits + 32; at++) begin
      for (int row = 0; row < 32; row++) begin
        if (at >= bits && at < bits + 32) back_rows[32*row + at - bits] = effect[row];
      end
      effect = effect[31] ? ((effect ^ Polynomial) << 1) | 32'd1 : effect << 1;
    end
  endfunction
  // verilator coverage_on

  logic [31:0] back1, back2, back4, by1, by2, by4;
  logic [31:0] low_q, high_q;
  roci_icrc_matrix #(.Rows(back_rows(8))) u_back1 (.data_i(state_i), .sum_o(back1));
  roci_icrc_matrix #(.Rows(back_rows(16))) u_back2 (.data_i(by1), .sum_o(back2));
  roci_icrc_matrix #(.Rows(back_rows(32))) u_back4 (.data_i(by2), .sum_o(back4));
  assign by1 = gap_i[0] ? back1 : state_i;
  assign by2 = gap_i[1] ? back2 : by1;
  assign by4 = gap_i[2] ? back4 : by2;

  logic valid_q;
  always_ff @(posedge clk_i) begin
    if (enable_i) valid_q <= valid_i;
    if (enable_i && valid_i) low_q <= by4;
  end

  if (GapBits > 3) begin : gen_high
    logic [GapBits-1:3] gap_q;
    logic [31:0]        back8, by8, by16, by32;
    roci_icrc_matrix #(.Rows(back_rows(64))) u_back8 (.data_i(low_q), .sum_o(back8));
    always_ff @(posedge clk_i) begin
      if (enable_i && valid_i) gap_q <= gap_i[GapBits-1:3];
    end
    assign by8 = gap_q[3] ? back8 : low_q;
    if (GapBits > 4) begin : gen_16
      logic [31:0] back16;
      roci_icrc_matrix #(.Rows(back_rows(128))) u_back16 (.data_i(by8), .sum_o(back16));
      assign by16 = gap_q[4] ? back16 : by8;
    end else begin : gen_no_16
      assign by16 = by8;
    end
    if (GapBits > 5) begin : gen_32
      logic [31:0] back32;
      roci_icrc_matrix #(.Rows(back_rows(256))) u_back32 (.data_i(by16), .sum_o(back32));
      assign by32 = gap_q[5] ? back32 : by16;
    end else begin : gen_no_32
      assign by32 = by16;
    end
    always_ff @(posedge clk_i) begin
      if (enable_i && valid_q) high_q <= by32;
    end
  end else begin : gen_low
    always_ff @(posedge clk_i) begin
      if (enable_i && valid_q) high_q <= low_q;
    end
  end

  assign state_o = high_q;

endmodule
