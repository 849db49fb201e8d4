// SPDX-License-Identifier: Apache-2.0
// Registers, and what firmware reaches through them: host memory, frames, counters of the port, and
// the fence. Wires only.
//
//   AXI-Lite --> axil --> regs --+--> doorbells --> sq, rq, cq
//                                +--> writes to the registers of tables and event queue
//                                +--> fw_dma --> block write, block read
//                                +--> fw_frame <-- eth_rx, --> host, --> tx
//                                +--> counters, fence --> pause

`include "assert.svh"

module roci_control_host #(
  parameter int unsigned DataWidth = 512,   // 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,   // power of two
  parameter int unsigned NumKeys   = 1024,  // power of two
  parameter int unsigned NumCqs    = 256,   // power of two
  parameter int unsigned NumSrqs   = 64,    // power of two
  parameter int unsigned Absent    = 0,     // bits by Option: what the engine does not have
  parameter int unsigned Attachments = 256  // to multicast groups; 0: none
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [63:0]                now_i,  // ns

  // AXI4-Lite slave; a write is taken when address and data are both there
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_awaddr_i,
  input  logic                       s_axil_awvalid_i,
  output logic                       s_axil_awready_o,
  input  logic [31:0]                s_axil_wdata_i,
  input  logic [3:0]                 s_axil_wstrb_i,
  input  logic                       s_axil_wvalid_i,
  output logic                       s_axil_wready_o,
  output logic [1:0]                 s_axil_bresp_o,
  output logic                       s_axil_bvalid_o,
  input  logic                       s_axil_bready_i,
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_araddr_i,
  input  logic                       s_axil_arvalid_i,
  output logic                       s_axil_arready_o,
  output logic [31:0]                s_axil_rdata_o,
  output logic [1:0]                 s_axil_rresp_o,
  output logic                       s_axil_rvalid_o,
  input  logic                       s_axil_rready_i,

  output logic                       attention_o,  // level: firmware has something to do
  output logic                       enable_o,     // Control bit 0

  // doorbells
  output roci_pkg::doorbell_t        sq_doorbell_o,
  output logic                       sq_doorbell_valid_o,
  input  logic                       sq_doorbell_ready_i,
  output roci_pkg::post_word_t       post_word_o,
  output logic                       post_word_valid_o,
  output roci_pkg::doorbell_t        rq_doorbell_o,
  output logic                       rq_doorbell_valid_o,
  input  logic                       rq_doorbell_ready_i,
  output roci_pkg::doorbell_t        srq_doorbell_o,  // the SRQ in place of the queue pair
  output logic                       srq_doorbell_valid_o,
  input  logic                       srq_doorbell_ready_i,
  output roci_pkg::cq_doorbell_t     cq_doorbell_o,
  output logic                       cq_doorbell_valid_o,
  input  logic                       cq_doorbell_ready_i,

  // a word written, and pulses of the registers it is for
  output logic [31:0]                word_o,
  output logic [3:0]                 data_word_o,  // which word of TableData
  output logic                       table_command_write_o,
  output logic                       table_data_write_o,
  input  roci_pkg::table_command_reg_t table_command_i,
  output logic                       table_read_o,  // TableData may be read
  output logic [3:0]                 table_read_word_o,
  input  logic [31:0]                table_data_i,  // a clock later
  output logic                       eq_size_write_o,
  output logic                       eq_consumer_write_o,
  output logic                       eq_status_write_o,
  output logic [63:0]                eq_base_o,
  input  roci_pkg::eq_size_reg_t     eq_size_i,
  input  logic [15:0]                eq_consumer_i,
  input  logic                       eq_overflow_i,

  // events that firmware posts, and those that it reads
  output roci_pkg::event_req_t       post_o,
  output logic                       post_valid_o,
  input  logic                       post_ready_i,
  input  roci_pkg::event_req_t       engine_event_i,
  input  logic                       engine_event_valid_i,
  output logic                       engine_event_ready_o,

  // host memory: block write client 3, block read client 4
  output logic                       bw_fw_req_valid_o,
  input  logic                       bw_fw_req_ready_i,
  output roci_pkg::block_write_req_t bw_fw_req_o,
  input  logic                       bw_fw_rsp_valid_i,
  output logic                       br_fw_req_valid_o,
  input  logic                       br_fw_req_ready_i,
  output roci_pkg::block_read_req_t  br_fw_req_o,
  input  logic [DataWidth:0]         br_fw_rsp_i,  // a beat: {error, data}
  input  logic                       br_fw_rsp_valid_i,
  output logic                       br_fw_rsp_ready_o,

  // Ethernet frames received, from rx; to the host; firmware's frames, to tx
  input  logic [DataWidth-1:0]       s_axis_eth_rx_tdata_i,
  input  logic [DataWidth/8-1:0]     s_axis_eth_rx_tkeep_i,
  input  logic                       s_axis_eth_rx_tlast_i,
  input  logic                       s_axis_eth_rx_tvalid_i,
  output logic                       s_axis_eth_rx_tready_o,
  output logic [DataWidth-1:0]       m_axis_host_tdata_o,
  output logic [DataWidth/8-1:0]     m_axis_host_tkeep_o,
  output logic                       m_axis_host_tlast_o,
  output logic                       m_axis_host_tvalid_o,
  input  logic                       m_axis_host_tready_i,
  output logic [DataWidth-1:0]       m_axis_fw_tdata_o,
  output logic [DataWidth/8-1:0]     m_axis_fw_tkeep_o,
  output logic                       m_axis_fw_tlast_o,
  output logic                       m_axis_fw_tvalid_o,
  input  logic                       m_axis_fw_tready_i,

  // port counters
  input  logic [10:0]                drop_rx_i,        // pulses by DropCause; top bit: Q_Key
  input  logic [10:0]                drop_rq_i,
  input  logic                       drop_ghost_i,     // from sq
  input  logic                       rx_ok_i,          // pulse: RoCE packet accepted
  input  roci_pkg::frame_stat_t      rx_stat_i,  // frames that the MAC gave to rx
  input  roci_pkg::frame_stat_t      tx_stat_i,

  output logic                       pause_o,
  input  logic                       all_idle_i,  // idle_o of every block, dma_idle_o included
  output logic                       dma_idle_o,
  output logic                       quiet_o      // no register access or frame in flight
);

  localparam int unsigned AddrBits = roci_pkg::RegisterAddressBits;
  logic [AddrBits-1:0] wr_addr, rd_addr;
  logic [31:0]         wr_data, rd_data;
  logic                wr_valid, wr_ready, rd_valid, rd_done, axil_idle;

  roci_axil #(.AddrBits(AddrBits)) u_axil (
    .clk_i, .rst_ni,
    .awaddr_i(s_axil_awaddr_i), .awvalid_i(s_axil_awvalid_i), .awready_o(s_axil_awready_o),
    .wdata_i(s_axil_wdata_i), .wstrb_i(s_axil_wstrb_i),
    .wvalid_i(s_axil_wvalid_i), .wready_o(s_axil_wready_o),
    .bvalid_o(s_axil_bvalid_o), .bready_i(s_axil_bready_i),
    .araddr_i(s_axil_araddr_i), .arvalid_i(s_axil_arvalid_i), .arready_o(s_axil_arready_o),
    .rdata_o(s_axil_rdata_o), .rvalid_o(s_axil_rvalid_o), .rready_i(s_axil_rready_i),
    .wr_addr_o(wr_addr), .wr_data_o(wr_data), .wr_valid_o(wr_valid), .wr_ready_i(wr_ready),
    .rd_addr_o(rd_addr), .rd_valid_o(rd_valid), .rd_done_i(rd_done), .rd_data_i(rd_data),
    .idle_o(axil_idle)
  );
  assign s_axil_bresp_o = 2'b00;
  assign s_axil_rresp_o = 2'b00;

  logic [10:0]  word_addr, read_addr;
  logic [31:0]  rx_data;
  roci_pkg::dma_command_reg_t      dma_command;
  roci_pkg::tx_frame_command_reg_t tx_command;
  roci_pkg::rx_frame_status_reg_t  rx_status;
  logic         fence_write, dma_command_write, dma_data_write, tx_command_write, tx_data_write;
  logic         rx_pop, counter_select_write, fence_busy, read_window, frame_idle;
  roci_pkg::control_reg_t control_word;
  logic [63:0]  dma_address, counter;
  logic [31:0]  dma_data;
  logic [4:0]   counter_select;
  roci_pkg::event_req_t write_event;
  logic         write_event_valid, write_event_ready;

  roci_regs #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .Absent(Absent), .Attachments(Attachments)
  ) u_regs (
    .clk_i, .rst_ni, .now_i,
    .wr_addr_i(wr_addr), .wr_data_i(wr_data), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready),
    .rd_addr_i(rd_addr), .rd_valid_i(rd_valid), .rd_done_o(rd_done), .rd_data_o(rd_data),
    .sq_doorbell_o, .sq_doorbell_valid_o, .sq_doorbell_ready_i,
    .rq_doorbell_o, .rq_doorbell_valid_o, .rq_doorbell_ready_i,
    .srq_doorbell_o, .srq_doorbell_valid_o, .srq_doorbell_ready_i,
    .cq_doorbell_o, .cq_doorbell_valid_o, .cq_doorbell_ready_i, .post_word_o, .post_word_valid_o,
    .word_addr_o(word_addr), .word_o,
    .table_command_o(table_command_write_o), .table_data_o(table_data_write_o),
    .fence_command_o(fence_write), .dma_command_o(dma_command_write),
    .dma_data_o(dma_data_write), .tx_command_o(tx_command_write), .tx_data_o(tx_data_write),
    .rx_pop_o(rx_pop), .counter_select_o(counter_select_write),
    .eq_size_o(eq_size_write_o), .eq_consumer_o(eq_consumer_write_o),
    .eq_status_o(eq_status_write_o),
    .event_post_o(write_event), .event_post_valid_o(write_event_valid),
    .event_post_ready_i(write_event_ready),
    .control_o(control_word), .eq_base_o, .dma_address_o(dma_address),
    .table_command_i, .table_data_i, .fence_busy_i(fence_busy),
    .dma_command_i(dma_command), .dma_data_i(dma_data),
    .tx_command_i(tx_command), .rx_status_i(rx_status), .rx_data_i(rx_data),
    .eq_size_i, .eq_consumer_i, .eq_overflow_i,
    .counter_select_i(counter_select), .counter_i(counter),
    .engine_event_i, .engine_event_valid_i, .engine_event_ready_o,
    .read_window_o(read_window), .read_addr_o(read_addr),
    .attention_o
  );
  // The choice among events does not follow the decoding of an address.
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(2)) u_posts (
    .clk_i, .rst_ni,
    .in_data_i(write_event), .in_valid_i(write_event_valid), .in_ready_o(write_event_ready),
    .out_data_o(post_o), .out_valid_o(post_valid_o), .out_ready_i(post_ready_i), .level_o()
  );
  assign enable_o    = control_word.enable;
  assign data_word_o = word_addr[5:2];
  assign table_read_o      = read_window;
  assign table_read_word_o = read_addr[5:2];

  // ---------------------------------------------------------------- memory and frames of firmware
  roci_fw_dma #(.DataWidth(DataWidth)) u_fw_dma (
    .clk_i, .rst_ni,
    .command_i(dma_command_write), .data_i(dma_data_write), .data_word_i(data_word_o),
    .word_i(word_o), .address_i(dma_address), .command_o(dma_command),
    .read_i(read_window), .read_word_i(read_addr[5:2]), .read_data_o(dma_data),
    .bw_req_valid_o(bw_fw_req_valid_o), .bw_req_ready_i(bw_fw_req_ready_i),
    .bw_req_o(bw_fw_req_o), .bw_rsp_valid_i(bw_fw_rsp_valid_i),
    .br_req_valid_o(br_fw_req_valid_o), .br_req_ready_i(br_fw_req_ready_i),
    .br_req_o(br_fw_req_o), .br_rsp_i(br_fw_rsp_i),
    .br_rsp_valid_i(br_fw_rsp_valid_i), .br_rsp_ready_o(br_fw_rsp_ready_o),
    .idle_o(dma_idle_o)
  );

  roci_fw_frame #(.DataWidth(DataWidth)) u_fw_frame (
    .clk_i, .rst_ni,
    .to_firmware_i(control_word.neighbours), .word_addr_i(word_addr), .word_i(word_o),
    .tx_data_i(tx_data_write), .tx_command_i(tx_command_write), .rx_pop_i(rx_pop),
    .read_i(read_window), .read_addr_i(read_addr), .rx_data_o(rx_data),
    .tx_command_o(tx_command), .rx_status_o(rx_status),
    .s_axis_rx_tdata_i(s_axis_eth_rx_tdata_i), .s_axis_rx_tkeep_i(s_axis_eth_rx_tkeep_i),
    .s_axis_rx_tlast_i(s_axis_eth_rx_tlast_i), .s_axis_rx_tvalid_i(s_axis_eth_rx_tvalid_i),
    .s_axis_rx_tready_o(s_axis_eth_rx_tready_o),
    .m_axis_host_tdata_o, .m_axis_host_tkeep_o, .m_axis_host_tlast_o, .m_axis_host_tvalid_o,
    .m_axis_host_tready_i,
    .m_axis_fw_tdata_o, .m_axis_fw_tkeep_o, .m_axis_fw_tlast_o, .m_axis_fw_tvalid_o,
    .m_axis_fw_tready_i,
    .idle_o(frame_idle)
  );

  // ---------------------------------------------------------------- counters of the port, fence
  roci_counters u_counters (
    .clk_i, .rst_ni,
    .select_write_i(counter_select_write), .select_i(word_o[4:0]), .select_o(counter_select),
    .value_o(counter),
    .drop_rx_i, .drop_rq_i, .drop_ghost_i, .rx_ok_i,
    .rx_ethernet_i(s_axis_eth_rx_tvalid_i && s_axis_eth_rx_tready_o && s_axis_eth_rx_tlast_i),
    .rx_stat_i, .tx_stat_i
  );

  // The fence counts by a register, as some blocks are far from here.
  logic all_idle_q;
  always_ff @(posedge clk_i) all_idle_q <= all_idle_i;
  roci_fence u_fence (
    .clk_i, .rst_ni, .start_i(fence_write), .all_idle_i(all_idle_q), .busy_o(fence_busy), .pause_o
  );

  assign quiet_o = axil_idle && frame_idle;

endmodule
