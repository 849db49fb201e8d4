// SPDX-License-Identifier: Apache-2.0
// The word of an atomic out of the block that it reads, which comes by beats.
//
// Throughput: one beat per clock. Latency: none; the word is there with the last beat.

module roci_atomic_word #(
  parameter int unsigned DataWidth = 512  // bits of a beat: 64, 128, 256 or 512
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic [2:0]         word_i,    // which word of the block
  input  logic               beat_i,    // a beat is taken
  input  logic [DataWidth:0] br_rsp_i,  // the beat: {error, data}

  // with the last beat
  output logic               last_o,
  output logic [63:0]        word_o,
  output logic               bad_o      // a beat of the block could not be read
);

  if (DataWidth == 512) begin : gen_whole
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, beat_i};
    assign last_o = 1'b1;
    assign word_o = br_rsp_i[64*word_i +: 64];
    assign bad_o  = br_rsp_i[DataWidth];
  end else begin : gen_beats
    // The word of a beat before the last one is kept.
    localparam int unsigned Words = DataWidth / 64;
    localparam int unsigned Lanes = DataWidth < 128 ? 2 : 1;
    logic             bad_q, here, unused_first, unused_lane;
    logic [1:0]       entry;
    logic [Lanes-1:0] lane;
    logic [2:0]       first_word;    // which word of the block a beat begins with
    logic [2:0]       ahead, place;  // the wanted word from there on; its place in the beat
    logic [63:0]      word, word_q;
    roci_block_beats #(.DataWidth(DataWidth)) u_beats (
      .clk_i, .rst_ni, .beat_i, .first_o(unused_first), .last_o, .entry_o(entry), .lane_o(lane));
    assign first_word  = {entry, !lane[0]};
    assign ahead       = word_i - first_word;
    assign here        = ahead < 3'(Words);
    assign place       = ahead & 3'(Words - 1);
    assign word        = br_rsp_i[64*place +: 64];
    assign word_o      = here ? word : word_q;
    assign bad_o       = br_rsp_i[DataWidth] || bad_q;
    assign unused_lane = &{1'b0, lane};
    always_ff @(posedge clk_i) begin
      if (!rst_ni) bad_q <= 1'b0;
      else if (beat_i) bad_q <= !last_o && bad_o;
      if (beat_i && here) word_q <= word;
    end
  end

endmodule
