// SPDX-License-Identifier: Apache-2.0
// The request at the head: its verdict and effects, its key when that is looked up again, and its
// receive and list.
//
// Throughput: one request per event. Latency: one clock for the verdict.

`include "assert.svh"

module roci_responder_request #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      idle_o,
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // the request, and what was foreseen of it
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::key_rsp_t        key_i,
  input  logic                      foreseen_i,
  input  logic [15:0]               foreseen_index_i,
  input  logic                      placed_i,
  input  logic                      changed_i,
  input  logic [31:0]               ticket_i,           // ticket of meta_i, extended

  // the queue pair in progress
  input  logic [23:0]               qpn_i,
  input  roci_pkg::responder_qp_t   plain_i,            // its word: see roci_responder_table,
  input  logic                      slot_full_i,        // the response of its next slot is due
  input  roci_pkg::responder_qp_t   qp_i,               // and a clock later
  input  roci_pkg::qp_attr_t        attr_i,
  input  roci_pkg::qp_attr_t        attr_kept_i,        // likewise
  input  logic [2:0]                state_i,
  input  logic                      reset_i,            // it was reset since it was read
  input  roci_pkg::responder_slot_t slot_i,

  // steps of the event
  input  logic                      of_request_i,       // the event is a request
  input  logic                      pick_i,
  input  logic                      look_i,
  input  logic                      peeked_i,
  input  logic                      list_bad_i,
  input  logic                      commit_i,
  input  logic                      flush_one_i,
  input  logic [1:0]                order_op_i,
  input  logic                      order_valid_i,
  output logic                      order_ready_o,
  input  logic                      walk_valid_i,
  input  logic                      again_req_valid_i,
  input  logic                      again_waits_i,      // the next result is of this lookup
  input  logic                      job_waits_i,        // no room for an atomic

  // findings
  output logic [3:0]                verdict_o,
  output logic                      stall_o,
  output logic                      full_o,
  output logic                      walks_o,
  output logic                      send_o,
  output logic                      inv_o,
  output logic                      rekey_o,
  output logic                      slot_stale_o,       // its key is to be looked up again
  output logic                      list_long_o,
  output logic                      walking_o,
  output logic                      walk_bad_o,
  output logic                      free_room_o,
  output logic                      key_ok_o,           // ok of key_i, a clock later
  output logic                      match_o,
  output logic                      passed_o,
  output roci_pkg::responder_slot_t replay_slot_o,
  output roci_pkg::responder_slot_t slot_now_o,         // slot_i with its key looked up again

  // effects
  output roci_pkg::responder_qp_t   qp_o,
  output roci_pkg::responder_slot_t slot_o,
  output logic                      slot_write_o,
  output roci_pkg::atomic_job_t     job_o,
  output logic                      job_valid_o,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  output logic                      established_o,
  output logic                      count_o,
  output logic [10:0]               drop_o,
  output logic                      responds_o,

  // posted receives and lists
  output roci_pkg::receive_cmd_t    cmd_o,
  output logic                      cmd_valid_o,
  input  logic                      cmd_ready_i,
  input  roci_pkg::receive_rsp_t    rsp_i,
  output logic [3:0]                list_block_o,
  input  logic                      list_next_i,        // the event may read it in the next clock
  output logic                      list_busy_o,
  input  logic [7:0]                list_num_sge_i,
  input  logic [15:0]               list_pd_i,
  input  logic [1:0]                list_stride_i,
  input  logic                      walk_ready_i,
  output logic [7:0]                walk_num_sge_o,
  output logic [31:0]               walk_offset_o,
  output logic [31:0]               walk_len_o,
  output logic [15:0]               walk_pd_o,
  input  logic                      walk_taken_last_i,  // the last segment of the walk is taken
  input  logic                      walk_done_i,
  input  logic [7:0]                walk_status_i,

  // keys
  output roci_pkg::key_req_t        again_req_o,
  input  logic                      again_req_ready_i,
  input  roci_pkg::key_rsp_t        again_rsp_i,
  input  logic                      again_rsp_valid_i,
  output roci_pkg::key_op_req_t     key_op_req_o,
  input  roci_pkg::key_op_rsp_t     key_op_rsp_i,
  input  logic                      key_op_rsp_valid_i
);

  logic                  first, again, slot_stale, first_write, again_write, unused;
  logic [31:0]           age, again_age, bytes;
  roci_pkg::key_rsp_t    again_key;
  roci_pkg::ext_imm_dt_t ieth;
  assign ieth       = meta_i.ext;
  assign walk_bad_o = walk_done_i && walk_status_i != roci_pkg::StatusSuccess;
  assign unused     = &{attr_i, again_key, ieth};

  roci_responder_judge u_judge (
    .clk_i, .rst_ni, .meta_i, .key_i, .foreseen_i, .foreseen_index_i, .placed_i, .changed_i,
    .key_age_i(age), .ticket_i, .plain_i, .slot_full_i, .qp_i, .attr_i, .attr_kept_i, .state_i,
    .reset_i, .slot_i, .job_waits_i,
    .pick_i, .look_i, .peeked_i, .rsp_i, .list_bad_i, .walk_bad_i(walk_bad_o),
    .walk_good_i(walk_done_i && !walk_bad_o), .walk_status_i,
    .inv_bad_i(key_op_rsp_valid_i && !key_op_rsp_i.ok),
    .again_i(again_waits_i && again_rsp_valid_i), .again_key_i(again_rsp_i), .commit_i,
    .verdict_o, .stall_o, .full_o, .walks_o, .send_o, .first_o(first), .bytes_o(bytes), .inv_o,
    .first_write_o(first_write), .again_write_o(again_write), .key_ok_o, .match_o, .passed_o,
    .replay_slot_o, .again_key_o(again_key), .again_o(again), .qp_o, .slot_o, .slot_write_o,
    .job_o, .job_valid_o, .seg_o, .seg_valid_o, .cqe_o, .cqe_valid_o, .fail_o, .fail_valid_o,
    .established_o, .count_o,
    .drop_o, .responds_o
  );

  // Keys: looked up again after a change of the table, and invalidated by a SEND.
  roci_responder_recheck #(.NumQps(NumQps)) u_recheck (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .qpn_i, .qp_i, .pd_i(attr_i.pd), .changed_i, .pick_i, .look_i, .of_request_i, .meta_i, .slot_i,
    .rekey_o, .slot_stale_o(slot_stale), .age_o(age), .again_age_o(again_age),
    .taken_i(again_req_valid_i && again_req_ready_i), .req_o(again_req_o),
    .first_i(first_write), .again_i(again_write)
  );
  assign slot_stale_o = slot_stale && !again;
  always_comb begin
    slot_now_o = slot_i;
    if (again) begin
      slot_now_o.addr_operand = again_key.addr;
      slot_now_o.pasid        = again_key.pasid;
      slot_now_o.key_age      = again_age;
    end
  end

  always_comb begin
    key_op_req_o     = '0;
    key_op_req_o.op  = roci_pkg::KeyOpInvalidate;
    key_op_req_o.key = ieth.immediate;
    key_op_req_o.qpn = qpn_i;
    key_op_req_o.pd  = attr_i.pd;
  end

  // Receives.
  roci_responder_receive u_receive (
    .clk_i, .rst_ni, .idle_o, .qpn_i, .free_i((commit_i && cqe_valid_o) || flush_one_i),
    .free_room_o, .order_op_i, .order_valid_i, .order_ready_o, .cmd_o, .cmd_valid_o, .cmd_ready_i,
    .index_i(first ? plain_i.recv_next : plain_i.recv_index),
    .own_stride_log_i(attr_i.rq_stride_log),
    .stride_log_i(attr_i.srq ? list_stride_i : attr_i.rq_stride_log), .srq_i(attr_i.srq),
    .list_block_o, .list_num_sge_i, .list_long_o, .list_next_i, .list_busy_o,
    .walk_start_i(walk_valid_i), .walk_ready_i, .walk_bad_i(walk_bad_o),
    .walk_last_i(walk_taken_last_i), .walking_o
  );
  `ASSERT(RequestHasList, `IMPLIES(look_i && send_o, list_busy_o))
  assign walk_num_sge_o = list_num_sge_i;
  assign walk_offset_o  = bytes;
  assign walk_len_o     = 32'(meta_i.payload_len);
  assign walk_pd_o      = attr_i.srq ? list_pd_i : attr_i.pd;

endmodule
