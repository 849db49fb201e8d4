// SPDX-License-Identifier: Apache-2.0
// Checksums of a received frame: IPv4 header (WIRE-06) and, when it is used, UDP (WIRE-16).
//
// Throughput: one beat a clock. Latency: the verdict comes five clocks after the last beat.
//
//   beat --> words that count --> sums of four words, --> of eight   --> over the --> fold
//            (clock 1)            carries kept (clock 2)  (clock 3)       beats (4)    (5)
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
  input  logic [3:0]           start_i,       // first word of the pseudo header in the frame
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
  localparam int unsigned PerGroup  = 4;
  localparam int unsigned Groups    = Words / PerGroup;
  localparam int unsigned GroupBits = 18;  // sum of four words
  localparam int unsigned PerSum    = Groups > 1 ? 2 : 1;  // groups
  localparam int unsigned Sums      = Groups / PerSum;
  localparam int unsigned SumBits   = 19;
  localparam int unsigned IndexBits = 17 - $clog2(DataWidth / 8);
  localparam int unsigned Pairs     = roci_pkg::Ipv4Bits / 32;

  // clock 1: words of this beat that count
  logic [15:0]          start_word, beat_word, end_word;
  logic [WordBits:0]    from_d, upto_d, from_q, upto_q;  // in this beat
  logic [DataWidth-1:0] data_q;
  assign start_word = 16'(start_i);
  assign end_word   = 16'(end_i >> 1);
  assign beat_word  = {index_i, {WordBits{1'b0}}};
  assign from_d     = start_word >= beat_word + 16'(Words) ? (WordBits + 1)'(Words)
                    : start_word > beat_word ? (WordBits + 1)'(start_word - beat_word) : '0;
  assign upto_d     = !known_i || end_word >= beat_word + 16'(Words) ? (WordBits + 1)'(Words)
                    : end_word > beat_word ? (WordBits + 1)'(end_word - beat_word) : '0;

  // The IPv4 header: ten words, then pairs of them, then their sum.
  roci_pkg::ipv4_t ip;
  logic [roci_pkg::Ipv4Bits-1:0] ip_bits;
  assign ip = ipv4_i;
  assign ip_bits = ip;
  logic [17*Pairs-1:0] pairs_d, pairs_q;
  logic [19:0]         header_d;
  always_comb begin
    header_d = '0;
    for (int i = 0; i < Pairs; i++) begin
      pairs_d[17*i +: 17] = 17'(ip_bits[32*i +: 16]) + 17'(ip_bits[32*i+16 +: 16]);
      header_d            = header_d + 20'(pairs_q[17*i +: 17]);
    end
  end

  // What goes along with a beat, by clock.
  logic        first_q;  // next beat starts a frame
  logic        valid1_q, valid2_q, valid3_q, first1_q, first2_q, first3_q;
  logic        last1_q, last2_q, last3_q;
  logic        active1_q, active2_q;
  logic        skip1_q, skip2_q, skip3_q, skip4_q, ipv61_q, ipv62_q, ipv63_q, ipv64_q;
  logic [15:0] length1_q, length2_q;
  logic [19:0] header2_q, header3_q, header4_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q                        <= 1'b1;
      {valid1_q, valid2_q, valid3_q} <= '0;
    end else begin
      if (valid_i) first_q <= last_i;
      {valid1_q, valid2_q, valid3_q} <= {valid_i, valid1_q, valid2_q};
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) data_q <= data_i;
    from_q    <= from_d;
    upto_q    <= upto_d;
    pairs_q   <= pairs_d;
    header2_q <= header_d;
    {first1_q, first2_q, first3_q}           <= {first_q, first1_q, first2_q};
    {last1_q, last2_q, last3_q}              <= {last_i, last1_q, last2_q};
    {active1_q, active2_q}                   <= {!(known_i && no_udp_sum_i), active1_q};
    {skip1_q, skip2_q, skip3_q, skip4_q}     <= {no_udp_sum_i, skip1_q, skip2_q, skip3_q};
    {ipv61_q, ipv62_q, ipv63_q, ipv64_q}     <= {ipv6_i, ipv61_q, ipv62_q, ipv63_q};
    {length1_q, length2_q}                   <= {udp_length_i, length1_q};
    {header3_q, header4_q}                   <= {header2_q, header3_q};
  end

  // clock 2: each four words are added up to two numbers, without waiting for carries
  logic [Words-1:0]            counts;
  logic [DataWidth-1:0]        masked;  // big-endian words
  logic [GroupBits*Groups-1:0] plain_d, carry_d, plain_q, carry_q;
  for (genvar i = 0; i < Words; i++) begin : gen_word
    assign counts[i] = from_q <= (WordBits + 1)'(i) && upto_q > (WordBits + 1)'(i);
    assign masked[16*i +: 16] = counts[i] ? {data_q[16*i +: 8], data_q[16*i+8 +: 8]} : '0;
  end
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [15:0] a, b, c;
    logic [16:0] d, three, three_carry;
    assign a = masked[64*g +: 16];
    assign b = masked[64*g+16 +: 16];
    assign c = masked[64*g+32 +: 16];
    assign d = {1'b0, masked[64*g+48 +: 16]};
    assign three       = {1'b0, a ^ b ^ c};
    assign three_carry = {(a & b) | (a & c) | (b & c), 1'b0};
    assign plain_d[GroupBits*g +: GroupBits] = {1'b0, three ^ three_carry ^ d};
    assign carry_d[GroupBits*g +: GroupBits] =
        {(three & three_carry) | (three & d) | (three_carry & d), 1'b0};
  end

  // clock 3: sums of eight words, 0 of a beat that does not count
  logic [SumBits*Sums-1:0] partial_d, partial_q;
  logic [16:0]             tail_q;  // rest of the pseudo header
  always_comb begin
    for (int i = 0; i < Sums; i++) begin
      partial_d[SumBits*i +: SumBits] = '0;
      for (int g = i * PerSum; g < (i + 1) * PerSum; g++) begin
        partial_d[SumBits*i +: SumBits] = partial_d[SumBits*i +: SumBits]
                                        + SumBits'(plain_q[GroupBits*g +: GroupBits])
                                        + SumBits'(carry_q[GroupBits*g +: GroupBits]);
      end
    end
  end

  // clock 4: over the beats
  logic [31:0] sum_d, sum_q;
  always_comb begin
    sum_d = (first3_q ? '0 : sum_q) + 32'(tail_q);
    for (int i = 0; i < Sums; i++) sum_d = sum_d + 32'(partial_q[SumBits*i +: SumBits]);
  end
  logic valid4_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid4_q <= 1'b0;
    else valid4_q <= valid3_q && last3_q;
  end
  always_ff @(posedge clk_i) begin
    plain_q   <= plain_d;
    carry_q   <= carry_d;
    partial_q <= active2_q ? partial_d : '0;
    tail_q    <= last2_q ? 17'(length2_q) + 17'(roci_pkg::IpUdp) : '0;
    if (valid3_q) sum_q <= sum_d;
  end

  // clock 5: fold; all ones is right (all zeros cannot be: the protocol is in the sum)
  function automatic logic all_ones(input logic [31:0] sum);
    logic [16:0] once;
    logic [15:0] twice;
    once     = 17'(sum[15:0]) + 17'(sum[31:16]);
    twice    = once[15:0] + 16'(once[16]);
    all_ones = &twice;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid4_q;
    ok_o <= (ipv64_q || all_ones(32'(header4_q))) && (skip4_q || all_ones(sum_q));
  end

  `PARAM_CHECK(IndexFits, IndexBits + WordBits == 16)

endmodule
