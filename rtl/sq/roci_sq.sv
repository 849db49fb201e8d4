// SPDX-License-Identifier: Apache-2.0
// Send side of the engine: doorbells in, packets to send out, responses in, completions out.
//
// Throughput and latency: see README.md.
//
//  doorbell --> sched --grant--> segment --plan, segments--> requester --> desc, seg
//                 ^                |                       |  ^
//                 +---fetch ptr----+-------fetch ptr-------+  +--- responses, timers

`include "assert.svh"

module roci_sq #(
  parameter int unsigned DataWidth = 512,    // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,    // queue pairs, a power of two, 16 to 2048
  parameter int unsigned RingDepth = 128,     // messages of a queue pair in flight, a power of two
  parameter int unsigned Window    = 256,    // packets of a queue pair in flight
  parameter int unsigned Quantum   = 16384,  // payload bytes of a grant
  parameter int unsigned Compact   = 0,      // 1: no work request is kept, shorter queues
  parameter int unsigned FetchBlocks = 256,  // blocks in the fetch buffer and in dma's copy
  parameter int unsigned Atomics   = 1,      // 0: no atomics
  parameter int unsigned KeyOps    = 1,      // 0: no operations on keys
  parameter int unsigned Posts     = 1       // 0: no work request comes with its doorbell
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // doorbells, and commands of the state block
  input  roci_pkg::doorbell_t       sq_doorbell_i,
  input  logic                      sq_doorbell_valid_i,
  output logic                      sq_doorbell_ready_o,
  input  roci_pkg::post_word_t      post_word_i,
  input  logic                      post_word_valid_i,
  input  roci_pkg::qp_event_t       qp_event_i,
  input  logic                      qp_event_valid_i,
  output logic                      qp_event_ready_o,

  // block reads: work requests (client 0), lists of READs again (client 2)
  output logic                      br_fetch_req_valid_o,
  input  logic                      br_fetch_req_ready_i,
  output roci_pkg::block_read_req_t br_fetch_req_o,
  output logic                      br_fetch_posted_o,  // its blocks are posted_blocks_o
  input  logic [DataWidth:0]        br_fetch_rsp_i,  // a beat: {error, data}
  input  logic                      br_fetch_rsp_valid_i,
  output logic                      br_fetch_rsp_ready_o,
  output logic [1023:0]             posted_blocks_o,
  input  logic                      posted_read_i,      // pulse: they were read
  output logic                      br_again_req_valid_o,
  input  logic                      br_again_req_ready_i,
  output roci_pkg::block_read_req_t br_again_req_o,
  input  logic [DataWidth:0]        br_again_rsp_i,  // a beat: {error, data}
  input  logic                      br_again_rsp_valid_i,
  output logic                      br_again_rsp_ready_o,

  // key table: what is sent (client 0), where READ data goes (client 1)
  output roci_pkg::key_req_t        key_segment_req_o,
  output logic                      key_segment_req_valid_o,
  input  logic                      key_segment_req_ready_i,
  input  roci_pkg::key_rsp_t        key_segment_rsp_i,
  input  logic                      key_segment_rsp_valid_i,
  output roci_pkg::key_req_t        key_place_req_o,
  output logic                      key_place_req_valid_o,
  input  logic                      key_place_req_ready_i,
  input  roci_pkg::key_rsp_t        key_place_rsp_i,
  input  logic                      key_place_rsp_valid_i,

  // key operations of work requests, one at a time
  output roci_pkg::key_op_req_t     key_op_req_o,
  output logic                      key_op_req_valid_o,
  input  logic                      key_op_req_ready_i,
  input  roci_pkg::key_op_rsp_t     key_op_rsp_i,
  input  logic                      key_op_rsp_valid_i,
  output logic                      drain_o,    // pulse: a key became invalid or a window was bound
  input  logic                      drained_i,  // pulse, in order: rq is done with what it accepted

  // packets to send, and the segments of those with payload
  output roci_pkg::tx_desc_t        desc_o,
  output logic                      desc_valid_o,
  input  logic                      desc_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,
  // inline data of a packet were read from dma's copy; the last block of them
  input  logic                      inline_done_valid_i,
  input  logic [$clog2(FetchBlocks)-1:0] inline_done_block_i,

  // packets that left, in order
  input  logic                      sent_valid_i,
  input  roci_pkg::sent_t           sent_i,

  // responses, and where their payload goes
  input  roci_pkg::rx_meta_t        rsp_meta_i,
  input  logic                      rsp_meta_valid_i,
  output logic                      rsp_meta_ready_o,
  output roci_pkg::seg_t            rsp_seg_o,
  output logic                      rsp_seg_valid_o,
  input  logic                      rsp_seg_ready_i,

  // results of atomics
  output roci_pkg::atomic_job_t     atomic_job_o,
  output logic                      atomic_job_valid_o,
  input  logic                      atomic_job_ready_i,
  input  logic [7:0]                store_done_i,
  input  logic [15:0]               wr_done_i,

  // completions, failures, timers, counters
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  input  logic                      cqe_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::timer_cmd_t      timer_cmd_o,
  output logic                      timer_cmd_valid_o,
  input  logic                      timer_cmd_ready_i,
  input  roci_pkg::timer_event_t    timer_event_i,
  input  logic                      timer_event_valid_i,
  output logic                      timer_event_ready_o,
  output roci_pkg::count_t          count_o,
  output logic                      count_valid_o,
  input  logic                      count_ready_i,
  output logic                      drop_ghost_o,

  // live state: live_o describes live_qpn_i in the clock of live_ready_o
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::qp_live_t        live_o,

  input  logic                      pause_i,
  output logic                      idle_o
);

  roci_pkg::fetch_ptr_t      segment_ptr, set_ptr;
  roci_pkg::grant_t          grant;
  roci_pkg::sq_control_t     control;
  roci_pkg::plan_t           plan;
  roci_pkg::seg_t            plan_seg;
  roci_pkg::event_req_t      fail_sched, fail_requester, fail;
  logic                      segment_ptr_valid, segment_ptr_ready, set_ptr_valid, set_ptr_ready;
  logic                      grant_valid, grant_ready, control_valid, control_ready;
  logic                      plan_valid, plan_ready, plan_seg_valid, plan_seg_ready;
  logic                      fail_sched_valid, fail_sched_ready;
  logic                      fail_requester_valid, fail_requester_ready, fail_ready;
  logic                      done_valid, inline_dropped, look, posted, posted_two, posted_unused;
  logic [$clog2(NumQps)-1:0] done_row;
  logic [15:0]               done_index;
  logic                      sched_idle, segment_idle, requester_idle;

  roci_sq_sched #(.NumQps(NumQps)) u_sched (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .doorbell_i(sq_doorbell_i), .doorbell_valid_i(sq_doorbell_valid_i),
    .doorbell_ready_o(sq_doorbell_ready_o),
    .qp_event_i, .qp_event_valid_i, .qp_event_ready_o,
    .segment_ptr_i(segment_ptr), .segment_ptr_valid_i(segment_ptr_valid),
    .segment_ptr_ready_o(segment_ptr_ready),
    .set_ptr_i(set_ptr), .set_ptr_valid_i(set_ptr_valid), .set_ptr_ready_o(set_ptr_ready),
    .done_valid_i(done_valid), .done_row_i(done_row), .done_index_i(done_index),
    .grant_o(grant), .grant_valid_o(grant_valid), .grant_ready_i(grant_ready),
    .control_o(control), .control_valid_o(control_valid), .control_ready_i(control_ready),
    .fail_o(fail_sched), .fail_valid_o(fail_sched_valid), .fail_ready_i(fail_sched_ready),
    .pause_i, .idle_o(sched_idle));

  roci_posted #(.NumQps(NumQps), .Posts(Posts)) u_posted (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .word_i(post_word_i),
    .word_valid_i(post_word_valid_i), .bell_i(sq_doorbell_i),
    .bell_valid_i(sq_doorbell_valid_i && sq_doorbell_ready_o), .grant_i(grant), .look_i(look),
    .taken_o(posted), .two_o(posted_two), .unused_i(posted_unused), .blocks_o(posted_blocks_o),
    .read_i(posted_read_i));

  roci_sq_segment #(
    .DataWidth(DataWidth), .NumQps(NumQps), .Quantum(Quantum), .Compact(Compact),
    .Blocks(FetchBlocks), .Atomics(Atomics), .KeyOps(KeyOps)
  ) u_segment (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .grant_i(grant), .grant_valid_i(grant_valid), .grant_ready_o(grant_ready),
    .br_req_valid_o(br_fetch_req_valid_o), .br_req_ready_i(br_fetch_req_ready_i),
    .br_req_o(br_fetch_req_o), .br_posted_o(br_fetch_posted_o), .br_rsp_i(br_fetch_rsp_i),
    .br_rsp_valid_i(br_fetch_rsp_valid_i), .br_rsp_ready_o(br_fetch_rsp_ready_o),
    .key_req_o(key_segment_req_o), .key_req_valid_o(key_segment_req_valid_o),
    .key_req_ready_i(key_segment_req_ready_i), .key_rsp_i(key_segment_rsp_i),
    .key_rsp_valid_i(key_segment_rsp_valid_i),
    .ptr_o(segment_ptr), .ptr_valid_o(segment_ptr_valid), .ptr_ready_i(segment_ptr_ready),
    .plan_o(plan), .plan_valid_o(plan_valid), .plan_ready_i(plan_ready),
    .seg_o(plan_seg), .seg_valid_o(plan_seg_valid), .seg_ready_i(plan_seg_ready),
    .look_o(look), .posted_i(posted), .posted_two_i(posted_two), .posted_unused_o(posted_unused),
    .inline_dropped_i(inline_dropped), .inline_done_valid_i, .inline_done_block_i,
    .idle_o(segment_idle));
  // The requester passes a segment on when it takes it, or drops it.
  assign inline_dropped = plan_seg_valid && plan_seg_ready && plan_seg.fetched && !seg_valid_o;

  roci_requester #(
    .DataWidth(DataWidth), .NumQps(NumQps), .RingDepth(Compact != 0 ? RingDepth / 2 : RingDepth),
    .Window(Window)
  ) u_requester (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .control_i(control), .control_valid_i(control_valid), .control_ready_o(control_ready),
    .plan_i(plan), .plan_valid_i(plan_valid), .plan_ready_o(plan_ready),
    .plan_seg_i(plan_seg), .plan_seg_valid_i(plan_seg_valid), .plan_seg_ready_o(plan_seg_ready),
    .rsp_meta_i, .rsp_meta_valid_i, .rsp_meta_ready_o,
    .timer_event_i, .timer_event_valid_i, .timer_event_ready_o,
    .live_qpn_i, .live_valid_i, .live_ready_o, .live_o,
    .ptr_o(set_ptr), .ptr_valid_o(set_ptr_valid), .ptr_ready_i(set_ptr_ready),
    .done_valid_o(done_valid), .done_row_o(done_row), .done_index_o(done_index),
    .desc_o, .desc_valid_o, .desc_ready_i, .seg_o, .seg_valid_o, .seg_ready_i,
    .sent_valid_i, .sent_i, .rsp_seg_o, .rsp_seg_valid_o, .rsp_seg_ready_i,
    .br_req_valid_o(br_again_req_valid_o), .br_req_ready_i(br_again_req_ready_i),
    .br_req_o(br_again_req_o), .br_rsp_i(br_again_rsp_i),
    .br_rsp_valid_i(br_again_rsp_valid_i), .br_rsp_ready_o(br_again_rsp_ready_o),
    .key_req_o(key_place_req_o), .key_req_valid_o(key_place_req_valid_o),
    .key_req_ready_i(key_place_req_ready_i), .key_rsp_i(key_place_rsp_i),
    .key_rsp_valid_i(key_place_rsp_valid_i),
    .key_op_req_o, .key_op_req_valid_o, .key_op_req_ready_i, .key_op_rsp_i, .key_op_rsp_valid_i,
    .drain_o, .drained_i, .atomic_job_o, .atomic_job_valid_o, .atomic_job_ready_i,
    .store_done_i, .wr_done_i,
    .cqe_o, .cqe_valid_o, .cqe_ready_i,
    .fail_o(fail_requester), .fail_valid_o(fail_requester_valid),
    .fail_ready_i(fail_requester_ready),
    .timer_cmd_o, .timer_cmd_valid_o, .timer_cmd_ready_i,
    .count_o, .count_valid_o, .count_ready_i, .drop_ghost_o,
    .idle_o(requester_idle));

  // Failures of both; the buffer keeps a record still while it waits.
  assign fail                 = fail_sched_valid ? fail_sched : fail_requester;
  assign fail_sched_ready     = fail_ready;
  assign fail_requester_ready = fail_ready && !fail_sched_valid;
  roci_skid #(.Width(roci_pkg::EventReqBits)) u_fail (
    .clk_i, .rst_ni, .in_data_i(fail), .in_valid_i(fail_sched_valid || fail_requester_valid),
    .in_ready_o(fail_ready), .out_data_o(fail_o), .out_valid_o(fail_valid_o),
    .out_ready_i(fail_ready_i));

  assign idle_o = sched_idle && segment_idle && requester_idle && !fail_valid_o;

endmodule
