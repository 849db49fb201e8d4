// SPDX-License-Identifier: Apache-2.0
// The adapter in a shell of taxi's modules for an UltraScale+ PCIe block: everything between that
// block and a MAC. Interfaces and the names of ports are those that taxi's designs use.
//
//  pcie_cq, cc <--> taxi_pcie_us_axil_master <--> s_axil
//  pcie_rq, rc <--> taxi_dma_if_pcie_us <--> roci_dma_bridge <--> m_axi   roci_core  <--> mac_axis
//  MSI <----------- taxi_pcie_us_msi <----------- irq
//
// A processor for the firmware is not in it: the host runs the firmware through BAR 0, when
// `attention` is high. testbench/taxi/README.md says what a board has in its place.

module roci_taxi_shell #(
  parameter int unsigned DataWidth   = 64,     // bits of the engine, of AXI and of the MAC
  parameter int unsigned BufferBytes = 16384,  // bytes of each buffer of the DMA engine
  parameter int unsigned TagBits     = 6,      // bits of a descriptor's tag
  parameter int unsigned NumQps      = 16,
  parameter int unsigned NumKeys     = 16,
  parameter int unsigned NumCqs      = 16,
  parameter int unsigned NumSrqs     = 2,
  parameter int unsigned TxBuffer    = 8192,
  parameter int unsigned RxBuffer    = 32768,
  parameter int unsigned Compact     = 1,
  parameter int unsigned Atomics     = 0,
  parameter int unsigned KeyOps      = 0,
  parameter int unsigned Srq         = 0,
  parameter int unsigned QpCounters  = 0,
  parameter int unsigned Posts       = 0,
  parameter int unsigned Networks    = 0,
  parameter int unsigned Attachments = 0,
  parameter int unsigned MacBuffer   = 8192
) (
  input  logic        pcie_clk,
  input  logic        pcie_rst,
  taxi_axis_if.snk    s_axis_pcie_cq,
  taxi_axis_if.src    m_axis_pcie_cc,
  taxi_axis_if.src    m_axis_pcie_rq,
  taxi_axis_if.snk    s_axis_pcie_rc,
  input  logic [5:0]  pcie_rq_seq_num0,
  input  logic        pcie_rq_seq_num_vld0,
  input  logic [5:0]  pcie_rq_seq_num1,
  input  logic        pcie_rq_seq_num_vld1,

  // the PCIe block's configuration and flow control
  input  logic [2:0]  cfg_max_payload,
  input  logic [2:0]  cfg_max_read_req,
  input  logic [3:0]  cfg_rcb_status,
  output logic [9:0]  cfg_mgmt_addr,
  output logic [7:0]  cfg_mgmt_function_number,
  output logic        cfg_mgmt_write,
  output logic [31:0] cfg_mgmt_write_data,
  output logic [3:0]  cfg_mgmt_byte_enable,
  output logic        cfg_mgmt_read,
  input  logic [31:0] cfg_mgmt_read_data,
  input  logic        cfg_mgmt_read_write_done,
  input  logic [7:0]  cfg_fc_ph,
  input  logic [11:0] cfg_fc_pd,
  input  logic [7:0]  cfg_fc_nph,
  output logic [2:0]  cfg_fc_sel,

  // its MSI
  input  logic [3:0]  cfg_interrupt_msi_enable,
  input  logic [11:0] cfg_interrupt_msi_mmenable,
  input  logic        cfg_interrupt_msi_mask_update,
  input  logic [31:0] cfg_interrupt_msi_data,
  output logic [1:0]  cfg_interrupt_msi_select,
  output logic [31:0] cfg_interrupt_msi_int,
  output logic [31:0] cfg_interrupt_msi_pending_status,
  output logic        cfg_interrupt_msi_pending_status_data_enable,
  output logic [1:0]  cfg_interrupt_msi_pending_status_function_num,
  input  logic        cfg_interrupt_msi_sent,
  input  logic        cfg_interrupt_msi_fail,
  output logic [2:0]  cfg_interrupt_msi_attr,
  output logic        cfg_interrupt_msi_tph_present,
  output logic [1:0]  cfg_interrupt_msi_tph_type,
  output logic [7:0]  cfg_interrupt_msi_tph_st_tag,
  output logic [7:0]  cfg_interrupt_msi_function_number,

  // the MAC: frames without FCS; tuser of a received frame is 1 when it is damaged
  input  logic        mac_tx_clk,
  taxi_axis_if.src    mac_axis_tx,
  input  logic        mac_rx_clk,
  taxi_axis_if.snk    mac_axis_rx,

  output logic        attention  // level: work waits for firmware
);

  // The RAM is twice as wide as PCIe, which may be wider than the engine.
  localparam int unsigned Segs     = 2;
  localparam int unsigned SegWidth = m_axis_pcie_rq.DATA_W;
  localparam int unsigned AddrBits = $clog2(BufferBytes);
  localparam int unsigned SegAddr  = AddrBits - $clog2(Segs * SegWidth / 8);
  localparam int unsigned LenBits  = 13;
  localparam int unsigned AsidBits = 20;
  localparam int unsigned Register = roci_pkg::RegisterAddressBits;

  logic rst_n;
  assign rst_n = !pcie_rst;

  // BAR 0
  taxi_axil_if #(.DATA_W(32), .ADDR_W(Register)) axil ();
  taxi_pcie_us_axil_master u_bar (
    .clk(pcie_clk), .rst(pcie_rst), .s_axis_cq(s_axis_pcie_cq), .m_axis_cc(m_axis_pcie_cc),
    .m_axil_wr(axil), .m_axil_rd(axil), .completer_id('0), .completer_id_en(1'b0),
    .stat_err_cor(), .stat_err_uncor());
  assign axil.buser = '0;
  assign axil.ruser = '0;

  // The DMA engine
  taxi_dma_desc_if #(
    .SRC_ADDR_W(64), .SRC_ASID_EN(1'b1), .SRC_ASID_W(AsidBits), .DST_ADDR_W(AddrBits),
    .LEN_W(LenBits), .TAG_W(TagBits)) rd_desc ();
  taxi_dma_desc_if #(
    .SRC_ADDR_W(AddrBits), .DST_ADDR_W(64), .DST_ASID_EN(1'b1), .DST_ASID_W(AsidBits),
    .LEN_W(LenBits), .TAG_W(TagBits)) wr_desc ();
  taxi_dma_ram_if #(
    .SEGS(Segs), .SEG_ADDR_W(SegAddr), .SEG_DATA_W(SegWidth), .SEG_BE_W(SegWidth / 8)) ram ();
  logic ext_tag_en;
  assign cfg_fc_sel = 3'b100;  // credits that are left for requests of the adapter
  taxi_dma_if_pcie_us #(
    .RQ_SEQ_NUM_W(6), .RQ_SEQ_NUM_EN(1'b1), .PCIE_TAG_CNT(64), .RD_TX_FC_EN(1'b1),
    .RD_CPLH_FC_LIMIT(512), .WR_TX_FC_EN(1'b1)
  ) u_dma (
    .clk(pcie_clk), .rst(pcie_rst), .m_axis_rq(m_axis_pcie_rq), .s_axis_rc(s_axis_pcie_rc),
    .s_axis_rq_seq_num_0(pcie_rq_seq_num0), .s_axis_rq_seq_num_valid_0(pcie_rq_seq_num_vld0),
    .s_axis_rq_seq_num_1(pcie_rq_seq_num1), .s_axis_rq_seq_num_valid_1(pcie_rq_seq_num_vld1),
    .pcie_tx_fc_nph_av(cfg_fc_nph), .pcie_tx_fc_ph_av(cfg_fc_ph), .pcie_tx_fc_pd_av(cfg_fc_pd),
    .rd_desc_req(rd_desc), .rd_desc_sts(rd_desc), .wr_desc_req(wr_desc), .wr_desc_sts(wr_desc),
    .dma_ram_wr(ram), .dma_ram_rd(ram), .read_enable(1'b1), .write_enable(1'b1),
    .ext_tag_en(ext_tag_en), .rcb_128b(cfg_rcb_status[0]), .requester_id('0),
    .requester_id_en(1'b0), .max_rd_req_size(cfg_max_read_req),
    .max_payload_size(cfg_max_payload), .stat_rd_busy(), .stat_wr_busy(), .stat_err_cor(),
    .stat_err_uncor(), .stat_rd_op_start_tag(), .stat_rd_op_start_valid(),
    .stat_rd_op_finish_tag(), .stat_rd_op_finish_status(), .stat_rd_op_finish_valid(),
    .stat_rd_req_start_tag(), .stat_rd_req_start_len(), .stat_rd_req_start_valid(),
    .stat_rd_req_finish_tag(), .stat_rd_req_finish_status(), .stat_rd_req_finish_valid(),
    .stat_rd_req_timeout(), .stat_rd_op_tbl_full(), .stat_rd_no_tags(), .stat_rd_tx_limit(),
    .stat_rd_tx_stall(), .stat_wr_op_start_tag(), .stat_wr_op_start_valid(),
    .stat_wr_op_finish_tag(), .stat_wr_op_finish_status(), .stat_wr_op_finish_valid(),
    .stat_wr_req_start_tag(), .stat_wr_req_start_len(), .stat_wr_req_start_valid(),
    .stat_wr_req_finish_tag(), .stat_wr_req_finish_status(), .stat_wr_req_finish_valid(),
    .stat_wr_op_tbl_full(), .stat_wr_tx_limit(), .stat_wr_tx_stall());

  // What the bridge does not use of descriptors.
  assign {rd_desc.req_src_sel, rd_desc.req_dst_sel, rd_desc.req_dst_asid, rd_desc.req_imm,
          rd_desc.req_imm_en, rd_desc.req_id, rd_desc.req_dest, rd_desc.req_user} = '0;
  assign {wr_desc.req_src_sel, wr_desc.req_dst_sel, wr_desc.req_src_asid, wr_desc.req_imm,
          wr_desc.req_imm_en, wr_desc.req_id, wr_desc.req_dest, wr_desc.req_user} = '0;

  taxi_pcie_us_cfg #(.VF_OFFSET(4), .PCIE_CAP_OFFSET(12'h070)) u_cfg (
    .clk(pcie_clk), .rst(pcie_rst), .ext_tag_en(ext_tag_en), .max_read_req_size(),
    .max_payload_size(), .cfg_mgmt_addr(cfg_mgmt_addr),
    .cfg_mgmt_function_number(cfg_mgmt_function_number), .cfg_mgmt_write(cfg_mgmt_write),
    .cfg_mgmt_write_data(cfg_mgmt_write_data), .cfg_mgmt_byte_enable(cfg_mgmt_byte_enable),
    .cfg_mgmt_read(cfg_mgmt_read), .cfg_mgmt_read_data(cfg_mgmt_read_data),
    .cfg_mgmt_read_write_done(cfg_mgmt_read_write_done));

  // A rising edge of `irq` is a message; a write of EqConsumer makes the next one possible.
  logic irq;
  logic [3:0] msi_select, msi_function;
  assign cfg_interrupt_msi_select = msi_select[1:0];
  assign cfg_interrupt_msi_pending_status_function_num = msi_function[1:0];
  taxi_pcie_us_msi #(.MSI_CNT(32)) u_msi (
    .clk(pcie_clk), .rst(pcie_rst), .msi_irq({31'd0, irq}),
    .cfg_interrupt_msi_enable(cfg_interrupt_msi_enable), .cfg_interrupt_msi_vf_enable(8'd0),
    .cfg_interrupt_msi_mmenable(cfg_interrupt_msi_mmenable),
    .cfg_interrupt_msi_mask_update(cfg_interrupt_msi_mask_update),
    .cfg_interrupt_msi_data(cfg_interrupt_msi_data), .cfg_interrupt_msi_select(msi_select),
    .cfg_interrupt_msi_int(cfg_interrupt_msi_int),
    .cfg_interrupt_msi_pending_status(cfg_interrupt_msi_pending_status),
    .cfg_interrupt_msi_pending_status_data_enable(
        cfg_interrupt_msi_pending_status_data_enable),
    .cfg_interrupt_msi_pending_status_function_num(msi_function),
    .cfg_interrupt_msi_sent(cfg_interrupt_msi_sent),
    .cfg_interrupt_msi_fail(cfg_interrupt_msi_fail),
    .cfg_interrupt_msi_attr(cfg_interrupt_msi_attr),
    .cfg_interrupt_msi_tph_present(cfg_interrupt_msi_tph_present),
    .cfg_interrupt_msi_tph_type(cfg_interrupt_msi_tph_type),
    .cfg_interrupt_msi_tph_st_tag(cfg_interrupt_msi_tph_st_tag),
    .cfg_interrupt_msi_function_number(cfg_interrupt_msi_function_number));

  // AXI between the adapter and the bridge, which takes whole beats of normal memory only
  logic [7:0] arid, arlen, rid, awid, bid;
  logic [63:0] araddr, awaddr;
  logic [1:0] rresp, bresp;
  logic arvalid, arready, rlast, rvalid, rready, awvalid, awready;
  logic wlast, wvalid, wready, bvalid, bready;
  logic [19:0] aruser, awuser;
  logic [DataWidth-1:0] rdata, wdata;
  logic [DataWidth/8-1:0] wstrb;

  roci_dma_bridge #(
    .DataWidth(DataWidth), .Segs(Segs), .SegWidth(SegWidth), .ReadBytes(BufferBytes),
    .WriteBytes(BufferBytes), .TagBits(TagBits), .LenBits(LenBits), .AsidBits(AsidBits)
  ) u_bridge (
    .clk_i(pcie_clk), .rst_ni(rst_n), .s_axi_arid_i(arid), .s_axi_araddr_i(araddr),
    .s_axi_arlen_i(arlen), .s_axi_aruser_i(aruser), .s_axi_arvalid_i(arvalid),
    .s_axi_arready_o(arready), .s_axi_rid_o(rid), .s_axi_rdata_o(rdata), .s_axi_rresp_o(rresp),
    .s_axi_rlast_o(rlast), .s_axi_rvalid_o(rvalid), .s_axi_rready_i(rready), .s_axi_awid_i(awid),
    .s_axi_awaddr_i(awaddr), .s_axi_awuser_i(awuser), .s_axi_awvalid_i(awvalid),
    .s_axi_awready_o(awready), .s_axi_wdata_i(wdata), .s_axi_wstrb_i(wstrb), .s_axi_wlast_i(wlast),
    .s_axi_wvalid_i(wvalid), .s_axi_wready_o(wready), .s_axi_bid_o(bid), .s_axi_bresp_o(bresp),
    .s_axi_bvalid_o(bvalid), .s_axi_bready_i(bready), .rd_req_src_addr_o(rd_desc.req_src_addr),
    .rd_req_src_asid_o(rd_desc.req_src_asid), .rd_req_dst_addr_o(rd_desc.req_dst_addr),
    .rd_req_len_o(rd_desc.req_len), .rd_req_tag_o(rd_desc.req_tag),
    .rd_req_valid_o(rd_desc.req_valid), .rd_req_ready_i(rd_desc.req_ready),
    .rd_sts_tag_i(rd_desc.sts_tag), .rd_sts_error_i(rd_desc.sts_error),
    .rd_sts_valid_i(rd_desc.sts_valid), .wr_req_src_addr_o(wr_desc.req_src_addr),
    .wr_req_dst_addr_o(wr_desc.req_dst_addr), .wr_req_dst_asid_o(wr_desc.req_dst_asid),
    .wr_req_len_o(wr_desc.req_len), .wr_req_tag_o(wr_desc.req_tag),
    .wr_req_valid_o(wr_desc.req_valid), .wr_req_ready_i(wr_desc.req_ready),
    .wr_sts_tag_i(wr_desc.sts_tag), .wr_sts_error_i(wr_desc.sts_error),
    .wr_sts_valid_i(wr_desc.sts_valid), .ram_wr_cmd_addr_i(ram.wr_cmd_addr),
    .ram_wr_cmd_data_i(ram.wr_cmd_data), .ram_wr_cmd_be_i(ram.wr_cmd_be),
    .ram_wr_cmd_valid_i(ram.wr_cmd_valid), .ram_wr_cmd_ready_o(ram.wr_cmd_ready),
    .ram_wr_done_o(ram.wr_done), .ram_rd_cmd_addr_i(ram.rd_cmd_addr),
    .ram_rd_cmd_valid_i(ram.rd_cmd_valid), .ram_rd_cmd_ready_o(ram.rd_cmd_ready),
    .ram_rd_resp_data_o(ram.rd_resp_data), .ram_rd_resp_valid_o(ram.rd_resp_valid),
    .ram_rd_resp_ready_i(ram.rd_resp_ready));

  assign mac_axis_tx.tstrb = mac_axis_tx.tkeep;
  assign {mac_axis_tx.tid, mac_axis_tx.tdest, mac_axis_tx.tuser} = '0;
  roci_core #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs),
    .NumSrqs(NumSrqs), .TxBuffer(TxBuffer), .RxBuffer(RxBuffer), .Compact(Compact),
    .Atomics(Atomics), .KeyOps(KeyOps), .Srq(Srq), .QpCounters(QpCounters), .Posts(Posts),
    .Networks(Networks), .Attachments(Attachments), .MacBuffer(MacBuffer)
  ) u_core (
    .clk(pcie_clk), .rst_n(rst_n), .mac_rx_clk(mac_rx_clk), .mac_tx_clk(mac_tx_clk), .irq(irq),
    .attention(attention), .now(), .s_axil_awaddr(axil.awaddr), .s_axil_awprot(axil.awprot),
    .s_axil_awvalid(axil.awvalid), .s_axil_awready(axil.awready), .s_axil_wdata(axil.wdata),
    .s_axil_wstrb(axil.wstrb), .s_axil_wvalid(axil.wvalid), .s_axil_wready(axil.wready),
    .s_axil_bresp(axil.bresp), .s_axil_bvalid(axil.bvalid), .s_axil_bready(axil.bready),
    .s_axil_araddr(axil.araddr), .s_axil_arprot(axil.arprot), .s_axil_arvalid(axil.arvalid),
    .s_axil_arready(axil.arready), .s_axil_rdata(axil.rdata), .s_axil_rresp(axil.rresp),
    .s_axil_rvalid(axil.rvalid), .s_axil_rready(axil.rready), .m_axi_arid(arid),
    .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(), .m_axi_arburst(),
    .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(),
    .m_axi_aruser(aruser), .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_rid(rid),
    .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid),
    .m_axi_rready(rready), .m_axi_awid(awid), .m_axi_awaddr(awaddr), .m_axi_awlen(),
    .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(),
    .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(), .m_axi_awuser(awuser),
    .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb),
    .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_bid(bid),
    .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
    .s_axis_rx_tdata(mac_axis_rx.tdata), .s_axis_rx_tkeep(mac_axis_rx.tkeep),
    .s_axis_rx_tlast(mac_axis_rx.tlast), .s_axis_rx_tuser(mac_axis_rx.tuser[0]),
    .s_axis_rx_tvalid(mac_axis_rx.tvalid), .s_axis_rx_tready(mac_axis_rx.tready),
    .m_axis_tx_tdata(mac_axis_tx.tdata), .m_axis_tx_tkeep(mac_axis_tx.tkeep),
    .m_axis_tx_tlast(mac_axis_tx.tlast), .m_axis_tx_tvalid(mac_axis_tx.tvalid),
    .m_axis_tx_tready(mac_axis_tx.tready), .s_axis_host_tdata('0), .s_axis_host_tkeep('0),
    .s_axis_host_tlast(1'b0), .s_axis_host_tvalid(1'b0), .s_axis_host_tready(),
    .m_axis_host_tdata(), .m_axis_host_tkeep(), .m_axis_host_tlast(), .m_axis_host_tvalid(),
    .m_axis_host_tready(1'b1), .rx_damaged(), .rx_lost(), .tx_lost());

endmodule
