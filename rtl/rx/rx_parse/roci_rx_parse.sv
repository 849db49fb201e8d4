// SPDX-License-Identifier: Apache-2.0
// Looks at the frames that pass by: which are RoCE, where their payload lies, whether their
// headers agree with one another and with the length of the frame.
//
// Throughput: one beat a clock, a frame a clock; no back-pressure. Latency: beats come out four
// clocks after they went in, with all that is known of the frame so far beside them.
//
//  s_axis --> header register, beat --> fields --> beat and record --> pay_*, eth_*, icrc_*
//             (clock 1)                            (clock 4)
//
// Whether a frame is RoCE is known no later than in the beat that holds the first bytes of the BTH,
// and no payload byte stands in an earlier beat.

`include "assert.svh"

module roci_rx_parse #(
  parameter int unsigned DataWidth = 512, // 64, 128, 256 or 512
  parameter int unsigned Networks = 1     // 0: only RoCE v2 over IPv4 without a VLAN tag is RoCE
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    enable_i,

  input  logic [DataWidth-1:0]    s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]  s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,
  input  logic                    s_axis_tvalid_i,

  // every beat, four clocks later
  output logic [DataWidth-1:0]    beat_data_o,
  output logic [$clog2(DataWidth/8)-1:0] beat_end_o,  // last byte of the last beat
  output logic                    beat_valid_o,
  output logic                    beat_last_o,

  // what to do with it
  output logic                    eth_o,         // belongs or may belong to an Ethernet frame
  output logic                    pay_o,         // holds payload
  output logic [9:0]              pay_row_o,     // beats of payload before it

  // with the last beat
  output roci_pkg::rx_frame_t     frame_o,
  output logic [9:0]              frame_rows_o,  // beats of payload
  output logic [16:0]             frame_bytes_o,

  // trimmed to the datagram; every frame ends once
  output logic                    icrc_valid_o,
  output logic                    icrc_last_o,
  output logic [DataWidth/8-1:0]  icrc_keep_o,
  output logic                    icrc_ipv6_o,
  output logic                    icrc_roce_v1_o,
  output logic                    icrc_vlan_o,

  // one verdict a frame, a few clocks after its last beat
  output logic                    sums_valid_o,
  output logic                    sums_ok_o,

  output logic                    idle_o
);

  `PARAM_CHECK(DataWidthIsKnown, DataWidth == 64 || DataWidth == 128 || DataWidth == 256 ||
                                 DataWidth == 512)

  localparam int unsigned Bytes       = DataWidth / 8;
  localparam int unsigned ByteBits    = $clog2(Bytes);
  localparam int unsigned IndexBits   = 17 - ByteBits;
  localparam int unsigned HeaderBits  = 1024;
  localparam int unsigned HeaderBeats = HeaderBits / DataWidth;

  // clock 1: the beat, and the first beats of its frame side by side
  logic [HeaderBits-1:0] header_q;
  logic [DataWidth-1:0]  data0_q;
  logic [Bytes-1:0]      keep0_q;
  logic                  valid0_q, last0_q, first_q;
  logic                  enable_q;  // as it was when the frame began
  logic [IndexBits-1:0]  index_d, index0_q;
  assign index_d = first_q ? '0 : &index0_q ? index0_q : index0_q + 1'b1;  // huge frames: stay

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid0_q <= 1'b0;
      first_q  <= 1'b1;
    end else begin
      valid0_q <= s_axis_tvalid_i;
      if (s_axis_tvalid_i) first_q <= s_axis_tlast_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid_i) begin
      data0_q  <= s_axis_tdata_i;
      keep0_q  <= s_axis_tkeep_i;
      last0_q  <= s_axis_tlast_i;
      index0_q <= index_d;
      if (first_q) enable_q <= enable_i;
      for (int i = 0; i < HeaderBeats; i++) begin
        if (index_d == IndexBits'(i)) header_q[DataWidth*i +: DataWidth] <= s_axis_tdata_i;
      end
    end
  end

  // clocks 2 to 4: the beat, and what is known with it. The fields move on with each clock, valid
  // or not; header_q beyond the beat holds bytes of an older frame. Once it is full it keeps its
  // content until the frame ends, so every later beat sees the same fields.
  logic [16:0]         beat_final;  // last byte of the beat
  logic                early_known, early_ipv6, early_no_sum, known_q, payload_q;
  logic [12:0]         final_q;
  logic [3:0]          early_start;
  logic [16:0]         early_end;
  logic [15:0]         early_udp_length;
  roci_pkg::ipv4_t     early_ipv4;
  roci_pkg::rx_frame_t frame_q;
  assign beat_final = {index0_q, {ByteBits{1'b1}}};
  roci_rx_fields #(.Networks(Networks)) u_fields (
    .clk_i, .rst_ni, .header_i(header_q), .enable_i(enable_q), .final_i(beat_final),
    .early_known_o(early_known), .early_start_o(early_start), .early_end_o(early_end),
    .early_udp_length_o(early_udp_length), .early_ipv6_o(early_ipv6),
    .early_no_udp_sum_o(early_no_sum), .early_ipv4_o(early_ipv4),
    .known_o(known_q), .payload_o(payload_q), .final_o(final_q), .frame_o(frame_q));

  logic                 valid1_q, valid2_q, valid_q, last1_q, last2_q, last_q;
  logic [DataWidth-1:0] data1_q, data2_q, data_q;
  logic [IndexBits-1:0] index1_q, index2_q, index_q;
  logic [ByteBits-1:0]  end_byte_q;
  logic [16:0]          bytes_d, bytes_q;

  // Bytes of the beat: those of each group of eight, then their sum.
  logic [4*Bytes/8-1:0] counts_d, counts1_q;
  logic [ByteBits:0]    count_d, count2_q;
  always_comb begin
    count_d = '0;
    for (int i = 0; i < Bytes / 8; i++) begin
      counts_d[4*i +: 4] = 4'($countones(keep0_q[8*i +: 8]));
      count_d            = count_d + (ByteBits + 1)'(counts1_q[4*i +: 4]);
    end
  end

  // With the last beat: the frame is shorter than its headers say. With any beat: the datagram ends
  // in it, if this is RoCE, and at this byte.
  logic                short_q, ends_at_q;
  logic [16:0]         end_last_d;
  logic [ByteBits-1:0] end_last_q;
  assign bytes_d    = {index2_q, {ByteBits{1'b0}}} + 17'(count2_q);
  assign end_last_d = early_end - 17'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {valid1_q, valid2_q, valid_q} <= '0;
    else {valid1_q, valid2_q, valid_q} <= {valid0_q, valid1_q, valid2_q};
  end
  always_ff @(posedge clk_i) begin
    // Each with an enable of its own, so that synthesis makes no shift register, a LUT per bit.
    if (valid0_q) data1_q <= data0_q;
    if (valid1_q) data2_q <= data1_q;
    if (valid2_q) data_q  <= data2_q;
    {last1_q, last2_q, last_q}    <= {last0_q, last1_q, last2_q};
    {index1_q, index2_q, index_q} <= {index0_q, index1_q, index2_q};
    counts1_q                     <= counts_d;
    count2_q                      <= count_d;
    bytes_q                       <= bytes_d;
    short_q                       <= bytes_d < early_end;
    end_last_q                    <= end_last_d[ByteBits-1:0];
    ends_at_q                     <= index2_q == end_last_d[16:ByteBits];
    end_byte_q                    <= ByteBits'(count2_q - 1'b1);
  end

  // where the payload lies, in beats
  logic                 roce;
  logic [12:0]          pay_first, pay_final;
  assign roce         = known_q && frame_q.roce;
  assign pay_first    = 13'(frame_q.payload_offset) >> ByteBits;
  assign pay_final    = final_q >> ByteBits;

  assign beat_data_o  = data_q;
  assign beat_end_o   = end_byte_q;
  assign beat_valid_o = valid_q;
  assign beat_last_o  = last_q;
  assign eth_o        = !roce;
  assign pay_o        = roce && !frame_q.bad && payload_q &&
                        16'(index_q) >= 16'(pay_first) && 16'(index_q) <= 16'(pay_final);
  assign pay_row_o    = 10'(index_q) - 10'(pay_first);

  always_comb begin
    frame_o = frame_q;
    frame_o.roce = roce;
    if (short_q) begin
      frame_o.bad   = 1'b1;
      frame_o.cause = roci_pkg::DropMalformed;
    end
  end
  assign frame_rows_o  = payload_q ? 10'(pay_final - pay_first + 1'b1) : '0;
  assign frame_bytes_o = bytes_q;

  // ICRC: stop at the end of the datagram
  logic        ends_here, ended_q;
  logic [Bytes-1:0] end_keep, frame_keep;
  assign ends_here   = roce && ends_at_q;
  assign end_keep    = {Bytes{1'b1}} >> (ByteBits'(Bytes - 1) - end_last_q);
  assign frame_keep  = {Bytes{1'b1}} >> (ByteBits'(Bytes - 1) - end_byte_q);
  assign icrc_valid_o = valid_q && !ended_q;
  assign icrc_last_o  = last_q || ends_here;
  assign icrc_keep_o  = ends_here ? end_keep : last_q ? frame_keep : '1;
  assign icrc_ipv6_o  = frame_q.ipv6;
  assign icrc_roce_v1_o = frame_q.roce_v1;
  assign icrc_vlan_o  = frame_q.vlan;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ended_q <= 1'b0;
    else if (valid_q) ended_q <= !last_q && (ended_q || ends_here);
  end

  roci_rx_sums #(.DataWidth(DataWidth)) u_sums (
    .clk_i, .rst_ni, .data_i(data2_q), .valid_i(valid2_q), .last_i(last2_q), .index_i(index2_q),
    .known_i(early_known), .start_i(early_start), .end_i(early_end),
    .no_udp_sum_i(early_no_sum), .udp_length_i(early_udp_length), .ipv4_i(early_ipv4),
    .ipv6_i(early_ipv6),
    .valid_o(sums_valid_o), .ok_o(sums_ok_o));

  logic in_frame_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_frame_q <= 1'b0;
    else if (valid_q) in_frame_q <= !last_q;
  end
  // Verdicts may be on their way.
  assign idle_o = first_q && !valid0_q && !valid1_q && !valid2_q && !valid_q && !in_frame_q;

endmodule
