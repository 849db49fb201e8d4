// SPDX-License-Identifier: Apache-2.0
// Frames to a MAC with a clock of its own: a frame begins when all of it is there, so that no MAC
// runs out of data within it.
//
// A frame that is longer than the buffer is dropped and counted; nothing waits for it.
//
// Throughput: a beat per clock of the slower side. Latency: store and forward, and the crossing:
// one clock of the core and seven of the MAC after the last beat.
//
//   clk_i                 mac_clk_i
//   s_axis ---> crossing ---> buffer of whole frames ---> m_axis

`include "assert.svh"

module roci_mac_tx #(
  parameter int unsigned DataWidth = 512,   // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned Bytes     = 16384  // room of the buffer, a power of two
) (
  // from the adapter
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  // to the MAC; once a frame has begun, valid stays high to its end
  input  logic                   mac_clk_i,
  input  logic                   mac_rst_ni,
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic                   mac_lost_o  // in mac_clk_i: a frame was too long
);

  localparam int unsigned EndBits = $clog2(DataWidth / 8);
  localparam int unsigned Rows    = Bytes / (DataWidth / 8);
  localparam int unsigned RowBits = $clog2(Rows);

  `PARAM_CHECK(BufferHoldsFrame, Bytes >= 2048)

  logic [EndBits-1:0] end_byte;
  always_comb begin
    end_byte = '0;
    for (int i = 0; i < DataWidth / 8 - 1; i++) begin
      if (s_axis_tkeep_i[i] && !s_axis_tkeep_i[i+1]) end_byte = end_byte | EndBits'(i);
    end
    if (s_axis_tkeep_i[DataWidth/8-1]) end_byte = '1;
  end

  logic                 last, valid, write;
  logic [EndBits-1:0]   out_end;
  logic [DataWidth-1:0] data;
  roci_async_fifo #(.Width(DataWidth + EndBits + 1), .Depth(16)) u_cross (
    .wr_clk_i(clk_i), .wr_rst_ni(rst_ni),
    .in_data_i({s_axis_tlast_i, end_byte, s_axis_tdata_i}), .in_valid_i(s_axis_tvalid_i),
    .in_ready_o(s_axis_tready_o),
    .rd_clk_i(mac_clk_i), .rd_rst_ni(mac_rst_ni),
    .out_data_o({last, out_end, data}), .out_valid_o(valid), .out_ready_i(write));

  // Beats in the buffer, and those among them of the frame that is not yet whole. A frame that
  // fills the buffer alone is let on and finds no room.
  logic [RowBits:0] inside_q, frame_q;
  logic             left, overflow, unused_idle;
  assign write = valid && (inside_q != (RowBits + 1)'(Rows) || frame_q == (RowBits + 1)'(Rows));
  assign left  = m_axis_tvalid_o && m_axis_tready_i;
  always_ff @(posedge mac_clk_i) begin
    if (!mac_rst_ni) begin
      inside_q   <= '0;
      frame_q    <= '0;
      mac_lost_o <= 1'b0;
    end else begin
      mac_lost_o <= write && last && overflow;
      if (write) frame_q <= last ? '0 : frame_q + (RowBits + 1)'(!overflow);
      if (write && last && overflow) inside_q <= inside_q - frame_q - (RowBits + 1)'(left);
      else inside_q <= inside_q + (RowBits + 1)'(write && !overflow) - (RowBits + 1)'(left);
    end
  end

  roci_rx_ethernet #(.DataWidth(DataWidth), .Rows(Rows)) u_frames (
    .clk_i(mac_clk_i), .rst_ni(mac_rst_ni), .write_i(write), .write_data_i(data),
    .write_end_i(out_end), .last_i(write && last), .commit_i(1'b1), .overflow_o(overflow),
    .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tvalid_o, .m_axis_tready_i,
    .idle_o(unused_idle));

endmodule
