// SPDX-License-Identifier: Apache-2.0
// Frames from a MAC with a clock of its own: those that are whole and correct come out.
//
// A MAC cannot wait, and it knows at the end of a frame whether its FCS was right. So a frame is
// kept until its last beat; one that the MAC marks, that is longer than the buffer, or that came
// while there was no room is dropped whole, and counted.
//
// Throughput: a beat per clock of the slower side. Latency: store and forward, and the crossing:
// two clocks of the MAC and six of the core after the last beat.
//
//   mac_clk_i                       clk_i
//   s_axis --+--> crossing --------> buffer of whole frames ---> m_axis
//            +--> frames lost --+--> lost_o, bad_o
//   A beat carries how many frames were lost before it, and is then the first of its frame.

`include "assert.svh"

module roci_mac_rx #(
  parameter int unsigned DataWidth = 512,   // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned Bytes     = 16384  // room of the buffer, a power of two
) (
  // from the MAC
  input  logic                   mac_clk_i,
  input  logic                   mac_rst_ni,
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tuser_i,  // with tlast: the frame is damaged
  input  logic                   s_axis_tvalid_i,

  // to the adapter, which is always ready
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,

  output logic                   bad_o,   // a damaged frame was dropped
  output logic [7:0]             lost_o   // so many frames were dropped for want of room
);

  localparam int unsigned EndBits = $clog2(DataWidth / 8);
  localparam int unsigned Width   = DataWidth + EndBits + 3 + 8;
  localparam int unsigned Rows    = Bytes / (DataWidth / 8);

  `PARAM_CHECK(BufferHoldsFrame, Bytes >= 2048)

  // MAC: which byte ends the last beat.
  logic [EndBits-1:0] end_byte;
  always_comb begin
    end_byte = '0;
    for (int i = 0; i < DataWidth / 8 - 1; i++) begin
      if (s_axis_tkeep_i[i] && !s_axis_tkeep_i[i+1]) end_byte = end_byte | EndBits'(i);
    end
    if (s_axis_tkeep_i[DataWidth/8-1]) end_byte = '1;
  end

  // A frame for which there is no room is skipped to its end. Frames lost are reported with the
  // next beat, or by themselves.
  logic       skip_q, ready, beat, losing, report;
  logic [7:0] owed_q;
  assign beat   = s_axis_tvalid_i && !skip_q;
  assign losing = beat && !ready;
  assign report = !beat && owed_q != '0;
  always_ff @(posedge mac_clk_i) begin
    if (!mac_rst_ni) begin
      skip_q <= 1'b0;
      owed_q <= '0;
    end else begin
      if (s_axis_tvalid_i) skip_q <= (skip_q || losing) && !s_axis_tlast_i;
      if (losing) owed_q <= &owed_q ? owed_q : owed_q + 8'd1;
      else if (ready) owed_q <= '0;
    end
  end

  // Crossing
  logic [7:0]           lost;
  logic                 filled, last, bad, valid, take;
  logic [EndBits-1:0]   out_end;
  logic [DataWidth-1:0] data;
  roci_async_fifo #(.Width(Width), .Depth(16)) u_cross (
    .wr_clk_i(mac_clk_i), .wr_rst_ni(mac_rst_ni),
    .in_data_i({owed_q, beat, s_axis_tlast_i, s_axis_tuser_i, end_byte, s_axis_tdata_i}),
    .in_valid_i(beat || report), .in_ready_o(ready),
    .rd_clk_i(clk_i), .rd_rst_ni(rst_ni),
    .out_data_o({lost, filled, last, bad, out_end, data}), .out_valid_o(valid),
    .out_ready_i(take));

  // Core: losses first, which end the frame in progress, then the beat.
  logic noted_q, losses, write, overflow, unused_idle;
  assign losses = valid && lost != '0 && !noted_q;
  assign take   = valid && !losses;
  assign write  = take && filled;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      noted_q <= 1'b0;
      bad_o  <= 1'b0;
      lost_o <= '0;
    end else begin
      noted_q <= losses;
      bad_o  <= write && last && bad;
      lost_o <= losses ? lost : 8'(write && last && !bad && overflow);
    end
  end

  roci_rx_ethernet #(.DataWidth(DataWidth), .Rows(Rows)) u_frames (
    .clk_i, .rst_ni, .write_i(write), .write_data_i(data), .write_end_i(out_end),
    .last_i(losses || (write && last)), .commit_i(write && !bad), .overflow_o(overflow),
    .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tvalid_o, .m_axis_tready_i(1'b1),
    .idle_o(unused_idle));

endmodule
