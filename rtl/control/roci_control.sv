// Everything around the packet path: registers and doorbells, tables, states of the queue pairs,
// completions, events, counters, and what firmware needs of host memory and of the wire.
//
// Wires only; the parts are roci_regs, roci_table_port, roci_qp_state, roci_cq, roci_eq,
// roci_fw_dma, roci_fw_frame, roci_counters and roci_fence.
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
  parameter int unsigned NumCqs    = 256    // power of two, 16 to 32768
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [63:0]              now_i,  // ns

  // AXI4-Lite slave; a write is taken when address and data are both there
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_awaddr_i,
  input  logic                     s_axil_awvalid_i,
  output logic                     s_axil_awready_o,
  input  logic [31:0]              s_axil_wdata_i,
  input  logic [3:0]               s_axil_wstrb_i,
  input  logic                     s_axil_wvalid_i,
  output logic                     s_axil_wready_o,
  output logic [1:0]               s_axil_bresp_o,
  output logic                     s_axil_bvalid_o,
  input  logic                     s_axil_bready_i,
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_araddr_i,
  input  logic                     s_axil_arvalid_i,
  output logic                     s_axil_arready_o,
  output logic [31:0]              s_axil_rdata_o,
  output logic [1:0]               s_axil_rresp_o,
  output logic                     s_axil_rvalid_o,
  input  logic                     s_axil_rready_i,

  output logic                     irq_o,        // level: events not consumed
  output logic                     attention_o,  // level: firmware has something to do
  output logic                     enable_o,     // Control bit 0

  // to the engines
  output roci_pkg::doorbell_t      sq_doorbell_o,
  output logic                     sq_doorbell_valid_o,
  input  logic                     sq_doorbell_ready_i,
  output roci_pkg::doorbell_t      rq_doorbell_o,
  output logic                     rq_doorbell_valid_o,
  input  logic                     rq_doorbell_ready_i,
  output logic                     row_valid_o,
  output logic [3:0]               row_table_o,
  output logic [23:0]              row_index_o,
  output logic [roci_pkg::RowBits-1:0] row_data_o,
  output roci_pkg::qp_event_t      qp_event_sq_o,
  output logic                     qp_event_sq_valid_o,
  input  logic                     qp_event_sq_ready_i,
  output roci_pkg::qp_event_t      qp_event_rq_o,
  output logic                     qp_event_rq_valid_o,
  input  logic                     qp_event_rq_ready_i,

  // from the engines
  input  roci_pkg::event_req_t     fail_sq_i,
  input  logic                     fail_sq_valid_i,
  output logic                     fail_sq_ready_o,
  input  roci_pkg::event_req_t     fail_rq_i,
  input  logic                     fail_rq_valid_i,
  output logic                     fail_rq_ready_o,
  input  roci_pkg::event_req_t     event_rq_i,  // plain event, no change of state
  input  logic                     event_rq_valid_i,
  output logic                     event_rq_ready_o,
  input  roci_pkg::cqe_req_t       cqe_sq_i,
  input  logic                     cqe_sq_valid_i,
  output logic                     cqe_sq_ready_o,
  input  roci_pkg::cqe_req_t       cqe_rq_i,
  input  logic                     cqe_rq_valid_i,
  output logic                     cqe_rq_ready_o,
  input  logic [15:0]              wr_done_i,
  input  logic [7:0]               store_done_i,
  input  roci_pkg::count_t         count_sq_i,
  input  logic                     count_sq_valid_i,
  output logic                     count_sq_ready_o,
  input  roci_pkg::count_t         count_rq_i,
  input  logic                     count_rq_valid_i,
  output logic                     count_rq_ready_o,

  // live state: valid stays up with the number until ready; live_*_i is taken in the clock of ready
  output logic [23:0]              live_qpn_o,
  output logic                     live_sq_valid_o,
  input  logic                     live_sq_ready_i,
  input  roci_pkg::qp_live_t       live_sq_i,
  output logic                     live_rq_valid_o,
  input  logic                     live_rq_ready_i,
  input  roci_pkg::qp_live_t       live_rq_i,

  // host memory: block write clients 0, 1 and 3, block read client 4
  output logic                     bw_cq_valid_o,
  input  logic                     bw_cq_ready_i,
  output logic [63:0]              bw_cq_addr_o,
  output logic [19:0]              bw_cq_pasid_o,
  output logic [511:0]             bw_cq_data_o,
  output logic [6:0]               bw_cq_bytes_o,
  input  logic                     bw_cq_done_i,
  output logic                     bw_eq_valid_o,
  input  logic                     bw_eq_ready_i,
  output logic [63:0]              bw_eq_addr_o,
  output logic [19:0]              bw_eq_pasid_o,
  output logic [511:0]             bw_eq_data_o,
  output logic [6:0]               bw_eq_bytes_o,
  input  logic                     bw_eq_done_i,
  output logic                     bw_fw_valid_o,
  input  logic                     bw_fw_ready_i,
  output logic [63:0]              bw_fw_addr_o,
  output logic [19:0]              bw_fw_pasid_o,
  output logic [511:0]             bw_fw_data_o,
  output logic [6:0]               bw_fw_bytes_o,
  input  logic                     bw_fw_done_i,
  output logic                     br_fw_valid_o,
  input  logic                     br_fw_ready_i,
  output logic [63:0]              br_fw_addr_o,
  output logic [19:0]              br_fw_pasid_o,
  output logic [4:0]               br_fw_count_o,
  input  logic [511:0]             br_fw_data_i,
  input  logic                     br_fw_error_i,
  input  logic                     br_fw_data_valid_i,
  output logic                     br_fw_data_ready_o,

  // Ethernet frames received, from rx; to the host; firmware's frames, to tx
  input  logic [DataWidth-1:0]     s_axis_eth_rx_tdata_i,
  input  logic [DataWidth/8-1:0]   s_axis_eth_rx_tkeep_i,
  input  logic                     s_axis_eth_rx_tlast_i,
  input  logic                     s_axis_eth_rx_tvalid_i,
  output logic                     s_axis_eth_rx_tready_o,
  output logic [DataWidth-1:0]     m_axis_host_tdata_o,
  output logic [DataWidth/8-1:0]   m_axis_host_tkeep_o,
  output logic                     m_axis_host_tlast_o,
  output logic                     m_axis_host_tvalid_o,
  input  logic                     m_axis_host_tready_i,
  output logic [DataWidth-1:0]     m_axis_fw_tdata_o,
  output logic [DataWidth/8-1:0]   m_axis_fw_tkeep_o,
  output logic                     m_axis_fw_tlast_o,
  output logic                     m_axis_fw_tvalid_o,
  input  logic                     m_axis_fw_tready_i,

  // port counters
  input  logic [9:0]               drop_rx_i,       // pulses by DropCause
  input  logic [9:0]               drop_rq_i,
  input  logic                     drop_ghost_i,    // from sq
  input  logic                     rx_ok_i,         // pulse: RoCE packet accepted
  input  logic                     mac_rx_tvalid_i, // the MAC's stream into rx, watched
  input  logic                     mac_rx_tlast_i,
  input  logic [DataWidth/8-1:0]   mac_rx_tkeep_i,
  input  logic                     tx_frame_i,      // pulse, with
  input  logic [13:0]              tx_bytes_i,

  output logic                     pause_o,
  input  logic                     all_idle_i,      // idle_o of every block, this one included
  output logic [63:0]              next_deadline_o, // of completion moderation; all ones: none
  output logic                     idle_o
);
