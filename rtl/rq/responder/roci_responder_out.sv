// SPDX-License-Identifier: Apache-2.0
// What each event gives to other blocks, small queues for it, so that the responder never waits in
// the middle of an event (it looks at the room before an event begins), and the progress of what
// was given.
//
// Throughput: one event per clock. Latency: one clock. Events without room are not allowed.

`include "assert.svh"

module roci_responder_out #(
  parameter int unsigned Compact = 0,  // 1: one completion and one segment wait
  parameter int unsigned KeyOps  = 1   // 0: no key is invalidated
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   idle_o,

  // events
  input  logic [23:0]            qpn_i,
  input  roci_pkg::rx_meta_t     meta_i,
  input  logic                   commit_i,
  input  logic                   replay_i,
  input  logic                   miss_i,
  input  roci_pkg::cqe_req_t     apply_cqe_i,
  input  logic                   apply_cqe_valid_i,
  input  roci_pkg::event_req_t   apply_fail_i,
  input  logic                   apply_fail_valid_i,
  input  roci_pkg::seg_t         apply_seg_i,
  input  logic                   apply_seg_valid_i,
  input  logic                   apply_count_i,
  input  logic                   established_i,  // with commit_i
  input  logic                   last_wqe_i,     // QpLastWqe is due
  input  roci_pkg::seg_t         walk_seg_i,
  input  logic                   walk_seg_valid_i,
  output logic                   walk_seg_ready_o,
  input  logic                   emit_i,
  input  logic [12:0]            response_len_i,
  input  logic                   count_nak_i,
  input  logic                   flush_one_i,
  input  logic [15:0]            recv_cqn_i,
  input  roci_pkg::receive_rsp_t rsp_i,
  input  logic                   live_i,
  input  logic [23:0]            psn_i,          // expected PSN of the queue pair
  input  logic [23:0]            msn_i,          // its messages
  input  logic [10:0]            drop_i,         // with commit_i
  input  roci_pkg::atomic_job_t  apply_job_i,
  input  logic                   apply_job_valid_i,
  input  logic                   result_i,       // a job is done
  output logic [4:0]             jobs_o,         // jobs that are not done
  input  logic                   memory_bad_i,   // memory failed, and the queue pair is not in ERR
  input  logic                   read_bad_i,     // the key of a READ is gone, likewise
  input  logic                   inv_i,          // with commit_i: a completion with invalidation
  input  logic                   issue_i,        // a packet goes to tx's payload queue
  input  logic [15:0]            last_desc_i,    // newest such packet of the queue pair
  input  logic                   fault_i,        // an access to memory failed
  input  logic                   fault_write_i,  // payload was not written,
  input  logic                   fault_response_i,  // but payload of a response
  input  logic                   between_i,      // no event is in progress

  // progress
  input  logic [15:0]            wr_done_i,
  input  logic                   sent_i,         // a packet left tx's payload queue
  input  logic                   drain_i,        // pulse: sq has invalidated a key
  output logic                   drained_o,      // pulse: what was accepted before is done
  output logic [31:0]            done_o,         // payload packets in memory
  output logic [31:0]            ticket_o,       // ticket of meta_i, extended
  output logic [31:0]            newest_o,       // ticket of the newest request taken
  output logic [15:0]            issued_o,       // packets given to tx's payload queue
  output logic [15:0]            sent_o,         // packets that left it
  output logic                   clear_of_tx_o,  // it holds nothing of the queue pair
  output logic [23:0]            fault_msn_o,    // messages before the packet whose access failed

  // room
  input  logic [31:0]            last_ticket_i,  // newest payload of the queue pair
  input  logic                   walking_i,      // the walker is busy
  output logic                   room_request_o,  // for all outputs that a request may have
  output logic                   room_last_o,    // for QpLastWqe, and no completion is before it,
                                                 // two clocks after the queue pair was picked
  output logic                   room_cqe_o,
  output logic                   room_fail_o,
  output logic                   room_count_o,   // two counts
  output logic                   freed_o,        // a step may go that could not

  // out
  output logic                   live_ready_o,
  output roci_pkg::qp_live_t     live_o,
  output logic [10:0]            drop_o,
  output roci_pkg::atomic_job_t  job_o,
  output logic                   job_valid_o,
  input  logic                   job_ready_i,
  output roci_pkg::cqe_req_t     cqe_o,
  output logic                   cqe_valid_o,
  input  logic                   cqe_ready_i,
  output roci_pkg::event_req_t   fail_o,
  output logic                   fail_valid_o,
  input  logic                   fail_ready_i,
  output roci_pkg::event_req_t   event_o,
  output logic                   event_valid_o,
  input  logic                   event_ready_i,
  output roci_pkg::count_t       count_o,
  output logic                   count_valid_o,
  input  logic                   count_ready_i,
  output roci_pkg::seg_t         req_seg_o,
  output logic                   req_seg_valid_o,
  input  logic                   req_seg_ready_i
);

  // Progress.
  logic moved, settled, mark, marked, marked_q, drain_idle;
  assign mark = commit_i && inv_i && apply_cqe_valid_i;
  roci_responder_progress #(.KeyOps(KeyOps)) u_progress (
    .clk_i, .rst_ni, .idle_o(drain_idle), .between_i, .commit_i,
    .payload_i(meta_i.payload_len != '0), .ticket_i(meta_i.ticket), .msn_i, .last_desc_i,
    .job_i(commit_i && apply_job_valid_i), .result_i, .issue_i, .fault_i, .fault_write_i,
    .fault_response_i, .mark_i(mark), .wr_done_i, .sent_i, .drain_i,
    .moved_o(moved), .done_o, .ticket_o, .newest_o, .settled_o(settled), .issued_o, .sent_o,
    .clear_of_tx_o, .fault_msn_o, .marked_o(marked), .drained_o
  );

  // What an event gives to other blocks.
  logic                 cqe_push, fail_push, event_push, count_push, own_seg, req_seg_push;
  logic                 cqe_ready, fail_ready, event_ready, req_seg_room, unused;
  roci_pkg::cqe_req_t   cqe_d;
  roci_pkg::event_req_t fail_d, event_d;
  roci_pkg::count_t     count_d;
  roci_pkg::seg_t       req_seg_d;
  logic [15:0]          index_q;
  assign cqe_push      = (commit_i && apply_cqe_valid_i) || flush_one_i;
  assign fail_push     = (commit_i && apply_fail_valid_i) || memory_bad_i || read_bad_i;
  assign event_push    = (commit_i && established_i) || last_wqe_i;
  assign count_push    = (commit_i && apply_count_i) || emit_i || count_nak_i;
  assign own_seg       = (commit_i || replay_i || miss_i) && apply_seg_valid_i;
  assign req_seg_push  = own_seg || (walk_seg_valid_i && req_seg_room);
  assign req_seg_d     = own_seg ? apply_seg_i : walk_seg_i;
  assign walk_seg_ready_o = req_seg_room;
  always_comb begin
    cqe_d = apply_cqe_i;
    if (flush_one_i) begin
      cqe_d           = '0;
      cqe_d.cqn       = recv_cqn_i;
      cqe_d.qpn       = qpn_i;
      cqe_d.wqe_index = index_q;
      cqe_d.status    = roci_pkg::StatusWrFlushErr;
      cqe_d.opcode    = roci_pkg::WcOpRecv;
      cqe_d.wait_data = !settled;
      cqe_d.ticket    = newest_o[15:0];
    end
    fail_d = apply_fail_i;
    if (memory_bad_i || read_bad_i) begin
      fail_d.kind   = read_bad_i ? roci_pkg::EventQpAccess : roci_pkg::EventQpFatal;
      fail_d.number = qpn_i;
    end
    event_d.kind    = last_wqe_i ? roci_pkg::EventQpLastWqe : roci_pkg::EventCommEst;
    event_d.number  = qpn_i;
    count_d.qpn     = qpn_i;
    count_d.counter = emit_i ? roci_pkg::QpCounterTxPackets
                    : count_nak_i ? roci_pkg::QpCounterNaksSent : roci_pkg::QpCounterRxPackets;
    count_d.bytes   = emit_i ? response_len_i : count_nak_i ? '0
                    : meta_i.payload_len - (meta_i.ud ? 13'(roci_pkg::Ipv6Bits / 8) : '0);
  end

  // Registers.
  logic       job_push;
  logic [4:0] jobs_less;
  assign jobs_less = jobs_o - 5'(result_i);
  always_ff @(posedge clk_i) index_q <= rsp_i.index;  // the receive is flushed a clock later
  assign job_push = commit_i && apply_job_valid_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      jobs_o       <= '0;
      job_valid_o  <= 1'b0;
      drop_o       <= '0;
      live_ready_o <= 1'b0;
    end else begin
      jobs_o       <= job_push ? jobs_less + 5'd1 : jobs_less;
      job_valid_o  <= job_push || (job_valid_o && !job_ready_i);
      live_ready_o <= live_i;
      drop_o       <= commit_i ? drop_i : '0;
      if (miss_i) drop_o[roci_pkg::DropDuplicate] <= 1'b1;
    end
    if (job_push) job_o <= apply_job_i;
    if (live_i) begin
      live_o        <= '0;
      live_o.rq_psn <= psn_i;
      live_o.msn    <= msn_i;
    end
  end

  // Queues.
  localparam int unsigned Depth     = Compact != 0 ? 1 : 8;
  localparam int unsigned LevelBits = $clog2(Depth) + 1;
  logic [LevelBits-1:0] cqe_level, req_seg_level;
  logic [2:0]           fail_level, event_level;
  logic [3:0]           count_level;
  logic                 count_ready;

  // The completion of an invalidation, and those after it, wait until what was accepted before is
  // done. A ticket that has waited for long may seem to lie ahead, so the current one replaces it.
  logic [31:0]          cqe_ticket, cqe_ahead;
  logic [LevelBits-1:0] marks_q;
  logic                 cqe_here, cqe_mark, cqe_leaves;
  roci_pkg::cqe_req_t   cqe_oldest;
  roci_records #(.Width(33 + roci_pkg::CqeReqBits), .Depth(Depth)) u_cqe (
    .clk_i, .rst_ni,
    .in_data_i({commit_i && inv_i, flush_one_i ? newest_o : ticket_o, cqe_d}),
    .in_valid_i(cqe_push),
    .in_ready_o(cqe_ready), .out_data_o({cqe_mark, cqe_ticket, cqe_oldest}),
    .out_valid_o(cqe_here), .out_ready_i(cqe_leaves), .level_o(cqe_level)
  );
  assign cqe_ahead  = done_o - cqe_ticket;
  assign cqe_leaves = cqe_here && !(cqe_mark && marks_q == '0) && (!cqe_valid_o || cqe_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cqe_valid_o <= 1'b0;
      marks_q     <= '0;
    end else begin
      cqe_valid_o <= cqe_leaves || (cqe_valid_o && !cqe_ready_i);
      marks_q     <= marks_q + LevelBits'(marked_q) - LevelBits'(cqe_leaves && cqe_mark);
    end
    marked_q <= marked && rst_ni;
    if (cqe_leaves) begin
      cqe_o <= cqe_oldest;
      if (!cqe_ahead[31]) cqe_o.ticket <= done_o[15:0];
    end
  end
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(4)) u_fail (
    .clk_i, .rst_ni, .in_data_i(fail_d), .in_valid_i(fail_push), .in_ready_o(fail_ready),
    .out_data_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(fail_level)
  );
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(4)) u_event (
    .clk_i, .rst_ni, .in_data_i(event_d), .in_valid_i(event_push), .in_ready_o(event_ready),
    .out_data_o(event_o), .out_valid_o(event_valid_o), .out_ready_i(event_ready_i),
    .level_o(event_level)
  );
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(8)) u_count (
    .clk_i, .rst_ni, .in_data_i(count_d), .in_valid_i(count_push), .in_ready_o(count_ready),
    .out_data_o(count_o), .out_valid_o(count_valid_o), .out_ready_i(count_ready_i),
    .level_o(count_level)
  );
  roci_records #(.Width(roci_pkg::SegBits), .Depth(Depth)) u_req_seg (
    .clk_i, .rst_ni, .in_data_i(req_seg_d), .in_valid_i(req_seg_push), .in_ready_o(req_seg_room),
    .out_data_o(req_seg_o), .out_valid_o(req_seg_valid_o), .out_ready_i(req_seg_ready_i),
    .level_o(req_seg_level)
  );
  // Room, as it was a clock before and with a place for what came since; the one place of a Compact
  // queue is free when nothing comes.
  logic        cqe_room_q, fail_room_q, event_room_q, count_room_q, seg_room_q, cqe_none_q;
  logic [31:0] last_age;
  logic        last_done_q;     // for the queue pair that was in progress a clock before
  logic [3:0]  rooms, rooms_q;  // what a step may wait for
  assign last_age       = done_o - last_ticket_i;
  assign room_cqe_o     = cqe_room_q;
  assign room_fail_o    = fail_room_q;
  assign room_count_o   = count_room_q;
  assign room_request_o = cqe_room_q && fail_room_q && event_room_q && count_room_q && seg_room_q
                       && !walking_i;
  assign room_last_o    = event_room_q && cqe_none_q && last_done_q;
  assign rooms          = {room_cqe_o, room_last_o, room_fail_o, !walking_i};
  assign freed_o        = moved || (rooms & ~rooms_q) != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) rooms_q <= '0;
    else rooms_q <= rooms;
    last_done_q  <= !last_age[31];
    cqe_room_q   <= Compact != 0 ? cqe_level == '0 && !cqe_push : cqe_level <= LevelBits'(6);
    fail_room_q  <= fail_level <= 3'd2;
    event_room_q <= event_level <= 3'd2;
    count_room_q <= count_level <= 4'd4;  // besides that of an event that ends now
    seg_room_q   <= Compact != 0 ? req_seg_level == '0 && !req_seg_push
                                 : req_seg_level <= LevelBits'(6);
    cqe_none_q   <= cqe_level == '0 && !cqe_valid_o;
  end

  assign idle_o = drain_idle && {cqe_level, fail_level, event_level} == '0
               && !cqe_valid_o && count_level == '0 && req_seg_level == '0;

  // 16 in the atomic unit, one before it, and a result after it.
  `ASSERT(JobsInRange, jobs_o <= 5'd18)
  `ASSERT(CqeHasRoom, `IMPLIES(cqe_push, cqe_ready))
  `ASSERT(FailHasRoom, `IMPLIES(fail_push, fail_ready))
  `ASSERT(EventHasRoom, `IMPLIES(event_push, event_ready))
  `ASSERT(CountHasRoom, `IMPLIES(count_push, count_ready))
  `ASSERT(ReqSegHasRoom, `IMPLIES(req_seg_push, req_seg_room))

  assign unused = &{meta_i, rsp_i, cqe_ahead, last_age};

endmodule
