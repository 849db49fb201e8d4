// SPDX-License-Identifier: Apache-2.0
// The adapter: wires between its blocks, and nothing else.
//
//                 +---------+  doorbells, rows   +----+
//   s_axil <----> | control | -----------------> | sq | --+--> tx_order --> tx --> m_axis_tx
//                 +---------+ <--- completions - +----+   |                  ^
//                      |  ^                      +----+   |                  | payload
//                      |  +--- completions ----- | rq | --+--- acks -------> |
//                      |                         +----+                      |
//   m_axi  <---> dma <-+--- blocks, segments --------^------------------- gather
//                 ^                                | requests, responses
//                 +------------- payload --------- rx <--- s_axis_rx
//
// Sizes: DataWidth / 8 bytes a clock in each direction at every port.

`include "assert.svh"

module roci_nic #(
  parameter int unsigned DataWidth = 512,   // bits of a beat: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,   // queue pairs, a power of two, 16 to 2048
  parameter int unsigned NumKeys   = 1024,  // memory regions, a power of two
  parameter int unsigned NumCqs    = 256,   // completion queues, a power of two
  parameter int unsigned NumSrqs   = 64,    // shared receive queues, a power of two
  // Bytes of payload on the way to the wire: one memory round trip at line rate and a little more.
  // What is queued here when a NAK comes is sent for nothing.
  parameter int unsigned TxBuffer  = DataWidth >= 256 ? 16384 : 8192,
  parameter int unsigned RxBuffer  = 65536, // bytes of payload on the way to memory
  parameter int unsigned Compact   = 0,     // 1: short queues of wide records; enough for 10 Gb/s
  // Options, 0: absent; what needs one is rejected (docs/decisions/0009-options.md).
  parameter int unsigned Atomics    = 1,    // compare and swap, fetch and add, both sides
  parameter int unsigned KeyOps     = 1,    // memory windows, fast regions, invalidation of keys
  parameter int unsigned Srq        = 1,    // shared receive queues; without them NumSrqs is 2
  parameter int unsigned QpCounters = 1,    // counters of each queue pair
  parameter int unsigned Networks   = 1,    // IPv6, RoCE v1 and VLAN tags, not IPv4 alone
  parameter int unsigned Posts      = 1,    // work requests that come with their doorbell
  parameter int unsigned Attachments = 256, // to multicast groups, power of two up to 256; 0: none
  parameter int unsigned Skips      = Compact == 0 ? 1 : 0  // next_deadline_o is known
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [63:0]            now_i,  // time in ns; may skip ahead while quiescent_o is 1

  // AXI4-Lite slave: registers and doorbells (docs/registers.md)
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_awaddr_i,
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  output logic [1:0]             s_axil_bresp_o,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  input  logic [roci_pkg::RegisterAddressBits-1:0] s_axil_araddr_i,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic                   irq_o,        // level: events wait for the host
  output logic                   attention_o,  // level: work waits for firmware
  // AXI4 master: host memory; aruser and awuser are the PASID
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
  // MAC: frames without preamble and FCS
  input  logic [DataWidth-1:0]   s_axis_rx_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_rx_tkeep_i,
  input  logic                   s_axis_rx_tlast_i,
  input  logic                   s_axis_rx_tvalid_i,
  output logic                   s_axis_rx_tready_o,  // always 1
  output logic [DataWidth-1:0]   m_axis_tx_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tx_tkeep_o,
  output logic                   m_axis_tx_tlast_o,
  output logic                   m_axis_tx_tvalid_o,
  input  logic                   m_axis_tx_tready_i,
  // the ordinary Ethernet path
  input  logic [DataWidth-1:0]   s_axis_host_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_host_tkeep_i,
  input  logic                   s_axis_host_tlast_i,
  input  logic                   s_axis_host_tvalid_i,
  output logic                   s_axis_host_tready_o,
  output logic [DataWidth-1:0]   m_axis_host_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_host_tkeep_o,
  output logic                   m_axis_host_tlast_o,
  output logic                   m_axis_host_tvalid_o,
  input  logic                   m_axis_host_tready_i,
  output logic                   quiescent_o,     // nothing in flight inside
  output logic [63:0]            next_deadline_o  // ns when a timer acts; all ones: none
);

  `PARAM_CHECK(DataWidthIsKnown,
               DataWidth == 64 || DataWidth == 128 || DataWidth == 256 || DataWidth == 512)

  // Blocks of work requests that sq buffers and dma keeps
  localparam int unsigned FetchBlocks = Compact != 0 ? 128 : 256;
  // Tickets begin shortly before they wrap, so that each test sees a comparison across the wrap.
  localparam logic [15:0] FirstTicket = 16'hFF00;
  localparam logic [5:0] Absent = {Posts == 0, Networks == 0, QpCounters == 0, Srq == 0,
                                   KeyOps == 0, Atomics == 0};  // bits by Option

  // control
  roci_pkg::row_write_t row_write;
  logic [23:0]          live_qpn, fault_qpn, key_row_index;
  logic [63:0]          moderation_deadline, timer_deadline;
  logic                 enable, pause, all_idle, row_write_valid, control_quiet, control_idle;
  logic                 sq_idle, rq_idle, rx_idle, tx_idle, order_idle, dma_idle, timer_idle;

  // doorbells and events
  roci_pkg::doorbell_t    sq_doorbell, rq_doorbell, srq_doorbell;
  roci_pkg::post_word_t   post_word;
  logic [1023:0]          posted_blocks;
  roci_pkg::srq_live_t    live_srq;
  roci_pkg::qp_event_t    qp_event_sq, qp_event_rq;
  roci_pkg::event_req_t   fail_sq, fail_rq, event_rq;
  roci_pkg::cqe_req_t     cqe_sq, cqe_rq;
  roci_pkg::count_t       count_sq, count_rq;
  roci_pkg::qp_live_t     live_sq, live_rq;
  roci_pkg::fault_t       fault;
  roci_pkg::timer_cmd_t   timer_cmd;
  roci_pkg::timer_event_t timer_event;
  roci_pkg::atomic_job_t  store_job;
  logic [7:0]             store_done;
  logic [15:0]            wr_done;
  logic [10:0]            drop_rx, drop_rq;
  logic srq_doorbell_valid, srq_doorbell_ready, live_srq_valid, live_srq_ready, sq_doorbell_valid,
        sq_doorbell_ready, rq_doorbell_valid, rq_doorbell_ready, qp_event_sq_valid,
        qp_event_sq_ready, qp_event_rq_valid, qp_event_rq_ready, fail_sq_valid, fail_sq_ready,
        fail_rq_valid, fail_rq_ready, event_rq_valid, event_rq_ready, cqe_sq_valid, cqe_sq_ready,
        cqe_rq_valid, cqe_rq_ready, count_sq_valid, count_sq_ready, count_rq_valid, count_rq_ready,
        live_sq_valid, live_sq_ready, live_rq_valid, live_rq_ready, fault_valid, fault_ready,
        fault_taken, timer_cmd_valid, timer_cmd_ready, timer_event_valid, timer_event_ready,
        store_job_valid, store_job_ready, drop_ghost, rx_ok, tx_roce, post_word_valid, posted_read,
        br_posted;
  // packets
  roci_pkg::rx_meta_t req_meta, rsp_meta;
  roci_pkg::seg_t     req_seg, rsp_seg, sq_seg, rq_seg, rd_seg;
  logic               inline_done_valid;
  logic [$clog2(FetchBlocks)-1:0] inline_done_block;
  roci_pkg::tx_desc_t sq_desc, rq_desc, tx_desc, ack;
  roci_pkg::sent_t    sent;
  roci_pkg::frame_stat_t rx_stat, tx_stat;
  logic               req_meta_valid, req_meta_ready, rsp_meta_valid, rsp_meta_ready, req_seg_valid;
  logic               req_seg_ready, rsp_seg_valid, rsp_seg_ready, sq_seg_valid, sq_seg_ready;
  logic               rq_seg_valid, rq_seg_ready, rd_seg_valid, rd_seg_ready, sq_desc_valid;
  logic               sq_desc_ready, rq_desc_valid, rq_desc_ready, tx_desc_valid, tx_desc_ready;
  logic               ack_valid, ack_ready, tx_sent, tx_sent_error, sent_sq_valid, sent_rq_valid;
  // payload
  logic [5:0]           gather_pos;
  logic [12:0]          gather_len;
  logic [DataWidth-1:0] tx_pay_data, rx_pay_data;
  roci_pkg::pay_hdr_t   rx_pay_hdr;
  logic gather_valid, gather_ready, tx_pay_last, tx_pay_error, tx_pay_valid, tx_pay_ready,
        rx_pay_last, rx_pay_valid, rx_pay_ready, rx_pay_hdr_valid, rx_pay_hdr_ready;
  // Ethernet frames between rx, control and tx
  logic [DataWidth-1:0]   eth_rx_data, fw_data;
  logic [DataWidth/8-1:0] eth_rx_keep, fw_keep;
  logic                   eth_rx_last, eth_rx_valid, eth_rx_ready, fw_last, fw_valid, fw_ready;

  // block reads: 0 SQ fetch, 1 RQ fetch, 2 READ list again, 3 atomic, 4 firmware
  logic [4:0]                br_req_valid, br_req_ready, br_rsp_valid, br_rsp_ready;
  roci_pkg::block_read_req_t br_req_sq, br_req_rq, br_req_again, br_req_atomic, br_req_fw;
  logic [DataWidth:0]        br_rsp_sq, br_rsp_rq, br_rsp_again, br_rsp_atomic, br_rsp_fw;
  // block writes: 0 CQ, 1 EQ, 2 atomic, 3 firmware
  logic [3:0]                 bw_req_valid, bw_req_ready, bw_rsp_valid;
  roci_pkg::block_write_req_t bw_req_cq, bw_req_eq, bw_req_atomic, bw_req_fw;
  roci_pkg::block_write_rsp_t bw_rsp_cq, bw_rsp_eq, bw_rsp_atomic, bw_rsp_fw;

  // keys: 0 what is sent, 1 where READ data goes, 2 receive lists, 3 remote keys
  logic [4*roci_pkg::KeyReqBits-1:0] key_req;
  logic [3:0]         key_req_valid, key_req_ready, key_rsp_valid;
  roci_pkg::key_rsp_t key_rsp;
  logic               key_idle;
  // key operations: 0 of sq, 1 of rq
  logic [2*roci_pkg::KeyOpReqBits-1:0] key_op;
  logic [1:0]            key_op_valid, key_op_ready, key_op_rsp_valid;
  roci_pkg::key_op_rsp_t key_op_rsp;
  roci_pkg::key_t        key_row;
  logic                  key_busy, key_row_valid, key_row_ready, drain, drained;

  roci_control #(.DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs),
                 .NumSrqs(NumSrqs), .Absent(32'(Absent)), .Attachments(Attachments),
                 .Skips(Skips)) u_control (
    .clk_i, .rst_ni, .now_i, .s_axil_awaddr_i, .s_axil_awvalid_i, .s_axil_awready_o,
    .s_axil_wdata_i, .s_axil_wstrb_i, .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_bresp_o,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_araddr_i, .s_axil_arvalid_i, .s_axil_arready_o,
    .s_axil_rdata_o, .s_axil_rresp_o, .s_axil_rvalid_o, .s_axil_rready_i, .irq_o, .attention_o,
    .enable_o(enable), .post_word_o(post_word), .post_word_valid_o(post_word_valid),
    .sq_doorbell_o(sq_doorbell), .sq_doorbell_valid_o(sq_doorbell_valid),
    .sq_doorbell_ready_i(sq_doorbell_ready), .rq_doorbell_o(rq_doorbell),
    .rq_doorbell_valid_o(rq_doorbell_valid), .rq_doorbell_ready_i(rq_doorbell_ready),
    .srq_doorbell_o(srq_doorbell), .srq_doorbell_valid_o(srq_doorbell_valid),
    .srq_doorbell_ready_i(srq_doorbell_ready), .key_busy_i(key_busy), .key_row_i(key_row),
    .key_row_index_i(key_row_index), .key_row_valid_i(key_row_valid),
    .key_row_ready_o(key_row_ready), .row_write_valid_o(row_write_valid), .row_write_o(row_write),
    .qp_event_sq_o(qp_event_sq), .qp_event_sq_valid_o(qp_event_sq_valid),
    .qp_event_sq_ready_i(qp_event_sq_ready), .qp_event_rq_o(qp_event_rq),
    .qp_event_rq_valid_o(qp_event_rq_valid), .qp_event_rq_ready_i(qp_event_rq_ready),
    .fail_sq_i(fail_sq), .fail_sq_valid_i(fail_sq_valid), .fail_sq_ready_o(fail_sq_ready),
    .fail_rq_i(fail_rq), .fail_rq_valid_i(fail_rq_valid), .fail_rq_ready_o(fail_rq_ready),
    .event_rq_i(event_rq), .event_rq_valid_i(event_rq_valid), .event_rq_ready_o(event_rq_ready),
    .cqe_sq_i(cqe_sq), .cqe_sq_valid_i(cqe_sq_valid), .cqe_sq_ready_o(cqe_sq_ready),
    .cqe_rq_i(cqe_rq), .cqe_rq_valid_i(cqe_rq_valid), .cqe_rq_ready_o(cqe_rq_ready),
    .wr_done_i(wr_done), .store_done_i(store_done), .count_sq_i(count_sq),
    .count_sq_valid_i(count_sq_valid), .count_sq_ready_o(count_sq_ready), .count_rq_i(count_rq),
    .count_rq_valid_i(count_rq_valid), .count_rq_ready_o(count_rq_ready), .live_qpn_o(live_qpn),
    .live_sq_valid_o(live_sq_valid), .live_sq_ready_i(live_sq_ready), .live_sq_i(live_sq),
    .live_rq_valid_o(live_rq_valid), .live_rq_ready_i(live_rq_ready), .live_rq_i(live_rq),
    .live_srq_valid_o(live_srq_valid), .live_srq_ready_i(live_srq_ready), .live_srq_i(live_srq),
    .fault_qpn_i(fault_qpn), .fault_valid_i(fault_taken), .bw_cq_req_valid_o(bw_req_valid[0]),
    .bw_cq_req_ready_i(bw_req_ready[0]), .bw_cq_req_o(bw_req_cq),
    .bw_cq_rsp_valid_i(bw_rsp_valid[0]), .bw_cq_rsp_i(bw_rsp_cq),
    .bw_eq_req_valid_o(bw_req_valid[1]), .bw_eq_req_ready_i(bw_req_ready[1]),
    .bw_eq_req_o(bw_req_eq), .bw_eq_rsp_valid_i(bw_rsp_valid[1]), .bw_eq_rsp_i(bw_rsp_eq),
    .bw_fw_req_valid_o(bw_req_valid[3]), .bw_fw_req_ready_i(bw_req_ready[3]),
    .bw_fw_req_o(bw_req_fw), .bw_fw_rsp_valid_i(bw_rsp_valid[3]),
    .br_fw_req_valid_o(br_req_valid[4]), .br_fw_req_ready_i(br_req_ready[4]),
    .br_fw_req_o(br_req_fw), .br_fw_rsp_i(br_rsp_fw), .br_fw_rsp_valid_i(br_rsp_valid[4]),
    .br_fw_rsp_ready_o(br_rsp_ready[4]), .s_axis_eth_rx_tdata_i(eth_rx_data),
    .s_axis_eth_rx_tkeep_i(eth_rx_keep), .s_axis_eth_rx_tlast_i(eth_rx_last),
    .s_axis_eth_rx_tvalid_i(eth_rx_valid), .s_axis_eth_rx_tready_o(eth_rx_ready),
    .m_axis_host_tdata_o, .m_axis_host_tkeep_o, .m_axis_host_tlast_o, .m_axis_host_tvalid_o,
    .m_axis_host_tready_i, .m_axis_fw_tdata_o(fw_data), .m_axis_fw_tkeep_o(fw_keep),
    .m_axis_fw_tlast_o(fw_last), .m_axis_fw_tvalid_o(fw_valid), .m_axis_fw_tready_i(fw_ready),
    .drop_rx_i(drop_rx), .drop_rq_i(drop_rq), .drop_ghost_i(drop_ghost), .rx_ok_i(rx_ok),
    .rx_stat_i(rx_stat), .tx_stat_i(tx_stat), .pause_o(pause), .all_idle_i(all_idle),
    .next_deadline_o(moderation_deadline), .quiet_o(control_quiet), .idle_o(control_idle));

  roci_sq #(.DataWidth(DataWidth), .NumQps(NumQps), .Compact(Compact), .FetchBlocks(FetchBlocks),
            .Atomics(Atomics), .KeyOps(KeyOps), .Posts(Posts)) u_sq (
    .clk_i, .rst_ni, .row_write_valid_i(row_write_valid), .row_write_i(row_write),
    .sq_doorbell_i(sq_doorbell), .sq_doorbell_valid_i(sq_doorbell_valid),
    .sq_doorbell_ready_o(sq_doorbell_ready), .post_word_i(post_word),
    .post_word_valid_i(post_word_valid && (post_word.qpn >> $clog2(NumQps)) == '0),
    .br_fetch_posted_o(br_posted), .posted_blocks_o(posted_blocks), .posted_read_i(posted_read),
    .qp_event_i(qp_event_sq), .qp_event_valid_i(qp_event_sq_valid),
    .qp_event_ready_o(qp_event_sq_ready), .br_fetch_req_valid_o(br_req_valid[0]),
    .br_fetch_req_ready_i(br_req_ready[0]), .br_fetch_req_o(br_req_sq), .br_fetch_rsp_i(br_rsp_sq),
    .br_fetch_rsp_valid_i(br_rsp_valid[0]), .br_fetch_rsp_ready_o(br_rsp_ready[0]),
    .br_again_req_valid_o(br_req_valid[2]), .br_again_req_ready_i(br_req_ready[2]),
    .br_again_req_o(br_req_again), .br_again_rsp_i(br_rsp_again),
    .br_again_rsp_valid_i(br_rsp_valid[2]), .br_again_rsp_ready_o(br_rsp_ready[2]),
    .key_segment_req_o(key_req[0*roci_pkg::KeyReqBits +: roci_pkg::KeyReqBits]),
    .key_segment_req_valid_o(key_req_valid[0]), .key_segment_req_ready_i(key_req_ready[0]),
    .key_segment_rsp_i(key_rsp), .key_segment_rsp_valid_i(key_rsp_valid[0]),
    .key_place_req_o(key_req[1*roci_pkg::KeyReqBits +: roci_pkg::KeyReqBits]),
    .key_place_req_valid_o(key_req_valid[1]), .key_place_req_ready_i(key_req_ready[1]),
    .key_place_rsp_i(key_rsp), .key_place_rsp_valid_i(key_rsp_valid[1]),
    .key_op_req_o(key_op[0 +: roci_pkg::KeyOpReqBits]), .key_op_req_valid_o(key_op_valid[0]),
    .key_op_req_ready_i(key_op_ready[0]), .key_op_rsp_i(key_op_rsp),
    .key_op_rsp_valid_i(key_op_rsp_valid[0]), .drain_o(drain), .drained_i(drained),
    .desc_o(sq_desc), .desc_valid_o(sq_desc_valid), .desc_ready_i(sq_desc_ready), .seg_o(sq_seg),
    .seg_valid_o(sq_seg_valid), .seg_ready_i(sq_seg_ready), .inline_done_valid_i(inline_done_valid),
    .inline_done_block_i(inline_done_block), .sent_valid_i(sent_sq_valid), .sent_i(sent),
    .rsp_meta_i(rsp_meta), .rsp_meta_valid_i(rsp_meta_valid), .rsp_meta_ready_o(rsp_meta_ready),
    .rsp_seg_o(rsp_seg), .rsp_seg_valid_o(rsp_seg_valid), .rsp_seg_ready_i(rsp_seg_ready),
    .atomic_job_o(store_job), .atomic_job_valid_o(store_job_valid),
    .atomic_job_ready_i(store_job_ready), .store_done_i(store_done), .wr_done_i(wr_done),
    .cqe_o(cqe_sq), .cqe_valid_o(cqe_sq_valid), .cqe_ready_i(cqe_sq_ready), .fail_o(fail_sq),
    .fail_valid_o(fail_sq_valid), .fail_ready_i(fail_sq_ready), .timer_cmd_o(timer_cmd),
    .timer_cmd_valid_o(timer_cmd_valid), .timer_cmd_ready_i(timer_cmd_ready),
    .timer_event_i(timer_event), .timer_event_valid_i(timer_event_valid),
    .timer_event_ready_o(timer_event_ready), .count_o(count_sq), .count_valid_o(count_sq_valid),
    .count_ready_i(count_sq_ready), .drop_ghost_o(drop_ghost), .live_qpn_i(live_qpn),
    .live_valid_i(live_sq_valid), .live_ready_o(live_sq_ready), .live_o(live_sq), .pause_i(pause),
    .idle_o(sq_idle));

  roci_rq #(.DataWidth(DataWidth), .NumQps(NumQps), .NumSrqs(NumSrqs), .Compact(Compact),
            .Atomics(Atomics), .KeyOps(KeyOps), .Srq(Srq)) u_rq (
    .clk_i, .rst_ni, .pause_i(pause), .idle_o(rq_idle), .rq_doorbell_i(rq_doorbell),
    .rq_doorbell_valid_i(rq_doorbell_valid), .rq_doorbell_ready_o(rq_doorbell_ready),
    .srq_doorbell_i(srq_doorbell), .srq_doorbell_valid_i(srq_doorbell_valid),
    .srq_doorbell_ready_o(srq_doorbell_ready), .qp_event_i(qp_event_rq),
    .qp_event_valid_i(qp_event_rq_valid), .qp_event_ready_o(qp_event_rq_ready),
    .row_write_valid_i(row_write_valid), .row_write_i(row_write), .cqe_o(cqe_rq),
    .cqe_valid_o(cqe_rq_valid), .cqe_ready_i(cqe_rq_ready), .fail_o(fail_rq),
    .fail_valid_o(fail_rq_valid), .fail_ready_i(fail_rq_ready), .event_o(event_rq),
    .event_valid_o(event_rq_valid), .event_ready_i(event_rq_ready), .count_o(count_rq),
    .count_valid_o(count_rq_valid), .count_ready_i(count_rq_ready), .drop_o(drop_rq),
    .live_qpn_i(live_qpn), .live_valid_i(live_rq_valid), .live_ready_o(live_rq_ready),
    .live_o(live_rq), .live_srq_valid_i(live_srq_valid), .live_srq_ready_o(live_srq_ready),
    .live_srq_o(live_srq), .req_meta_i(req_meta), .req_meta_valid_i(req_meta_valid),
    .req_meta_ready_o(req_meta_ready), .req_seg_o(req_seg), .req_seg_valid_o(req_seg_valid),
    .req_seg_ready_i(req_seg_ready), .wr_done_i(wr_done), .desc_o(rq_desc),
    .desc_valid_o(rq_desc_valid), .desc_ready_i(rq_desc_ready), .seg_o(rq_seg),
    .seg_valid_o(rq_seg_valid), .seg_ready_i(rq_seg_ready), .ack_o(ack), .ack_valid_o(ack_valid),
    .ack_ready_i(ack_ready), .sent_valid_i(sent_rq_valid), .sent_i(sent), .fault_i(fault),
    .fault_valid_i(fault_valid), .fault_ready_o(fault_ready), .fault_qpn_o(fault_qpn),
    .fault_valid_o(fault_taken),
    .walk_key_req_o(key_req[2*roci_pkg::KeyReqBits +: roci_pkg::KeyReqBits]),
    .walk_key_req_valid_o(key_req_valid[2]), .walk_key_req_ready_i(key_req_ready[2]),
    .walk_key_rsp_i(key_rsp), .walk_key_rsp_valid_i(key_rsp_valid[2]),
    .rkey_req_o(key_req[3*roci_pkg::KeyReqBits +: roci_pkg::KeyReqBits]),
    .rkey_req_valid_o(key_req_valid[3]), .rkey_req_ready_i(key_req_ready[3]), .rkey_rsp_i(key_rsp),
    .rkey_rsp_valid_i(key_rsp_valid[3]),
    .key_op_req_o(key_op[roci_pkg::KeyOpReqBits +: roci_pkg::KeyOpReqBits]),
    .key_op_req_valid_o(key_op_valid[1]), .key_op_req_ready_i(key_op_ready[1]),
    .key_op_rsp_i(key_op_rsp), .key_op_rsp_valid_i(key_op_rsp_valid[1]), .drain_i(drain),
    .drained_o(drained), .br_fetch_req_valid_o(br_req_valid[1]),
    .br_fetch_req_ready_i(br_req_ready[1]), .br_fetch_req_o(br_req_rq), .br_fetch_rsp_i(br_rsp_rq),
    .br_fetch_rsp_valid_i(br_rsp_valid[1]), .br_fetch_rsp_ready_o(br_rsp_ready[1]),
    .br_atomic_req_valid_o(br_req_valid[3]), .br_atomic_req_ready_i(br_req_ready[3]),
    .br_atomic_req_o(br_req_atomic), .br_atomic_rsp_i(br_rsp_atomic),
    .br_atomic_rsp_valid_i(br_rsp_valid[3]), .br_atomic_rsp_ready_o(br_rsp_ready[3]),
    .bw_atomic_req_valid_o(bw_req_valid[2]), .bw_atomic_req_ready_i(bw_req_ready[2]),
    .bw_atomic_req_o(bw_req_atomic), .bw_atomic_rsp_valid_i(bw_rsp_valid[2]),
    .bw_atomic_rsp_i(bw_rsp_atomic), .store_job_i(store_job), .store_job_valid_i(store_job_valid),
    .store_job_ready_o(store_job_ready), .store_done_o(store_done));

  // A failed write is reported to firmware as the error of its command.
  logic unused_error;
  assign unused_error = &{1'b0, bw_rsp_fw};

  roci_key_check #(.NumKeys(NumKeys), .Clients(4), .KeyOps(KeyOps)) u_keys (
    .clk_i, .rst_ni, .row_write_valid_i(row_write_valid), .row_write_i(row_write),
    .key_req_i(key_req), .key_req_valid_i(key_req_valid), .key_req_ready_o(key_req_ready),
    .key_rsp_o(key_rsp), .key_rsp_valid_o(key_rsp_valid), .key_op_req_i(key_op),
    .key_op_req_valid_i(key_op_valid), .key_op_req_ready_o(key_op_ready), .key_op_rsp_o(key_op_rsp),
    .key_op_rsp_valid_o(key_op_rsp_valid), .key_busy_o(key_busy), .key_row_o(key_row),
    .key_row_index_o(key_row_index), .key_row_valid_o(key_row_valid),
    .key_row_ready_i(key_row_ready), .idle_o(key_idle));

  roci_timer #(.NumQps(NumQps)) u_timer (
    .clk_i, .rst_ni, .now_i, .timer_cmd_i(timer_cmd), .timer_cmd_valid_i(timer_cmd_valid),
    .timer_cmd_ready_o(timer_cmd_ready), .timer_event_o(timer_event),
    .timer_event_valid_o(timer_event_valid), .timer_event_ready_i(timer_event_ready),
    .next_deadline_o(timer_deadline), .idle_o(timer_idle));

  roci_tx_order u_order (
    .clk_i, .rst_ni, .sq_desc_i(sq_desc), .sq_desc_valid_i(sq_desc_valid),
    .sq_desc_ready_o(sq_desc_ready), .sq_seg_i(sq_seg), .sq_seg_valid_i(sq_seg_valid),
    .sq_seg_ready_o(sq_seg_ready), .rq_desc_i(rq_desc), .rq_desc_valid_i(rq_desc_valid),
    .rq_desc_ready_o(rq_desc_ready), .rq_seg_i(rq_seg), .rq_seg_valid_i(rq_seg_valid),
    .rq_seg_ready_o(rq_seg_ready), .desc_o(tx_desc), .desc_valid_o(tx_desc_valid),
    .desc_ready_i(tx_desc_ready), .seg_o(rd_seg), .seg_valid_o(rd_seg_valid),
    .seg_ready_i(rd_seg_ready), .sent_i(tx_sent), .sent_error_i(tx_sent_error), .sent_o(sent),
    .sent_sq_valid_o(sent_sq_valid), .sent_rq_valid_o(sent_rq_valid), .idle_o(order_idle));

  roci_tx #(.DataWidth(DataWidth), .NumQps(NumQps), .Compact(Compact), .Networks(Networks)) u_tx (
    .clk_i, .rst_ni, .idle_o(tx_idle), .row_write_valid_i(row_write_valid), .row_write_i(row_write),
    .desc_i(tx_desc), .desc_valid_i(tx_desc_valid), .desc_ready_o(tx_desc_ready), .ack_i(ack),
    .ack_valid_i(ack_valid), .ack_ready_o(ack_ready), .gather_start_valid_o(gather_valid),
    .gather_start_ready_i(gather_ready), .gather_pos_o(gather_pos), .gather_len_o(gather_len),
    .pay_tdata_i(tx_pay_data), .pay_terror_i(tx_pay_error), .pay_tlast_i(tx_pay_last),
    .pay_tvalid_i(tx_pay_valid), .pay_tready_o(tx_pay_ready),
    .s_axis_eth_tdata_i(s_axis_host_tdata_i), .s_axis_eth_tkeep_i(s_axis_host_tkeep_i),
    .s_axis_eth_tlast_i(s_axis_host_tlast_i), .s_axis_eth_tvalid_i(s_axis_host_tvalid_i),
    .s_axis_eth_tready_o(s_axis_host_tready_o), .s_axis_fw_tdata_i(fw_data),
    .s_axis_fw_tkeep_i(fw_keep), .s_axis_fw_tlast_i(fw_last), .s_axis_fw_tvalid_i(fw_valid),
    .s_axis_fw_tready_o(fw_ready), .m_axis_tdata_o(m_axis_tx_tdata_o),
    .m_axis_tkeep_o(m_axis_tx_tkeep_o), .m_axis_tlast_o(m_axis_tx_tlast_o),
    .m_axis_tvalid_o(m_axis_tx_tvalid_o), .m_axis_tready_i(m_axis_tx_tready_i),
    .m_axis_roce_o(tx_roce), .sent_o(tx_sent), .sent_error_o(tx_sent_error), .tx_stat_o(tx_stat));

  roci_frame_meter #(.DataWidth(DataWidth)) u_rx_meter (
    .clk_i, .rst_ni, .tkeep_i(s_axis_rx_tkeep_i), .tlast_i(s_axis_rx_tlast_i),
    .beat_i(s_axis_rx_tvalid_i), .stat_o(rx_stat), .idle_o());

  roci_rx #(.DataWidth(DataWidth), .NumQps(NumQps), .Compact(Compact), .BufferBytes(RxBuffer),
            .FirstTicket(FirstTicket), .Networks(Networks), .Attachments(Attachments)) u_rx (
    .clk_i, .rst_ni, .enable_i(enable), .pause_i(pause), .idle_o(rx_idle),
    .row_write_valid_i(row_write_valid), .row_write_i(row_write),
    .s_axis_tdata_i(s_axis_rx_tdata_i), .s_axis_tkeep_i(s_axis_rx_tkeep_i),
    .s_axis_tlast_i(s_axis_rx_tlast_i), .s_axis_tvalid_i(s_axis_rx_tvalid_i),
    .s_axis_tready_o(s_axis_rx_tready_o), .sent_tdata_i(m_axis_tx_tdata_o),
    .sent_tkeep_i(m_axis_tx_tkeep_o), .sent_tlast_i(m_axis_tx_tlast_o), .sent_roce_i(tx_roce),
    .sent_beat_i(m_axis_tx_tvalid_o && m_axis_tx_tready_i), .m_axis_eth_tdata_o(eth_rx_data),
    .m_axis_eth_tkeep_o(eth_rx_keep), .m_axis_eth_tlast_o(eth_rx_last),
    .m_axis_eth_tvalid_o(eth_rx_valid), .m_axis_eth_tready_i(eth_rx_ready), .req_meta_o(req_meta),
    .req_meta_valid_o(req_meta_valid), .req_meta_ready_i(req_meta_ready), .rsp_meta_o(rsp_meta),
    .rsp_meta_valid_o(rsp_meta_valid), .rsp_meta_ready_i(rsp_meta_ready), .pay_hdr_o(rx_pay_hdr),
    .pay_hdr_valid_o(rx_pay_hdr_valid), .pay_hdr_ready_i(rx_pay_hdr_ready),
    .pay_tdata_o(rx_pay_data), .pay_tlast_o(rx_pay_last), .pay_tvalid_o(rx_pay_valid),
    .pay_tready_i(rx_pay_ready), .drop_o(drop_rx), .rx_ok_o(rx_ok), .rx_eth_o(), .rx_frame_o(),
    .rx_bytes_o());

  roci_dma #(.DataWidth(DataWidth), .BufferBytes(TxBuffer), .FetchBlocks(FetchBlocks),
             .Compact(Compact),
             .FirstTicket(FirstTicket)) u_dma (
    .clk_i, .rst_ni, .rd_seg_i(rd_seg), .rd_seg_valid_i(rd_seg_valid),
    .rd_seg_ready_o(rd_seg_ready), .gather_pos_i(gather_pos), .gather_len_i(gather_len),
    .gather_start_valid_i(gather_valid), .gather_start_ready_o(gather_ready),
    .tx_pay_tdata_o(tx_pay_data), .tx_pay_tlast_o(tx_pay_last), .tx_pay_terror_o(tx_pay_error),
    .tx_pay_tvalid_o(tx_pay_valid), .tx_pay_tready_i(tx_pay_ready),
    .inline_done_valid_o(inline_done_valid), .inline_done_block_o(inline_done_block),
    .rx_pay_hdr_i(rx_pay_hdr), .rx_pay_hdr_valid_i(rx_pay_hdr_valid),
    .rx_pay_hdr_ready_o(rx_pay_hdr_ready), .rx_pay_tdata_i(rx_pay_data),
    .rx_pay_tlast_i(rx_pay_last), .rx_pay_tvalid_i(rx_pay_valid), .rx_pay_tready_o(rx_pay_ready),
    .req_seg_i(req_seg), .req_seg_valid_i(req_seg_valid), .req_seg_ready_o(req_seg_ready),
    .rsp_seg_i(rsp_seg), .rsp_seg_valid_i(rsp_seg_valid), .rsp_seg_ready_o(rsp_seg_ready),
    .wr_done_o(wr_done), .fault_o(fault), .fault_valid_o(fault_valid), .fault_ready_i(fault_ready),
    .br_req_valid_i(br_req_valid), .br_req_ready_o(br_req_ready),
    .br_req_i({br_req_fw, br_req_atomic, br_req_again, br_req_rq, br_req_sq}),
    .br_posted_i(br_posted), .posted_blocks_i(posted_blocks), .posted_read_o(posted_read),
    .br_rsp_valid_o(br_rsp_valid), .br_rsp_ready_i(br_rsp_ready),
    .br_rsp_o({br_rsp_fw, br_rsp_atomic, br_rsp_again, br_rsp_rq, br_rsp_sq}),
    .bw_req_valid_i(bw_req_valid), .bw_req_ready_o(bw_req_ready),
    .bw_req_i({bw_req_fw, bw_req_atomic, bw_req_eq, bw_req_cq}), .bw_rsp_valid_o(bw_rsp_valid),
    .bw_rsp_o({bw_rsp_fw, bw_rsp_atomic, bw_rsp_eq, bw_rsp_cq}), .m_axi_arid_o, .m_axi_araddr_o,
    .m_axi_arlen_o, .m_axi_arsize_o, .m_axi_arburst_o, .m_axi_aruser_o, .m_axi_arvalid_o,
    .m_axi_arready_i, .m_axi_rid_i, .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i, .m_axi_rvalid_i,
    .m_axi_rready_o, .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o, .m_axi_awuser_o, .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_wdata_o,
    .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_bid_i, .m_axi_bresp_i,
    .m_axi_bvalid_i, .m_axi_bready_o, .read_error_o(), .write_error_o(), .idle_o(dma_idle));

  assign all_idle        = control_idle && sq_idle && rq_idle && rx_idle && tx_idle && order_idle
                           && dma_idle && key_idle && timer_idle;
  assign quiescent_o     = all_idle && control_quiet && !pause && !s_axil_awvalid_i
      && !s_axil_wvalid_i && !s_axil_arvalid_i && !s_axis_rx_tvalid_i && !s_axis_host_tvalid_i;
  // With 0 the clock must not skip: to know the earliest of all deadlines takes 800 LUT4.
  assign next_deadline_o = Skips == 0 ? '0 : timer_deadline < moderation_deadline
                         ? timer_deadline : moderation_deadline;

  roci_fence_watch u_fence_watch (
    .clk_i, .rst_ni, .pause_i(pause), .control_idle_i(control_idle), .sq_idle_i(sq_idle),
    .rq_idle_i(rq_idle), .rx_idle_i(rx_idle), .tx_idle_i(tx_idle && order_idle),
    .dma_idle_i(dma_idle), .keys_idle_i(key_idle), .timer_idle_i(timer_idle));

endmodule
