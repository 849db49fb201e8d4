// SPDX-License-Identifier: Apache-2.0
// Checksums of a received frame: IPv4 header (WIRE-06) and, when it is used, UDP (WIRE-16).
//
// Throughput: one beat a clock. Latency: the verdict comes three clocks after the last beat.
//
// The addresses of the pseudo header lie right before the UDP header in both versions of IP, so the
// sum over the bytes from there to the end of the datagram lacks only length and protocol.

`include "assert.svh"

module roci_rx_sums #(
  parameter int unsigned DataWidth = 512  // 64, 128, 256 or 512
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [DataWidth-1:0] data_i,
  input  logic                 valid_i,
  input  logic                 last_i,
  input  logic [16-$clog2(DataWidth/8):0] index_i,  // beat in the frame

  // as far as known in this beat
  input  logic                 known_i,       // lengths and the use of the checksum are known
  input  logic [6:0]           l3_offset_i,
  input  logic                 ipv6_i,
  input  logic [16:0]          end_i,         // first byte after the datagram
  input  logic                 no_udp_sum_i,
  input  logic [15:0]          udp_length_i,
  input  roci_pkg::ipv4_t      ipv4_i,

  output logic                 valid_o,       // one pulse a frame
  output logic                 ok_o           // has a meaning for RoCE frames only
);

  localparam int unsigned Words     = DataWidth / 16;
  localparam int unsigned WordBits  = $clog2(Words);
  localparam int unsigned Groups    = Words > 4 ? 4 : 1;  // partial sums between the two stages
  localparam int unsigned PerGroup  = Words / Groups;
  localparam int unsigned GroupBits = 16 + $clog2(PerGroup);
  localparam int unsigned IndexBits = 17 - $clog2(DataWidth / 8);
  localparam logic [6:0]  Ipv4Pseudo = 7'd12;  // source address in the IP header
  localparam logic [6:0]  Ipv6Pseudo = 7'd8;

  // words of this beat that count
  logic [6:0]           start_byte;
  logic [15:0]          start_word, beat_word, end_word;
  logic [WordBits:0]    from, upto;  // in this beat
  logic                 active;
  assign start_byte = l3_offset_i + (ipv6_i ? Ipv6Pseudo : Ipv4Pseudo);
  assign start_word = 16'(start_byte) >> 1;
  assign end_word   = 16'(end_i >> 1);
  assign beat_word  = {index_i, {WordBits{1'b0}}};
  assign from       = start_word >= beat_word + 16'(Words) ? (WordBits + 1)'(Words)
                    : start_word > beat_word ? (WordBits + 1)'(start_word - beat_word) : '0;
  assign upto       = !known_i || end_word >= beat_word + 16'(Words) ? (WordBits + 1)'(Words)
                    : end_word > beat_word ? (WordBits + 1)'(end_word - beat_word) : '0;
  assign active     = valid_i && !(known_i && no_udp_sum_i);

  logic [Words-1:0]        counts;
  logic [DataWidth-1:0]    masked;  // big-endian words
  for (genvar i = 0; i < Words; i++) begin : gen_word
    assign counts[i] = from <= (WordBits + 1)'(i) && upto > (WordBits + 1)'(i);
    assign masked[16*i +: 16] = counts[i] ? {data_i[16*i +: 8], data_i[16*i+8 +: 8]} : '0;
  end

  // stage 1: a few partial sums
  logic [Groups*GroupBits-1:0] partial_d, partial_q;
  always_comb begin
    partial_d = '0;
    for (int g = 0; g < Groups; g++) begin
      for (int i = 0; i < PerGroup; i++) begin
        partial_d[GroupBits*g +: GroupBits] = partial_d[GroupBits*g +: GroupBits] +
                                              GroupBits'(masked[16*(PerGroup*g+i) +: 16]);
      end
    end
  end

  logic        first_q;  // next beat starts a frame
  logic        valid1_q, first1_q, last1_q, active1_q, skip1_q, ipv61_q;
  logic [15:0] length1_q;
  logic [19:0] header1_q;  // IPv4 header, ten words
  roci_pkg::ipv4_t ip;
  logic [roci_pkg::Ipv4Bits-1:0] ip_bits;
  assign ip = ipv4_i;
  assign ip_bits = ip;
  logic [19:0] header_d;
  always_comb begin
    header_d = '0;
    for (int i = 0; i < roci_pkg::Ipv4Bits / 16; i++) begin
      header_d = header_d + 20'(ip_bits[16*i +: 16]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q  <= 1'b1;
      valid1_q <= 1'b0;
    end else begin
      if (valid_i) first_q <= last_i;
      valid1_q <= valid_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (active) partial_q <= partial_d;
    if (valid_i) begin
      first1_q  <= first_q;
      last1_q   <= last_i;
      active1_q <= active;
    end
    if (valid_i && last_i) begin
      skip1_q   <= no_udp_sum_i;
      ipv61_q   <= ipv6_i;
      length1_q <= udp_length_i;
      header1_q <= header_d;
    end
  end

  // stage 2: over the beats
  logic [31:0] sum_d, sum_q;
  always_comb begin
    sum_d = first1_q ? '0 : sum_q;
    for (int g = 0; g < Groups; g++) sum_d = sum_d + 32'(partial_q[GroupBits*g +: GroupBits]);
    if (!active1_q) sum_d = first1_q ? '0 : sum_q;
    if (last1_q) sum_d = sum_d + 32'(length1_q) + 32'(roci_pkg::IpUdp);
  end
  logic        valid2_q, skip2_q, ipv62_q;
  logic [19:0] header2_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid2_q <= 1'b0;
    else valid2_q <= valid1_q && last1_q;
  end
  always_ff @(posedge clk_i) begin
    if (valid1_q && (active1_q || last1_q || first1_q)) sum_q <= sum_d;
    if (valid1_q && last1_q) begin
      skip2_q   <= skip1_q;
      ipv62_q   <= ipv61_q;
      header2_q <= header1_q;
    end
  end

  // stage 3: fold; all ones is right (all zeros cannot be: the protocol is in the sum)
  function automatic logic all_ones(input logic [31:0] sum);
    logic [16:0] once;
    logic [15:0] twice;
    once     = 17'(sum[15:0]) + 17'(sum[31:16]);
    twice    = once[15:0] + 16'(once[16]);
    all_ones = &twice;
  endfunction

  logic valid3_q, ok3_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid3_q <= 1'b0;
    else valid3_q <= valid2_q;
  end
  always_ff @(posedge clk_i) begin
    if (valid2_q) ok3_q <= (ipv62_q || all_ones(32'(header2_q))) && (skip2_q || all_ones(sum_q));
  end
  assign valid_o = valid3_q;
  assign ok_o    = ok3_q;

  `PARAM_CHECK(IndexFits, IndexBits + WordBits == 16)

endmodule
