// SPDX-License-Identifier: Apache-2.0
// Transport state of all queue pairs as responder: one engine, one event at a time.
//
// Throughput: a WRITE, a SEND whose receive was found ahead, or a duplicate every 3 clocks, an ACK
// in 3, a READ response in 4; see README.md.
//
//   event, atomic done, live ---+
//   request (front) ------------+--> look: tables --> decide --> [receive, list walk] --> commit
//   step (queue of QPs) --------+              +----> [replay slot] --> emit --> desc, seg | ack
//
// Requests go before steps; a step waits at most 64 clocks. A request that cannot go on (its receive
// is being fetched, an atomic of its queue pair is in progress) blocks those after it until something
// happens; steps go on. When no queue pair in the queue can take a step, none is tried until then.

`include "assert.svh"

module roci_responder #(
  parameter int unsigned NumQps = 256  // power of two
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
  input  logic                      placed_i,      // and key_i is of its first segment
  input  logic                      changed_i,     // the key table changed since the request came
  input  logic                      meta_valid_i,
  output logic                      meta_ready_o,
  output logic                      next_write_o,  // recv_next of a queue pair changes
  output logic [$clog2(NumQps)-1:0] next_row_o,
  output logic [15:0]               next_o,
  input  logic [15:0]               wr_done_i,
  input  logic                      sent_i,
  input  roci_pkg::fault_t          fault_i,       // memory failed
  input  logic                      fault_write_i,  // fault_i is of payload that was not written
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
  output logic                      list_read_o,    // of entry 0; the walker reads the rest
  output logic [23:0]               list_qpn_o,
  output logic [3:0]                list_block_o,
  output logic                      list_walk_o,    // the walker reads
  input  logic [7:0]                list_num_sge_i,
  input  logic [15:0]               list_pd_i,      // of an entry taken from an SRQ
  input  logic [1:0]                list_stride_i,
  input  logic                      index_write_i,  // index up to which receives are posted
  input  logic [$clog2(NumQps)-1:0] index_row_i,
  input  logic [15:0]               index_i,

  // keys looked up again, and key operations
  output roci_pkg::key_req_t        again_req_o,
  output logic                      again_req_valid_o,
  input  logic                      again_req_ready_i,
  output logic                      again_waits_o,  // the next result is of this lookup
  input  roci_pkg::key_rsp_t        again_rsp_i,
  input  logic                      again_rsp_valid_i,
  output roci_pkg::key_op_req_t     key_op_req_o,
  output logic                      key_op_req_valid_o,
  input  logic                      key_op_req_ready_i,
  input  roci_pkg::key_op_rsp_t     key_op_rsp_i,
  input  logic                      key_op_rsp_valid_i,
  input  logic                      drain_i,        // pulse: sq has invalidated a key
  output logic                      drained_o,      // pulse: what was accepted before one is done

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
  output logic [9:0]                drop_o,
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
  logic       commit, replay, miss, slot_pick, emit, count_nak, result, flush_one, push;
  logic       slot_read, control_idle, order_valid, order_ready, fault, last_wqe, between, gone;
  logic [2:0] kind, kind_q;  // kind_q: of the event in progress
  logic [1:0] order_op;

  // Time of payload and packets.
  logic [31:0] done, ticket, newest;
  logic [15:0] sent, issued;
  logic        moved, settled, clear_of_tx;
  roci_responder_time u_time (
    .clk_i, .rst_ni, .wr_done_i, .ticket_i(meta_i.ticket), .commit_i(commit),
    .issue_i(emit && via_desc), .sent_i, .last_desc_i(qp.last_desc), .moved_o(moved), .done_o(done),
    .ticket_o(ticket), .newest_o(newest), .settled_o(settled), .issued_o(issued), .sent_o(sent),
    .clear_of_tx_o(clear_of_tx)
  );

  logic [23:0] payload_msn, fault_msn;
  roci_responder_msn u_msn (
    .clk_i, .rst_ni, .push_i(commit && meta_i.payload_len != '0),
    .ticket_i(meta_i.ticket), .msn_i(qp.msn), .done_i(done[15:0]),
    .failed_i(fault && fault_write_i && !fault_i.response), .msn_o(payload_msn)
  );
  assign fault_msn = fault_write_i ? payload_msn : qp.msn;

  // State.
  logic [23:0]               read_qpn, qpn;
  logic [2:0]                qp_state;
  logic [15:0]               posted, credits;
  logic [4:0]                slot_at;
  logic                      state_ready, via_desc, slot_picked_q, reset, bad_read;
  roci_pkg::responder_qp_t   qp, apply_qp, answer_qp;
  roci_pkg::qp_attr_t        attr;
  roci_pkg::responder_slot_t slot, apply_slot, replay_slot, answer_slot;
  logic                      apply_slot_write;
  roci_responder_state #(.NumQps(NumQps)) u_state (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .pick_i(pick), .pick_qpn_i(read_qpn), .qpn_o(qpn), .qp_o(qp), .attr_o(attr), .state_o(qp_state),
    .posted_o(posted), .reset_o(reset), .posted_write_i(index_write_i), .posted_row_i(index_row_i), .posted_i(index_i),
    .slot_read_i(slot_read), .find_next_i(find_next),
    .of_result_i(kind_q == roci_pkg::ResponderKindResult),
    .of_request_i(kind_q == roci_pkg::ResponderKindRequest), .slot_o(slot), .slot_at_o(slot_at),
    .commit_i(commit), .apply_qp_i(apply_qp), .apply_slot_i(apply_slot),
    .apply_slot_write_i(apply_slot_write), .replay_i(replay), .replay_slot_i(replay_slot),
    .emit_i(emit), .via_desc_i(via_desc), .slot_picked_i(slot_picked_q), .gone_i(gone),
    .bad_read_o(bad_read), .answer_qp_i(answer_qp),
    .answer_slot_i(answer_slot), .init_i(event_init), .flush_i(event_flush),
    .flush_one_i(flush_one), .result_i(result), .done_i, .last_wqe_i(last_wqe), .fault_i(fault),
    .fault_psn_i(fault_i.psn), .fault_response_i(fault_i.response), .fault_msn_i(fault_msn),
    .written_i(done), .newest_i(newest),
    .issued_i(issued), .sent_i(sent),
    .next_write_o, .next_row_o, .next_o, .ready_o(state_ready)
  );

  // Queue of responses.
  logic               queue_valid;
  logic [RowBits-1:0] queue_row;
  logic [RowBits:0]   queue_level;
  assign posted_ready_o = !push;
  roci_rq_queue #(.NumQps(NumQps)) u_queue (
    .clk_i, .rst_ni,
    .push_i(push || posted_valid_i), .push_row_i(push ? qpn[RowBits-1:0] : posted_row_i),
    .pop_valid_o(queue_valid), .pop_row_o(queue_row), .pop_i(queue_pop), .level_o(queue_level)
  );

  // Request.
  roci_pkg::atomic_job_t apply_job;
  roci_pkg::seg_t        apply_seg, answer_seg;
  roci_pkg::cqe_req_t    apply_cqe;
  roci_pkg::event_req_t  apply_fail;
  roci_pkg::tx_desc_t    answer_desc;
  logic [3:0] verdict;
  logic       stall, walks, first, inv, rekey, slot_stale, again, first_write, again_write, replay_match, replay_passed, walk_bad, unused;
  logic       apply_job_valid, apply_seg_valid, apply_cqe_valid, apply_fail_valid;
  logic       apply_established, apply_count, apply_answer;
  logic [9:0] apply_drop;
  assign walk_bad = walk_done_i && walk_status_i != roci_pkg::StatusSuccess;
  assign unused   = &{attr, again_key, ieth};
  roci_responder_judge u_judge (
    .clk_i, .rst_ni,
    .meta_i, .key_i, .foreseen_i, .foreseen_index_i, .placed_i, .changed_i,
    .key_age_i(age), .again_key_o(again_key), .again_o(again), .ticket_i(ticket), .qp_i(qp),
    .attr_i(attr), .state_i(qp_state), .reset_i(reset), .slot_i(slot),
    .job_waits_i(job_valid_o),
    .pick_i(pick), .look_i(look), .peeked_i(peeked), .rsp_i, .list_bad_i(list_bad),
    .walk_bad_i(walk_bad), .walk_good_i(walk_done_i && !walk_bad), .walk_status_i,
    .inv_bad_i(key_op_rsp_valid_i && !key_op_rsp_i.ok), .again_i(again_waits_o && again_rsp_valid_i),
    .again_key_i(again_rsp_i), .first_write_o(first_write), .again_write_o(again_write),
    .commit_i(commit),
    .verdict_o(verdict), .stall_o(stall), .walks_o(walks), .first_o(first), .inv_o(inv),
    .match_o(replay_match), .passed_o(replay_passed),
    .replay_slot_o(replay_slot),
    .qp_o(apply_qp), .slot_o(apply_slot), .slot_write_o(apply_slot_write), .job_o(apply_job),
    .job_valid_o(apply_job_valid), .seg_o(apply_seg), .seg_valid_o(apply_seg_valid),
    .cqe_o(apply_cqe), .cqe_valid_o(apply_cqe_valid), .fail_o(apply_fail),
    .fail_valid_o(apply_fail_valid), .established_o(apply_established), .count_o(apply_count),
    .drop_o(apply_drop), .answer_o(apply_answer)
  );
  assign meta_ready_o = commit || replay || miss;
  logic [31:0]        age, again_age;
  roci_pkg::key_rsp_t again_key;
  roci_responder_recheck #(.NumQps(NumQps)) u_recheck (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i,
    .qpn_i(qpn), .qp_i(qp), .pd_i(attr.pd), .changed_i,
    .of_request_i(kind_q == roci_pkg::ResponderKindRequest), .meta_i, .slot_i(slot), .rekey_o(rekey),
    .slot_stale_o(slot_stale), .age_o(age), .again_age_o(again_age), .taken_i(again_req_valid_o && again_req_ready_i), .req_o(again_req_o),
    .first_i(first_write), .again_i(again_write)
  );
  assign done_ready_o = result;
  assign fault_ready_o = fault;
  roci_pkg::ext_imm_dt_t ieth;
  assign ieth = meta_i.ext;
  always_comb begin
    key_op_req_o     = '0;
    key_op_req_o.op  = roci_pkg::KeyOpInvalidate;
    key_op_req_o.key = ieth.immediate;
    key_op_req_o.qpn = qpn;
    key_op_req_o.pd  = attr.pd;
  end

  logic free_room, list_long, walking, receive_idle;
  roci_responder_receive u_receive (
    .clk_i, .rst_ni, .idle_o(receive_idle), .qpn_i(qpn),
    .free_i((commit && apply_cqe_valid) || flush_one), .free_room_o(free_room),
    .order_op_i(order_op), .order_valid_i(order_valid), .order_ready_o(order_ready),
    .cmd_o, .cmd_valid_o, .cmd_ready_i,
    .index_i(first ? qp.recv_next : qp.recv_index), .stride_log_i(attr.srq ? list_stride_i : attr.rq_stride_log),
    .srq_i(attr.srq),
    .list_block_o, .list_num_sge_i, .list_long_o(list_long), .walk_start_i(walk_valid_o),
    .walk_ready_i, .walk_bad_i(walk_bad),
    .walk_last_i(walk_seg_valid_i && walk_seg_ready_o && walk_seg_i.last),
    .list_walk_o, .walking_o(walking)
  );
  assign list_qpn_o     = qpn;
  assign walk_num_sge_o = list_num_sge_i;
  assign walk_offset_o  = first ? '0 : qp.bytes;
  assign walk_len_o     = 32'(meta_i.payload_len);
  assign walk_pd_o      = attr.srq ? list_pd_i : attr.pd;

  // Response.
  logic pick_slot, pick_record, answer_seg_valid, answer_nak;
  assign credits = posted - qp.recv_next;
  // With its key looked up again, if that was needed.
  roci_pkg::responder_slot_t slot_now;
  always_comb begin
    slot_now = slot;
    if (again) begin
      slot_now.addr_operand = again_key.addr;
      slot_now.pasid        = again_key.pasid;
      slot_now.key_age      = again_age;
    end
  end
  roci_responder_answer u_answer (
    .qpn_i(qpn), .qp_i(qp), .pmtu_i(attr.pmtu), .has_slot_i(qp.pending != '0),
    .slot_index_i(slot_at[3:0]), .slot_i(slot_now), .done_i(done),
    .credits_i(attr.credits && !attr.srq), .posted_i(credits),
    .pick_slot_o(pick_slot), .pick_record_o(pick_record), .slot_picked_i(slot_picked_q),
    .desc_o(answer_desc), .seg_o(answer_seg), .seg_valid_o(answer_seg_valid), .nak_o(answer_nak),
    .qp_o(answer_qp), .slot_o(answer_slot)
  );

  // Control.
  logic cqe_room, cqe_empty, fail_room, event_room, count_room, req_seg_room, desc_room, seg_room;
  logic ack_room, room_emit, room_last;
  logic [6:0] rooms, rooms_q;  // what a step may wait for
  // QpLastWqe comes after the completions of the queue pair.
  logic [31:0] last_behind;
  assign last_behind = done - qp.ack_ticket;
  assign room_last   = event_room && cqe_empty && signed'(last_behind) >= 32'sd0;
  assign rooms     = {desc_room, seg_room, ack_room, cqe_room, room_last, fail_room, !walking};
  logic [4:0] jobs;          // ours in the atomic unit
  logic       out_idle;
  assign via_desc  = !clear_of_tx || (slot_picked_q && slot.opcode == roci_pkg::OpRcReadRequest);
  assign room_emit = via_desc ? desc_room && (!answer_seg_valid || seg_room) : ack_room;
  roci_responder_control #(.LevelBits(RowBits + 1)) u_control (
    .clk_i, .rst_ni,
    .ready_i(state_ready), .event_valid_i(qp_event_valid_i),
    .event_kind_i(qp_event_i.kind), .result_valid_i(done_valid_i), .fault_valid_i, .live_valid_i,
    .meta_valid_i, .queue_valid_i(queue_valid), .queue_level_i(queue_level),
    .no_jobs_i (jobs == '0),
    .wake_i    (moved || posted_valid_i || (rooms & ~rooms_q) != '0),
    .unblock_i (fetched_i || (job_valid_o && job_ready_i) || emit || gone),
    .room_request_i(free_room && cqe_room && fail_room && event_room && count_room && req_seg_room
                    && !walking),
    .room_fail_i(fail_room), .room_count_i(count_room), .room_cqe_i(cqe_room),
    .room_last_i(room_last), .room_emit_i(room_emit),
    .verdict_i(verdict), .stall_i(stall), .walks_i(walks),
    .rekey_i(rekey), .key_ready_i(again_req_ready_i), .key_done_i(again_rsp_valid_i),
    .key_ok_i(again_rsp_i.ok), .walking_i(walking), .slot_stale_i(slot_stale), .gone_o(gone),
    .between_o(between),
    .list_bad_i(list_long), .walk_ready_i, .walk_done_i, .walk_bad_i(walk_bad),
    .inv_i(inv), .inv_ready_i(key_op_req_ready_i), .inv_done_i(key_op_rsp_valid_i),
    .answers_i(apply_answer), .found_i(replay_match),
    .usable_i   ((!qp.pending[slot_at[3:0]] || replay_passed) && key_i.ok),
    .find_end_i (slot_at >= qp.slot_count),
    .has_slot_i(qp.pending != '0), .has_record_i(qp.ack != roci_pkg::ResponderAckNone),
    .flushes_i(qp.flush), .srq_i(attr.srq), .pick_slot_i(pick_slot), .pick_record_i(pick_record),
    .emit_nak_i(answer_nak),
    .emit_more_i(answer_qp.pending != '0 || answer_qp.ack != roci_pkg::ResponderAckNone
                 || answer_qp.flush),
    .cmd_ready_i(order_ready), .posted_i(rsp_i.posted),
    .pick_o(pick), .kind_o(kind), .queue_pop_o(queue_pop), .event_init_o(event_init),
    .event_flush_o(event_flush), .event_ready_o(qp_event_ready_o), .live_o(live), .look_o(look),
    .peeked_o(peeked), .list_read_o, .list_bad_o(list_bad), .walk_valid_o,
    .inv_valid_o(key_op_req_valid_o), .key_valid_o(again_req_valid_o), .key_waits_o(again_waits_o),
    .slot_read_o(slot_read), .find_next_o(find_next), .commit_o(commit), .replay_o(replay),
    .miss_o(miss), .slot_pick_o(slot_pick), .emit_o(emit), .count_nak_o(count_nak),
    .result_o(result), .fault_o(fault), .flush_cqe_o(flush_one), .last_wqe_o(last_wqe),
    .push_o(push), .cmd_valid_o(order_valid), .cmd_op_o(order_op),
    .idle_o(control_idle)
  );

  always_comb begin
    unique case (kind)
      roci_pkg::ResponderKindEvent:   read_qpn = qp_event_i.qpn;
      roci_pkg::ResponderKindResult:  read_qpn = done_i.qpn;
      roci_pkg::ResponderKindFault:   read_qpn = fault_i.qpn;
      roci_pkg::ResponderKindLive:    read_qpn = live_qpn_i;
      roci_pkg::ResponderKindRequest: read_qpn = meta_i.qpn;
      default:                        read_qpn = 24'(queue_row);
    endcase
  end

  // What leaves.
  roci_responder_out u_out (
    .clk_i, .rst_ni, .idle_o(out_idle),
    .qpn_i(qpn), .meta_i, .commit_i(commit), .replay_i(replay), .miss_i(miss),
    .mark_i(inv), .marked_i(marked), .ticket_i(flush_one ? newest : ticket), .done_i(done), .read_bad_i(gone && bad_read && !qp.dead),
    .apply_cqe_i(apply_cqe), .apply_cqe_valid_i(apply_cqe_valid), .apply_fail_i(apply_fail),
    .apply_fail_valid_i(apply_fail_valid), .apply_seg_i(apply_seg),
    .apply_seg_valid_i(apply_seg_valid), .apply_count_i(apply_count),
    .established_i(apply_established), .last_wqe_i(last_wqe && !qp.last_wqe), .walk_seg_i, .walk_seg_valid_i, .walk_seg_ready_o,
    .emit_i(emit), .via_desc_i(via_desc), .answer_desc_i(answer_desc), .answer_seg_i(answer_seg),
    .answer_seg_valid_i(answer_seg_valid), .count_nak_i(count_nak), .flush_one_i(flush_one),
    .recv_cqn_i(attr.recv_cqn), .rsp_i, .newest_i(newest[15:0]), .settled_i(settled), .live_i(live), .live_psn_i(qp.epsn),
    .live_msn_i(qp.msn), .live_ready_o, .live_o, .drop_i(apply_drop), .drop_o,
    .apply_job_i(apply_job), .apply_job_valid_i(apply_job_valid), .result_i(result), .jobs_o(jobs),
    .job_o, .job_valid_o, .job_ready_i,
    .memory_bad_i((result && done_i.error && !qp.dead)
                  || (fault && (!qp.dead || fault_i.response))),
    .cqe_room_o(cqe_room), .cqe_empty_o(cqe_empty), .fail_room_o(fail_room), .event_room_o(event_room),
    .count_room_o(count_room), .req_seg_room_o(req_seg_room), .desc_room_o(desc_room),
    .seg_room_o(seg_room), .ack_room_o(ack_room),
    .cqe_o, .cqe_valid_o, .cqe_ready_i, .fail_o, .fail_valid_o, .fail_ready_i,
    .event_o, .event_valid_o, .event_ready_i, .count_o, .count_valid_o, .count_ready_i,
    .req_seg_o, .req_seg_valid_o, .req_seg_ready_i, .desc_o, .desc_valid_o, .desc_ready_i,
    .seg_o, .seg_valid_o, .seg_ready_i, .ack_o, .ack_valid_o, .ack_ready_i
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rooms_q <= '0;
    else rooms_q <= rooms;
    if (pick) kind_q <= kind;
    if (slot_pick) slot_picked_q <= pick_slot;
  end

  // Invalidations.
  logic marked, drain_idle;
  roci_responder_drain u_drain (
    .clk_i, .rst_ni, .newest_i(newest), .landed_i(done), .issue_i(emit && via_desc), .sent_i,
    .job_i(commit && apply_job_valid), .result_i(result), .start_i(drain_i), .between_i(between),
    .drained_o, .mark_i(commit && inv && apply_cqe_valid), .marked_o(marked), .idle_o(drain_idle)
  );

  assign idle_o = control_idle && out_idle && receive_idle && jobs == '0 && !job_valid_o
               && !posted_valid_i && state_ready && drain_idle;

  `ASSERT(ReadStaysInRequest, `IMPLIES(emit && answer_seg_valid,
                                       32'(answer_seg.len) <= slot.left))

endmodule
