// Host memory over one AXI4 master: payload reads with gather, scatter of received payload, block
// reads (5 clients) and block writes (4 clients).
//
// Throughput: one beat a clock each way. See README.md for latencies and the drawing.

`include "assert.svh"

module roci_dma #(
  parameter int unsigned DataWidth   = 512,   // 64, 128, 256 or 512
  parameter int unsigned BufferBytes = 65536  // of payload read and not yet sent, power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // payload reads: pieces of the packets in tx's order
  input  roci_pkg::seg_t         rd_seg_i,
  input  logic                   rd_seg_valid_i,
  output logic                   rd_seg_ready_o,
  // where the payload of the next packet starts in a beat, and its length
  input  logic [5:0]             gather_pos_i,
  input  logic [12:0]            gather_len_i,
  input  logic                   gather_start_valid_i,
  output logic                   gather_start_ready_o,
  // payload to tx; other bytes are 0
  output logic [DataWidth-1:0]   tx_pay_tdata_o,
  output logic                   tx_pay_tlast_o,
  output logic                   tx_pay_terror_o,  // with tlast: a read failed
  output logic                   tx_pay_tvalid_o,
  input  logic                   tx_pay_tready_i,

  // received payload, and one header a packet
  input  logic                   rx_pay_src_i,     // 0 req, 1 rsp
  input  logic [5:0]             rx_pay_offset_i,  // of the first byte in the first beat
  input  logic [12:0]            rx_pay_len_i,
  input  logic                   rx_pay_hdr_valid_i,
  output logic                   rx_pay_hdr_ready_o,
  input  logic [DataWidth-1:0]   rx_pay_tdata_i,
  input  logic                   rx_pay_tlast_i,
  input  logic                   rx_pay_tvalid_i,
  output logic                   rx_pay_tready_o,
  // where it goes
  input  roci_pkg::seg_t         req_seg_i,
  input  logic                   req_seg_valid_i,
  output logic                   req_seg_ready_o,
  input  roci_pkg::seg_t         rsp_seg_i,
  input  logic                   rsp_seg_valid_i,
  output logic                   rsp_seg_ready_o,
  output logic [15:0]            wr_done_o,        // packets whose payload is in memory

  // block reads: 0 SQ fetch, 1 RQ fetch, 2 requester refetch, 3 atomic, 4 firmware
  input  logic [4:0]             br_valid_i,
  output logic [4:0]             br_ready_o,
  input  logic [5*64-1:0]        br_addr_i,
  input  logic [5*20-1:0]        br_pasid_i,
  input  logic [5*5-1:0]         br_count_i,
  output logic [5*512-1:0]       br_data_o,
  output logic [4:0]             br_error_o,       // with the block: its read failed
  output logic [4:0]             br_data_valid_o,
  input  logic [4:0]             br_data_ready_i,

  // block writes: 0 CQ, 1 EQ, 2 atomic store, 3 firmware
  input  logic [3:0]             bw_valid_i,
  output logic [3:0]             bw_ready_o,
  input  logic [4*64-1:0]        bw_addr_i,
  input  logic [4*20-1:0]        bw_pasid_i,
  input  logic [4*512-1:0]       bw_data_i,
  input  logic [4*7-1:0]         bw_bytes_i,
  output logic [3:0]             bw_done_o,

  // AXI4
  output logic [7:0]             m_axi_arid_o,
  output logic [63:0]            m_axi_araddr_o,
  output logic [7:0]             m_axi_arlen_o,
  output logic [2:0]             m_axi_arsize_o,
  output logic [1:0]             m_axi_arburst_o,
  output logic [19:0]            m_axi_aruser_o,
  output logic                   m_axi_arvalid_o,
  input  logic                   m_axi_arready_i,
  input  logic [7:0]             m_axi_rid_i,
  input  logic [DataWidth-1:0]   m_axi_rdata_i,
  input  logic [1:0]             m_axi_rresp_i,
  input  logic                   m_axi_rlast_i,
  input  logic                   m_axi_rvalid_i,
  output logic                   m_axi_rready_o,
  output logic [7:0]             m_axi_awid_o,
  output logic [63:0]            m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [2:0]             m_axi_awsize_o,
  output logic [1:0]             m_axi_awburst_o,
  output logic [19:0]            m_axi_awuser_o,
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [DataWidth-1:0]   m_axi_wdata_o,
  output logic [DataWidth/8-1:0] m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  input  logic [7:0]             m_axi_bid_i,
  input  logic [1:0]             m_axi_bresp_i,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o,

  output logic                   read_error_o,     // pulse: a read response was not OKAY
  output logic                   write_error_o,    // pulse: a write response was not OKAY
  output logic                   idle_o
);

endmodule
