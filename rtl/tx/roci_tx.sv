// Transmit path: headers, payload, ICRC, and the merge of all that leaves for the MAC.
//
// Throughput: one beat a clock, no bubble between packets. Latency: see README.md.
//
//  desc --+--> header --+--> gather_start          pay --+
//  ack ---+   (Av rows) +--> desc headers --> mux <------+
//                       +--> ack headers ---> mux --> icrc --> m_axis
//                     s_axis_eth, s_axis_fw --^

`include "assert.svh"

module roci_tx #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  parameter int unsigned NumQps = 256      // queue pairs, a power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     idle_o,

  // row bus
  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [511:0]             row_data_i,

  // packets in order, with payload or without
  input  roci_pkg::tx_desc_t       desc_i,
  input  logic                     desc_valid_i,
  output logic                     desc_ready_o,

  // acknowledgements: no payload, leave first
  input  roci_pkg::tx_desc_t       ack_i,
  input  logic                     ack_valid_i,
  output logic                     ack_ready_o,

  // payload from gather: where it starts in its first beat, and the beats
  output logic                     gather_start_valid_o,
  input  logic                     gather_start_ready_i,
  output logic [5:0]               gather_pos_o,
  output logic [12:0]              gather_len_o,
  input  logic [DataWidth-1:0]     pay_tdata_i,   // bytes outside the payload are 0
  input  logic                     pay_terror_i,  // with the last beat: a read failed, spoil the ICRC
  input  logic                     pay_tlast_i,
  input  logic                     pay_tvalid_i,
  output logic                     pay_tready_o,

  // frames of the Ethernet path and of firmware
  input  logic [DataWidth-1:0]     s_axis_eth_tdata_i,
  input  logic [DataWidth/8-1:0]   s_axis_eth_tkeep_i,
  input  logic                     s_axis_eth_tlast_i,
  input  logic                     s_axis_eth_tvalid_i,
  output logic                     s_axis_eth_tready_o,
  input  logic [DataWidth-1:0]     s_axis_fw_tdata_i,
  input  logic [DataWidth/8-1:0]   s_axis_fw_tkeep_i,
  input  logic                     s_axis_fw_tlast_i,
  input  logic                     s_axis_fw_tvalid_i,
  output logic                     s_axis_fw_tready_o,

  // frames to the MAC
  output logic [DataWidth-1:0]     m_axis_tdata_o,
  output logic [DataWidth/8-1:0]   m_axis_tkeep_o,
  output logic                     m_axis_tlast_o,
  output logic                     m_axis_tvalid_o,
  input  logic                     m_axis_tready_i,

  // counters
  output logic                     sent_o,        // the last beat of a desc_i packet was placed
  output logic                     tx_frame_o,    // a frame ended on m_axis ...
  output logic [13:0]              tx_bytes_o     // ... and had so many bytes
);

endmodule
