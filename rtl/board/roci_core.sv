// SPDX-License-Identifier: Apache-2.0
// The adapter as a core for other people's designs: roci_nic with reset, time, and the crossings to
// the clocks of a MAC. The ports of buses have the names by which tools know them.
//
//                    +-------------------------- clk ---------------------------+
//  s_axil  <-------> | registers, doorbells                                     |
//  m_axi   <-------> | host memory       roci_nic       mac_rx <--- mac_rx_clk <--- s_axis_rx
//  irq, attention <- |                                  mac_tx ---> mac_tx_clk ---> m_axis_tx
//  *_axis_host <---> | the ordinary Ethernet path                               |
//                    +-----------------------------------------------------------+
//
// decisions/0016-board-core.md says how a shell connects it.

`include "assert.svh"

module roci_core #(
  parameter int unsigned DataWidth  = 512,       // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned NumQps     = 256,       // queue pairs, a power of two, 16 to 2048
  parameter int unsigned NumKeys    = 1024,      // memory regions, a power of two
  parameter int unsigned NumCqs     = 256,       // completion queues, a power of two
  parameter int unsigned NumSrqs    = 64,        // shared receive queues, a power of two
  parameter int unsigned TxBuffer   = 16384,     // bytes of payload read ahead, a power of two
  parameter int unsigned RxBuffer   = 65536,     // bytes of payload on the way to memory, likewise
  parameter int unsigned Compact    = 0,         // 1: short queues of wide records, for 10 Gb/s
  parameter int unsigned Atomics    = 1,         // 0: no compare and swap, no fetch and add
  parameter int unsigned KeyOps     = 1,         // 0: no memory windows and fast regions
  parameter int unsigned Srq        = 1,         // 0: no shared receive queues; NumSrqs is 2
  parameter int unsigned QpCounters = 1,         // 0: no counters of queue pairs
  parameter int unsigned Posts      = 1,         // 0: no work request comes with its doorbell
  parameter int unsigned Networks   = 1,         // 0: IPv4 alone; no IPv6, RoCE v1, VLAN tags
  parameter int unsigned Attachments = 256,      // to multicast groups, up to 256; 0: none
  parameter int unsigned Period     = 67108864,  // time of a clk in 2^-24 ns, below 2^32: 4 ns
  parameter int unsigned MacClocks  = 1,         // 0: the MAC's streams are in clk, without buffers
  parameter int unsigned MacBuffer  = 16384,     // bytes of frames from and to the MAC, each way, a
                                                 // power of two; a longer frame is dropped
  parameter int unsigned AxiCache   = 2,         // arcache and awcache: normal memory, not buffered
  parameter int unsigned AxiProt    = 2          // arprot and awprot: data, not secure
) (
  input  logic                   clk,
  input  logic                   rst_n,  // active low, of any clock; at least a clock of each
  input  logic                   mac_rx_clk,
  input  logic                   mac_tx_clk,
  output logic                   irq,        // level: events wait for the host
  output logic                   attention,  // level: work waits for firmware
  output logic [63:0]            now,        // ns since reset

  // AXI4-Lite slave, of clk: registers and doorbells of host and firmware
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_awaddr,
  input  logic [2:0]             s_axil_awprot,
  input  logic                   s_axil_awvalid,
  output logic                   s_axil_awready,
  input  logic [31:0]            s_axil_wdata,
  input  logic [3:0]             s_axil_wstrb,
  input  logic                   s_axil_wvalid,
  output logic                   s_axil_wready,
  output logic [1:0]             s_axil_bresp,
  output logic                   s_axil_bvalid,
  input  logic                   s_axil_bready,
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_araddr,
  input  logic [2:0]             s_axil_arprot,
  input  logic                   s_axil_arvalid,
  output logic                   s_axil_arready,
  output logic [31:0]            s_axil_rdata,
  output logic [1:0]             s_axil_rresp,
  output logic                   s_axil_rvalid,
  input  logic                   s_axil_rready,

  // AXI4 master, of clk: host memory; aruser and awuser are the PASID
  output logic [7:0]             m_axi_arid,
  output logic [63:0]            m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  output logic                   m_axi_arlock,
  output logic [3:0]             m_axi_arcache,
  output logic [2:0]             m_axi_arprot,
  output logic [3:0]             m_axi_arqos,
  output logic [19:0]            m_axi_aruser,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic [7:0]             m_axi_rid,
  input  logic [DataWidth-1:0]   m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  output logic [7:0]             m_axi_awid,
  output logic [63:0]            m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_awlock,
  output logic [3:0]             m_axi_awcache,
  output logic [2:0]             m_axi_awprot,
  output logic [3:0]             m_axi_awqos,
  output logic [19:0]            m_axi_awuser,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [DataWidth-1:0]   m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [7:0]             m_axi_bid,
  input  logic [1:0]             m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,

  // from the MAC, of mac_rx_clk: frames without preamble and FCS
  input  logic [DataWidth-1:0]   s_axis_rx_tdata,
  input  logic [DataWidth/8-1:0] s_axis_rx_tkeep,
  input  logic                   s_axis_rx_tlast,
  input  logic                   s_axis_rx_tuser,  // with tlast: damaged, as by a wrong FCS
  input  logic                   s_axis_rx_tvalid,
  output logic                   s_axis_rx_tready,  // always 1
  // to the MAC, of mac_tx_clk
  output logic [DataWidth-1:0]   m_axis_tx_tdata,
  output logic [DataWidth/8-1:0] m_axis_tx_tkeep,
  output logic                   m_axis_tx_tlast,
  output logic                   m_axis_tx_tvalid,
  input  logic                   m_axis_tx_tready,

  // Ethernet frames of the host, of clk
  input  logic [DataWidth-1:0]   s_axis_host_tdata,
  input  logic [DataWidth/8-1:0] s_axis_host_tkeep,
  input  logic                   s_axis_host_tlast,
  input  logic                   s_axis_host_tvalid,
  output logic                   s_axis_host_tready,
  output logic [DataWidth-1:0]   m_axis_host_tdata,
  output logic [DataWidth/8-1:0] m_axis_host_tkeep,
  output logic                   m_axis_host_tlast,
  output logic                   m_axis_host_tvalid,
  input  logic                   m_axis_host_tready,

  // frames that this layer dropped, since reset; of clk
  output logic [31:0]            rx_damaged,  // marked by the MAC
  output logic [31:0]            rx_lost,     // for want of room
  output logic [31:0]            tx_lost      // longer than the buffer; in mac_tx_clk
);

  `PARAM_CHECK(PeriodIsPositive, Period > 0)

  logic rst;
  roci_reset_sync u_reset (.clk_i(clk), .async_rst_ni(rst_n), .rst_no(rst));
  roci_clock_time #(.Period(Period)) u_time (.clk_i(clk), .rst_ni(rst), .now_o(now));

  // What the adapter does not use of AXI.
  assign {m_axi_arlock, m_axi_awlock} = 2'b00;
  assign {m_axi_arqos, m_axi_awqos}   = 8'd0;
  assign m_axi_arcache = 4'(AxiCache);
  assign m_axi_awcache = 4'(AxiCache);
  assign m_axi_arprot  = 3'(AxiProt);
  assign m_axi_awprot  = 3'(AxiProt);
  logic unused;
  assign unused = &{1'b0, s_axil_awprot, s_axil_arprot};

  // MAC
  logic [DataWidth-1:0]   rx_data, tx_data;
  logic [DataWidth/8-1:0] rx_keep, tx_keep;
  logic                   rx_last, rx_valid, tx_last, tx_valid, tx_ready, unused_rx_ready;
  assign s_axis_rx_tready = 1'b1;
  if (MacClocks != 0) begin : gen_mac
    logic rx_rst, tx_rst, damaged, tx_long;
    logic [7:0] lost;
    roci_reset_sync u_rx_reset (.clk_i(mac_rx_clk), .async_rst_ni(rst_n), .rst_no(rx_rst));
    roci_reset_sync u_tx_reset (.clk_i(mac_tx_clk), .async_rst_ni(rst_n), .rst_no(tx_rst));
    roci_mac_rx #(.DataWidth(DataWidth), .Bytes(MacBuffer)) u_rx (
      .mac_clk_i(mac_rx_clk), .mac_rst_ni(rx_rst), .s_axis_tdata_i(s_axis_rx_tdata),
      .s_axis_tkeep_i(s_axis_rx_tkeep), .s_axis_tlast_i(s_axis_rx_tlast),
      .s_axis_tuser_i(s_axis_rx_tuser), .s_axis_tvalid_i(s_axis_rx_tvalid),
      .clk_i(clk), .rst_ni(rst), .m_axis_tdata_o(rx_data), .m_axis_tkeep_o(rx_keep),
      .m_axis_tlast_o(rx_last), .m_axis_tvalid_o(rx_valid), .bad_o(damaged), .lost_o(lost));
    roci_mac_tx #(.DataWidth(DataWidth), .Bytes(MacBuffer)) u_tx (
      .clk_i(clk), .rst_ni(rst), .s_axis_tdata_i(tx_data), .s_axis_tkeep_i(tx_keep),
      .s_axis_tlast_i(tx_last), .s_axis_tvalid_i(tx_valid), .s_axis_tready_o(tx_ready),
      .mac_clk_i(mac_tx_clk), .mac_rst_ni(tx_rst), .m_axis_tdata_o(m_axis_tx_tdata),
      .m_axis_tkeep_o(m_axis_tx_tkeep), .m_axis_tlast_o(m_axis_tx_tlast),
      .m_axis_tvalid_o(m_axis_tx_tvalid), .m_axis_tready_i(m_axis_tx_tready),
      .mac_lost_o(tx_long));
    always_ff @(posedge clk) begin
      if (!rst) begin
        rx_damaged <= '0;
        rx_lost    <= '0;
      end else begin
        rx_damaged <= rx_damaged + 32'(damaged);
        rx_lost    <= rx_lost + 32'(lost);
      end
    end
    always_ff @(posedge mac_tx_clk) begin
      if (!tx_rst) tx_lost <= '0;
      else tx_lost <= tx_lost + 32'(tx_long);
    end
  end else begin : gen_direct
    logic unused_mac;
    assign unused_mac = &{1'b0, mac_rx_clk, mac_tx_clk, s_axis_rx_tuser, 32'(MacBuffer)};
    assign {rx_data, rx_keep, rx_last, rx_valid} = {s_axis_rx_tdata, s_axis_rx_tkeep,
                                                    s_axis_rx_tlast, s_axis_rx_tvalid};
    assign {m_axis_tx_tdata, m_axis_tx_tkeep, m_axis_tx_tlast, m_axis_tx_tvalid} =
        {tx_data, tx_keep, tx_last, tx_valid};
    assign tx_ready = m_axis_tx_tready;
    assign {rx_damaged, rx_lost, tx_lost} = '0;
  end

  logic unused_quiescent;
  logic [63:0] unused_deadline;
  roci_nic #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .TxBuffer(TxBuffer), .RxBuffer(RxBuffer), .Compact(Compact), .Atomics(Atomics),
    .KeyOps(KeyOps), .Srq(Srq), .QpCounters(QpCounters), .Posts(Posts), .Networks(Networks),
    .Attachments(Attachments), .Skips(0)
  ) u_nic (
    .clk_i(clk), .rst_ni(rst), .now_i(now),
    .s_axil_awaddr_i(s_axil_awaddr), .s_axil_awvalid_i(s_axil_awvalid),
    .s_axil_awready_o(s_axil_awready), .s_axil_wdata_i(s_axil_wdata),
    .s_axil_wstrb_i(s_axil_wstrb), .s_axil_wvalid_i(s_axil_wvalid),
    .s_axil_wready_o(s_axil_wready), .s_axil_bresp_o(s_axil_bresp),
    .s_axil_bvalid_o(s_axil_bvalid), .s_axil_bready_i(s_axil_bready),
    .s_axil_araddr_i(s_axil_araddr), .s_axil_arvalid_i(s_axil_arvalid),
    .s_axil_arready_o(s_axil_arready), .s_axil_rdata_o(s_axil_rdata),
    .s_axil_rresp_o(s_axil_rresp), .s_axil_rvalid_o(s_axil_rvalid),
    .s_axil_rready_i(s_axil_rready), .irq_o(irq), .attention_o(attention),
    .m_axi_arid_o(m_axi_arid), .m_axi_araddr_o(m_axi_araddr), .m_axi_arlen_o(m_axi_arlen),
    .m_axi_arsize_o(m_axi_arsize), .m_axi_arburst_o(m_axi_arburst), .m_axi_aruser_o(m_axi_aruser),
    .m_axi_arvalid_o(m_axi_arvalid), .m_axi_arready_i(m_axi_arready), .m_axi_rid_i(m_axi_rid),
    .m_axi_rdata_i(m_axi_rdata), .m_axi_rresp_i(m_axi_rresp), .m_axi_rlast_i(m_axi_rlast),
    .m_axi_rvalid_i(m_axi_rvalid), .m_axi_rready_o(m_axi_rready), .m_axi_awid_o(m_axi_awid),
    .m_axi_awaddr_o(m_axi_awaddr), .m_axi_awlen_o(m_axi_awlen), .m_axi_awsize_o(m_axi_awsize),
    .m_axi_awburst_o(m_axi_awburst), .m_axi_awuser_o(m_axi_awuser),
    .m_axi_awvalid_o(m_axi_awvalid), .m_axi_awready_i(m_axi_awready), .m_axi_wdata_o(m_axi_wdata),
    .m_axi_wstrb_o(m_axi_wstrb), .m_axi_wlast_o(m_axi_wlast), .m_axi_wvalid_o(m_axi_wvalid),
    .m_axi_wready_i(m_axi_wready), .m_axi_bid_i(m_axi_bid), .m_axi_bresp_i(m_axi_bresp),
    .m_axi_bvalid_i(m_axi_bvalid), .m_axi_bready_o(m_axi_bready),
    .s_axis_rx_tdata_i(rx_data), .s_axis_rx_tkeep_i(rx_keep), .s_axis_rx_tlast_i(rx_last),
    .s_axis_rx_tvalid_i(rx_valid), .s_axis_rx_tready_o(unused_rx_ready),
    .m_axis_tx_tdata_o(tx_data), .m_axis_tx_tkeep_o(tx_keep), .m_axis_tx_tlast_o(tx_last),
    .m_axis_tx_tvalid_o(tx_valid), .m_axis_tx_tready_i(tx_ready),
    .s_axis_host_tdata_i(s_axis_host_tdata), .s_axis_host_tkeep_i(s_axis_host_tkeep),
    .s_axis_host_tlast_i(s_axis_host_tlast), .s_axis_host_tvalid_i(s_axis_host_tvalid),
    .s_axis_host_tready_o(s_axis_host_tready), .m_axis_host_tdata_o(m_axis_host_tdata),
    .m_axis_host_tkeep_o(m_axis_host_tkeep), .m_axis_host_tlast_o(m_axis_host_tlast),
    .m_axis_host_tvalid_o(m_axis_host_tvalid), .m_axis_host_tready_i(m_axis_host_tready),
    .quiescent_o(unused_quiescent), .next_deadline_o(unused_deadline));

  // The rules of AXI, checked in every simulation of the core.
`ifndef SYNTHESIS
`ifndef YOSYS
  roci_axi_read_check #(.DataWidth(DataWidth)) u_read_check (
    .clk_i(clk), .rst_ni(rst), .arid_i(m_axi_arid), .araddr_i(m_axi_araddr),
    .arlen_i(m_axi_arlen), .arsize_i(m_axi_arsize), .arburst_i(m_axi_arburst),
    .aruser_i(m_axi_aruser), .arvalid_i(m_axi_arvalid), .arready_i(m_axi_arready),
    .rid_i(m_axi_rid), .rlast_i(m_axi_rlast), .rvalid_i(m_axi_rvalid), .rready_i(m_axi_rready));
  roci_axi_write_check #(.DataWidth(DataWidth)) u_write_check (
    .clk_i(clk), .rst_ni(rst), .awid_i(m_axi_awid), .awaddr_i(m_axi_awaddr),
    .awlen_i(m_axi_awlen), .awsize_i(m_axi_awsize), .awburst_i(m_axi_awburst),
    .awuser_i(m_axi_awuser), .awvalid_i(m_axi_awvalid), .awready_i(m_axi_awready),
    .wdata_i(m_axi_wdata), .wstrb_i(m_axi_wstrb), .wlast_i(m_axi_wlast), .wvalid_i(m_axi_wvalid),
    .wready_i(m_axi_wready), .bid_i(m_axi_bid), .bvalid_i(m_axi_bvalid),
    .bready_i(m_axi_bready), .level_o(), .lengths_o(), .beats_o());
  roci_axil_check #(.AddrBits(roci_pkg::RegisterAddressBits)) u_axil_check (
    .clk_i(clk), .rst_ni(rst), .awaddr_i(s_axil_awaddr), .awvalid_i(s_axil_awvalid),
    .awready_i(s_axil_awready), .wdata_i(s_axil_wdata), .wstrb_i(s_axil_wstrb),
    .wvalid_i(s_axil_wvalid), .wready_i(s_axil_wready), .bresp_i(s_axil_bresp),
    .bvalid_i(s_axil_bvalid), .bready_i(s_axil_bready), .araddr_i(s_axil_araddr),
    .arvalid_i(s_axil_arvalid), .arready_i(s_axil_arready), .rdata_i(s_axil_rdata),
    .rresp_i(s_axil_rresp), .rvalid_i(s_axil_rvalid), .rready_i(s_axil_rready), .addresses_o(),
    .data_o(), .reads_o());
`endif
`endif

endmodule
