// SPDX-License-Identifier: Apache-2.0
// Transport state of all queue pairs as responder: one engine, one event at a time.
//
// Throughput: a WRITE, a SEND whose receive was found ahead, or a duplicate every 3 clocks, an ACK
// in 2, a READ response in 3. Latency: three clocks from a request to its effects.
//
//   event, atomic done, live ---+
//   request (front) ------------+--> look: tables --> decide --> [receive, list walk] --> commit
//   step (queue of QPs) --------+              +----> [replay slot] --> emit --> desc, seg | ack
//
// Requests go before steps; a step waits at most 64 clocks. A request that cannot go on blocks
// those after it, and when no queue pair can take a step none is tried, until something happens.

module roci_responder #(
  parameter int unsigned NumQps = 256,  // power of two
  parameter int unsigned Compact = 0,   // 1: four clocks for what takes 3, and shorter queues
  parameter int unsigned Atomics = 1,   // 0: no atomics
  parameter int unsigned KeyOps  = 1    // 0: no key is invalidated
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      idle_o,

  input  roci_pkg::qp_event_t       qp_event_i,
  input  logic                      qp_event_valid_i,
  output logic                      qp_event_ready_o,
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::qp_live_t        live_o,

  // requests, with the result of the key table, and what was foreseen of the receive
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::key_rsp_t        key_i,
  input  logic                      foreseen_i,    // receive foreseen_index_i is here
  input  logic [15:0]               foreseen_index_i,
  input  logic                      placed_i,      // key_i belongs to its first segment
  input  logic                      changed_i,     // the key table changed since the request
  input  logic                      meta_more_i,   // another request follows it
  input  logic                      meta_valid_i,
  output logic                      meta_ready_o,
  output logic                      next_write_o,  // recv_next of a queue pair changes
  output logic [$clog2(NumQps)-1:0] next_row_o,
  output logic [15:0]               next_o,
  input  logic [15:0]               wr_done_i,
  input  logic                      sent_i,
  input  roci_pkg::fault_t          fault_i,       // an access to memory failed
  input  logic                      fault_write_i, // payload was not written
  input  logic                      fault_valid_i,
  output logic                      fault_ready_o,

  // posted receives
  output roci_pkg::receive_cmd_t    cmd_o,
  output logic                      cmd_valid_o,
  input  logic                      cmd_ready_i,
  input  roci_pkg::receive_rsp_t    rsp_i,          // with ready
  input  logic                      fetched_i,
  input  logic [$clog2(NumQps)-1:0] posted_row_i,
  input  logic                      posted_valid_i,
  output logic                      posted_ready_o,
  output logic                      list_busy_o,    // the list may be read for the request
  output logic [23:0]               list_qpn_o,
  output logic [3:0]                list_block_o,
  input  logic [7:0]                list_num_sge_i,
  input  logic [15:0]               list_pd_i,      // domain of an entry taken from an SRQ
  input  logic [1:0]                list_stride_i,
  input  logic                      index_write_i,  // index up to which receives are posted
  input  logic [$clog2(NumQps)-1:0] index_row_i,
  input  logic [15:0]               index_i,

  // keys looked up again, and key operations
  output roci_pkg::key_req_t        again_req_o,
  output logic                      again_req_valid_o,
  input  logic                      again_req_ready_i,
  output logic                      again_waits_o,  // the next result belongs to this lookup
  input  roci_pkg::key_rsp_t        again_rsp_i,
  input  logic                      again_rsp_valid_i,
  output roci_pkg::key_op_req_t     key_op_req_o,
  output logic                      key_op_req_valid_o,
  input  logic                      key_op_req_ready_i,
  input  roci_pkg::key_op_rsp_t     key_op_rsp_i,
  input  logic                      key_op_rsp_valid_i,
  input  logic                      drain_i,        // pulse: sq has invalidated a key
  output logic                      drained_o,      // pulse: what was accepted before is done

  // list walker
  output logic                      walk_valid_o,
  input  logic                      walk_ready_i,
  output logic [7:0]                walk_num_sge_o,
  output logic [31:0]               walk_offset_o,
  output logic [31:0]               walk_len_o,
  output logic [15:0]               walk_pd_o,
  input  roci_pkg::seg_t            walk_seg_i,
  input  logic                      walk_seg_valid_i,
  output logic                      walk_seg_ready_o,
  input  logic                      walk_done_i,
  input  logic [7:0]                walk_status_i,

  // atomic unit
  output roci_pkg::atomic_job_t     job_o,
  output logic                      job_valid_o,
  input  logic                      job_ready_i,
  input  roci_pkg::atomic_done_t    done_i,
  input  logic                      done_valid_i,
  output logic                      done_ready_o,

  // out
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  input  logic                      cqe_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::event_req_t      event_o,
  output logic                      event_valid_o,
  input  logic                      event_ready_i,
  output roci_pkg::count_t          count_o,
  output logic                      count_valid_o,
  input  logic                      count_ready_i,
  output logic [10:0]               drop_o,
  output roci_pkg::seg_t            req_seg_o,
  output logic                      req_seg_valid_o,
  input  logic                      req_seg_ready_i,
  output roci_pkg::tx_desc_t        desc_o,
  output logic                      desc_valid_o,
  input  logic                      desc_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,
  output roci_pkg::tx_desc_t        ack_o,
  output logic                      ack_valid_o,
  input  logic                      ack_ready_i
);

  localparam int unsigned RowBits = $clog2(NumQps);

  // Strobes of the control.
  logic       pick, queue_pop, event_init, event_flush, live, look, peeked, list_bad, find_next;
  logic       commit, replay, miss, slot_pick, emit, count_nak, flush_one, push, list_next;
  logic       slot_read, ordering, order_valid, order_ready, last_wqe, between, gone;
  logic       finding, emitting, response, slot_full, other, begins_request, of_request, of_result;
  logic [2:0] other_kind;
  logic [1:0] order_op;

  // The queue pair in progress, and the words that an event leaves.
  logic [RowBits-1:0]        queue_row;
  logic [23:0]               qpn, fault_msn;
  logic [2:0]                qp_state;
  logic [15:0]               posted;
  logic [3:0]                slot_at;
  logic                      state_ready, reset, bad_read, apply_slot_write, slot_end, slot_pends;
  roci_pkg::responder_qp_t   read, plain, qp, apply_qp, response_qp;
  roci_pkg::qp_attr_t        attr, attr_kept;
  roci_pkg::responder_slot_t slot, apply_slot, replay_slot, response_slot, slot_now;

  // Effects of a request and of a response.
  logic                  apply_job_valid, apply_seg_valid, apply_cqe_valid, apply_fail_valid;
  logic                  established, apply_count, responds, inv, via_desc, slot_picked;
  logic                  response_nak, response_more, clear_of_tx;
  logic [10:0]           apply_drop;
  logic [12:0]           response_len;
  roci_pkg::cqe_req_t    apply_cqe;
  roci_pkg::event_req_t  apply_fail;
  roci_pkg::seg_t        apply_seg;
  roci_pkg::atomic_job_t apply_job;

  // Progress of what was given to other blocks.
  logic [31:0] done, ticket, newest;
  logic [15:0] sent, issued;

  roci_responder_state #(.NumQps(NumQps), .Compact(Compact), .Atomics(Atomics)) u_state (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .pick_i(pick), .other_i(other),
    .other_kind_i(other_kind), .request_i(begins_request), .qp_event_i, .live_qpn_i, .meta_i,
    .queue_row_i(queue_row), .qpn_o(qpn), .read_o(read), .plain_o(plain), .full_o(slot_full),
    .qp_o(qp), .attr_o(attr), .attr_kept_o(attr_kept), .state_o(qp_state), .posted_o(posted),
    .reset_o(reset), .posted_write_i(index_write_i), .posted_row_i(index_row_i), .posted_i(index_i),
    .slot_read_i(slot_read), .find_next_i(find_next), .of_result_i(of_result),
    .of_request_i(of_request), .slot_o(slot), .slot_at_o(slot_at), .slot_end_o(slot_end),
    .slot_pending_o(slot_pends), .commit_i(commit), .apply_qp_i(apply_qp),
    .apply_slot_i(apply_slot), .apply_slot_write_i(apply_slot_write), .finding_i(finding),
    .replay_i(replay), .replay_slot_i(replay_slot), .emitting_i(emitting), .response_i(response),
    .emit_i(emit), .via_desc_i(via_desc), .slot_picked_i(slot_picked), .gone_i(gone),
    .bad_read_o(bad_read), .response_qp_i(response_qp), .response_slot_i(response_slot),
    .ordering_i(ordering), .init_i(event_init), .flush_i(event_flush), .flush_one_i(flush_one),
    .result_i(done_ready_o), .done_i, .last_wqe_i(last_wqe), .fault_taken_i(fault_ready_o),
    .fault_i, .fault_msn_i(fault_msn), .written_i(done), .newest_i(newest), .issued_i(issued),
    .sent_i(sent), .next_write_o, .next_row_o, .next_o, .ready_o(state_ready)
  );

  // Requests.
  logic [3:0] verdict;
  logic       stall, walks, send, rekey, slot_stale, list_long, walking, walk_bad, free_room;
  logic       full, key_ok, replay_match, replay_passed, receive_idle, control_idle;
  roci_responder_request #(.NumQps(NumQps)) u_request (
    .clk_i, .rst_ni, .idle_o(receive_idle), .row_write_valid_i, .row_write_i, .meta_i, .key_i,
    .foreseen_i, .foreseen_index_i, .placed_i, .changed_i, .ticket_i(ticket), .qpn_i(qpn),
    .plain_i(plain), .slot_full_i(slot_full), .qp_i(qp), .attr_i(attr), .attr_kept_i(attr_kept),
    .state_i(qp_state), .reset_i(reset), .slot_i(slot), .of_request_i(of_request), .pick_i(pick),
    .look_i(look), .peeked_i(peeked), .list_bad_i(list_bad), .commit_i(commit),
    .flush_one_i(flush_one), .order_op_i(order_op), .order_valid_i(order_valid),
    .order_ready_o(order_ready), .walk_valid_i(walk_valid_o), .again_req_valid_i(again_req_valid_o),
    .again_waits_i(again_waits_o), .job_waits_i(job_valid_o), .verdict_o(verdict), .stall_o(stall),
    .full_o(full), .walks_o(walks), .send_o(send), .inv_o(inv), .rekey_o(rekey),
    .slot_stale_o(slot_stale), .list_long_o(list_long), .walking_o(walking), .walk_bad_o(walk_bad),
    .free_room_o(free_room), .key_ok_o(key_ok), .match_o(replay_match), .passed_o(replay_passed),
    .replay_slot_o(replay_slot), .slot_now_o(slot_now), .qp_o(apply_qp), .slot_o(apply_slot),
    .slot_write_o(apply_slot_write), .job_o(apply_job), .job_valid_o(apply_job_valid),
    .seg_o(apply_seg), .seg_valid_o(apply_seg_valid), .cqe_o(apply_cqe),
    .cqe_valid_o(apply_cqe_valid), .fail_o(apply_fail), .fail_valid_o(apply_fail_valid),
    .established_o(established), .count_o(apply_count), .drop_o(apply_drop), .responds_o(responds),
    .cmd_o, .cmd_valid_o, .cmd_ready_i, .rsp_i, .list_block_o, .list_next_i(list_next),
    .list_busy_o, .list_num_sge_i, .list_pd_i, .list_stride_i, .walk_ready_i, .walk_num_sge_o,
    .walk_offset_o, .walk_len_o, .walk_pd_o, .walk_done_i, .walk_status_i, .again_req_o,
    .walk_taken_last_i(walk_seg_valid_i && walk_seg_ready_o && walk_seg_i.last), .again_req_ready_i,
    .again_rsp_i, .again_rsp_valid_i, .key_op_req_o, .key_op_rsp_i, .key_op_rsp_valid_i
  );
  assign list_qpn_o   = qpn;
  assign meta_ready_o = commit || replay || miss;

  // Responses.
  logic queue_valid, picked, stale, room_emit, surely, owed_freed, owed_idle, owed_ready;
  logic [RowBits:0] queue_level;
  roci_responder_owed #(.NumQps(NumQps), .Compact(Compact)) u_owed (
    .clk_i, .rst_ni, .idle_o(owed_idle), .push_i(push), .commit_i(commit), .ticket_i(ticket),
    .gap_i(verdict == roci_pkg::VerdictGap), .posted_valid_i, .posted_row_i, .posted_ready_o,
    .valid_o(queue_valid), .row_o(queue_row), .pop_i(queue_pop), .level_o(queue_level),
    .ready_o(owed_ready), .qpn_i(qpn), .read_i(read), .qp_i(qp), .attr_i(attr), .slot_i(slot_now),
    .slot_index_i(slot_at), .done_i(done), .posted_i(posted), .clear_of_tx_i(clear_of_tx),
    .pick_i(slot_pick), .slot_stale_i(slot_stale), .stale_o(stale), .picked_o(picked),
    .slot_picked_o(slot_picked), .emit_i(emit), .room_emit_o(room_emit), .surely_o(surely),
    .freed_o(owed_freed), .via_desc_o(via_desc), .len_o(response_len), .nak_o(response_nak),
    .qp_o(response_qp), .slot_o(response_slot), .more_o(response_more), .desc_o, .desc_valid_o,
    .desc_ready_i, .seg_o, .seg_valid_o, .seg_ready_i, .ack_o, .ack_valid_o, .ack_ready_i
  );

  // Control.
  logic       room_request, room_last, room_cqe, room_fail, room_count, freed, out_idle;
  logic [4:0] jobs;  // jobs of the responder in the atomic unit
  roci_responder_control #(.LevelBits(RowBits + 1), .Follow(Compact == 0 ? 1 : 0)) u_control (
    .clk_i, .rst_ni, .ready_i(state_ready && owed_ready), .event_valid_i(qp_event_valid_i),
    .event_kind_i(qp_event_i.kind), .result_valid_i(done_valid_i), .fault_valid_i, .live_valid_i,
    .meta_more_i, .meta_valid_i, .queue_valid_i(queue_valid), .queue_level_i(queue_level),
    .no_jobs_i(jobs == '0), .wake_i(posted_valid_i || freed || owed_freed),
    .unblock_i(fetched_i || (job_valid_o && job_ready_i) || emit || gone),
    .room_request_i(room_request && free_room), .room_fail_i(room_fail), .room_count_i(room_count),
    .room_cqe_i(room_cqe), .room_last_i(room_last), .room_emit_i(room_emit), .verdict_i(verdict),
    .stall_i(stall), .full_i(full), .walks_i(walks), .send_i(send), .rekey_i(rekey),
    .key_ready_i(again_req_ready_i), .key_done_i(again_rsp_valid_i), .key_ok_i(again_rsp_i.ok),
    .walking_i(walking), .stale_i(stale), .gone_o(gone), .between_o(between),
    .list_bad_i(list_long), .walk_ready_i, .walk_done_i, .walk_bad_i(walk_bad), .inv_i(inv),
    .inv_ready_i(key_op_req_ready_i), .inv_done_i(key_op_rsp_valid_i), .responds_i(responds),
    .found_i(replay_match), .usable_i((!slot_pends || replay_passed) && key_ok),
    .find_end_i(slot_end), .has_slot_i(read.pending != '0),
    .has_record_i(read.ack != roci_pkg::ResponderAckNone), .flushes_i(read.flush),
    .srq_i(attr_kept.srq), .picked_i(picked), .emit_nak_i(response_nak),
    .emit_more_i(response_more), .emit_surely_i(surely), .cmd_ready_i(order_ready),
    .posted_i(rsp_i.posted), .pick_o(pick), .other_o(other), .other_kind_o(other_kind),
    .request_o(begins_request), .of_request_o(of_request), .of_result_o(of_result),
    .queue_pop_o(queue_pop), .event_init_o(event_init), .event_flush_o(event_flush),
    .event_ready_o(qp_event_ready_o), .live_o(live), .look_o(look), .peeked_o(peeked),
    .list_next_o(list_next), .list_bad_o(list_bad), .walk_valid_o, .inv_valid_o(key_op_req_valid_o),
    .key_valid_o(again_req_valid_o), .key_waits_o(again_waits_o), .slot_read_o(slot_read),
    .find_next_o(find_next), .commit_o(commit), .finding_o(finding), .replay_o(replay),
    .miss_o(miss), .slot_pick_o(slot_pick), .emitting_o(emitting), .response_o(response),
    .emit_o(emit), .count_nak_o(count_nak), .result_o(done_ready_o), .fault_o(fault_ready_o),
    .flush_cqe_o(flush_one), .last_wqe_o(last_wqe), .push_o(push), .cmd_valid_o(order_valid),
    .ordering_o(ordering), .cmd_op_o(order_op), .idle_o(control_idle)
  );

  // Outputs.
  roci_responder_out #(.Compact(Compact), .KeyOps(KeyOps)) u_out (
    .clk_i, .rst_ni, .idle_o(out_idle), .qpn_i(qpn), .meta_i, .commit_i(commit), .replay_i(replay),
    .miss_i(miss), .inv_i(inv), .issue_i(emit && via_desc), .last_desc_i(read.last_desc),
    .fault_i(fault_ready_o), .fault_write_i, .fault_response_i(fault_i.response),
    .between_i(between), .wr_done_i, .sent_i, .drain_i, .drained_o, .done_o(done),
    .ticket_o(ticket), .newest_o(newest), .issued_o(issued), .sent_o(sent),
    .clear_of_tx_o(clear_of_tx), .fault_msn_o(fault_msn), .read_bad_i(gone && bad_read && !qp.dead),
    .apply_cqe_i(apply_cqe), .apply_cqe_valid_i(apply_cqe_valid), .apply_fail_i(apply_fail),
    .apply_fail_valid_i(apply_fail_valid), .apply_seg_i(apply_seg),
    .apply_seg_valid_i(apply_seg_valid), .apply_count_i(apply_count), .established_i(established),
    .last_wqe_i(last_wqe && !qp.last_wqe), .walk_seg_i, .walk_seg_valid_i, .walk_seg_ready_o,
    .emit_i(emit), .response_len_i(response_len), .count_nak_i(count_nak), .flush_one_i(flush_one),
    .recv_cqn_i(attr.recv_cqn), .rsp_i, .live_i(live), .psn_i(read.epsn), .msn_i(read.msn),
    .live_ready_o, .live_o, .drop_i(apply_drop), .drop_o, .apply_job_i(apply_job),
    .apply_job_valid_i(apply_job_valid), .result_i(done_ready_o), .jobs_o(jobs), .job_o,
    .job_valid_o, .job_ready_i,
    .memory_bad_i((done_ready_o && done_i.error && !qp.dead)
                  || (fault_ready_o && (!qp.dead || fault_i.response))),
    .last_ticket_i(read.ack_ticket), .walking_i(walking), .room_request_o(room_request),
    .room_last_o(room_last), .room_cqe_o(room_cqe), .room_fail_o(room_fail),
    .room_count_o(room_count), .freed_o(freed), .cqe_o, .cqe_valid_o, .cqe_ready_i, .fail_o,
    .fail_valid_o, .fail_ready_i, .event_o, .event_valid_o, .event_ready_i, .count_o,
    .count_valid_o, .count_ready_i, .req_seg_o, .req_seg_valid_o, .req_seg_ready_i
  );

  assign idle_o = control_idle && owed_idle && out_idle && receive_idle && jobs == '0
               && !job_valid_o && !posted_valid_i && state_ready && owed_ready;
endmodule
