// Receive path: from the MAC to the two engines and to the Ethernet path.
//
// Throughput: one beat a clock for any length of frame, one packet a clock; never stalls the MAC.
// Latency: store and forward; from the last beat to req_meta_o see README.md.
//
//  s_axis --+--> parse --beats--+--> buffer --payload--------------------> pay
//           |      |            +--> icrc    ^ read, skip
//           |      |                  | ok   |
//           |      +----record--------+--> admit --> req_meta, rsp_meta, pay_hdr
//           +------------------> Ethernet buffer -----------------------> m_axis_eth

`include "assert.svh"

module roci_rx #(
  parameter int unsigned DataWidth = 512,       // 64, 128, 256 or 512
  parameter int unsigned NumQps = 256,          // queue pairs, a power of two
  parameter int unsigned BufferBytes = 65536,   // payload waiting for the engines, a power of two
  parameter int unsigned EthBytes = 16384       // frames waiting for the Ethernet path, likewise
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     enable_i,    // Control bit 0; without it every frame is Ethernet
  input  logic                     pause_i,     // admits nothing new; Ethernet goes on
  output logic                     idle_o,

  // row bus
  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [511:0]             row_data_i,

  // frames from the MAC
  input  logic [DataWidth-1:0]     s_axis_tdata_i,
  input  logic [DataWidth/8-1:0]   s_axis_tkeep_i,   // all ones but in the last beat
  input  logic                     s_axis_tlast_i,
  input  logic                     s_axis_tvalid_i,
  output logic                     s_axis_tready_o,  // always 1

  // frames that are not RoCE v2
  output logic [DataWidth-1:0]     m_axis_eth_tdata_o,
  output logic [DataWidth/8-1:0]   m_axis_eth_tkeep_o,
  output logic                     m_axis_eth_tlast_o,
  output logic                     m_axis_eth_tvalid_o,
  input  logic                     m_axis_eth_tready_i,

  // requests to the responder, responses to the requester
  output roci_pkg::rx_meta_t       req_meta_o,
  output logic                     req_meta_valid_o,
  input  logic                     req_meta_ready_i,
  output roci_pkg::rx_meta_t       rsp_meta_o,
  output logic                     rsp_meta_valid_o,
  input  logic                     rsp_meta_ready_i,

  // payload to scatter
  output logic                     pay_src_o,        // 0 request, 1 response
  output logic [5:0]               pay_offset_o,     // byte of the first beat where payload starts
  output logic [12:0]              pay_len_o,        // bytes, 1 to 4096
  output logic                     pay_hdr_valid_o,
  input  logic                     pay_hdr_ready_i,
  output logic [DataWidth-1:0]     pay_tdata_o,
  output logic                     pay_tlast_o,
  output logic                     pay_tvalid_o,
  input  logic                     pay_tready_i,

  // counters
  output logic [9:0]               drop_o,           // pulses by DropCause
  output logic                     rx_ok_o,          // a RoCE packet went to an engine
  output logic                     rx_eth_o,         // a frame went to the Ethernet path
  output logic                     rx_frame_o,       // a frame ended on s_axis ...
  output logic [13:0]              rx_bytes_o        // ... and had so many bytes
);

endmodule
