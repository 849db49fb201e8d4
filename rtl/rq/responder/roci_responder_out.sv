// SPDX-License-Identifier: Apache-2.0
// What each event gives to other blocks, and small queues of it, so that the responder never waits
// in the middle of an event: it looks at the room before it begins.
//
// Latency: one clock. Events without room are not allowed.

`include "assert.svh"

module roci_responder_out (
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
  input  logic                   via_desc_i,
  input  roci_pkg::tx_desc_t     answer_desc_i,
  input  roci_pkg::seg_t         answer_seg_i,
  input  logic                   answer_seg_valid_i,
  input  logic                   count_nak_i,
  input  logic                   flush_one_i,
  input  logic [15:0]            recv_cqn_i,
  input  roci_pkg::receive_rsp_t rsp_i,
  input  logic [15:0]            newest_i,       // ticket of the newest request, for a flush
  input  logic                   settled_i,      // it is in memory
  input  logic                   live_i,
  input  logic [23:0]            live_psn_i,
  input  logic [23:0]            live_msn_i,
  input  logic [9:0]             drop_i,         // with commit_i
  input  roci_pkg::atomic_job_t  apply_job_i,
  input  logic                   apply_job_valid_i,
  input  logic                   result_i,       // a job is done
  output logic [4:0]             jobs_o,         // not done
  input  logic                   memory_bad_i,   // memory failed under a queue pair that is not in ERR
  input  logic                   read_bad_i,     // the key of a READ of such a one is gone
  input  logic                   mark_i,         // with commit_i: the completion is that of an
                                                 // invalidation, and waits for a pulse of
  input  logic                   marked_i,
  input  logic [31:0]            ticket_i,       // of the completion
  input  logic [31:0]            done_i,         // payload packets in memory

  // room for one more (two more counts)
  output logic                   cqe_room_o,
  output logic                   cqe_empty_o,    // every completion has left
  output logic                   fail_room_o,
  output logic                   event_room_o,
  output logic                   count_room_o,
  output logic                   req_seg_room_o,
  output logic                   desc_room_o,
  output logic                   seg_room_o,
  output logic                   ack_room_o,

  // out
  output logic                   live_ready_o,
  output roci_pkg::qp_live_t     live_o,
  output logic [9:0]             drop_o,
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
  input  logic                   req_seg_ready_i,
  output roci_pkg::tx_desc_t     desc_o,
  output logic                   desc_valid_o,
  input  logic                   desc_ready_i,
  output roci_pkg::seg_t         seg_o,
  output logic                   seg_valid_o,
  input  logic                   seg_ready_i,
  output roci_pkg::tx_desc_t     ack_o,
  output logic                   ack_valid_o,
  input  logic                   ack_ready_i
);

  // What an event gives out.
  logic                 cqe_push, fail_push, event_push, count_push, own_seg, req_seg_push;
  logic                 desc_push, seg_push, ack_push, unused;
  roci_pkg::cqe_req_t   cqe_d;
  roci_pkg::event_req_t fail_d, event_d;
  roci_pkg::count_t     count_d;
  roci_pkg::seg_t       req_seg_d;
  assign cqe_push      = (commit_i && apply_cqe_valid_i) || flush_one_i;
  assign fail_push     = (commit_i && apply_fail_valid_i) || memory_bad_i || read_bad_i;
  assign event_push    = (commit_i && established_i) || last_wqe_i;
  assign count_push    = (commit_i && apply_count_i) || emit_i || count_nak_i;
  assign own_seg       = (commit_i || replay_i || miss_i) && apply_seg_valid_i;
  assign req_seg_push  = own_seg || (walk_seg_valid_i && req_seg_room_o);
  assign req_seg_d     = own_seg ? apply_seg_i : walk_seg_i;
  assign desc_push     = emit_i && via_desc_i;
  assign seg_push      = emit_i && answer_seg_valid_i;
  assign ack_push      = emit_i && !via_desc_i;
  assign walk_seg_ready_o = req_seg_room_o;
  assign unused        = &{meta_i, rsp_i};
  always_comb begin
    cqe_d = apply_cqe_i;
    if (flush_one_i) begin
      cqe_d           = '0;
      cqe_d.cqn       = recv_cqn_i;
      cqe_d.qpn       = qpn_i;
      cqe_d.wqe_index = rsp_i.index;
      cqe_d.status    = roci_pkg::StatusWrFlushErr;
      cqe_d.opcode    = roci_pkg::WcOpRecv;
      cqe_d.wait_data = !settled_i;
      cqe_d.ticket    = newest_i;
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
    count_d.bytes   = emit_i ? answer_desc_i.payload_len : count_nak_i ? '0 : meta_i.payload_len;
  end

  // Registers.
  logic job_push;
  assign job_push = commit_i && apply_job_valid_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      jobs_o       <= '0;
      job_valid_o  <= 1'b0;
      drop_o       <= '0;
      live_ready_o <= 1'b0;
    end else begin
      jobs_o       <= jobs_o + 5'(job_push) - 5'(result_i);
      job_valid_o  <= job_push || (job_valid_o && !job_ready_i);
      live_ready_o <= live_i;
      drop_o       <= commit_i ? drop_i : '0;
      if (miss_i) drop_o[roci_pkg::DropDuplicate] <= 1'b1;
    end
    if (job_push) job_o <= apply_job_i;
    if (live_i) begin
      live_o        <= '0;
      live_o.rq_psn <= live_psn_i;
      live_o.msn    <= live_msn_i;
    end
  end

  // Queues.
  logic [3:0] cqe_level;
  logic [1:0] fail_level, event_level, desc_level, seg_level, ack_level;
  logic [2:0] count_level, req_seg_level;
  logic       count_ready;

  // Completions, after that of an invalidation too, wait until what was accepted before it is done.
  // What has waited for long has a ticket that may seem to lie ahead: it leaves with that of now.
  localparam int unsigned CqeDepth = 8;
  logic [31:0]               cqe_ticket, cqe_ahead;
  logic [$clog2(CqeDepth):0] marks_q;
  logic                      cqe_here, cqe_mark, cqe_leaves;
  roci_pkg::cqe_req_t        cqe_oldest;
  roci_fifo #(.Width(33 + roci_pkg::CqeReqBits), .Depth(CqeDepth)) u_cqe (
    .clk_i, .rst_ni,
    .in_data_i({commit_i && mark_i, ticket_i, cqe_d}), .in_valid_i(cqe_push),
    .in_ready_o(cqe_room_o), .out_data_o({cqe_mark, cqe_ticket, cqe_oldest}), .out_valid_o(cqe_here),
    .out_ready_i(cqe_leaves), .level_o(cqe_level)
  );
  assign cqe_ahead  = done_i - cqe_ticket;
  assign cqe_leaves = cqe_here && !(cqe_mark && marks_q == '0) && (!cqe_valid_o || cqe_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cqe_valid_o <= 1'b0;
      marks_q     <= '0;
    end else begin
      cqe_valid_o <= cqe_leaves || (cqe_valid_o && !cqe_ready_i);
      marks_q     <= marks_q + ($clog2(CqeDepth) + 1)'(marked_i)
                   - ($clog2(CqeDepth) + 1)'(cqe_leaves && cqe_mark);
    end
    if (cqe_leaves) begin
      cqe_o <= cqe_oldest;
      if (signed'(cqe_ahead) >= 32'sd0) cqe_o.ticket <= done_i[15:0];
    end
  end
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(2)) u_fail (
    .clk_i, .rst_ni, .in_data_i(fail_d), .in_valid_i(fail_push), .in_ready_o(fail_room_o),
    .out_data_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(fail_level)
  );
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(2)) u_event (
    .clk_i, .rst_ni, .in_data_i(event_d), .in_valid_i(event_push), .in_ready_o(event_room_o),
    .out_data_o(event_o), .out_valid_o(event_valid_o), .out_ready_i(event_ready_i),
    .level_o(event_level)
  );
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(4)) u_count (
    .clk_i, .rst_ni, .in_data_i(count_d), .in_valid_i(count_push), .in_ready_o(count_ready),
    .out_data_o(count_o), .out_valid_o(count_valid_o), .out_ready_i(count_ready_i),
    .level_o(count_level)
  );
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(4)) u_req_seg (
    .clk_i, .rst_ni, .in_data_i(req_seg_d), .in_valid_i(req_seg_push), .in_ready_o(req_seg_room_o),
    .out_data_o(req_seg_o), .out_valid_o(req_seg_valid_o), .out_ready_i(req_seg_ready_i),
    .level_o(req_seg_level)
  );
  roci_fifo #(.Width(roci_pkg::TxDescBits), .Depth(2)) u_desc (
    .clk_i, .rst_ni, .in_data_i(answer_desc_i), .in_valid_i(desc_push), .in_ready_o(desc_room_o),
    .out_data_o(desc_o), .out_valid_o(desc_valid_o), .out_ready_i(desc_ready_i),
    .level_o(desc_level)
  );
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(2)) u_seg (
    .clk_i, .rst_ni, .in_data_i(answer_seg_i), .in_valid_i(seg_push), .in_ready_o(seg_room_o),
    .out_data_o(seg_o), .out_valid_o(seg_valid_o), .out_ready_i(seg_ready_i), .level_o(seg_level)
  );
  roci_fifo #(.Width(roci_pkg::TxDescBits), .Depth(2)) u_ack (
    .clk_i, .rst_ni, .in_data_i(answer_desc_i), .in_valid_i(ack_push), .in_ready_o(ack_room_o),
    .out_data_o(ack_o), .out_valid_o(ack_valid_o), .out_ready_i(ack_ready_i), .level_o(ack_level)
  );

  assign cqe_empty_o  = cqe_level == '0 && !cqe_valid_o;
  assign count_room_o = count_level <= 3'd2;
  assign idle_o = {cqe_level, fail_level, event_level, desc_level, seg_level, ack_level} == '0
               && !cqe_valid_o && count_level == '0 && req_seg_level == '0;

  `ASSERT(JobsInRange, jobs_o <= 5'd17)
  `ASSERT(CqeHasRoom, `IMPLIES(cqe_push, cqe_room_o))
  `ASSERT(FailHasRoom, `IMPLIES(fail_push, fail_room_o))
  `ASSERT(EventHasRoom, `IMPLIES(event_push, event_room_o))
  `ASSERT(CountHasRoom, `IMPLIES(count_push, count_ready))
  `ASSERT(ReqSegHasRoom, `IMPLIES(req_seg_push, req_seg_room_o))
  `ASSERT(DescHasRoom, `IMPLIES(desc_push, desc_room_o))
  `ASSERT(SegHasRoom, `IMPLIES(seg_push, seg_room_o))
  `ASSERT(AckHasRoom, `IMPLIES(ack_push, ack_room_o))

endmodule
