// SPDX-License-Identifier: Apache-2.0
// TableData: sixteen words, written one by one by firmware, loaded by reads of tables.
//
// Throughput: a word or four per clock. Latency: one clock.
//
// All words have one source of 32 bits, except for pairs of counters and short live states. A write
// of firmware goes first; what would be loaded in the same clock is lost.

module roci_table_data (
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
  input  logic         set_i,          // the two lowest words
  input  logic [63:0]  set_data_i,

  output logic [511:0] data_o
);

  logic [31:0]  word;
  logic [127:0] four;
  assign word = write_i ? write_data_i : load_data_i;
  assign four = !write_i && pair_i ? pair_data_i : {4{word}};

  for (genvar i = 0; i < 16; i++) begin : gen_word
    logic take;
    assign take = write_i ? write_word_i == 4'(i) : (load_i && load_word_i == 4'(i))
                                                    || (pair_i && pair_index_i == 2'(i / 4));
    if (i < 2) begin : gen_low
      always_ff @(posedge clk_i) begin
        if (!rst_ni || (clear_i && !write_i)) data_o[32*i +: 32] <= '0;
        else if (take) data_o[32*i +: 32] <= four[32*(i%4) +: 32];
        else if (set_i && !write_i) data_o[32*i +: 32] <= set_data_i[32*i +: 32];
      end
    end else begin : gen_high
      always_ff @(posedge clk_i) begin
        if (!rst_ni || (clear_i && !write_i)) data_o[32*i +: 32] <= '0;
        else if (take) data_o[32*i +: 32] <= four[32*(i%4) +: 32];
      end
    end
  end

endmodule
