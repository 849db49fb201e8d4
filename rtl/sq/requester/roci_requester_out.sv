// SPDX-License-Identifier: Apache-2.0
// Queues after the requester: what an event gives out waits here, so that an event in hand never
// waits for a neighbour (except for completions, which an event may give out many of).
//
// The room_o outputs promise room for an event that ends now and one chosen now; more_room_o for
// one that is read in between, too.

`include "assert.svh"

module roci_requester_out #(
  parameter int unsigned NumQps = 256,
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // the step, the queue pair before and after it, and what else its records are made of
  input  logic [QpBits-1:0]          row_i,
  input  roci_pkg::requester_step_t  step_i,
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_qp_t    next_i,
  input  roci_pkg::requester_entry_t entry_i,    // oldest in the ring
  input  logic [9:0]                 ticket_i,   // ticket of its newest packet
  output logic [9:0]                 newest_o,   // ticket of the newest packet of all
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       uc_i,       // UC or UD
  input  roci_pkg::plan_t            plan_i,
  input  roci_pkg::rx_meta_t         rsp_i,
  input  logic                       rsp_new_i,  // this is its first clock in hand
  input  logic [7:0]                 store_done_i,
  input  logic [15:0]                wr_done_i,
  input  roci_pkg::key_rsp_t         place_i,    // place of the result of an atomic
  input  roci_pkg::tx_desc_t         desc_i,
  input  logic                       drop_i,     // skip the payload of the response
  input  roci_pkg::seg_t             place_seg_i,
  input  logic                       place_seg_valid_i,
  output logic                       place_seg_ready_o,
  input  roci_pkg::seg_t             plan_seg_i,
  input  logic                       plan_seg_valid_i,
  output logic                       plan_seg_ready_o,

  // packets that left; payload of them that could not be read
  input  logic                       sent_valid_i,
  input  roci_pkg::sent_t            sent_i,
  output logic [QpBits-1:0]          fault_row_o,
  output logic [23:0]                fault_psn_o,
  output logic                       fault_left_o,  // not a fault: it left
  output logic                       fault_valid_o,
  input  logic                       fault_ready_i,

  output logic                       room_o,
  output logic                       more_room_o,
  output logic                       fail_room_o,
  output logic                       desc_room_o,
  output logic                       rsp_room_o,    // segments of a response, and a job
  output logic                       cqe_room_o,    // for one now
  output logic                       cqe_calm_o,    // for all of a response, as a rule
  output logic                       timer_calm_o,  // the timer keeps up,
  output logic                       count_calm_o,  // and the counters: a response may follow one

  // out
  output roci_pkg::fetch_ptr_t       ptr_o,
  output logic                       ptr_valid_o,
  input  logic                       ptr_ready_i,
  output roci_pkg::tx_desc_t         desc_o,
  output logic                       desc_valid_o,
  input  logic                       desc_ready_i,
  output roci_pkg::seg_t             seg_o,
  output logic                       seg_valid_o,
  input  logic                       seg_ready_i,
  output roci_pkg::cqe_req_t         cqe_o,
  output logic                       cqe_valid_o,
  input  logic                       cqe_ready_i,
  output roci_pkg::event_req_t       fail_o,
  output logic                       fail_valid_o,
  input  logic                       fail_ready_i,
  output roci_pkg::timer_cmd_t       timer_cmd_o,
  output logic                       timer_cmd_valid_o,
  input  logic                       timer_cmd_ready_i,
  output roci_pkg::count_t           count_o,
  output logic                       count_valid_o,
  input  logic                       count_ready_i,
  output roci_pkg::atomic_job_t      atomic_job_o,
  output logic                       atomic_job_valid_o,
  input  logic                       atomic_job_ready_i,
  output roci_pkg::seg_t             rsp_seg_o,
  output logic                       rsp_seg_valid_o,
  input  logic                       rsp_seg_ready_i,

  output logic                       empty_o
);

  logic [2:0] ptr_level, fail_level, job_level;
  logic [3:0] timer_level, count_level;
  logic [4:0] rsp_seg_level;
  logic [5:0] cqe_level;
  logic       ptr_room, fail_room, job_room, timer_room, count_room, tx_empty;
  logic       desc_more, rsp_count_valid;
  logic [7:0] store_q;  // stores of atomic results so far

  // The levels once more, in registers: what has room chooses the next event.
  logic [2:0] ptr_level_q, fail_level_q;
  logic [3:0] timer_level_q, count_level_q;
  logic       count_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {ptr_level_q, fail_level_q, timer_level_q, count_level_q} <= '0;
    end else begin
      ptr_level_q   <= ptr_level_q + 3'(step_i.ptr) - 3'(ptr_valid_o && ptr_ready_i);
      fail_level_q  <= fail_level_q + 3'(step_i.fail) - 3'(fail_valid_o && fail_ready_i);
      timer_level_q <= timer_level_q + 4'(step_i.timer)
                       - 4'(timer_cmd_valid_o && timer_cmd_ready_i);
      count_level_q <= count_level_q + 4'(step_i.count) - 4'(rsp_count_valid && count_ready);
    end
  end
  assign room_o       = timer_level_q <= 4'd5 && count_level_q <= 4'd3 && ptr_level_q <= 3'd2;
  assign fail_room_o  = fail_level_q <= 3'd2;
  assign more_room_o  = ptr_level_q <= 3'd1 && fail_level_q <= 3'd1 && desc_more;
  assign count_calm_o = count_level_q <= 4'd1;
  // Room of a clock before: a response that gave out something then has not ended since.
  always_ff @(posedge clk_i) begin
    rsp_room_o <= rsp_seg_level <= 5'd13 && job_level <= 3'd2 && store_q - store_done_i < 8'd64;
  end
  assign timer_calm_o = timer_level_q == '0;

  // Records
  roci_pkg::fetch_ptr_t  ptr;
  roci_pkg::event_req_t  failure;
  roci_pkg::timer_cmd_t  timer;
  roci_pkg::count_t      event_count;
  roci_pkg::seg_t        rsp_seg;
  roci_pkg::cqe_req_t    cqe;
  assign ptr.qpn             = 24'(row_i);
  assign ptr.epoch           = next_i.epoch;
  assign ptr.wqe_index       = next_i.resume_index;
  assign ptr.offset          = next_i.resume_offset;
  assign ptr.ready           = step_i.ptr_go;
  assign ptr.less            = 2'd1;  // there may not be room for more
  assign failure.kind        = uc_i ? roci_pkg::FailSends : roci_pkg::EventQpFatal;
  assign failure.number      = 24'(row_i);
  assign timer.qpn           = 24'(row_i);
  assign timer.op            = step_i.timer_op;
  assign timer.code          = step_i.timer_code;
  assign event_count.qpn     = 24'(row_i);
  assign event_count.counter = step_i.counter;
  assign event_count.bytes   = step_i.data ? rsp_i.payload_len : '0;

  // A completion without a response may come long after the newest one, when its ticket seems to
  // lie ahead again: what is in memory stays so.
  logic [15:0] data_ahead;
  logic        settled_q;
  assign data_ahead = wr_done_i - rsp_i.ticket;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) settled_q <= 1'b1;
    else settled_q <= !data_ahead[15] || (settled_q && !rsp_new_i);
  end
  roci_requester_cqe u_make (
    .qpn_i(24'(row_i)), .step_i, .qp_i, .entry_i, .attr_i, .plan_i,
    .ticket_i(settled_q ? wr_done_i : rsp_i.ticket), .store_i(store_q), .cqe_o(cqe));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) store_q <= '0;
    else if (step_i.job) store_q <= store_q + 8'd1;
  end
  roci_pkg::ext_aeth_t aeth;
  assign aeth = rsp_i.ext;

  // Payload that is not placed is skipped, by a segment in the clock after the event; no segment of
  // the next one comes by then.
  logic        drop_q, rsp_seg_room;
  logic [12:0] drop_len_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) drop_q <= 1'b0;
    else drop_q <= drop_i;
    drop_len_q <= rsp_i.payload_len;
  end
  assign place_seg_ready_o = rsp_seg_room && !drop_q;
  always_comb begin
    rsp_seg = place_seg_i;
    if (drop_q) begin
      rsp_seg      = '0;
      rsp_seg.len  = drop_len_q;
      rsp_seg.last = 1'b1;
      rsp_seg.drop = 1'b1;
    end
  end

  roci_fifo #(.Width(roci_pkg::FetchPtrBits), .Depth(4)) u_ptr (
    .clk_i, .rst_ni, .in_data_i(ptr), .in_valid_i(step_i.ptr), .in_ready_o(ptr_room),
    .out_data_o(ptr_o), .out_valid_o(ptr_valid_o), .out_ready_i(ptr_ready_i), .level_o(ptr_level));
  // A completion waits until the packets of its message have left, old copies included: its buffer
  // belongs to the user again. Those of errors and local operations wait for all packets before
  // them.
  logic [9:0] cqe_ticket, left;
  logic       cqe_waits, cqe_due_q, cqe_here, cqe_ready;
  roci_fifo #(.Width(10 + roci_pkg::CqeReqBits), .Depth(32)) u_cqe (
    .clk_i, .rst_ni, .in_data_i({step_i.retire ? ticket_i : newest_o, cqe}),
    .in_valid_i(step_i.cqe), .in_ready_o(cqe_ready), .out_data_o({cqe_ticket, cqe_o}),
    .out_valid_o(cqe_here), .out_ready_i(cqe_ready_i && !cqe_waits), .level_o(cqe_level));
  assign cqe_waits   = !cqe_due_q && newest_o - cqe_ticket < newest_o - left;
  assign cqe_valid_o = cqe_here && !cqe_waits;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) cqe_due_q <= 1'b0;
    else cqe_due_q <= cqe_valid_o && !cqe_ready_i;
    cqe_calm_o <= cqe_level <= 6'd16;
    cqe_room_o <= cqe_level <= 6'd30;
  end
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(4)) u_fail (
    .clk_i, .rst_ni, .in_data_i(failure), .in_valid_i(step_i.fail), .in_ready_o(fail_room),
    .out_data_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(fail_level));
  roci_fifo #(.Width(roci_pkg::TimerCmdBits), .Depth(8)) u_timer (
    .clk_i, .rst_ni, .in_data_i(timer), .in_valid_i(step_i.timer), .in_ready_o(timer_room),
    .out_data_o(timer_cmd_o), .out_valid_o(timer_cmd_valid_o), .out_ready_i(timer_cmd_ready_i),
    .level_o(timer_level));
  // Counts of responses and retries, and of packets as they leave
  roci_pkg::count_t rsp_count, tx_count, count;
  logic             tx_count_valid;
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(8)) u_count (
    .clk_i, .rst_ni, .in_data_i(event_count), .in_valid_i(step_i.count), .in_ready_o(count_room),
    .out_data_o(rsp_count), .out_valid_o(rsp_count_valid), .out_ready_i(count_ready),
    .level_o(count_level));
  assign count = rsp_count_valid ? rsp_count : tx_count;
  roci_skid #(.Width(roci_pkg::CountBits)) u_counts (
    .clk_i, .rst_ni, .in_data_i(count), .in_valid_i(rsp_count_valid || tx_count_valid),
    .in_ready_o(count_ready), .out_data_o(count_o), .out_valid_o(count_valid_o),
    .out_ready_i(count_ready_i));
  // What else a job has is 0: it only writes.
  logic [QpBits-1:0] job_row;
  logic [63:0]       job_addr, job_operand;
  logic [19:0]       job_pasid;
  roci_fifo #(.Width(QpBits + 64 + 20 + 64), .Depth(4)) u_job (
    .clk_i, .rst_ni, .in_data_i({row_i, place_i.addr, place_i.pasid, aeth.original}),
    .in_valid_i(step_i.job), .in_ready_o(job_room),
    .out_data_o({job_row, job_addr, job_pasid, job_operand}),
    .out_valid_o(atomic_job_valid_o), .out_ready_i(atomic_job_ready_i), .level_o(job_level));
  always_comb begin
    atomic_job_o         = '0;
    atomic_job_o.qpn     = 24'(job_row);
    atomic_job_o.addr    = job_addr;
    atomic_job_o.pasid   = job_pasid;
    atomic_job_o.operand = job_operand;
  end
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(16)) u_rsp_seg (
    .clk_i, .rst_ni, .in_data_i(rsp_seg), .in_valid_i(drop_q || place_seg_valid_i),
    .in_ready_o(rsp_seg_room), .out_data_o(rsp_seg_o), .out_valid_o(rsp_seg_valid_o),
    .out_ready_i(rsp_seg_ready_i), .level_o(rsp_seg_level));

  roci_requester_tx #(.NumQps(NumQps)) u_tx (
    .clk_i, .rst_ni, .desc_i, .desc_push_i(step_i.desc), .verdict_push_i(step_i.verdict),
    .desc_end_i(next_i.psn_next), .row_i, .una_i(next_i.una), .kill_i(step_i.kill),
    .newest_o, .left_o(left), .sent_valid_i, .sent_i,
    .fault_row_o, .fault_psn_o, .fault_left_o, .fault_valid_o, .fault_ready_i,
    .room_o(desc_room_o), .more_room_o(desc_more), .plan_seg_i, .plan_seg_valid_i,
    .plan_seg_ready_o,
    .desc_o, .desc_valid_o, .desc_ready_i, .seg_o, .seg_valid_o, .seg_ready_i,
    .count_o(tx_count), .count_valid_o(tx_count_valid),
    .count_ready_i(count_ready && !rsp_count_valid), .empty_o(tx_empty));

  assign empty_o = tx_empty && !ptr_valid_o && !cqe_here && !fail_valid_o && !timer_cmd_valid_o
                   && !rsp_count_valid && !count_valid_o && !atomic_job_valid_o && !rsp_seg_valid_o
                   && !drop_q;

  logic unused;
  assign unused = &{1'b0, next_i, rsp_i, aeth, place_i, step_i, data_ahead};

  `ASSERT(LevelsAgree, ptr_level_q == ptr_level && fail_level_q == fail_level
                       && timer_level_q == timer_level && count_level_q == count_level)
  `ASSERT(CountHasRoom, `IMPLIES(step_i.count, count_room))
  `ASSERT(TimerHasRoom, `IMPLIES(step_i.timer, timer_room))
  `ASSERT(PtrHasRoom, `IMPLIES(step_i.ptr, ptr_room))
  `ASSERT(FailHasRoom, `IMPLIES(step_i.fail, fail_room))
  `ASSERT(JobHasRoom, `IMPLIES(step_i.job, job_room))
  `ASSERT(DropHasRoom, `IMPLIES(drop_q, rsp_seg_room && !place_seg_valid_i))
  `ASSERT(NoCompletionLost, `IMPLIES(step_i.cqe, cqe_ready))

endmodule
