// Send side of the engine: doorbells in, packets to send out, responses in, completions out.
//
// Throughput and latency: see README.md.
//
//  doorbell --> sched --grant--> cut --plan, pieces--> requester --> desc, seg
//                 ^                |                       |  ^
//                 +---fetch ptr----+-------fetch ptr-------+  +--- responses, timers

`include "assert.svh"

module roci_sq #(
  parameter int unsigned NumQps    = 256,    // queue pairs, a power of two, 16 to 1024
  parameter int unsigned RingDepth = 32,     // messages of a queue pair in flight, a power of two
  parameter int unsigned Window    = 256,    // packets of a queue pair in flight
  parameter int unsigned Quantum   = 16384   // payload bytes of a grant
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // row bus
  input  logic                    row_valid_i,
  input  logic [3:0]              row_table_i,
  input  logic [23:0]             row_index_i,
  input  logic [511:0]            row_data_i,

  // doorbells, and commands of the state block
  input  roci_pkg::doorbell_t     sq_doorbell_i,
  input  logic                    sq_doorbell_valid_i,
  output logic                    sq_doorbell_ready_o,
  input  roci_pkg::qp_event_t     qp_event_i,
  input  logic                    qp_event_valid_i,
  output logic                    qp_event_ready_o,

  // block reads: work requests (client 0), lists of READs again (client 2)
  output logic                    br_fetch_valid_o,
  input  logic                    br_fetch_ready_i,
  output logic [63:0]             br_fetch_addr_o,
  output logic [19:0]             br_fetch_pasid_o,
  output logic [4:0]              br_fetch_count_o,
  input  logic [511:0]            br_fetch_data_i,
  input  logic                    br_fetch_error_i,
  input  logic                    br_fetch_data_valid_i,
  output logic                    br_fetch_data_ready_o,
  output logic                    br_again_valid_o,
  input  logic                    br_again_ready_i,
  output logic [63:0]             br_again_addr_o,
  output logic [19:0]             br_again_pasid_o,
  output logic [4:0]              br_again_count_o,
  input  logic [511:0]            br_again_data_i,
  input  logic                    br_again_error_i,
  input  logic                    br_again_data_valid_i,
  output logic                    br_again_data_ready_o,

  // key table: what is sent (client 0), where READ data goes (client 1)
  output roci_pkg::key_req_t      key_cut_req_o,
  output logic                    key_cut_req_valid_o,
  input  logic                    key_cut_req_ready_i,
  input  roci_pkg::key_rsp_t      key_cut_rsp_i,
  input  logic                    key_cut_rsp_valid_i,
  output roci_pkg::key_req_t      key_place_req_o,
  output logic                    key_place_req_valid_o,
  input  logic                    key_place_req_ready_i,
  input  roci_pkg::key_rsp_t      key_place_rsp_i,
  input  logic                    key_place_rsp_valid_i,

  // packets to send, and the pieces of those with payload
  output roci_pkg::tx_desc_t      desc_o,
  output logic                    desc_valid_o,
  input  logic                    desc_ready_i,
  output roci_pkg::seg_t          seg_o,
  output logic                    seg_valid_o,
  input  logic                    seg_ready_i,

  // responses, and where their payload goes
  input  roci_pkg::rx_meta_t      rsp_meta_i,
  input  logic                    rsp_meta_valid_i,
  output logic                    rsp_meta_ready_o,
  output roci_pkg::seg_t          rsp_seg_o,
  output logic                    rsp_seg_valid_o,
  input  logic                    rsp_seg_ready_i,

  // results of atomics
  output roci_pkg::atomic_job_t   atomic_job_o,
  output logic                    atomic_job_valid_o,
  input  logic                    atomic_job_ready_i,
  input  logic [7:0]              store_done_i,

  // completions, failures, timers, counters
  output roci_pkg::cqe_req_t      cqe_o,
  output logic                    cqe_valid_o,
  input  logic                    cqe_ready_i,
  output roci_pkg::event_req_t    fail_o,
  output logic                    fail_valid_o,
  input  logic                    fail_ready_i,
  output roci_pkg::timer_cmd_t    timer_cmd_o,
  output logic                    timer_cmd_valid_o,
  input  logic                    timer_cmd_ready_i,
  input  roci_pkg::timer_event_t  timer_event_i,
  input  logic                    timer_event_valid_i,
  output logic                    timer_event_ready_o,
  output roci_pkg::count_t        count_o,
  output logic                    count_valid_o,
  input  logic                    count_ready_i,
  output logic                    drop_ghost_o,

  // live state: live_o answers live_qpn_i in the clock of live_ready_o
  input  logic [23:0]             live_qpn_i,
  input  logic                    live_valid_i,
  output logic                    live_ready_o,
  output roci_pkg::qp_live_t      live_o,

  input  logic                    pause_i,
  output logic                    idle_o
);

endmodule
