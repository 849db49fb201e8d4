// SPDX-License-Identifier: Apache-2.0
// Everything around the packet path: registers and doorbells, tables, states of the queue pairs,
// completions, events, counters, and what firmware needs of host memory and of the wire.
//
// Wires only, between roci_control_host, roci_control_tables, roci_cq and roci_eq.
//
//   AXI-Lite --> regs --+--> doorbells --> sq, rq
//                       +--> table_port --> row bus --> all          live <-- sq, rq
//   fail, firmware -----+--> qp_state --> row bus, qp_event --> sq, rq
//   cqe ------------------> cq ------> bw 0     cq, qp_state, firmware --> eq --> bw 1, irq
//   eth_rx --> fw_frame --> host | frame buffer          fw_dma --> bw 3, br 4

`include "assert.svh"

module roci_control #(
  parameter int unsigned DataWidth = 512,   // 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,   // power of two, 16 to 32768
  parameter int unsigned NumKeys   = 1024,  // power of two, 16 to 2^24
  parameter int unsigned NumCqs    = 256,   // power of two, 16 to 32768
  parameter int unsigned NumSrqs   = 64,    // power of two, 2 to 32768
  parameter int unsigned Absent    = 0,     // bits by Option: what the engine does not have
  parameter int unsigned Attachments = 256,  // to multicast groups, power of two; 0: none
  parameter int unsigned Skips     = 1      // 0: next_deadline_o is 0
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

  output logic                       irq_o,        // level: events not consumed
  output logic                       attention_o,  // level: firmware has something to do
  output logic                       enable_o,     // Control bit 0

  // to the engines
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
  output logic                       row_write_valid_o,
  output roci_pkg::row_write_t       row_write_o,
  output roci_pkg::qp_event_t        qp_event_sq_o,
  output logic                       qp_event_sq_valid_o,
  input  logic                       qp_event_sq_ready_i,
  output roci_pkg::qp_event_t        qp_event_rq_o,
  output logic                       qp_event_rq_valid_o,
  input  logic                       qp_event_rq_ready_i,

  // from the key table: rows of key operations
  input  logic                       key_busy_i,
  input  roci_pkg::key_t             key_row_i,
  input  logic [23:0]                key_row_index_i,
  input  logic                       key_row_valid_i,
  output logic                       key_row_ready_o,

  // from the engines
  input  roci_pkg::event_req_t       fail_sq_i,
  input  logic                       fail_sq_valid_i,
  output logic                       fail_sq_ready_o,
  input  roci_pkg::event_req_t       fail_rq_i,
  input  logic                       fail_rq_valid_i,
  output logic                       fail_rq_ready_o,
  input  roci_pkg::event_req_t       event_rq_i,   // plain event, no change of state
  input  logic                       event_rq_valid_i,
  output logic                       event_rq_ready_o,
  input  roci_pkg::cqe_req_t         cqe_sq_i,
  input  logic                       cqe_sq_valid_i,
  output logic                       cqe_sq_ready_o,
  input  roci_pkg::cqe_req_t         cqe_rq_i,
  input  logic                       cqe_rq_valid_i,
  output logic                       cqe_rq_ready_o,
  input  logic [15:0]                wr_done_i,
  input  logic [7:0]                 store_done_i,
  input  logic [23:0]                fault_qpn_i,  // pulse: data of this queue pair got lost
  input  logic                       fault_valid_i,
  input  roci_pkg::count_t           count_sq_i,
  input  logic                       count_sq_valid_i,
  output logic                       count_sq_ready_o,
  input  roci_pkg::count_t           count_rq_i,
  input  logic                       count_rq_valid_i,
  output logic                       count_rq_ready_o,

  // live state: valid stays up with the number until ready; live_*_i is taken in the clock of ready
  output logic [23:0]                live_qpn_o,
  output logic                       live_sq_valid_o,
  input  logic                       live_sq_ready_i,
  input  roci_pkg::qp_live_t         live_sq_i,
  output logic                       live_rq_valid_o,
  input  logic                       live_rq_ready_i,
  input  roci_pkg::qp_live_t         live_rq_i,
  output logic                       live_srq_valid_o,  // request for the SRQ on live_qpn_o
  input  logic                       live_srq_ready_i,
  input  roci_pkg::srq_live_t        live_srq_i,

  // host memory: block write clients 0, 1 and 3, block read client 4
  output logic                       bw_cq_req_valid_o,
  input  logic                       bw_cq_req_ready_i,
  output roci_pkg::block_write_req_t bw_cq_req_o,
  input  logic                       bw_cq_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_cq_rsp_i,
  output logic                       bw_eq_req_valid_o,
  input  logic                       bw_eq_req_ready_i,
  output roci_pkg::block_write_req_t bw_eq_req_o,
  input  logic                       bw_eq_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_eq_rsp_i,
  output logic                       bw_fw_req_valid_o,
  input  logic                       bw_fw_req_ready_i,
  output roci_pkg::block_write_req_t bw_fw_req_o,
  input  logic                       bw_fw_rsp_valid_i,
  output logic                       br_fw_req_valid_o,
  input  logic                       br_fw_req_ready_i,
  output roci_pkg::block_read_req_t  br_fw_req_o,
  input  logic [DataWidth:0]         br_fw_rsp_i,  // a beat of a block: {error, data}
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
  input  logic                       all_idle_i,       // idle_o of every block, this one included
  output logic [63:0]                next_deadline_o,  // end of a moderation period; all ones: none
  output logic                       quiet_o,  // no register access, doorbell or frame in flight
  output logic                       idle_o
);

  // ---------------------------------------------------------------- registers and firmware
  roci_pkg::cq_doorbell_t bell;
  roci_pkg::event_req_t   post, engine_event;
  logic                   bell_valid, bell_ready, post_valid, post_ready;
  logic                   engine_event_valid, engine_event_ready;
  logic                   table_command_write, table_data_write, table_read;
  logic                   eq_size_write, eq_consumer_write, eq_status_write, eq_overflow;
  logic [3:0]             data_word, read_word;
  logic [15:0]            eq_consumer;
  logic [31:0]            word, read_data;
  roci_pkg::table_command_reg_t table_command;
  roci_pkg::eq_size_reg_t eq_size;
  logic [63:0]            eq_base;
  logic                   tables_idle, cq_idle, bells_idle, eq_idle, dma_idle, host_quiet;

  roci_control_host #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .Absent(Absent), .Attachments(Attachments)
  ) u_host (
    .clk_i, .rst_ni, .now_i,
    .s_axil_awaddr_i, .s_axil_awvalid_i, .s_axil_awready_o,
    .s_axil_wdata_i, .s_axil_wstrb_i, .s_axil_wvalid_i, .s_axil_wready_o,
    .s_axil_bresp_o, .s_axil_bvalid_o, .s_axil_bready_i,
    .s_axil_araddr_i, .s_axil_arvalid_i, .s_axil_arready_o,
    .s_axil_rdata_o, .s_axil_rresp_o, .s_axil_rvalid_o, .s_axil_rready_i,
    .attention_o, .enable_o, .post_word_o, .post_word_valid_o,
    .sq_doorbell_o, .sq_doorbell_valid_o, .sq_doorbell_ready_i,
    .rq_doorbell_o, .rq_doorbell_valid_o, .rq_doorbell_ready_i,
    .srq_doorbell_o, .srq_doorbell_valid_o, .srq_doorbell_ready_i,
    .cq_doorbell_o(bell), .cq_doorbell_valid_o(bell_valid), .cq_doorbell_ready_i(bell_ready),
    .word_o(word), .data_word_o(data_word), .table_command_write_o(table_command_write),
    .table_data_write_o(table_data_write), .table_command_i(table_command),
    .table_read_o(table_read), .table_read_word_o(read_word), .table_data_i(read_data),
    .eq_size_write_o(eq_size_write), .eq_consumer_write_o(eq_consumer_write),
    .eq_status_write_o(eq_status_write), .eq_base_o(eq_base),
    .eq_size_i(eq_size), .eq_consumer_i(eq_consumer), .eq_overflow_i(eq_overflow),
    .post_o(post), .post_valid_o(post_valid), .post_ready_i(post_ready),
    .engine_event_i(engine_event), .engine_event_valid_i(engine_event_valid),
    .engine_event_ready_o(engine_event_ready),
    .bw_fw_req_valid_o, .bw_fw_req_ready_i, .bw_fw_req_o, .bw_fw_rsp_valid_i,
    .br_fw_req_valid_o, .br_fw_req_ready_i, .br_fw_req_o, .br_fw_rsp_valid_i, .br_fw_rsp_ready_o,
    .br_fw_rsp_i, .s_axis_eth_rx_tdata_i, .s_axis_eth_rx_tkeep_i, .s_axis_eth_rx_tlast_i,
    .s_axis_eth_rx_tvalid_i, .s_axis_eth_rx_tready_o,
    .m_axis_host_tdata_o, .m_axis_host_tkeep_o, .m_axis_host_tlast_o, .m_axis_host_tvalid_o,
    .m_axis_host_tready_i,
    .m_axis_fw_tdata_o, .m_axis_fw_tkeep_o, .m_axis_fw_tlast_o, .m_axis_fw_tvalid_o,
    .m_axis_fw_tready_i,
    .drop_rx_i, .drop_rq_i, .drop_ghost_i, .rx_ok_i, .rx_stat_i, .tx_stat_i,
    .pause_o, .all_idle_i, .dma_idle_o(dma_idle), .quiet_o(host_quiet)
  );

  // ---------------------------------------------------------------- tables and states
  roci_pkg::cq_live_t   live_cq;
  roci_pkg::cq_t        cq_row;
  roci_pkg::event_req_t fail_cq, qp_event, cq_event;
  logic                 live_cq_valid, live_cq_ready, fail_cq_valid, fail_cq_ready;
  logic                 qp_event_valid, qp_event_ready, cq_event_valid, cq_event_ready;
  logic                 cq_row_valid, cq_row_ready, begin_valid;
  logic [23:0]          begin_qpn;

  roci_control_tables #(
    .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .QpCounters((Absent >> roci_pkg::OptionQpCounters) % 2 == 0 ? 1 : 0), .Attachments(Attachments)
  ) u_tables (
    .clk_i, .rst_ni,
    .command_write_i(table_command_write), .data_write_i(table_data_write),
    .data_word_i(data_word), .word_i(word), .command_o(table_command),
    .read_i(table_read), .read_word_i(read_word), .read_data_o(read_data),
    .row_write_valid_o, .row_write_o, .row_o(live_qpn_o),
    .key_busy_i, .key_row_i, .key_row_index_i, .key_row_valid_i, .key_row_ready_o,
    .cq_row_o(cq_row), .cq_row_valid_o(cq_row_valid), .cq_row_ready_i(cq_row_ready),
    .fail_sq_i, .fail_sq_valid_i, .fail_sq_ready_o,
    .fail_rq_i, .fail_rq_valid_i, .fail_rq_ready_o,
    .fail_cq_i(fail_cq), .fail_cq_valid_i(fail_cq_valid), .fail_cq_ready_o(fail_cq_ready),
    .begin_valid_o(begin_valid), .begin_qpn_o(begin_qpn),
    .qp_event_sq_o, .qp_event_sq_valid_o, .qp_event_sq_ready_i,
    .qp_event_rq_o, .qp_event_rq_valid_o, .qp_event_rq_ready_i,
    .event_o(qp_event), .event_valid_o(qp_event_valid), .event_ready_i(qp_event_ready),
    .live_sq_valid_o, .live_sq_ready_i, .live_sq_i,
    .live_rq_valid_o, .live_rq_ready_i, .live_rq_i,
    .live_srq_valid_o, .live_srq_ready_i, .live_srq_i,
    .live_cq_valid_o(live_cq_valid), .live_cq_ready_i(live_cq_ready), .live_cq_i(live_cq),
    .count_sq_i, .count_sq_valid_i, .count_sq_ready_o,
    .count_rq_i, .count_rq_valid_i, .count_rq_ready_o,
    .idle_o(tables_idle)
  );

  // ---------------------------------------------------------------- completions and events
  localparam int unsigned Writes = DataWidth == 64 ? 64 : 128;
  roci_cq #(.NumCqs(NumCqs), .NumQps(NumQps), .Writes(Writes), .Skips(Skips)) u_cq (
    .clk_i, .rst_ni, .now_i,
    .cqe_sq_i, .cqe_sq_valid_i, .cqe_sq_ready_o,
    .cqe_rq_i, .cqe_rq_valid_i, .cqe_rq_ready_o,
    .wr_done_i, .store_done_i, .fault_qpn_i, .fault_valid_i,
    .begin_qpn_i(begin_qpn), .begin_valid_i(begin_valid),
    .doorbell_i(bell), .doorbell_valid_i(bell_valid), .doorbell_ready_o(bell_ready),
    .row_data_i(cq_row), .row_index_i(live_qpn_o),
    .row_valid_i(cq_row_valid), .row_ready_o(cq_row_ready),
    .live_valid_i(live_cq_valid), .live_ready_o(live_cq_ready), .live_o(live_cq),
    .bw_req_valid_o(bw_cq_req_valid_o), .bw_req_ready_i(bw_cq_req_ready_i),
    .bw_req_o(bw_cq_req_o), .bw_rsp_valid_i(bw_cq_rsp_valid_i), .bw_rsp_i(bw_cq_rsp_i),
    .event_o(cq_event), .event_valid_o(cq_event_valid), .event_ready_i(cq_event_ready),
    .fail_o(fail_cq), .fail_valid_o(fail_cq_valid), .fail_ready_i(fail_cq_ready),
    .next_deadline_o, .bells_idle_o(bells_idle), .idle_o(cq_idle)
  );

  // Every queue pair and every completion queue may fail once before firmware looks.
  localparam int unsigned EngineEvents = NumQps > NumCqs ? 2 * NumQps : 2 * NumCqs;
  roci_eq #(.EngineEvents(EngineEvents), .NumCqs(NumCqs)) u_eq (
    .clk_i, .rst_ni, .word_i(word), .size_write_i(eq_size_write),
    .consumer_write_i(eq_consumer_write), .overflow_clear_i(eq_status_write), .base_i(eq_base),
    .size_o(eq_size), .consumer_o(eq_consumer), .overflow_o(eq_overflow),
    .cq_i(cq_event), .cq_valid_i(cq_event_valid), .cq_ready_o(cq_event_ready),
    .qp_i(qp_event), .qp_valid_i(qp_event_valid), .qp_ready_o(qp_event_ready),
    .plain_i(event_rq_i), .plain_valid_i(event_rq_valid_i), .plain_ready_o(event_rq_ready_o),
    .post_i(post), .post_valid_i(post_valid), .post_ready_o(post_ready),
    .engine_o(engine_event), .engine_valid_o(engine_event_valid),
    .engine_ready_i(engine_event_ready),
    .bw_req_valid_o(bw_eq_req_valid_o), .bw_req_ready_i(bw_eq_req_ready_i),
    .bw_req_o(bw_eq_req_o), .bw_rsp_valid_i(bw_eq_rsp_valid_i), .bw_rsp_i(bw_eq_rsp_i),
    .irq_o, .idle_o(eq_idle)
  );

  // A fence waits for idle_o only: host and firmware may poll, ring and send frames meanwhile.
  assign idle_o  = tables_idle && cq_idle && eq_idle && dma_idle;
  assign quiet_o = host_quiet && bells_idle;

endmodule
