// SPDX-License-Identifier: Apache-2.0
// The receive side of all queue pairs: requests in; payload places, completions and responses out.
//
// Throughput and latency: see README.md.
//
// Wires only. The parts are roci_rq_receives (posted receives in roci_rq_fetch, their lists in
// roci_sge_walker), roci_responder (transport state and responses) and roci_rq_memory
// (read-modify-write in host memory by roci_atomic, accesses that failed).
//
//   doorbell --> rq_fetch --- entry ---> sge_walker --+--> req_seg
//                   ^  |                    ^         |
//      br 1 --------+  +--- posted ---> responder ----+--> cqe, fail, event, count
//                          req_meta --->    |    ------> desc + seg, ack
//                                      job, done
//                                           v
//      store_job ----------------------> atomic <------> br 3, bw 2

`include "assert.svh"

module roci_rq #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,  // power of two, 16 to 32768
  parameter int unsigned NumSrqs   = 64,   // power of two
  parameter int unsigned Compact   = 0,    // 1: keys are looked up for one request at a time
  parameter int unsigned Atomics   = 1,    // 0: no atomics
  parameter int unsigned KeyOps    = 1,    // 0: no SEND with invalidate
  parameter int unsigned Srq       = 1     // 0: no SRQs
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       pause_i,  // stops the doorbells; requests are stopped in rx
  output logic                       idle_o,

  // from control
  input  roci_pkg::doorbell_t        rq_doorbell_i,
  input  logic                       rq_doorbell_valid_i,
  output logic                       rq_doorbell_ready_o,
  input  roci_pkg::doorbell_t        srq_doorbell_i,     // qpn is the SRQ
  input  logic                       srq_doorbell_valid_i,
  output logic                       srq_doorbell_ready_o,
  input  roci_pkg::qp_event_t        qp_event_i,         // InitResponder, Flush; others are ignored
  input  logic                       qp_event_valid_i,
  output logic                       qp_event_ready_o,
  input  logic                       row_write_valid_i,  // TableQpAttr, TableQpState, TableSrq
  input  roci_pkg::row_write_t       row_write_i,

  // to control
  output roci_pkg::cqe_req_t         cqe_o,
  output logic                       cqe_valid_o,
  input  logic                       cqe_ready_i,
  output roci_pkg::event_req_t       fail_o,            // the queue pair must go to ERR
  output logic                       fail_valid_o,
  input  logic                       fail_ready_i,
  output roci_pkg::event_req_t       event_o,           // CommEst, SrqLimit, SrqError, QpLastWqe
  output logic                       event_valid_o,
  input  logic                       event_ready_i,
  output roci_pkg::count_t           count_o,
  output logic                       count_valid_o,
  input  logic                       count_ready_i,
  output logic [10:0]                drop_o,            // pulses by DropCause; top bit: discarded
  input  logic [23:0]                live_qpn_i,
  input  logic                       live_valid_i,
  output logic                       live_ready_o,
  output roci_pkg::qp_live_t         live_o,            // rq_psn and msn; with live_ready_o
  input  logic                       live_srq_valid_i,  // live_qpn_i is the number of an SRQ
  output logic                       live_srq_ready_o,
  output roci_pkg::srq_live_t        live_srq_o,

  // requests from rx, and where their payload goes
  input  roci_pkg::rx_meta_t         req_meta_i,
  input  logic                       req_meta_valid_i,
  output logic                       req_meta_ready_o,
  output roci_pkg::seg_t             req_seg_o,
  output logic                       req_seg_valid_o,
  input  logic                       req_seg_ready_i,
  input  logic [15:0]                wr_done_i,

  // responses: to tx arbitration and payload reads
  output roci_pkg::tx_desc_t         desc_o,
  output logic                       desc_valid_o,
  input  logic                       desc_ready_i,
  output roci_pkg::seg_t             seg_o,  // for the desc_o packets with payload, in order
  output logic                       seg_valid_o,
  input  logic                       seg_ready_i,
  output roci_pkg::tx_desc_t         ack_o,
  output logic                       ack_valid_o,
  input  logic                       ack_ready_i,
  input  logic                       sent_valid_i,  // pulse: a desc_o packet left
  input  roci_pkg::sent_t            sent_i,

  // payload that was not written, and faults that were taken
  input  roci_pkg::fault_t           fault_i,
  input  logic                       fault_valid_i,
  output logic                       fault_ready_o,
  output logic [23:0]                fault_qpn_o,
  output logic                       fault_valid_o,  // pulse

  // key table: client 2, receive lists, and client 3, remote keys
  output roci_pkg::key_req_t         walk_key_req_o,
  output logic                       walk_key_req_valid_o,
  input  logic                       walk_key_req_ready_i,
  input  roci_pkg::key_rsp_t         walk_key_rsp_i,
  input  logic                       walk_key_rsp_valid_i,
  output roci_pkg::key_req_t         rkey_req_o,
  output logic                       rkey_req_valid_o,
  input  logic                       rkey_req_ready_i,
  input  roci_pkg::key_rsp_t         rkey_rsp_i,
  input  logic                       rkey_rsp_valid_i,
  output roci_pkg::key_op_req_t      key_op_req_o,  // operations: client 1
  output logic                       key_op_req_valid_o,
  input  logic                       key_op_req_ready_i,
  input  roci_pkg::key_op_rsp_t      key_op_rsp_i,
  input  logic                       key_op_rsp_valid_i,
  input  logic                       drain_i,       // pulse: sq has invalidated a key
  output logic                       drained_o,     // pulse: accesses accepted before are done

  // block reads: client 1, receive queues
  output logic                       br_fetch_req_valid_o,
  input  logic                       br_fetch_req_ready_i,
  output roci_pkg::block_read_req_t  br_fetch_req_o,
  input  logic [DataWidth:0]         br_fetch_rsp_i,  // a beat: {error, data}
  input  logic                       br_fetch_rsp_valid_i,
  output logic                       br_fetch_rsp_ready_o,

  // block reads client 3 and block writes client 2, atomics
  output logic                       br_atomic_req_valid_o,
  input  logic                       br_atomic_req_ready_i,
  output roci_pkg::block_read_req_t  br_atomic_req_o,
  input  logic [DataWidth:0]         br_atomic_rsp_i,  // a beat: {error, data}
  input  logic                       br_atomic_rsp_valid_i,
  output logic                       br_atomic_rsp_ready_o,
  output logic                       bw_atomic_req_valid_o,
  input  logic                       bw_atomic_req_ready_i,
  output roci_pkg::block_write_req_t bw_atomic_req_o,
  input  logic                       bw_atomic_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_atomic_rsp_i,  // its error bit: the write failed

  // plain stores for sq
  input  roci_pkg::atomic_job_t      store_job_i,
  input  logic                       store_job_valid_i,
  output logic                       store_job_ready_o,
  output logic [7:0]                 store_done_o  // stores of sq that are in memory
);

  `PARAM_CHECK(NumQpsInRange, NumQps >= 16 && NumQps <= 32768 && (NumQps & (NumQps - 1)) == 0)

  localparam int unsigned RowBits = $clog2(NumQps);

  roci_pkg::rx_meta_t   req_meta;
  roci_pkg::row_write_t row_write;
  roci_rq_absent #(.Atomics(Atomics), .KeyOps(KeyOps), .Srq(Srq)) u_absent (
    .meta_i(req_meta_i), .meta_o(req_meta), .row_write_i, .row_write_o(row_write));
  // Requests and their keys.
  roci_pkg::rx_meta_t meta;
  roci_pkg::key_rsp_t key;
  logic               meta_valid, meta_ready, front_idle, foreseen, placed, changed, more;
  logic               next_write, seen_read, seen_posted, seen_fetched, list_busy;
  logic [RowBits-1:0] next_row, seen_row;
  logic [15:0]        foreseen_index, next_index, seen_base;
  logic [2:0]         seen_ahead;
  logic [23:0]        ahead_qpn;
  logic [3:0]         ahead_block;
  roci_pkg::sge_t     sge;
  logic [7:0]         num_sge;
  roci_responder_front #(.NumQps(NumQps), .Compact(Compact)) u_front (
    .clk_i, .rst_ni, .idle_o(front_idle), .row_write_valid_i, .row_write_i(row_write),
    .meta_i(req_meta), .meta_valid_i(req_meta_valid_i), .meta_ready_o(req_meta_ready_o),
    .key_req_o(rkey_req_o), .key_req_valid_o(rkey_req_valid_o), .key_req_ready_i(rkey_req_ready_i),
    .key_rsp_i(rkey_rsp_i), .key_rsp_valid_i(rkey_rsp_valid_i), .next_write_i(next_write),
    .next_row_i(next_row), .next_i(next_index), .seen_read_o(seen_read), .seen_row_o(seen_row),
    .seen_base_o(seen_base), .seen_ahead_o(seen_ahead), .seen_posted_i(seen_posted),
    .seen_fetched_i(seen_fetched), .list_busy_i(list_busy), .list_qpn_o(ahead_qpn),
    .list_block_o(ahead_block), .list_sge_i(sge), .list_num_sge_i(num_sge), .meta_o(meta),
    .key_o(key), .foreseen_o(foreseen), .foreseen_index_o(foreseen_index), .placed_o(placed),
    .changed_o(changed), .more_o(more), .valid_o(meta_valid), .ready_i(meta_ready));

  // Posted receives.
  roci_pkg::receive_cmd_t cmd;
  roci_pkg::receive_rsp_t rsp;
  roci_pkg::event_req_t   receive_fail, receive_event;
  logic                   receive_fail_valid, receive_fail_ready, receive_idle;
  logic                   receive_event_valid, receive_event_ready;
  logic                   cmd_valid, cmd_ready, fetched, posted_valid, posted_ready, index_write;
  logic [RowBits-1:0]     posted_row, index_row;
  logic [15:0]            index, list_pd, walk_pd;
  logic [23:0]            list_qpn;
  logic [3:0]             list_block;
  logic [1:0]             list_stride;
  logic                   walk_valid, walk_ready, walk_seg_valid, walk_seg_ready, walk_done;
  logic [7:0]             walk_num_sge, walk_status;
  logic [31:0]            walk_offset, walk_len;
  roci_pkg::seg_t         walk_seg;
  roci_pkg::key_req_t     again_req;
  logic                   again_valid, again_waits;
  roci_rq_receives #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumSrqs(NumSrqs), .Srq(Srq)
  ) u_receives (
    .clk_i, .rst_ni, .pause_i, .idle_o(receive_idle), .doorbell_i(rq_doorbell_i),
    .doorbell_valid_i(rq_doorbell_valid_i), .doorbell_ready_o(rq_doorbell_ready_o), .srq_doorbell_i,
    .srq_doorbell_valid_i, .srq_doorbell_ready_o, .row_write_valid_i, .row_write_i(row_write),
    .live_srqn_i(live_qpn_i), .live_valid_i(live_srq_valid_i), .live_ready_o(live_srq_ready_o),
    .live_o(live_srq_o), .fail_o(receive_fail), .fail_valid_o(receive_fail_valid),
    .fail_ready_i(receive_fail_ready), .event_o(receive_event), .event_valid_o(receive_event_valid),
    .event_ready_i(receive_event_ready), .cmd_i(cmd), .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready), .rsp_o(rsp), .seen_read_i(seen_read), .seen_row_i(seen_row),
    .seen_base_i(seen_base), .seen_ahead_i(seen_ahead), .seen_posted_o(seen_posted),
    .seen_fetched_o(seen_fetched), .index_write_o(index_write), .index_row_o(index_row),
    .index_o(index), .fetched_o(fetched),
    .posted_row_o(posted_row), .posted_valid_o(posted_valid), .posted_ready_i(posted_ready),
    .ahead_qpn_i(ahead_qpn), .ahead_block_i(ahead_block), .list_busy_i(list_busy),
    .list_qpn_i(list_qpn), .list_block_i(list_block), .list_sge_o(sge), .list_num_sge_o(num_sge),
    .list_pd_o(list_pd), .list_stride_o(list_stride), .walk_valid_i(walk_valid),
    .walk_ready_o(walk_ready), .walk_num_sge_i(walk_num_sge), .walk_offset_i(walk_offset),
    .walk_len_i(walk_len), .walk_pd_i(walk_pd), .walk_seg_o(walk_seg),
    .walk_seg_valid_o(walk_seg_valid), .walk_seg_ready_i(walk_seg_ready), .walk_done_o(walk_done),
    .walk_status_o(walk_status), .again_req_i(again_req), .again_req_valid_i(again_valid),
    .again_waits_i(again_waits), .key_req_o(walk_key_req_o), .key_req_valid_o(walk_key_req_valid_o),
    .key_req_ready_i(walk_key_req_ready_i), .key_rsp_i(walk_key_rsp_i),
    .key_rsp_valid_i(walk_key_rsp_valid_i), .br_req_valid_o(br_fetch_req_valid_o),
    .br_req_ready_i(br_fetch_req_ready_i), .br_req_o(br_fetch_req_o), .br_rsp_i(br_fetch_rsp_i),
    .br_rsp_valid_i(br_fetch_rsp_valid_i), .br_rsp_ready_o(br_fetch_rsp_ready_o)
  );

  // Atomics, stores, and accesses to memory that failed.
  roci_pkg::atomic_job_t  job;
  roci_pkg::atomic_done_t done;
  roci_pkg::fault_t       fault;
  logic                   job_valid, job_ready, done_valid, done_ready, memory_idle;
  logic                   fault_valid, fault_write, fault_ready;
  roci_rq_memory #(.DataWidth(DataWidth), .Atomics(Atomics)) u_memory (
    .clk_i, .rst_ni, .idle_o(memory_idle), .job_i(job), .job_valid_i(job_valid),
    .job_ready_o(job_ready), .done_o(done), .done_valid_o(done_valid), .done_ready_i(done_ready),
    .store_job_i, .store_job_valid_i, .store_job_ready_o, .store_done_o, .wr_done_i,
    .write_i(fault_i), .write_valid_i(fault_valid_i), .write_ready_o(fault_ready_o),
    .sent_i, .sent_valid_i, .fault_o(fault), .fault_write_o(fault_write),
    .fault_valid_o(fault_valid), .fault_ready_i(fault_ready),
    .br_req_valid_o(br_atomic_req_valid_o), .br_req_ready_i(br_atomic_req_ready_i),
    .br_req_o(br_atomic_req_o), .br_rsp_i(br_atomic_rsp_i),
    .br_rsp_valid_i(br_atomic_rsp_valid_i), .br_rsp_ready_o(br_atomic_rsp_ready_o),
    .bw_req_valid_o(bw_atomic_req_valid_o), .bw_req_ready_i(bw_atomic_req_ready_i),
    .bw_req_o(bw_atomic_req_o), .bw_rsp_valid_i(bw_atomic_rsp_valid_i), .bw_rsp_i(bw_atomic_rsp_i)
  );
  assign fault_qpn_o   = fault.qpn;
  assign fault_valid_o = fault_valid && fault_ready;

  // Transport.
  roci_pkg::event_req_t responder_fail, responder_event;
  logic                 responder_fail_valid, responder_fail_ready, responder_idle;
  logic                 responder_event_valid, responder_event_ready;
  roci_responder #(
    .NumQps(NumQps), .Compact(Compact), .Atomics(Atomics), .KeyOps(KeyOps)
  ) u_responder (
    .clk_i, .rst_ni, .idle_o(responder_idle), .qp_event_i, .qp_event_valid_i, .qp_event_ready_o,
    .row_write_valid_i, .row_write_i(row_write), .live_qpn_i, .live_valid_i, .live_ready_o, .live_o,
    .meta_i(meta), .key_i(key), .foreseen_i(foreseen), .foreseen_index_i(foreseen_index),
    .placed_i(placed), .changed_i(changed), .meta_more_i(more), .meta_valid_i(meta_valid),
    .meta_ready_o(meta_ready), .next_write_o(next_write), .next_row_o(next_row),
    .next_o(next_index), .wr_done_i, .sent_i(sent_valid_i), .fault_i(fault),
    .fault_write_i(fault_write), .fault_valid_i(fault_valid), .fault_ready_o(fault_ready),
    .cmd_o(cmd), .cmd_valid_o(cmd_valid), .cmd_ready_i(cmd_ready), .rsp_i(rsp), .fetched_i(fetched),
    .posted_row_i(posted_row), .posted_valid_i(posted_valid), .posted_ready_o(posted_ready),
    .list_busy_o(list_busy), .list_qpn_o(list_qpn), .list_block_o(list_block),
    .list_num_sge_i(num_sge), .list_pd_i(list_pd), .list_stride_i(list_stride),
    .index_write_i(index_write), .index_row_i(index_row), .index_i(index), .again_req_o(again_req),
    .again_req_valid_o(again_valid), .again_req_ready_i(walk_key_req_ready_i),
    .again_waits_o(again_waits), .again_rsp_i(walk_key_rsp_i),
    .again_rsp_valid_i(walk_key_rsp_valid_i), .key_op_req_o, .key_op_req_valid_o,
    .key_op_req_ready_i, .key_op_rsp_i, .key_op_rsp_valid_i, .drain_i, .drained_o,
    .walk_valid_o(walk_valid), .walk_ready_i(walk_ready), .walk_num_sge_o(walk_num_sge),
    .walk_offset_o(walk_offset), .walk_len_o(walk_len), .walk_pd_o(walk_pd), .walk_seg_i(walk_seg),
    .walk_seg_valid_i(walk_seg_valid), .walk_seg_ready_o(walk_seg_ready), .walk_done_i(walk_done),
    .walk_status_i(walk_status), .job_o(job), .job_valid_o(job_valid), .job_ready_i(job_ready),
    .done_i(done), .done_valid_i(done_valid), .done_ready_o(done_ready), .cqe_o, .cqe_valid_o,
    .cqe_ready_i, .fail_o(responder_fail), .fail_valid_o(responder_fail_valid),
    .fail_ready_i(responder_fail_ready), .event_o(responder_event),
    .event_valid_o(responder_event_valid), .event_ready_i(responder_event_ready), .count_o,
    .count_valid_o, .count_ready_i, .drop_o, .req_seg_o, .req_seg_valid_o, .req_seg_ready_i,
    .desc_o, .desc_valid_o, .desc_ready_i, .seg_o, .seg_valid_o, .seg_ready_i, .ack_o, .ack_valid_o,
    .ack_ready_i
  );

  // Failures and events of the responder and of the posted receives.
  roci_rq_merge u_fail (
    .clk_i, .rst_ni,
    .a_i(responder_fail), .a_valid_i(responder_fail_valid), .a_ready_o(responder_fail_ready),
    .b_i(receive_fail), .b_valid_i(receive_fail_valid), .b_ready_o(receive_fail_ready),
    .out_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i)
  );
  roci_rq_merge u_event (
    .clk_i, .rst_ni,
    .a_i(responder_event), .a_valid_i(responder_event_valid), .a_ready_o(responder_event_ready),
    .b_i(receive_event), .b_valid_i(receive_event_valid), .b_ready_o(receive_event_ready),
    .out_o(event_o), .out_valid_o(event_valid_o), .out_ready_i(event_ready_i)
  );

  assign idle_o = front_idle && receive_idle && memory_idle && responder_idle;

endmodule
