// SPDX-License-Identifier: Apache-2.0
// Posted receives: producer and consumer index of each queue pair and each SRQ, and the blocks of
// their oldest entries, fetched before they are needed.
//
// Throughput: an operation (order, doorbell or arrival) every clock, one of each kind every two; a
// Peek takes two, a fetch three, taking an entry of an SRQ 7 to 10. Latency from doorbell to block
// read: nine clocks.
//
//   doorbells --> ring word --> work queues --> block read --> in flight --> blocks --> list reads
//                    ^                                            |            ^
//                    +--- orders (peek, free, init, flush) -------+ arrival    | copy (SRQ)
//
// A fetch belongs to an epoch of its ring; what arrives for an older one is not counted.

`include "assert.svh"

module roci_rq_fetch #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned NumSrqs = 64,   // power of two
  parameter int unsigned Blocks  = 16,   // kept per queue pair and SRQ: 4, 8 or 16
  parameter int unsigned Srq     = 1     // 0: no SRQs, and no queue pair takes from one
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      pause_i,  // stops doorbells
  output logic                      idle_o,

  input  roci_pkg::doorbell_t       doorbell_i,
  input  logic                      doorbell_valid_i,
  output logic                      doorbell_ready_o,
  input  roci_pkg::doorbell_t       srq_doorbell_i,  // qpn is the SRQ
  input  logic                      srq_doorbell_valid_i,
  output logic                      srq_doorbell_ready_o,
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,
  input  logic [23:0]               live_srqn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::srq_live_t       live_o,          // with ready

  // orders; the result is there in the clock of ready
  input  roci_pkg::receive_cmd_t    cmd_i,
  input  logic                      cmd_valid_i,
  output logic                      cmd_ready_o,
  output roci_pkg::receive_rsp_t    rsp_o,

  // look ahead: is a receive posted and fetched; result one clock later
  input  logic                      seen_read_i,
  input  logic [$clog2(NumQps)-1:0] seen_row_i,
  input  logic [15:0]               seen_base_i,   // with the result: receive base + ahead
  input  logic [2:0]                seen_ahead_i,
  output logic                      seen_posted_o,
  output logic                      seen_fetched_o,

  // list of a fetched receive; result one clock later
  input  logic                      list_read_i,
  input  logic [23:0]               list_qpn_i,
  input  logic [3:0]                list_block_i,    // first block of the list, modulo Blocks
  input  logic [3:0]                list_sge_i,
  output roci_pkg::sge_t            list_sge_o,
  output logic [7:0]                list_num_sge_o,  // these three when list_sge_i was 0
  output logic [15:0]               list_pd_o,       // domain of an entry taken from an SRQ
  output logic [1:0]                list_stride_o,

  output logic                      index_write_o,  // index up to which receives are posted
  output logic [$clog2(NumQps)-1:0] index_row_o,
  output logic [15:0]               index_o,
  output logic                      fetched_o,      // pulse: something arrived
  output logic [$clog2(NumQps)-1:0] posted_row_o,   // a receive was posted in ERR
  output logic                      posted_valid_o,
  input  logic                      posted_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::event_req_t      event_o,        // SrqLimit, SrqError
  output logic                      event_valid_o,
  input  logic                      event_ready_i,

  // block reads
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  input  logic [DataWidth:0]        br_rsp_i,  // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o
);

  `PARAM_CHECK(BlocksFit, Blocks == 4 || Blocks == 8 || Blocks == 16)

  localparam int unsigned RowBits   = $clog2(NumQps > NumSrqs ? NumQps : NumSrqs);
  localparam int unsigned QpRowBits = $clog2(NumQps);
  localparam int unsigned BlockBits = $clog2(Blocks);

  // Tables.
  logic                    read, read_srq, acts, acted, srq, in_reset, takes, table_ready, unused;
  logic                    work_ready, srq_work_ready, ready, changes, of_cmd;
  logic [RowBits-1:0]      read_row, read_qp, row, take;
  logic [$clog2(NumSrqs)-1:0] read_srqn;
  roci_pkg::receive_ring_t ring, ring_d, word;
  logic [19:0]             pasid;
  logic [51:0]             base;
  logic [15:0]             mask;
  logic [1:0]              stride_log;
  logic [15:0]             pd, limit;
  roci_rq_table #(.NumQps(NumQps), .NumSrqs(NumSrqs), .Srq(Srq)) u_table (
    .clk_i, .rst_ni, .ready_o(table_ready), .row_write_valid_i, .row_write_i,
    .read_i(read), .read_srq_i(read_srq), .read_row_i(read_row), .of_cmd_i(of_cmd),
    .cmd_row_i(cmd_i.qpn[RowBits-1:0]), .qp_row_i(read_qp), .srq_row_i(read_srqn), .srq_o(srq),
    .row_o(row), .ring_o(ring), .pasid_o(pasid), .base_o(base), .mask_o(mask),
    .stride_log_o(stride_log), .in_reset_o(in_reset), .takes_o(takes), .take_o(take), .pd_o(pd),
    .limit_o(limit), .changes_o(changes), .acts_i(acts), .write_i(acted), .word_i(word),
    .seen_read_i, .seen_row_i, .seen_base_i, .seen_ahead_i, .seen_posted_o, .seen_fetched_o
  );
  assign unused = &list_qpn_i;
  // The tables are cleared once, so a clock later is soon enough.
  always_ff @(posedge clk_i) ready <= rst_ni && table_ready && work_ready && srq_work_ready;

  logic                 more, bell_wild, bell_posts;
  logic [4:0]           entries, blocks;
  logic [BlockBits-1:0] block;
  logic [63:0]          addr;
  logic [15:0]          bell;
  roci_rq_next #(.Blocks(Blocks)) u_next (
    .clk_i, .rst_ni, .ring_i(ring), .base_i(base), .mask_i(mask), .stride_log_i(stride_log),
    .bell_i(bell), .compare_i(acts),
    .more_o(more), .entries_o(entries), .blocks_o(blocks), .block_o(block), .addr_o(addr),
    .bell_wild_o(bell_wild), .bell_posts_o(bell_posts)
  );

  // Work queues. A push comes a clock after the operation; a ring that is taken from its queue in
  // that clock has one more turn.
  logic                       work_push_q, push_srq_q, push, bell_push;
  logic [RowBits-1:0]         push_row_q;
  logic                       work_push, work_valid, work_pop, srq_work_valid, srq_work_pop;
  logic [QpRowBits-1:0]       work_row;
  logic [$clog2(NumSrqs)-1:0] srq_work_row;
  logic [QpRowBits:0]         work_level;
  logic [$clog2(NumSrqs):0]   srq_work_level;
  roci_rq_queue #(.NumQps(NumQps)) u_work (
    .clk_i, .rst_ni,
    .push_i(push && !push_srq_q), .push_row_i(push_row_q[QpRowBits-1:0]),
    .pop_valid_o(work_valid), .pop_row_o(work_row), .pop_i(work_pop), .level_o(work_level),
    .ready_o(work_ready)
  );
  if (Srq != 0) begin : gen_srq_work
    roci_rq_queue #(.NumQps(NumSrqs)) u_srq_work (
      .clk_i, .rst_ni,
      .push_i(push && push_srq_q), .push_row_i(push_row_q[$clog2(NumSrqs)-1:0]),
      .pop_valid_o(srq_work_valid), .pop_row_o(srq_work_row), .pop_i(srq_work_pop),
      .level_o(srq_work_level), .ready_o(srq_work_ready)
    );
  end else begin : gen_no_srq_work
    logic unused_srq_work;
    assign unused_srq_work = srq_work_pop;
    assign srq_work_valid  = 1'b0;
    assign srq_work_row    = '0;
    assign srq_work_level  = '0;
    assign srq_work_ready  = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) work_push_q <= 1'b0;
    else work_push_q <= work_push;
    push_srq_q <= srq;
    push_row_q <= row;
  end
  assign push = work_push_q || bell_push;
  // Blocks.
  logic               flight_ready, done_valid, done_taken, done_bad, done_srq;
  logic               copy_start, copy_done, br_set, blocks_idle;
  logic [RowBits-1:0] done_row;
  logic [3:0]         done_epoch;
  logic [4:0]         done_entries;
  logic [15:0]        copy_tag;
  roci_rq_blocks #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumSrqs(NumSrqs), .Blocks(Blocks), .Srq(Srq)
  ) u_blocks (
    .clk_i, .rst_ni, .idle_o(blocks_idle),
    .push_i(br_set), .push_ready_o(flight_ready), .srq_i(srq), .row_i(row),
    .epoch_i(ring.epoch), .block_i(block), .blocks_i(blocks), .entries_i(entries), .br_rsp_i,
    .br_rsp_valid_i, .br_rsp_ready_o, .done_valid_o(done_valid), .done_taken_i(done_taken),
    .done_bad_o(done_bad),
    .done_srq_o(done_srq), .done_row_o(done_row), .done_epoch_o(done_epoch),
    .done_entries_o(done_entries), .copy_start_i(copy_start), .copy_srqn_i(row),
    .copy_block_i(BlockBits'(ring.cons << stride_log)), .copy_stride_i(stride_log),
    .copy_pd_i(pd), .copy_row_i(cmd_i.qpn[QpRowBits-1:0]), .copy_done_o(copy_done),
    .copy_tag_o(copy_tag), .list_read_i, .list_row_i(list_qpn_i[QpRowBits-1:0]), .list_block_i,
    .list_sge_i, .list_sge_o, .list_num_sge_o, .list_pd_o, .list_stride_o
  );

  // One operation at a time.
  logic at_arrival, at_cmd, at_seek, at_take, at_hold, at_bell, at_srq_bell, at_work, at_live;
  logic fail_set, event_set, bell_fail, bell_event, bell_posted, room;
  logic may_seek, seeks_q, take_ok_q, select_idle;
  assign bell = srq ? srq_doorbell_i.index : doorbell_i.index;
  // A queue pair with an SRQ that holds no receive requests one. Whether it holds one, and whether
  // the SRQ has one and how many are left then, is known a clock after the read.
  logic        limit_hit_q;
  logic [15:0] left;
  assign left     = ring.prod - ring.cons - 16'd1;
  assign may_seek = at_cmd && cmd_i.op == roci_pkg::ReceiveOpPeek;
  always_ff @(posedge clk_i) begin
    seeks_q     <= takes && ring.active && ring.prod == ring.cons;
    take_ok_q   <= ring.active && ring.got != ring.cons;
    limit_hit_q <= left < limit;
  end
  roci_rq_select #(.NumQps(NumQps), .NumSrqs(NumSrqs), .Srq(Srq)) u_select (
    .clk_i, .rst_ni, .ready_i(ready), .pause_i, .idle_o(select_idle),
    .arrival_valid_i(done_valid), .arrival_srq_i(done_srq), .arrival_row_i(done_row),
    .cmd_valid_i, .cmd_ready_i(cmd_ready_o), .cmd_qpn_i(cmd_i.qpn),
    .live_valid_i(Srq != 0 && live_valid_i), .live_srqn_i,
    .doorbell_valid_i, .doorbell_qpn_i(doorbell_i.qpn),
    .srq_doorbell_valid_i(Srq != 0 && srq_doorbell_valid_i),
    .srq_doorbell_srqn_i(srq_doorbell_i.qpn),
    .work_valid_i(work_valid), .work_row_i(work_row),
    .srq_work_valid_i(srq_work_valid), .srq_work_row_i(srq_work_row),
    .srq_i(srq), .row_i(row), .changes_i(changes), .may_seek_i(may_seek),
    .seeks_i(seeks_q), .take_row_i(take), .copy_start_i(copy_start), .copy_done_i(copy_done),
    .room_i(room), .fetch_room_i(!br_req_valid_o && flight_ready),
    .read_o(read), .read_srq_o(read_srq), .read_row_o(read_row), .of_cmd_o(of_cmd),
    .qp_row_o(read_qp), .srq_row_o(read_srqn),
    .work_pop_o(work_pop), .srq_work_pop_o(srq_work_pop),
    .arrival_o(at_arrival), .cmd_o(at_cmd), .seek_o(at_seek), .take_o(at_take), .hold_o(at_hold),
    .bell_o(at_bell), .srq_bell_o(at_srq_bell), .work_o(at_work), .live_o(at_live)
  );

  assign cmd_ready_o          = (at_cmd && !may_seek) || (at_seek && !seeks_q) || at_hold
                             || (at_take && !copy_start);
  assign doorbell_ready_o     = at_bell;
  assign srq_doorbell_ready_o = at_srq_bell || Srq == 0;
  assign live_ready_o         = at_live || (Srq == 0 && live_valid_i);
  assign done_taken           = at_arrival;
  // Effects on the row that was read.
  assign acts = at_arrival || (at_cmd && !may_seek) || at_take || at_hold || at_bell || at_srq_bell
              || at_work;
  roci_rq_act u_act (
    .arrival_i(at_arrival), .cmd_i(at_cmd), .take_i(at_take), .take_ok_i(take_ok_q),
    .limit_hit_i(limit_hit_q), .hold_i(at_hold), .work_i(at_work), .srq_i(srq),
    .in_reset_i(in_reset), .ring_i(ring), .done_epoch_i(done_epoch), .done_bad_i(done_bad),
    .done_entries_i(done_entries), .op_i(cmd_i.op), .copy_tag_i(copy_tag), .entries_i(entries),
    .more_i(more), .ring_o(ring_d), .work_push_o(work_push), .fail_o(fail_set),
    .event_o(event_set), .fetch_o(br_set), .copy_o(copy_start), .fetched_o
  );
  roci_rq_word u_word (
    .clk_i, .rst_ni, .acts_i(acts), .bell_i(at_bell || at_srq_bell), .srq_i(srq),
    .in_reset_i(in_reset), .takes_i(takes), .ring_i(ring_d), .bell_index_i(bell),
    .bell_wild_i(bell_wild), .bell_posts_i(bell_posts), .word_o(word), .acted_o(acted),
    .work_push_o(bell_push), .fail_o(bell_fail), .event_o(bell_event), .posted_o(bell_posted)
  );

  // Reports. When an SRQ is broken, the queue pair that requested an entry fails; else a failure
  // concerns the row that was read. An operation that may report is chosen while all three queues
  // are empty; the one before it may still report then, and a doorbell before that.
  logic [RowBits-1:0] fail_row, event_row;
  logic               event_limit;
  roci_rq_reports #(.RowBits(RowBits), .QpRowBits(QpRowBits)) u_reports (
    .clk_i, .rst_ni, .row_i(row), .fail_row_i(srq ? cmd_i.qpn[RowBits-1:0] : row),
    .limit_i(at_take), .fail_i(fail_set), .event_i(event_set), .bell_fail_i(bell_fail),
    .bell_event_i(bell_event), .bell_posted_i(bell_posted), .room_o(room), .fail_row_o(fail_row),
    .fail_valid_o, .fail_ready_i, .event_row_o(event_row), .event_limit_o(event_limit),
    .event_valid_o, .event_ready_i, .posted_row_o, .posted_valid_o, .posted_ready_i
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) br_req_valid_o <= 1'b0;
    else br_req_valid_o <= br_set || (br_req_valid_o && !br_req_ready_i);
    if (br_set) begin
      br_req_o.addr  <= addr;
      br_req_o.pasid <= pasid;
      br_req_o.count <= blocks;
    end
  end

  // Posted but not fetched is also the result for a broken SRQ: the queue pair is about to fail.
  assign rsp_o.posted    = at_hold ? ring.active
                         : ring.prod != ring.cons || (at_take && !ring.active);
  assign rsp_o.fetched   = at_hold || (at_seek && ring.active && ring.got != ring.cons);
  assign rsp_o.index     = at_hold ? copy_tag : ring.cons;
  assign index_write_o   = acted && !push_srq_q;
  assign index_row_o     = push_row_q[QpRowBits-1:0];
  assign index_o         = word.prod;
  assign live_o.producer = Srq != 0 ? ring.prod : '0;
  assign live_o.consumer = Srq != 0 ? ring.cons : '0;
  assign live_o.limit    = limit;
  assign fail_o.kind     = roci_pkg::EventQpFatal;
  assign fail_o.number   = 24'(fail_row);
  assign event_o.kind    = event_limit ? roci_pkg::EventSrqLimit : roci_pkg::EventSrqError;
  assign event_o.number  = 24'(event_row);
  assign idle_o = select_idle && !cmd_valid_i && !live_valid_i
               && !((doorbell_valid_i || srq_doorbell_valid_i) && !pause_i)
               && !work_push_q && !acted && work_level == '0 && srq_work_level == '0
               && blocks_idle && room && !br_req_valid_o && ready;

  `ASSERT(NeverMoreThanPosted, `IMPLIES(acted && word.active,
                                        word.next - word.cons <= word.prod - word.cons))
  `ASSERT(FetchFits, `IMPLIES(br_set, blocks <= 5'(Blocks) && 7'(addr[11:6]) + 7'(blocks) <= 7'd64))
  `ASSERT(CopyIsPosted, `IMPLIES(copy_start, ring.prod != ring.cons))

endmodule
