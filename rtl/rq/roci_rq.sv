// The receive side of all queue pairs: requests in; payload places, completions and answers out.
//
// Wires only; the parts are roci_rq_fetch (posted receives), roci_responder (transport state and
// answers), roci_sge_walker (receive lists) and roci_atomic (read-modify-write in host memory).
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
  parameter int unsigned NumQps = 256  // power of two, 16 to 32768
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     pause_i,  // stops req_meta and rq_doorbell
  output logic                     idle_o,

  // from control
  input  roci_pkg::doorbell_t      rq_doorbell_i,
  input  logic                     rq_doorbell_valid_i,
  output logic                     rq_doorbell_ready_o,
  input  roci_pkg::qp_event_t      qp_event_i,  // InitResponder, Flush; others are ignored
  input  logic                     qp_event_valid_i,
  output logic                     qp_event_ready_o,
  input  logic                     row_valid_i,  // TableQpAttr, TableQpState
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [roci_pkg::RowBits-1:0] row_data_i,

  // to control
  output roci_pkg::cqe_req_t       cqe_o,
  output logic                     cqe_valid_o,
  input  logic                     cqe_ready_i,
  output roci_pkg::event_req_t     fail_o,   // the queue pair must go to ERR
  output logic                     fail_valid_o,
  input  logic                     fail_ready_i,
  output roci_pkg::event_req_t     event_o,  // CommEst
  output logic                     event_valid_o,
  input  logic                     event_ready_i,
  output roci_pkg::count_t         count_o,
  output logic                     count_valid_o,
  input  logic                     count_ready_i,
  output logic [9:0]               drop_o,   // pulses by DropCause: UnknownQp, Duplicate, OutOfSequence
  input  logic [23:0]              live_qpn_i,
  input  logic                     live_valid_i,
  output logic                     live_ready_o,
  output roci_pkg::qp_live_t       live_o,   // rq_psn and msn; with live_ready_o

  // requests from rx, and where their payload goes
  input  roci_pkg::rx_meta_t       req_meta_i,
  input  logic                     req_meta_valid_i,
  output logic                     req_meta_ready_o,
  output roci_pkg::seg_t           req_seg_o,
  output logic                     req_seg_valid_o,
  input  logic                     req_seg_ready_i,
  input  logic [15:0]              wr_done_i,

  // answers: to tx arbitration and payload reads
  output roci_pkg::tx_desc_t       desc_o,
  output logic                     desc_valid_o,
  input  logic                     desc_ready_i,
  output roci_pkg::seg_t           seg_o,    // of the desc_o packets with payload, in their order
  output logic                     seg_valid_o,
  input  logic                     seg_ready_i,
  output roci_pkg::tx_desc_t       ack_o,
  output logic                     ack_valid_o,
  input  logic                     ack_ready_i,
  input  logic                     sent_i,   // pulse: a desc_o packet left

  // key table: client 2, receive lists, and client 3, remote keys
  output roci_pkg::key_req_t       walk_key_req_o,
  output logic                     walk_key_req_valid_o,
  input  logic                     walk_key_req_ready_i,
  input  roci_pkg::key_rsp_t       walk_key_rsp_i,
  input  logic                     walk_key_rsp_valid_i,
  output roci_pkg::key_req_t       rkey_req_o,
  output logic                     rkey_req_valid_o,
  input  logic                     rkey_req_ready_i,
  input  roci_pkg::key_rsp_t       rkey_rsp_i,
  input  logic                     rkey_rsp_valid_i,

  // block reads: client 1, receive queues
  output logic                     br_fetch_valid_o,
  input  logic                     br_fetch_ready_i,
  output logic [63:0]              br_fetch_addr_o,
  output logic [19:0]              br_fetch_pasid_o,
  output logic [4:0]               br_fetch_count_o,
  input  logic [511:0]             br_fetch_data_i,
  input  logic                     br_fetch_error_i,
  input  logic                     br_fetch_data_valid_i,
  output logic                     br_fetch_data_ready_o,

  // block reads client 3 and block writes client 2, atomics
  output logic                     br_atomic_valid_o,
  input  logic                     br_atomic_ready_i,
  output logic [63:0]              br_atomic_addr_o,
  output logic [19:0]              br_atomic_pasid_o,
  output logic [4:0]               br_atomic_count_o,
  input  logic [511:0]             br_atomic_data_i,
  input  logic                     br_atomic_error_i,
  input  logic                     br_atomic_data_valid_i,
  output logic                     br_atomic_data_ready_o,
  output logic                     bw_atomic_valid_o,
  input  logic                     bw_atomic_ready_i,
  output logic [63:0]              bw_atomic_addr_o,
  output logic [19:0]              bw_atomic_pasid_o,
  output logic [511:0]             bw_atomic_data_o,
  output logic [6:0]               bw_atomic_bytes_o,
  input  logic                     bw_atomic_done_i,

  // plain stores for sq
  input  roci_pkg::atomic_job_t    store_job_i,
  input  logic                     store_job_valid_i,
  output logic                     store_job_ready_o,
  output logic [7:0]               store_done_o  // stores of sq that are in memory
);

endmodule
