// SPDX-License-Identifier: Apache-2.0
// From the AXI4 master of roci_core to a DMA engine that moves data between host memory and a RAM
// of the design, as Corundum and taxi have it for PCIe: descriptors, their status, and a RAM of
// segments for each direction.
//
//                 +--------------------------------------------+
//  AR ----------> | read   room, order -----------> descriptor |----> rd_req  \
//  R  <---------- |        beats <--- segments <---------------|<---- ram_wr   | DMA
//                 |                                            |<---- rd_sts   | engine
//  AW, W -------> | write  first, last byte ------> descriptor |----> wr_req   | ---- PCIe
//                 |        segments -------------------------->|----> ram_rd   |
//  B  <---------- |        order <-----------------------------|<---- wr_sts  /
//                 +--------------------------------------------+
//
// Throughput: a beat per clock each way, a read in two clocks. Latency: see the two parts.
//
// Bursts are as roci_axi_read_check and roci_axi_write_check have them: whole beats that begin at a
// beat, within 4 KiB; the strobes of a write select one run of bytes or none. Responses leave in
// the order of the requests. A status with an error is a SLVERR. A write is responded to when the
// engine has reported it; the writes of PCIe stay in order, and a read does not pass them.
//
// Each direction has at most 2 ** TagBits requests with the engine, which may end them in any
// order. An operation may run over the end of a RAM to its beginning: the engine's addresses of the
// RAM have exactly the bits of the ports.

`include "assert.svh"

module roci_dma_bridge #(
  parameter int unsigned DataWidth  = 512,    // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned Segs       = 2,      // segments of a row of the RAM, a power of two
  parameter int unsigned SegWidth   = 512,    // bits of a segment; a row is 1, 2, 4... beats
  parameter int unsigned ReadBytes  = 65536,  // buffer of reads, a power of two, at least 8,192
  parameter int unsigned WriteBytes = 65536,  // buffer of writes, likewise
  parameter int unsigned TagBits    = 6,      // bits of a descriptor's tag, up to 8
  parameter int unsigned LenBits    = 13,     // bits of a descriptor's length in bytes, at least 13
  parameter int unsigned AsidBits   = 20,     // bits of an address space: a PASID
  localparam int unsigned ReadAddrBits  = $clog2(ReadBytes),
  localparam int unsigned WriteAddrBits = $clog2(WriteBytes),
  localparam int unsigned ReadRowBits   = $clog2(ReadBytes / (Segs * SegWidth / 8)),
  localparam int unsigned WriteRowBits  = $clog2(WriteBytes / (Segs * SegWidth / 8))
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // AXI4 slave, the other side of m_axi of roci_core
  input  logic [7:0]                   s_axi_arid_i,
  input  logic [63:0]                  s_axi_araddr_i,
  input  logic [7:0]                   s_axi_arlen_i,
  input  logic [AsidBits-1:0]          s_axi_aruser_i,   // PASID
  input  logic                         s_axi_arvalid_i,
  output logic                         s_axi_arready_o,
  output logic [7:0]                   s_axi_rid_o,
  output logic [DataWidth-1:0]         s_axi_rdata_o,
  output logic [1:0]                   s_axi_rresp_o,
  output logic                         s_axi_rlast_o,
  output logic                         s_axi_rvalid_o,
  input  logic                         s_axi_rready_i,
  input  logic [7:0]                   s_axi_awid_i,
  input  logic [63:0]                  s_axi_awaddr_i,
  input  logic [AsidBits-1:0]          s_axi_awuser_i,   // PASID
  input  logic                         s_axi_awvalid_i,
  output logic                         s_axi_awready_o,
  input  logic [DataWidth-1:0]         s_axi_wdata_i,
  input  logic [DataWidth/8-1:0]       s_axi_wstrb_i,
  input  logic                         s_axi_wlast_i,
  input  logic                         s_axi_wvalid_i,
  output logic                         s_axi_wready_o,
  output logic [7:0]                   s_axi_bid_o,
  output logic [1:0]                   s_axi_bresp_o,
  output logic                         s_axi_bvalid_o,
  input  logic                         s_axi_bready_i,

  // descriptors of reads: from host memory (src) to the RAM (dst), and their status
  output logic [63:0]                  rd_req_src_addr_o,
  output logic [AsidBits-1:0]          rd_req_src_asid_o,
  output logic [ReadAddrBits-1:0]      rd_req_dst_addr_o,
  output logic [LenBits-1:0]           rd_req_len_o,
  output logic [TagBits-1:0]           rd_req_tag_o,
  output logic                         rd_req_valid_o,
  input  logic                         rd_req_ready_i,
  input  logic [TagBits-1:0]           rd_sts_tag_i,
  input  logic [3:0]                   rd_sts_error_i,    // 0: none
  input  logic                         rd_sts_valid_i,
  // descriptors of writes: from the RAM (src) to host memory (dst), and their status
  output logic [WriteAddrBits-1:0]     wr_req_src_addr_o,
  output logic [63:0]                  wr_req_dst_addr_o,
  output logic [AsidBits-1:0]          wr_req_dst_asid_o,
  output logic [LenBits-1:0]           wr_req_len_o,
  output logic [TagBits-1:0]           wr_req_tag_o,
  output logic                         wr_req_valid_o,
  input  logic                         wr_req_ready_i,
  input  logic [TagBits-1:0]           wr_sts_tag_i,
  input  logic [3:0]                   wr_sts_error_i,
  input  logic                         wr_sts_valid_i,

  // the engine writes what it read; addresses are rows
  input  logic [Segs*ReadRowBits-1:0]  ram_wr_cmd_addr_i,
  input  logic [Segs*SegWidth-1:0]     ram_wr_cmd_data_i,
  input  logic [Segs*SegWidth/8-1:0]   ram_wr_cmd_be_i,
  input  logic [Segs-1:0]              ram_wr_cmd_valid_i,
  output logic [Segs-1:0]              ram_wr_cmd_ready_o,
  output logic [Segs-1:0]              ram_wr_done_o,     // in the clock after
  // the engine reads what it writes
  input  logic [Segs*WriteRowBits-1:0] ram_rd_cmd_addr_i,
  input  logic [Segs-1:0]              ram_rd_cmd_valid_i,
  output logic [Segs-1:0]              ram_rd_cmd_ready_o,
  output logic [Segs*SegWidth-1:0]     ram_rd_resp_data_o,
  output logic [Segs-1:0]              ram_rd_resp_valid_o,
  input  logic [Segs-1:0]              ram_rd_resp_ready_i
);

  localparam int unsigned Parts = Segs * SegWidth / DataWidth;  // beats of a row
  `PARAM_CHECK(RowHoldsBeats, Parts >= 1 && Parts * DataWidth == Segs * SegWidth &&
               (Parts & (Parts - 1)) == 0)
  `PARAM_CHECK(BuffersHoldTwoBursts, ReadBytes >= 8192 && WriteBytes >= 8192)
  `PARAM_CHECK(LengthHoldsPage, LenBits >= 13)
  `PARAM_CHECK(TagsInRange, TagBits >= 1 && TagBits <= 8)

  roci_dma_bridge_read #(
    .DataWidth(DataWidth), .Segs(Segs), .SegWidth(SegWidth), .Bytes(ReadBytes), .TagBits(TagBits),
    .LenBits(LenBits), .AsidBits(AsidBits)
  ) u_read (
    .clk_i, .rst_ni, .s_axi_arid_i, .s_axi_araddr_i, .s_axi_arlen_i, .s_axi_aruser_i,
    .s_axi_arvalid_i, .s_axi_arready_o, .s_axi_rid_o, .s_axi_rdata_o, .s_axi_rresp_o,
    .s_axi_rlast_o, .s_axi_rvalid_o, .s_axi_rready_i, .req_src_addr_o(rd_req_src_addr_o),
    .req_src_asid_o(rd_req_src_asid_o), .req_dst_addr_o(rd_req_dst_addr_o),
    .req_len_o(rd_req_len_o), .req_tag_o(rd_req_tag_o), .req_valid_o(rd_req_valid_o),
    .req_ready_i(rd_req_ready_i), .sts_tag_i(rd_sts_tag_i), .sts_error_i(rd_sts_error_i),
    .sts_valid_i(rd_sts_valid_i), .ram_wr_cmd_addr_i, .ram_wr_cmd_data_i, .ram_wr_cmd_be_i,
    .ram_wr_cmd_valid_i, .ram_wr_cmd_ready_o, .ram_wr_done_o
  );
  roci_dma_bridge_write #(
    .DataWidth(DataWidth), .Segs(Segs), .SegWidth(SegWidth), .Bytes(WriteBytes),
    .TagBits(TagBits), .LenBits(LenBits), .AsidBits(AsidBits)
  ) u_write (
    .clk_i, .rst_ni, .s_axi_awid_i, .s_axi_awaddr_i, .s_axi_awuser_i, .s_axi_awvalid_i,
    .s_axi_awready_o, .s_axi_wdata_i, .s_axi_wstrb_i, .s_axi_wlast_i, .s_axi_wvalid_i,
    .s_axi_wready_o, .s_axi_bid_o, .s_axi_bresp_o, .s_axi_bvalid_o, .s_axi_bready_i,
    .req_src_addr_o(wr_req_src_addr_o), .req_dst_addr_o(wr_req_dst_addr_o),
    .req_dst_asid_o(wr_req_dst_asid_o), .req_len_o(wr_req_len_o), .req_tag_o(wr_req_tag_o),
    .req_valid_o(wr_req_valid_o), .req_ready_i(wr_req_ready_i), .sts_tag_i(wr_sts_tag_i),
    .sts_error_i(wr_sts_error_i), .sts_valid_i(wr_sts_valid_i), .ram_rd_cmd_addr_i,
    .ram_rd_cmd_valid_i, .ram_rd_cmd_ready_o, .ram_rd_resp_data_o, .ram_rd_resp_valid_o,
    .ram_rd_resp_ready_i
  );

endmodule
