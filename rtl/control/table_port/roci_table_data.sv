// SPDX-License-Identifier: Apache-2.0
// TableData: sixteen words, written one by one by firmware, loaded by reads of tables. They stand
// in registers for the row bus, and once more in memories, by word % Lanes, for reads of firmware.
//
// Throughput: a word or four in per clock, and one out. Latency: one clock, of data_o two.
//
// All words have one source of 32 bits, except for pairs of counters. A write of firmware goes
// first; what would be loaded in the same clock is lost.

module roci_table_data #(
  parameter int unsigned Pairs = 1  // 0: no pairs of counters are loaded
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         clear_i,
  input  logic         write_i,        // from firmware
  input  logic [3:0]   write_word_i,
  input  logic [31:0]  write_data_i,
  input  logic         load_i,         // a word of a row
  input  logic [3:0]   load_word_i,
  input  logic [31:0]  load_data_i,
  input  logic         pair_i,         // a pair of counters
  input  logic [1:0]   pair_index_i,
  input  logic [127:0] pair_data_i,

  output logic [511:0] data_o,         // a clock later than what is read
  input  logic         read_i,
  input  logic [3:0]   read_word_i,
  output logic [31:0]  read_data_o     // a clock after read_i
);

  localparam int unsigned Lanes    = Pairs != 0 ? 4 : 1;
  localparam int unsigned LaneBits = $clog2(Lanes);

  logic         pair, four_in, word_in;  // four words, or one, are taken
  logic [3:0]   at;
  logic [31:0]  word;
  logic [127:0] four;
  assign pair    = Pairs != 0 && pair_i;
  assign four_in = !write_i && pair;
  assign word_in = write_i || (load_i && !pair);
  assign at      = write_i ? write_word_i : pair ? {pair_index_i, 2'd0} : load_word_i;
  assign word    = write_i ? write_data_i : load_data_i;
  assign four    = four_in ? pair_data_i : {4{word}};

  // Each word is compared and written in data_o a clock later.
  logic         clear, clear_q, word_in_q, four_in_q;
  logic [3:0]   at_q;
  logic [127:0] four_q;
  logic [15:0]  there_q;  // taken since all words were cleared
  assign clear = !rst_ni || (clear_i && !write_i);
  always_ff @(posedge clk_i) begin
    clear_q   <= clear;
    word_in_q <= word_in;
    four_in_q <= four_in;
    at_q      <= at;
    four_q    <= four;
  end
  for (genvar i = 0; i < 16; i++) begin : gen_word
    always_ff @(posedge clk_i) begin
      if (clear) there_q[i] <= 1'b0;
      else if ((word_in && at == 4'(i)) || (four_in && at[3:2] == 2'(i / 4))) there_q[i] <= 1'b1;
      if (clear_q) data_o[32*i +: 32] <= '0;
      else if ((word_in_q && at_q == 4'(i)) || (four_in_q && at_q[3:2] == 2'(i / 4))) begin
        data_o[32*i +: 32] <= four_q[32*(i%4) +: 32];
      end
    end
  end

  logic [32*Lanes-1:0] read;
  logic [3:0]          read_word_q;
  logic                read_there_q;
  logic [Lanes-1:0]    unused_ready;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    roci_ram #(.Width(32), .Depth(16 / Lanes)) u_words (
      .clk_i, .rst_ni,
      .write_i(four_in || (word_in && 32'(at) % Lanes == l)), .write_row_i(at[3:LaneBits]),
      .write_data_i(four[32*l +: 32]), .read_i, .read_row_i(read_word_i[3:LaneBits]),
      .read_data_o(read[32*l +: 32]), .ready_o(unused_ready[l]));
  end
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_word_q  <= read_word_i;
      read_there_q <= there_q[read_word_i];
    end
  end
  logic unused;
  assign unused      = ^{read_word_q, unused_ready};
  assign read_data_o = read_there_q ? read[32*(32'(read_word_q) % Lanes) +: 32] : '0;

endmodule
