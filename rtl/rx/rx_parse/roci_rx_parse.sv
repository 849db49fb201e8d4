// SPDX-License-Identifier: Apache-2.0
// Looks at the frames that pass by: which are RoCE, where their payload lies, whether their
// headers agree with one another and with the length of the frame.
//
// Throughput: one beat a clock, a frame a clock; no back-pressure. Latency: beats come out two
// clocks after they went in, with all that is known of the frame so far beside them.
//
//  s_axis --> header register, beat --> fields --> beat and record --> pay_*, eth_*, icrc_*
//             (clock 1)                            (clock 2)
//
// Whether a frame is RoCE is known no later than in the beat that holds the first bytes of the BTH,
// and no payload byte stands in an earlier beat.

`include "assert.svh"

module roci_rx_parse #(
  parameter int unsigned DataWidth = 512  // 64, 128, 256 or 512
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    enable_i,

  input  logic [DataWidth-1:0]    s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]  s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,
  input  logic                    s_axis_tvalid_i,

  // every beat, two clocks later
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
  localparam logic [16:0] ShapeByte   = 17'd17;  // with it, tag and version of IP are known

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

  // clock 2: the beat, and what is known with it
  roci_pkg::rx_frame_t fields;
  logic [6:0]          l3_offset, bth_offset;
  logic [16:0]         frame_end;
  logic [15:0]         udp_length;
  logic                no_udp_sum, known;
  roci_pkg::ipv4_t     ipv4;
  roci_rx_fields u_fields (
    .header_i(header_q), .enable_i(enable_q), .frame_o(fields), .l3_offset_o(l3_offset),
    .bth_offset_o(bth_offset), .end_o(frame_end), .udp_length_o(udp_length),
    .no_udp_sum_o(no_udp_sum), .ipv4_o(ipv4));
  // header_q beyond this beat holds bytes of an older frame.
  logic [16:0] beat_final;  // last byte of the beat
  assign beat_final = {index0_q, {ByteBits{1'b1}}};
  assign known      = beat_final >= ShapeByte && beat_final >= 17'(bth_offset);

  logic [ByteBits:0] keep_count;  // bytes of the beat
  assign keep_count = (ByteBits + 1)'($countones(keep0_q));

  logic                valid_q, last_q, known_q, no_sum_q;
  logic [DataWidth-1:0] data_q;
  logic [ByteBits-1:0] end_byte_q;
  logic [IndexBits-1:0] index_q;
  logic [16:0]         bytes_q, end_q;
  logic [15:0]         udp_length_q;
  logic [6:0]          l3_offset_q;
  roci_pkg::ipv4_t     ipv4_q;
  roci_pkg::rx_frame_t frame_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid0_q;
  end
  always_ff @(posedge clk_i) begin
    if (valid0_q) begin
      data_q  <= data0_q;
      last_q  <= last0_q;
      index_q <= index0_q;
      if (index0_q < IndexBits'(HeaderBeats)) begin
        known_q      <= known;
        frame_q      <= fields;
        l3_offset_q  <= l3_offset;
        end_q        <= frame_end;
        udp_length_q <= udp_length;
        no_sum_q     <= no_udp_sum;
        ipv4_q       <= ipv4;
      end
      if (last0_q) begin
        bytes_q    <= {index0_q, {ByteBits{1'b0}}} + 17'(keep_count);
        end_byte_q <= ByteBits'(keep_count - 1'b1);
      end
    end
  end

  // where the payload lies, in beats
  logic                 roce;
  logic [12:0]          pay_first, pay_final;
  assign roce         = known_q && frame_q.roce;
  assign pay_first    = 13'(frame_q.payload_offset) >> ByteBits;
  assign pay_final    = (13'(frame_q.payload_offset) + frame_q.payload_len - 13'd1) >> ByteBits;

  assign beat_data_o  = data_q;
  assign beat_end_o   = end_byte_q;
  assign beat_valid_o = valid_q;
  assign beat_last_o  = last_q;
  assign eth_o        = !roce;
  assign pay_o        = roce && !frame_q.bad && frame_q.payload_len != '0 &&
                        16'(index_q) >= 16'(pay_first) && 16'(index_q) <= 16'(pay_final);
  assign pay_row_o    = 10'(index_q) - 10'(pay_first);

  always_comb begin
    frame_o = frame_q;
    frame_o.roce = roce;
    if (bytes_q < end_q) begin
      frame_o.bad   = 1'b1;
      frame_o.cause = roci_pkg::DropMalformed;
    end
  end
  assign frame_rows_o  = frame_q.payload_len == '0 ? '0 : 10'(pay_final - pay_first + 1'b1);
  assign frame_bytes_o = bytes_q;

  // ICRC: stop at the end of the datagram
  logic [16:0] end_last;  // last byte of the datagram
  logic        ends_here, ended_q;
  logic [Bytes-1:0] end_keep, frame_keep;
  assign end_last    = end_q - 1'b1;
  assign ends_here   = roce && index_q == end_last[16:ByteBits];
  assign end_keep    = {Bytes{1'b1}} >> (ByteBits'(Bytes - 1) - end_last[ByteBits-1:0]);
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
    .clk_i, .rst_ni, .data_i(data_q), .valid_i(valid_q), .last_i(last_q), .index_i(index_q),
    .known_i(known_q), .l3_offset_i(l3_offset_q), .ipv6_i(frame_q.ipv6), .end_i(end_q),
    .no_udp_sum_i(no_sum_q), .udp_length_i(udp_length_q), .ipv4_i(ipv4_q),
    .valid_o(sums_valid_o), .ok_o(sums_ok_o));

  logic in_frame_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_frame_q <= 1'b0;
    else if (valid_q) in_frame_q <= !last_q;
  end
  assign idle_o = first_q && !valid0_q && !valid_q && !in_frame_q;  // verdicts may be on their way

endmodule
