// SPDX-License-Identifier: Apache-2.0
// Scheduler of send queues: holds how far each queue is posted and fetched, and hands out grants.
//
// Throughput: one event (doorbell, fetch pointer, state change, grant) per clock. Latency: four
// clocks from a doorbell to its grant when the ready queue is empty, else to the ready queue, and
// five from there to the grant.
//
// A queue pair stands in the ready queue at most once (`queued`), has at most one grant outside
// (`granted`), and is `ready` while the requester does not hold it back.
//
//   row bus > commands > fetch pointers > doorbells > grants      one is chosen per clock
//                 |
//     read word --> keep word --> decide, write word --> ready queue, grants, control, failures

`include "assert.svh"

module roci_sq_sched #(
  parameter int unsigned NumQps = 256  // queue pairs, a power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // doorbells, commands
  input  roci_pkg::doorbell_t       doorbell_i,
  input  logic                      doorbell_valid_i,
  output logic                      doorbell_ready_o,
  input  roci_pkg::qp_event_t       qp_event_i,
  input  logic                      qp_event_valid_i,
  output logic                      qp_event_ready_o,

  // fetch pointers: of the segmenter, which end a grant, and of the requester, which set the epoch
  input  roci_pkg::fetch_ptr_t      segment_ptr_i,
  input  logic                      segment_ptr_valid_i,
  output logic                      segment_ptr_ready_o,
  input  roci_pkg::fetch_ptr_t      set_ptr_i,
  input  logic                      set_ptr_valid_i,
  output logic                      set_ptr_ready_o,

  // index of the oldest work request not completed, whenever it changes
  input  logic                      done_valid_i,
  input  logic [$clog2(NumQps)-1:0] done_row_i,
  input  logic [15:0]               done_index_i,

  // out
  output roci_pkg::grant_t          grant_o,
  output logic                      grant_valid_o,
  input  logic                      grant_ready_i,
  output roci_pkg::sq_control_t     control_o,
  output logic                      control_valid_o,
  input  logic                      control_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,

  input  logic                      pause_i,
  output logic                      idle_o
);

  localparam int unsigned QpBits = $clog2(NumQps);
  localparam int unsigned MaxGrant = 32;  // work requests

  // Choice of the next event
  logic [2:0]          pick;
  logic                pick_valid, memory_ready, outputs_free;
  logic [QpBits-1:0]   pick_row;
  logic                ready_valid;
  logic [QpBits-1:0]   ready_row;
  logic                grant_room, control_room, fail_room;

  logic                is_state;
  assign is_state     = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState;
  assign outputs_free = memory_ready && control_room && fail_room;

  always_comb begin
    pick       = roci_pkg::SchedState;
    pick_valid = 1'b1;
    pick_row   = row_write_i.index[QpBits-1:0];
    if (is_state) begin
      pick = roci_pkg::SchedState;
    end else if (qp_event_valid_i && outputs_free) begin
      pick     = roci_pkg::SchedCommand;
      pick_row = qp_event_i.qpn[QpBits-1:0];
    end else if (set_ptr_valid_i && memory_ready) begin
      pick     = roci_pkg::SchedSet;
      pick_row = set_ptr_i.qpn[QpBits-1:0];
    end else if (segment_ptr_valid_i && memory_ready) begin
      pick     = roci_pkg::SchedSegment;
      pick_row = segment_ptr_i.qpn[QpBits-1:0];
    end else if (doorbell_valid_i && outputs_free) begin
      pick     = roci_pkg::SchedBell;
      pick_row = doorbell_i.qpn[QpBits-1:0];
    end else begin
      pick       = roci_pkg::SchedGrant;
      pick_row   = ready_row;
      pick_valid = ready_valid && grant_room && memory_ready && !pause_i;
    end
  end

  assign qp_event_ready_o = pick_valid && pick == roci_pkg::SchedCommand;
  assign set_ptr_ready_o  = pick_valid && pick == roci_pkg::SchedSet;
  assign segment_ptr_ready_o  = pick_valid && pick == roci_pkg::SchedSegment;
  assign doorbell_ready_o = pick_valid && pick == roci_pkg::SchedBell;

  // The event whose word is read, then in hand with its word
  logic                  reads_q, valid_q;
  logic [2:0]            read_event_q, event_q;
  logic [QpBits-1:0]     read_row_q, row_q;
  logic [2:0]            read_state_q, state_q;    // roci_pkg::SchedState
  logic                  read_direct_q, direct_q;  // no queue pair waits, and a grant has room
  logic                  read_flush_q, flush_q;    // roci_pkg::SchedCommand
  logic                  read_resume_q, resume_q;
  roci_pkg::fetch_ptr_t  read_ptr_q, ptr_q;        // roci_pkg::SchedSet, roci_pkg::SchedSegment
  logic [15:0]           read_past_q, past_q;      // roci_pkg::SchedSegment: what was begun
  logic [15:0]           read_index_q, index_q;    // roci_pkg::SchedBell

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {reads_q, valid_q} <= '0;
    else {reads_q, valid_q} <= {pick_valid, reads_q};
  end
  always_ff @(posedge clk_i) begin
    read_event_q  <= pick;
    read_row_q    <= pick_row;
    read_state_q  <= row_write_i.data[roci_pkg::QpStateBits-1:0];
    read_direct_q <= !ready_valid && grant_room && !pause_i;
    read_flush_q  <= qp_event_i.kind == roci_pkg::QpEventFlush;
    read_resume_q <= qp_event_i.kind == roci_pkg::QpEventResume;
    read_index_q  <= doorbell_i.index;
    read_ptr_q    <= pick == roci_pkg::SchedSet ? set_ptr_i : segment_ptr_i;
    read_past_q   <= segment_ptr_i.wqe_index + 16'(segment_ptr_i.offset != '0);
    event_q       <= read_event_q;
    row_q         <= read_row_q;
    state_q       <= read_state_q;
    direct_q      <= read_direct_q;
    flush_q       <= read_flush_q;
    resume_q      <= read_resume_q;
    index_q       <= read_index_q;
    ptr_q         <= read_ptr_q;
    past_q        <= read_past_q;
  end

  localparam int unsigned WordBits = roci_pkg::SchedQpBits;
  logic [WordBits-1:0] read_bits, word_bits, next_bits;
  roci_pkg::sched_qp_t word, turned, next;
  logic [15:0]         read_done, done;
  logic [3:0]          read_sq_log, sq_log;
  logic                unused_ready;
  logic [QpBits:0]     unused_level;

  roci_ram #(.Width(WordBits), .Depth(NumQps), .Clear(1), .Forward(1)) u_word (
    .clk_i, .rst_ni,
    .write_i(valid_q), .write_row_i(row_q), .write_data_i(next_bits),
    .read_i(pick_valid), .read_row_i(pick_row), .read_data_o(read_bits), .ready_o(memory_ready));
  roci_ram #(.Width(16), .Depth(NumQps), .Forward(1)) u_done (
    .clk_i, .rst_ni,
    .write_i(done_valid_i), .write_row_i(done_row_i), .write_data_i(done_index_i),
    .read_i(pick_valid), .read_row_i(pick_row), .read_data_o(read_done), .ready_o(unused_ready));

  roci_pkg::qp_attr_t attr;
  logic               unused_attr, unused_attr_ready;
  assign attr = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign unused_attr = &{1'b0, attr, unused_ready, unused_attr_ready, ptr_q, unused_level};
  roci_ram #(.Width(4), .Depth(NumQps)) u_sq_log (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr),
    .write_row_i(row_write_i.index[QpBits-1:0]), .write_data_i(attr.sq_log),
    .read_i(pick_valid), .read_row_i(pick_row), .read_data_o(read_sq_log),
    .ready_o(unused_attr_ready));

  // An event of the row in hand sees what that one leaves; the memory forwards what is written
  // while it is read.
  always_ff @(posedge clk_i) begin
    word_bits <= valid_q && row_q == read_row_q ? next_bits : read_bits;
    done      <= read_done;
    sq_log    <= read_sq_log;
  end

  // Decision: `turned` is the word after the event, `next` also says queued or granted.
  logic        more, wanted, at_once, join_queue, fail, control, grant;
  logic [15:0] left;
  assign word      = word_bits;
  assign next_bits = next;
  roci_sq_sched_decide u_decide (
    .event_i(event_q), .state_i(state_q), .flush_i(flush_q), .resume_i(resume_q), .ptr_i(ptr_q),
    .past_i(past_q), .index_i(index_q),
    .word_i(word), .done_i(done), .sq_log_i(sq_log), .word_o(turned), .left_o(left),
    .more_o(more), .fail_o(fail), .control_o(control));
  assign wanted     = valid_q && more && !turned.queued;
  assign at_once    = event_q == roci_pkg::SchedGrant
                      || (event_q == roci_pkg::SchedBell && direct_q);
  assign grant      = wanted && at_once;
  assign join_queue = wanted && !at_once;
  always_comb begin
    next         = turned;
    next.queued  = turned.queued || join_queue;
    next.granted = turned.granted || grant;
  end

  // What an event gives out is registered, then queued.
  logic                  join_q, grant_q, control_q, fail_q;
  logic [QpBits-1:0]     join_row_q;
  roci_pkg::grant_t      grant_in_q, grant_in;  // the count is set at the queue
  logic [15:0]           left_q;
  logic [5:0]            most_q;
  roci_pkg::sq_control_t control_in_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {join_q, grant_q, control_q, fail_q} <= '0;
    else {join_q, grant_q, control_q, fail_q} <= {join_queue, grant, valid_q && control,
                                                  valid_q && fail};
    join_row_q           <= row_q;
    grant_in_q.qpn       <= 24'(row_q);
    grant_in_q.epoch     <= word.epoch;
    grant_in_q.wqe_index <= word.fetched;
    grant_in_q.count     <= '0;
    left_q               <= left;
    most_q               <= 6'(MaxGrant) >> word.less;
    grant_in_q.offset    <= word.offset;
    control_in_q.qpn     <= 24'(row_q);
    control_in_q.flush   <= event_q == roci_pkg::SchedBell || flush_q;
    control_in_q.resume  <= event_q != roci_pkg::SchedBell && resume_q;
    control_in_q.clear   <= word.clear;
    // The event is a doorbell or a command: no other informs the requester.
    control_in_q.index   <= event_q == roci_pkg::SchedBell ? index_q
                            : flush_q ? word.produced : '0;
  end

  always_comb begin
    grant_in       = grant_in_q;
    grant_in.count = left_q > 16'(most_q) ? most_q : left_q[5:0];
  end

  // Ready queue, outputs
  localparam int unsigned OutDepth = 8;
  localparam int unsigned Reserve  = 3;
  logic                      ready_room, grant_in_ready, control_in_ready, fail_in_ready;
  logic [$clog2(OutDepth):0] grant_level, control_level, fail_level;
  roci_pkg::event_req_t      fail_in;

  roci_fifo #(.Width(QpBits), .Depth(NumQps)) u_ready (
    .clk_i, .rst_ni,
    .in_data_i(join_row_q), .in_valid_i(join_q), .in_ready_o(ready_room),
    .out_data_o(ready_row), .out_valid_o(ready_valid),
    .out_ready_i(pick_valid && pick == roci_pkg::SchedGrant), .level_o(unused_level));
  roci_fifo #(.Width(roci_pkg::GrantBits), .Depth(OutDepth)) u_grant (
    .clk_i, .rst_ni,
    .in_data_i(grant_in), .in_valid_i(grant_q), .in_ready_o(grant_in_ready),
    .out_data_o(grant_o), .out_valid_o(grant_valid_o), .out_ready_i(grant_ready_i),
    .level_o(grant_level));
  roci_fifo #(.Width(roci_pkg::SqControlBits), .Depth(OutDepth)) u_control (
    .clk_i, .rst_ni,
    .in_data_i(control_in_q), .in_valid_i(control_q), .in_ready_o(control_in_ready),
    .out_data_o(control_o), .out_valid_o(control_valid_o), .out_ready_i(control_ready_i),
    .level_o(control_level));
  assign fail_in.kind   = roci_pkg::EventQpFatal;
  assign fail_in.number = 24'(join_row_q);
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(OutDepth)) u_fail (
    .clk_i, .rst_ni,
    .in_data_i(fail_in), .in_valid_i(fail_q), .in_ready_o(fail_in_ready),
    .out_data_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(fail_level));

  // Two events may be on their way and the records of one in the registers when the next is chosen.
  // What leaves makes room a clock later, so that the choice follows from registers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {grant_room, control_room, fail_room} <= '0;
    else begin
      grant_room   <= grant_level + 4'(grant_q) < 4'(OutDepth - Reserve);
      control_room <= control_level + 4'(control_q) < 4'(OutDepth - Reserve);
      fail_room    <= fail_level + 4'(fail_q) < 4'(OutDepth - Reserve);
    end
  end

  assign idle_o = memory_ready && !reads_q && !valid_q && !join_q && !grant_q && !control_q
                  && !fail_q && !is_state && !qp_event_valid_i && !set_ptr_valid_i
                  && !segment_ptr_valid_i && !doorbell_valid_i && (!ready_valid || pause_i)
                  && !grant_valid_o && !control_valid_o && !fail_valid_o;

  `ASSERT(ReadyQueueHasRoom, `IMPLIES(join_q, ready_room))
  `ASSERT(GrantHasRoom, `IMPLIES(grant_q, grant_in_ready))
  `ASSERT(ControlHasRoom, `IMPLIES(control_q, control_in_ready))
  `ASSERT(FailHasRoom, `IMPLIES(fail_q, fail_in_ready))

endmodule
