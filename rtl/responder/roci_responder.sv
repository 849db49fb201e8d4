// Transport state of all queue pairs as responder: one engine, one event at a time.
//
// Throughput: a WRITE or a duplicate every 3 clocks, an ACK in 3, a READ response in 4; see README.md.
//
//   event, atomic done, live ---+
//   request (front) ------------+--> look: tables --> decide --> [receive, list walk] --> commit
//   step (queue of QPs) --------+              +----> [replay slot] --> emit --> desc, seg | ack
//
// Requests go before steps; a step waits at most 64 clocks. A request that cannot go on (its
// receive is being fetched, an atomic of its queue pair is under way) blocks those behind it until
// something happens; steps go on. When no queue pair in the queue can take a step, none is tried
// until something happens.

`include "assert.svh"

module roci_responder #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     idle_o,

  input  roci_pkg::qp_event_t      qp_event_i,
  input  logic                     qp_event_valid_i,
  output logic                     qp_event_ready_o,
  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [roci_pkg::RowBits-1:0] row_data_i,
  input  logic [23:0]              live_qpn_i,
  input  logic                     live_valid_i,
  output logic                     live_ready_o,
  output roci_pkg::qp_live_t       live_o,

  // requests, with the answer of the key table
  input  roci_pkg::rx_meta_t       meta_i,
  input  roci_pkg::key_rsp_t       key_i,
  input  logic                     meta_valid_i,
  output logic                     meta_ready_o,
  input  logic [15:0]              wr_done_i,
  input  logic                     sent_i,

  // posted receives
  output roci_pkg::receive_cmd_t   cmd_o,
  output logic                     cmd_valid_o,
  input  logic                     cmd_ready_i,
  input  roci_pkg::receive_rsp_t   rsp_i,        // with ready
  input  logic                     fetched_i,
  input  logic [$clog2(NumQps)-1:0] posted_row_i,
  input  logic                     posted_valid_i,
  output logic                     posted_ready_o,
  output logic                     list_read_o,  // of entry 0; the walker reads the rest
  output logic [23:0]              list_qpn_o,
  output logic [3:0]               list_block_o,
  output logic                     list_walk_o,  // the walker reads
  input  logic [7:0]               list_num_sge_i,

  // list walker
  output logic                     walk_valid_o,
  input  logic                     walk_ready_i,
  output logic [7:0]               walk_num_sge_o,
  output logic [31:0]              walk_offset_o,
  output logic [31:0]              walk_len_o,
  output logic [15:0]              walk_pd_o,
  input  roci_pkg::seg_t           walk_seg_i,
  input  logic                     walk_seg_valid_i,
  output logic                     walk_seg_ready_o,
  input  logic                     walk_done_i,
  input  logic [7:0]               walk_status_i,

  // atomic unit
  output roci_pkg::atomic_job_t    job_o,
  output logic                     job_valid_o,
  input  logic                     job_ready_i,
  input  roci_pkg::atomic_done_t   done_i,
  input  logic                     done_valid_i,
  output logic                     done_ready_o,

  // out
  output roci_pkg::cqe_req_t       cqe_o,
  output logic                     cqe_valid_o,
  input  logic                     cqe_ready_i,
  output roci_pkg::event_req_t     fail_o,
  output logic                     fail_valid_o,
  input  logic                     fail_ready_i,
  output roci_pkg::event_req_t     event_o,
  output logic                     event_valid_o,
  input  logic                     event_ready_i,
  output roci_pkg::count_t         count_o,
  output logic                     count_valid_o,
  input  logic                     count_ready_i,
  output logic [9:0]               drop_o,
  output roci_pkg::seg_t           req_seg_o,
  output logic                     req_seg_valid_o,
  input  logic                     req_seg_ready_i,
  output roci_pkg::tx_desc_t       desc_o,
  output logic                     desc_valid_o,
  input  logic                     desc_ready_i,
  output roci_pkg::seg_t           seg_o,
  output logic                     seg_valid_o,
  input  logic                     seg_ready_i,
  output roci_pkg::tx_desc_t       ack_o,
  output logic                     ack_valid_o,
  input  logic                     ack_ready_i
);

  localparam int unsigned RowBits = $clog2(NumQps);

  // Strobes of the control.
  logic       pick, queue_pop, event_init, event_flush, live, look, peeked, list_bad, find_next;
  logic       commit, replay, miss, slot_pick, emit, count_nak, result, flush_cqe, push;
  logic [2:0] kind;
  logic [1:0] cmd_op;
  logic       control_idle;
  logic [2:0] kind_q;        // of the event under way
  localparam logic [2:0] KindEvent = 3'd0, KindResult = 3'd1, KindLive = 3'd2, KindRequest = 3'd3;

  // ---------------------------------------------------------------- time of payload and packets
  // Tickets are extended to 32 bits, so that one kept for long does not come round.
  logic [31:0] done_q, ticket, newest_q, newest_behind;
  logic [15:0] sent_q, issued_q, in_tx;
  logic        moved, clear_of_tx;
  assign moved  = wr_done_i != done_q[15:0];
  assign ticket = done_q + 32'(signed'(meta_i.ticket - done_q[15:0]));

  // ---------------------------------------------------------------- tables
  logic                    write, table_ready;
  logic [23:0]             read_qpn, qpn;
  roci_pkg::responder_qp_t qp, qp_d;
  roci_pkg::qp_attr_t      attr;
  logic [2:0]              qp_state;
  roci_responder_table #(.NumQps(NumQps)) u_table (
    .clk_i, .rst_ni, .row_valid_i, .row_table_i, .row_index_i, .row_data_i,
    .read_i(pick), .qpn_i(read_qpn), .qpn_o(qpn), .qp_o(qp), .attr_o(attr), .state_o(qp_state),
    .write_i(write), .qp_i(qp_d), .ready_o(table_ready)
  );

  logic                      slot_read, slot_write, slots_ready;
  logic [3:0]                slot_read_index, oldest;
  logic [4:0]                slot_at_q;      // slot that was read; 16: past the last
  logic [15:0]               behind;
  roci_pkg::responder_slot_t slot, slot_d;
  roci_ram #(.Width(roci_pkg::ResponderSlotBits), .Depth(16 * NumQps)) u_slots (
    .clk_i, .rst_ni,
    .write_i(slot_write), .write_row_i({qpn[RowBits-1:0], commit ? qp.slot_next : slot_at_q[3:0]}), .write_data_i(slot_d),
    .read_i(slot_read), .read_row_i({qpn[RowBits-1:0], slot_read_index}), .read_data_o(slot),
    .ready_o(slots_ready)
  );
  assign slot_read_index = find_next              ? slot_at_q[3:0] + 4'd1
                         : kind_q == KindResult   ? done_i.slot
                         : kind_q == KindRequest  ? 4'd0 : oldest;
  // The ring is full once slot_next has come round, so slots from slot_next on are the oldest.
  assign behind = (qp.pending >> qp.slot_next) << qp.slot_next;
  always_comb begin
    oldest = '0;
    for (int i = 15; i >= 0; i--) begin
      if (behind == '0 ? qp.pending[i] : behind[i]) oldest = 4'(i);
    end
  end

  // ---------------------------------------------------------------- queue of answers
  logic               queue_valid;
  logic [RowBits-1:0] queue_row;
  logic [RowBits:0]   queue_level;
  assign posted_ready_o = !push;
  roci_rq_queue #(.NumQps(NumQps)) u_queue (
    .clk_i, .rst_ni,
    .push_i(push || posted_valid_i), .push_row_i(push ? qpn[RowBits-1:0] : posted_row_i),
    .pop_valid_o(queue_valid), .pop_row_o(queue_row), .pop_i(queue_pop), .level_o(queue_level)
  );

  // ---------------------------------------------------------------- decision
  roci_pkg::reth_t reth;
  logic            unused;
  assign unused = &{reth};
  logic            in_connection, peeked_q, posted_q, fetched_q, atomic_op, stall;
  logic [15:0]     recv_index_q;
  logic [3:0]      verdict, verdict_q;
  logic [7:0]      syndrome, syndrome_q, status, status_q;
  logic            access_event, access_event_q, takes, takes_q, first, first_q, last, last_q;
  assign reth          = meta_i.ext[223:96];
  assign in_connection = qp_state == roci_pkg::QpRtr || qp_state == roci_pkg::QpRts
                      || qp_state == roci_pkg::QpSqd;
  assign atomic_op     = meta_i.opcode == roci_pkg::OpRcCmpSwap
                      || meta_i.opcode == roci_pkg::OpRcFetchAdd;
  roci_responder_decide u_decide (
    .clk_i, .rst_ni,
    .opcode_i(meta_i.opcode), .psn_i(meta_i.psn), .payload_len_i(meta_i.payload_len),
    .dma_length_i(reth.dma_length), .va_i(reth.va[2:0]), .key_ok_i(key_i.ok),
    .dead_i(qp.dead || !in_connection), .epsn_i(qp.epsn), .nak_sent_i(qp.nak_sent),
    .message_i(qp.message), .write_left_i(qp.write_left), .bytes_i(qp.bytes),
    .access_i(attr.access), .pmtu_i(attr.pmtu), .max_dest_rd_atomic_i(attr.max_dest_rd_atomic),
    .slot_free_i(!qp.pending[qp.slot_next] || qp.replayed[qp.slot_next]), .peeked_i(peeked_q), .posted_i(posted_q),
    .verdict_o(verdict), .syndrome_o(syndrome), .status_o(status),
    .access_event_o(access_event), .takes_o(takes), .last_o(last), .first_o(first)
  );
  // An atomic changes memory later than it is accepted; nothing but another atomic may overtake it.
  assign stall = verdict != roci_pkg::VerdictIgnore
              && ((qp.atomics != '0 && !atomic_op)
                  || (verdict == roci_pkg::VerdictAtomic && job_valid_o)
                  || (peeked_q && posted_q && !fetched_q));

  roci_pkg::responder_qp_t   apply_qp, answer_qp;
  roci_pkg::responder_slot_t apply_slot, answer_slot, replay_slot;
  roci_pkg::atomic_job_t     apply_job;
  roci_pkg::seg_t            apply_seg, answer_seg;
  roci_pkg::cqe_req_t        apply_cqe, cqe_d;
  roci_pkg::event_req_t      apply_fail, fail_d;
  roci_pkg::tx_desc_t        answer_desc;
  logic        apply_slot_write, apply_job_valid, apply_seg_valid, apply_cqe_valid, apply_fail_valid;
  logic        apply_established, apply_count, apply_answer, replay_match;
  logic [9:0]  apply_drop;
  roci_responder_apply u_apply (
    .meta_i, .key_i, .qp_i(qp), .attr_i(attr), .in_rtr_i(qp_state == roci_pkg::QpRtr),
    .ticket_i(ticket), .recv_index_i(recv_index_q), .verdict_i(verdict_q), .syndrome_i(syndrome_q),
    .status_i(status_q), .access_event_i(access_event_q), .takes_i(takes_q), .first_i(first_q),
    .last_i(last_q),
    .qp_o(apply_qp), .slot_o(apply_slot), .slot_write_o(apply_slot_write), .job_o(apply_job),
    .job_valid_o(apply_job_valid), .seg_o(apply_seg), .seg_valid_o(apply_seg_valid),
    .cqe_o(apply_cqe), .cqe_valid_o(apply_cqe_valid), .fail_o(apply_fail),
    .fail_valid_o(apply_fail_valid), .established_o(apply_established), .count_o(apply_count),
    .drop_o(apply_drop), .answer_o(apply_answer)
  );
  roci_responder_replay u_replay (
    .meta_i, .key_i, .pmtu_i(attr.pmtu), .ticket_i(ticket), .slot_i(slot),
    .match_o(replay_match), .slot_o(replay_slot)
  );

  logic pick_slot, pick_record, slot_picked_q, answer_seg_valid, answer_nak;
  roci_responder_answer u_answer (
    .qpn_i(qpn), .qp_i(qp), .pmtu_i(attr.pmtu), .has_slot_i(qp.pending != '0),
    .slot_index_i(slot_at_q[3:0]), .slot_i(slot), .done_i(done_q),
    .pick_slot_o(pick_slot), .pick_record_o(pick_record), .slot_picked_i(slot_picked_q),
    .desc_o(answer_desc), .seg_o(answer_seg), .seg_valid_o(answer_seg_valid), .nak_o(answer_nak),
    .qp_o(answer_qp), .slot_o(answer_slot)
  );

  // ---------------------------------------------------------------- control
  logic cqe_room, fail_room, event_room, count_room, req_seg_room, desc_room, seg_room, ack_room;
  logic desc_room_q, seg_room_q, ack_room_q, cqe_room_q, walking_q, via_desc, room_emit, list_too_long;
  logic [4:0] jobs_q;        // ours in the atomic unit
  logic       out_idle;
  assign via_desc  = !clear_of_tx || (slot_picked_q && slot.opcode == roci_pkg::OpRcReadRequest);
  assign room_emit = via_desc ? desc_room && (!answer_seg_valid || seg_room) : ack_room;
  roci_responder_control #(.LevelBits(RowBits + 1)) u_control (
    .clk_i, .rst_ni,
    .ready_i(table_ready && slots_ready), .event_valid_i(qp_event_valid_i),
    .event_kind_i(qp_event_i.kind), .result_valid_i(done_valid_i), .live_valid_i,
    .meta_valid_i, .queue_valid_i(queue_valid), .queue_level_i(queue_level),
    .no_jobs_i(jobs_q == '0),
    .wake_i(moved || posted_valid_i || (desc_room && !desc_room_q) || (seg_room && !seg_room_q)
            || (ack_room && !ack_room_q) || (cqe_room && !cqe_room_q)),
    .unblock_i(fetched_i || (job_valid_o && job_ready_i)),
    .room_request_i(cqe_room && fail_room && event_room && count_room && req_seg_room && !walking_q),
    .room_fail_i(fail_room), .room_count_i(count_room), .room_cqe_i(cqe_room),
    .room_emit_i(room_emit),
    .verdict_i(verdict), .stall_i(stall), .walks_i(meta_i.payload_len != '0),
    .list_bad_i(list_too_long), .walk_ready_i, .walk_done_i,
    .frees_i(apply_cqe_valid), .answers_i(apply_answer), .found_i(replay_match),
    .usable_i(!qp.pending[slot_at_q[3:0]] && key_i.ok),
    .find_end_i(slot_at_q >= qp.slot_count),
    .has_slot_i(qp.pending != '0), .has_record_i(qp.ack != roci_pkg::ResponderAckNone),
    .flushes_i(qp.flush), .pick_slot_i(pick_slot), .pick_record_i(pick_record),
    .emit_nak_i(answer_nak),
    .emit_more_i(answer_qp.pending != '0 || answer_qp.ack != roci_pkg::ResponderAckNone
                 || answer_qp.flush),
    .cmd_ready_i, .posted_i(rsp_i.posted),
    .pick_o(pick), .kind_o(kind), .queue_pop_o(queue_pop), .event_init_o(event_init),
    .event_flush_o(event_flush), .event_ready_o(qp_event_ready_o), .live_o(live), .look_o(look),
    .peeked_o(peeked), .list_read_o, .list_bad_o(list_bad), .walk_valid_o,
    .slot_read_o(slot_read), .find_next_o(find_next), .commit_o(commit), .replay_o(replay),
    .miss_o(miss), .slot_pick_o(slot_pick), .emit_o(emit), .count_nak_o(count_nak),
    .result_o(result), .flush_cqe_o(flush_cqe), .push_o(push), .cmd_valid_o, .cmd_op_o(cmd_op),
    .idle_o(control_idle)
  );

  always_comb begin
    unique case (kind)
      KindEvent:   read_qpn = qp_event_i.qpn;
      KindResult:  read_qpn = done_i.qpn;
      KindLive:    read_qpn = live_qpn_i;
      KindRequest: read_qpn = meta_i.qpn;
      default:     read_qpn = 24'(queue_row);
    endcase
  end

  // ---------------------------------------------------------------- what is written back
  always_comb begin
    write = commit || replay || emit || event_init || event_flush || (result && qp.atomics != '0);
    qp_d  = apply_qp;
    if (replay) begin
      qp_d = qp;
      qp_d.pending[slot_at_q[3:0]]  = 1'b1;
      qp_d.replayed[slot_at_q[3:0]] = 1'b1;
    end
    if (emit) begin
      qp_d = answer_qp;
      if (via_desc) qp_d.last_desc = issued_q + 16'd1;
    end
    if (event_init) begin
      qp_d           = '0;
      qp_d.epsn      = attr.rq_psn;
      qp_d.last_psn  = attr.rq_psn - 24'd1;
      qp_d.last_desc = sent_q;
    end
    if (event_flush) begin
      qp_d         = qp;
      qp_d.dead    = 1'b1;
      qp_d.flush   = 1'b1;
      qp_d.message = roci_pkg::ResponderInNothing;
      // What was accepted before a fatal NAK is still answered, so that the peer learns its cause.
      if (qp.ack != roci_pkg::ResponderAckFatal) begin
        qp_d.ack     = roci_pkg::ResponderAckNone;
        qp_d.next    = 1'b0;
        qp_d.pending = '0;
      end
    end
    if (result) begin
      qp_d         = qp;
      qp_d.atomics = qp.atomics - 5'd1;
      if (done_i.error) begin
        qp_d.dead         = 1'b1;
        qp_d.message      = roci_pkg::ResponderInNothing;
        qp_d.pending      = '0;
        qp_d.ack          = roci_pkg::ResponderAckFatal;
        qp_d.ack_psn      = slot.psn;
        qp_d.ack_msn      = slot.msn - 24'd1;
        qp_d.ack_syndrome = roci_pkg::SynNakOperational;
        qp_d.next         = 1'b0;
      end
    end
  end

  always_comb begin
    slot_write = (commit && apply_slot_write) || replay || (emit && slot_picked_q) || result;
    slot_d     = apply_slot;
    if (replay) slot_d = replay_slot;
    if (emit) slot_d = answer_slot;
    if (result) begin
      slot_d          = slot;
      slot_d.original = done_i.original;
      slot_d.done     = 1'b1;
    end
  end

  // ---------------------------------------------------------------- what leaves
  logic              cqe_push, fail_push, event_push, count_push, own_seg, req_seg_push;
  roci_pkg::count_t  count_d;
  roci_pkg::event_req_t event_d;
  assign newest_behind = done_q - newest_q;
  assign cqe_push      = (commit && apply_cqe_valid) || flush_cqe;
  assign fail_push     = (commit && apply_fail_valid) || (result && done_i.error && !qp.dead);
  assign event_push    = commit && apply_established;
  assign count_push    = (commit && apply_count) || emit || count_nak;
  assign own_seg       = (commit || replay || miss) && apply_seg_valid;
  assign req_seg_push  = own_seg || (walk_seg_valid_i && req_seg_room);
  assign walk_seg_ready_o = req_seg_room;
  always_comb begin
    cqe_d = apply_cqe;
    if (flush_cqe) begin
      cqe_d           = '0;
      cqe_d.cqn       = attr.recv_cqn;
      cqe_d.qpn       = qpn;
      cqe_d.wqe_index = rsp_i.index;
      cqe_d.status    = roci_pkg::StatusWrFlushErr;
      cqe_d.opcode    = roci_pkg::WcOpRecv;
      cqe_d.wait_data = signed'(newest_behind) < 32'sd0;
      cqe_d.ticket    = newest_q[15:0];
    end
    fail_d = apply_fail;
    if (result) begin
      fail_d.kind   = roci_pkg::EventQpFatal;
      fail_d.number = qpn;
    end
    event_d.kind    = roci_pkg::EventCommEst;
    event_d.number  = qpn;
    count_d.qpn     = qpn;
    count_d.counter = emit ? roci_pkg::QpCounterTxPackets
                    : count_nak ? roci_pkg::QpCounterNaksSent : roci_pkg::QpCounterRxPackets;
    count_d.bytes   = emit ? answer_desc.payload_len : count_nak ? '0 : meta_i.payload_len;
  end

  roci_responder_out u_out (
    .clk_i, .rst_ni, .idle_o(out_idle),
    .cqe_i(cqe_d), .cqe_push_i(cqe_push), .cqe_room_o(cqe_room),
    .fail_i(fail_d), .fail_push_i(fail_push), .fail_room_o(fail_room),
    .event_i(event_d), .event_push_i(event_push), .event_room_o(event_room),
    .count_i(count_d), .count_push_i(count_push), .count_room_o(count_room),
    .req_seg_i(own_seg ? apply_seg : walk_seg_i), .req_seg_push_i(req_seg_push),
    .req_seg_room_o(req_seg_room),
    .desc_i(answer_desc), .desc_push_i(emit && via_desc), .desc_room_o(desc_room),
    .seg_i(answer_seg), .seg_push_i(emit && answer_seg_valid), .seg_room_o(seg_room),
    .ack_i(answer_desc), .ack_push_i(emit && !via_desc), .ack_room_o(ack_room),
    .cqe_o, .cqe_valid_o, .cqe_ready_i, .fail_o, .fail_valid_o, .fail_ready_i,
    .event_o, .event_valid_o, .event_ready_i, .count_o, .count_valid_o, .count_ready_i,
    .req_seg_o, .req_seg_valid_o, .req_seg_ready_i, .desc_o, .desc_valid_o, .desc_ready_i,
    .seg_o, .seg_valid_o, .seg_ready_i, .ack_o, .ack_valid_o, .ack_ready_i
  );

  assign meta_ready_o = commit || replay || miss;
  assign done_ready_o = result;
  assign cmd_o.qpn    = qpn;
  assign cmd_o.op     = cmd_op;

  // ---------------------------------------------------------------- list
  logic [15:0] recv_index;
  assign recv_index      = first ? recv_index_q : qp.recv_index;
  assign list_qpn_o      = qpn;
  assign list_block_o    = 4'(recv_index << attr.rq_stride_log);
  assign list_walk_o     = walking_q || (walk_valid_o && walk_ready_i);
  assign list_too_long   = list_num_sge_i > (8'd4 << attr.rq_stride_log) - 8'd3;
  assign walk_num_sge_o  = list_num_sge_i;
  assign walk_offset_o   = first ? '0 : qp.bytes;
  assign walk_len_o      = 32'(meta_i.payload_len);
  assign walk_pd_o       = attr.pd;

  // ---------------------------------------------------------------- registers
  logic walk_good;
  assign walk_good   = walk_status_i == roci_pkg::StatusSuccess;
  assign in_tx       = sent_q - qp.last_desc;
  assign clear_of_tx = signed'(in_tx) >= 16'sd0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q      <= '0;
      sent_q      <= '0;
      issued_q    <= '0;
      jobs_q      <= '0;
      newest_q    <= '0;
      walking_q   <= 1'b0;
      job_valid_o <= 1'b0;
      drop_o      <= '0;
      live_ready_o <= 1'b0;
      {desc_room_q, seg_room_q, ack_room_q, cqe_room_q} <= '0;
    end else begin
      done_q    <= done_q + 32'(16'(wr_done_i - done_q[15:0]));
      sent_q    <= sent_q + 16'(sent_i);
      issued_q  <= issued_q + 16'(emit && via_desc);
      jobs_q    <= jobs_q + 5'(commit && apply_job_valid) - 5'(result);
      walking_q <= (walk_valid_o && walk_ready_i)
                || (walking_q && !(walk_done_i && !walk_good)
                    && !(walk_seg_valid_i && req_seg_room && walk_seg_i.last));
      job_valid_o  <= (commit && apply_job_valid) || (job_valid_o && !job_ready_i);
      live_ready_o <= live;
      if (commit) newest_q <= ticket;
      drop_o <= commit ? apply_drop : '0;
      if (miss) drop_o[roci_pkg::DropDuplicate] <= 1'b1;
      {desc_room_q, seg_room_q, ack_room_q, cqe_room_q} <= {desc_room, seg_room, ack_room, cqe_room};
    end
  end

  always_ff @(posedge clk_i) begin
    if (pick) begin
      kind_q   <= kind;
      peeked_q <= 1'b0;
    end
    if (slot_read) slot_at_q <= find_next ? slot_at_q + 5'd1 : 5'(slot_read_index);
    if (look) begin
      verdict_q      <= verdict;
      syndrome_q     <= syndrome;
      status_q       <= status;
      access_event_q <= access_event;
      takes_q        <= takes && peeked_q;
      first_q        <= first;
      last_q         <= last;
    end
    if (peeked) begin
      peeked_q     <= 1'b1;
      posted_q     <= rsp_i.posted;
      fetched_q    <= rsp_i.fetched;
      recv_index_q <= rsp_i.index;
    end
    if (list_bad || (walk_done_i && !walk_good)) begin
      verdict_q      <= roci_pkg::VerdictNak;
      syndrome_q     <= !list_bad && walk_status_i == roci_pkg::StatusLocLenErr
                        ? roci_pkg::SynNakInvalid : roci_pkg::SynNakOperational;
      status_q       <= list_bad ? roci_pkg::StatusLocQpOpErr : walk_status_i;
      access_event_q <= 1'b0;
    end
    if (slot_pick) slot_picked_q <= pick_slot;
    if (commit && apply_job_valid) job_o <= apply_job;
    if (live) begin
      live_o        <= '0;
      live_o.rq_psn <= qp.epsn;
      live_o.msn    <= qp.msn;
    end
  end

  assign idle_o = control_idle && out_idle && jobs_q == '0 && !job_valid_o && !walking_q
               && !posted_valid_i && table_ready && slots_ready;

  `ASSERT(WriteStaysInMessage, `IMPLIES(commit && verdict_q == roci_pkg::VerdictWrite && !first_q,
                                        32'(meta_i.payload_len) <= qp.write_left))
  `ASSERT(ReadStaysInRequest, `IMPLIES(emit && answer_seg_valid,
                                       32'(answer_seg.len) <= slot.len_compare[63:32]))
  `ASSERT(JobsInRange, jobs_q <= 5'd17)

endmodule
