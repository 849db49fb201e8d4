// SPDX-License-Identifier: Apache-2.0
// Counts the beats of blocks as they come, for roci_block_ram.
//
// Throughput: one beat per clock. Latency: none.

module roci_block_beats #(
  parameter int unsigned DataWidth = 512,  // bits of a beat: 64, 128, 256 or 512
  localparam int unsigned Lanes    = DataWidth < 128 ? 128 / DataWidth : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             beat_i,   // a beat is taken
  output logic             first_o,  // it is the first of its block
  output logic             last_o,   // it is the last of its block
  output logic [1:0]       entry_o,  // it holds these 128 bits of it, or begins with them
  output logic [Lanes-1:0] lane_o    // which beat of those 128 bits it is
);

  localparam int unsigned Beats = 512 / DataWidth;

  logic [2:0] beat_q;
  assign first_o = beat_q == '0;
  assign last_o  = beat_q == 3'(Beats - 1);
  assign entry_o = 2'({2'b00, beat_q} * 5'(DataWidth / 64) >> 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (beat_i) beat_q <= last_o ? '0 : beat_q + 3'd1;
  end
  if (Lanes == 1) begin : gen_whole
    assign lane_o = 1'b1;
  end else begin : gen_half
    assign lane_o = {beat_q[0], !beat_q[0]};
  end

endmodule
