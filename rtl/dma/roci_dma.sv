// SPDX-License-Identifier: Apache-2.0
// Host memory over one AXI4 master: payload reads with gather, scatter of received payload, block
// reads (5 clients) and block writes (4 clients).
//
// Throughput: one beat a clock each way. See README.md for latencies and the drawing.

`include "assert.svh"

module roci_dma #(
  parameter int unsigned DataWidth   = 512,   // 64, 128, 256 or 512
  parameter int unsigned BufferBytes = 65536, // payload read and not yet sent, a power of two
  parameter int unsigned FetchBlocks = 256,   // blocks of work requests kept, a power of two
  parameter int unsigned Compact     = 0,     // 1: block reads take a clock more
  parameter logic [15:0] FirstTicket = '0     // wr_done_o at reset
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // payload reads: segments of the packets in tx's order
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
  // inline data of a packet were read from the kept blocks; the last block of them
  output logic                   inline_done_valid_o,
  output logic [$clog2(FetchBlocks)-1:0] inline_done_block_o,

  // received payload, and one header a packet
  input  roci_pkg::pay_hdr_t     rx_pay_hdr_i,
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
  output logic [15:0]            wr_done_o,  // packets whose payload is in memory
  output roci_pkg::fault_t       fault_o,    // or failed to get there; not counted until taken
  output logic                   fault_valid_o,
  input  logic                   fault_ready_i,

  // block reads: 0 SQ fetch, 1 RQ fetch, 2 requester refetch, 3 atomic, 4 firmware
  input  logic [4:0]             br_req_valid_i,
  output logic [4:0]             br_req_ready_o,
  input  logic [5*roci_pkg::BlockReadReqBits-1:0] br_req_i,
  output logic [5*(DataWidth+1)-1:0] br_rsp_o,  // beats of blocks, of each client: {error, data}
  output logic [4:0]             br_rsp_valid_o,
  input  logic [4:0]             br_rsp_ready_i,
  // with a request of client 0: its blocks are these, from then until the pulse that they were read
  input  logic                   br_posted_i,
  input  logic [1023:0]          posted_blocks_i,
  output logic                   posted_read_o,

  // block writes: 0 CQ, 1 EQ, 2 atomic store, 3 firmware
  input  logic [3:0]             bw_req_valid_i,
  output logic [3:0]             bw_req_ready_o,
  input  logic [4*roci_pkg::BlockWriteReqBits-1:0] bw_req_i,
  output logic [3:0]             bw_rsp_valid_o,
  output logic [4*roci_pkg::BlockWriteRspBits-1:0] bw_rsp_o,  // the write failed

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

  output logic                   read_error_o,   // pulse: a read response was not OKAY
  output logic                   write_error_o,  // pulse: a write response was not OKAY
  output logic                   idle_o
);

  `PARAM_CHECK(WidthIsKnown, DataWidth == 64 || DataWidth == 128 || DataWidth == 256 ||
               DataWidth == 512)
  `PARAM_CHECK(FewBlocksAreKept, FetchBlocks <= 256)

  localparam int unsigned OffBits = $clog2(DataWidth / 8);

  logic read_failed, write_failed;
  logic payload_idle, gather_idle, scatter_idle, read_idle, write_idle;

  // Payload out.
  logic [6:0]           p_tag, b_tag;
  logic [7:0]           r_tag;
  logic [DataWidth-1:0] r_data;
  logic                 r_error, r_last, r_valid;
  logic [63:0]          p_addr, b_addr;
  logic [19:0]          p_pasid, b_pasid;
  logic [8:0]           p_beats, b_beats;
  logic                 p_valid, p_ready, b_valid, b_ready, b_posted;
  logic [DataWidth-1:0] beat_data;
  logic [OffBits-1:0]   beat_start;
  logic [OffBits:0]     beat_bytes;
  logic                 beat_last, beat_error, beat_valid, beat_ready;
  localparam int unsigned FetchBits = $clog2(FetchBlocks) + $clog2(512 / DataWidth);
  logic                 fetch_beat;
  logic [7+$clog2(512/DataWidth):0] fetch_row;

  roci_dma_payload #(
    .DataWidth(DataWidth), .BufferBytes(BufferBytes), .FetchBlocks(FetchBlocks)
  ) u_payload (
    .clk_i, .rst_ni, .seg_i(rd_seg_i), .seg_valid_i(rd_seg_valid_i), .seg_ready_o(rd_seg_ready_o),
    .ar_tag_o(p_tag), .ar_addr_o(p_addr), .ar_pasid_o(p_pasid), .ar_beats_o(p_beats),
    .ar_valid_o(p_valid), .ar_ready_i(p_ready), .r_tag_i(r_tag[6:0]), .r_data_i(r_data),
    .r_error_i(r_error), .r_last_i(r_last), .r_valid_i(r_valid && !r_tag[7]),
    .fetch_valid_i(fetch_beat), .fetch_row_i(fetch_row[FetchBits-1:0]), .inline_done_valid_o,
    .inline_done_block_o, .out_data_o(beat_data), .out_start_o(beat_start),
    .out_bytes_o(beat_bytes), .out_last_o(beat_last), .out_error_o(beat_error),
    .out_valid_o(beat_valid), .out_ready_i(beat_ready), .idle_o(payload_idle));

  roci_gather #(.DataWidth(DataWidth)) u_gather (
    .clk_i, .rst_ni, .gather_pos_i, .gather_len_i, .gather_start_valid_i, .gather_start_ready_o,
    .in_data_i(beat_data), .in_start_i(beat_start), .in_bytes_i(beat_bytes), .in_last_i(beat_last),
    .in_error_i(beat_error), .in_valid_i(beat_valid), .in_ready_o(beat_ready),
    .pay_tdata_o(tx_pay_tdata_o), .pay_tlast_o(tx_pay_tlast_o), .pay_terror_o(tx_pay_terror_o),
    .pay_tvalid_o(tx_pay_tvalid_o), .pay_tready_i(tx_pay_tready_i), .idle_o(gather_idle));

  // Blocks in.
  roci_dma_block_read #(.DataWidth(DataWidth), .Compact(Compact)) u_block_read (
    .clk_i, .rst_ni, .br_req_valid_i, .br_req_ready_o, .br_req_i, .br_posted_i, .br_rsp_o,
    .br_rsp_valid_o, .br_rsp_ready_i, .ar_tag_o(b_tag), .ar_addr_o(b_addr), .ar_pasid_o(b_pasid),
    .ar_beats_o(b_beats), .ar_posted_o(b_posted), .ar_valid_o(b_valid),
    .ar_ready_i(b_posted ? posted_read_o : b_ready), .r_tag_i(r_tag[6:0]), .r_data_i(r_data),
    .r_error_i(r_error), .r_last_i(r_last), .r_valid_i(r_valid && r_tag[7]), .r_fetch_o(fetch_beat),
    .r_fetch_row_o(fetch_row), .idle_o(read_idle));

  roci_dma_read_mux #(.DataWidth(DataWidth)) u_read_mux (
    .clk_i, .rst_ni, .p_tag_i(p_tag), .p_addr_i(p_addr), .p_pasid_i(p_pasid), .p_beats_i(p_beats),
    .p_valid_i(p_valid), .p_ready_o(p_ready), .b_tag_i(b_tag), .b_addr_i(b_addr),
    .b_pasid_i(b_pasid), .b_beats_i(b_beats), .b_valid_i(b_valid && !b_posted), .b_ready_o(b_ready),
    .m_axi_arid_o, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o, .m_axi_arburst_o,
    .m_axi_aruser_o, .m_axi_arvalid_o, .m_axi_arready_i);

  // Every read has its rows reserved, so that R waits for the beats of a posted work request alone.
  logic       inject;
  logic [3:0] beat_q;
  logic [DataWidth-1:0] posted_beat;
  assign inject         = b_valid && b_posted;
  assign posted_read_o  = inject && r_last;
  assign m_axi_rready_o = !inject;
  assign r_tag          = inject ? {1'b1, b_tag} : m_axi_rid_i;
  assign r_data         = inject ? posted_beat : m_axi_rdata_i;
  assign r_error        = !inject && m_axi_rresp_i != 2'b00;
  assign r_last         = inject ? beat_q + 4'd1 == b_beats[3:0] : m_axi_rlast_i;
  assign r_valid        = inject || m_axi_rvalid_i;
  assign posted_beat    = posted_blocks_i[DataWidth*beat_q +: DataWidth];
  `ASSERT(PostedBeatsAreCounted, `IMPLIES(inject, b_beats != '0 && b_beats <= 9'(1024 / DataWidth)))
  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (inject) beat_q <= r_last ? '0 : beat_q + 4'd1;
  end

  // Payload in.
  logic [63:0]            s_addr, w_addr;
  logic [19:0]            s_pasid, w_pasid;
  logic [8:0]             s_beats, w_beats;
  logic [1:0]             w_client;
  logic                   s_aw_valid, s_aw_ready, w_aw_valid, w_aw_ready;
  logic [DataWidth-1:0]   s_data, w_data;
  logic [DataWidth/8-1:0] s_strb, w_strb;
  logic                   s_last, s_valid, s_ready, w_last, w_valid, w_ready, s_response;
  logic [3:0]             w_response;

  roci_scatter #(.DataWidth(DataWidth), .FirstTicket(FirstTicket)) u_scatter (
    .clk_i, .rst_ni, .pay_hdr_i(rx_pay_hdr_i), .pay_hdr_valid_i(rx_pay_hdr_valid_i),
    .pay_hdr_ready_o(rx_pay_hdr_ready_o), .pay_tdata_i(rx_pay_tdata_i),
    .pay_tlast_i(rx_pay_tlast_i), .pay_tvalid_i(rx_pay_tvalid_i), .pay_tready_o(rx_pay_tready_o),
    .req_seg_i, .req_seg_valid_i, .req_seg_ready_o, .rsp_seg_i, .rsp_seg_valid_i, .rsp_seg_ready_o,
    .aw_addr_o(s_addr), .aw_pasid_o(s_pasid), .aw_beats_o(s_beats), .aw_valid_o(s_aw_valid),
    .aw_ready_i(s_aw_ready), .w_data_o(s_data), .w_strb_o(s_strb), .w_last_o(s_last),
    .w_valid_o(s_valid), .w_ready_i(s_ready), .b_i(s_response), .b_error_i(m_axi_bresp_i != 2'b00),
    .wr_done_o, .fault_o, .fault_valid_o, .fault_ready_i, .idle_o(scatter_idle));

  // Blocks out.
  roci_dma_block_write #(.DataWidth(DataWidth)) u_block_write (
    .clk_i, .rst_ni, .bw_req_valid_i, .bw_req_ready_o, .bw_req_i, .bw_rsp_valid_o, .bw_rsp_o,
    .aw_client_o(w_client), .aw_addr_o(w_addr), .aw_pasid_o(w_pasid), .aw_beats_o(w_beats),
    .aw_valid_o(w_aw_valid), .aw_ready_i(w_aw_ready), .w_data_o(w_data), .w_strb_o(w_strb),
    .w_last_o(w_last), .w_valid_o(w_valid), .w_ready_i(w_ready), .b_i(w_response),
    .b_error_i(m_axi_bresp_i != 2'b00), .idle_o(write_idle));

  roci_dma_write_mux #(.DataWidth(DataWidth)) u_write_mux (
    .clk_i, .rst_ni, .s_addr_i(s_addr), .s_pasid_i(s_pasid), .s_beats_i(s_beats),
    .s_aw_valid_i(s_aw_valid), .s_aw_ready_o(s_aw_ready), .s_data_i(s_data), .s_strb_i(s_strb),
    .s_last_i(s_last), .s_w_valid_i(s_valid), .s_w_ready_o(s_ready), .s_b_o(s_response),
    .b_client_i(w_client), .b_addr_i(w_addr), .b_pasid_i(w_pasid), .b_beats_i(w_beats),
    .b_aw_valid_i(w_aw_valid), .b_aw_ready_o(w_aw_ready), .b_data_i(w_data), .b_strb_i(w_strb),
    .b_last_i(w_last), .b_w_valid_i(w_valid), .b_w_ready_o(w_ready), .b_b_o(w_response),
    .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o,
    .m_axi_awuser_o, .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_wdata_o, .m_axi_wstrb_o,
    .m_axi_wlast_o, .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_bid_i, .m_axi_bvalid_i);
  assign m_axi_bready_o = 1'b1;
  logic unused;
  assign unused = &{1'b0, fetch_row};

  assign read_failed  = r_valid && r_error;
  assign write_failed = m_axi_bvalid_i && m_axi_bresp_i != 2'b00;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_error_o  <= 1'b0;
      write_error_o <= 1'b0;
    end else begin
      read_error_o  <= read_failed;
      write_error_o <= write_failed;
    end
  end

  assign idle_o = payload_idle && gather_idle && scatter_idle && read_idle && write_idle &&
                  !read_error_o && !write_error_o;

endmodule
