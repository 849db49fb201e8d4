// Posted receives: producer and consumer index of each queue pair, and the blocks of its oldest
// entries, fetched before they are needed.
//
// Throughput: an order, doorbell, fetch or arrival every clock, of each kind every two. Latency
// from doorbell to block read: six clocks.
//
//   doorbell --> index word --> work queue --> block read --> in flight --> blocks --> list reads
//                    ^                                            |
//                    +--- orders (peek, free, init, flush) -------+ arrival
//
// A fetch belongs to an epoch of its queue pair; what arrives for an older one is not counted.
// Rows of the block memory are overwritten in order of request, so that late data does no harm.

`include "assert.svh"

module roci_rq_fetch #(
  parameter int unsigned NumQps = 256,  // power of two
  parameter int unsigned Blocks = 16    // kept per queue pair: 4, 8 or 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     pause_i,  // stops doorbells
  output logic                     idle_o,

  input  roci_pkg::doorbell_t      doorbell_i,
  input  logic                     doorbell_valid_i,
  output logic                     doorbell_ready_o,
  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [roci_pkg::RowBits-1:0] row_data_i,

  // orders; the answer is there in the clock of ready
  input  roci_pkg::receive_cmd_t   cmd_i,
  input  logic                     cmd_valid_i,
  output logic                     cmd_ready_o,
  output roci_pkg::receive_rsp_t   rsp_o,

  // whether a receive is posted and fetched, whatever the index; answers one clock later
  input  logic                     seen_read_i,
  input  logic [$clog2(NumQps)-1:0] seen_row_i,
  input  logic [15:0]              seen_index_i,     // with the answer
  output logic                     seen_posted_o,
  output logic                     seen_fetched_o,

  // list of a fetched receive; answers one clock later
  input  logic                     list_read_i,
  input  logic [23:0]              list_qpn_i,
  input  logic [3:0]               list_block_i,     // of its first block, modulo Blocks
  input  logic [3:0]               list_sge_i,
  output roci_pkg::sge_t           list_sge_o,
  output logic [7:0]               list_num_sge_o,   // when list_sge_i was 0

  output logic                     fetched_o,        // pulse: something arrived
  output logic [$clog2(NumQps)-1:0] posted_row_o,    // a receive was posted in ERR
  output logic                     posted_valid_o,
  input  logic                     posted_ready_i,
  output roci_pkg::event_req_t     fail_o,
  output logic                     fail_valid_o,
  input  logic                     fail_ready_i,

  // block reads
  output logic                     br_valid_o,
  input  logic                     br_ready_i,
  output logic [63:0]              br_addr_o,
  output logic [19:0]              br_pasid_o,
  output logic [4:0]               br_count_o,
  input  logic [511:0]             br_data_i,
  input  logic                     br_error_i,
  input  logic                     br_data_valid_i,
  output logic                     br_data_ready_o
);

  `PARAM_CHECK(BlocksFit, Blocks == 4 || Blocks == 8 || Blocks == 16)

  localparam int unsigned RowBits   = $clog2(NumQps);
  localparam int unsigned BlockBits = $clog2(Blocks);

  // ---------------------------------------------------------------- tables
  roci_pkg::qp_attr_t row_attr;
  logic               row_is_attr, row_is_state, row_is_reset;
  logic [RowBits-1:0] row;
  logic               unused_row;
  assign row_attr     = row_data_i[roci_pkg::QpAttrBits-1:0];
  assign row          = row_index_i[RowBits-1:0];
  assign row_is_attr  = row_valid_i && row_table_i == roci_pkg::TableQpAttr;
  assign row_is_state = row_valid_i && row_table_i == roci_pkg::TableQpState;
  assign row_is_reset = row_is_state && row_data_i[2:0] == roci_pkg::QpReset;
  assign unused_row   = &{row_data_i, row_attr, row_index_i, doorbell_i.qpn, cmd_i.qpn, list_qpn_i,
                         list_block_i};

  localparam int unsigned AttrBits = 20 + 52 + 4 + 2;
  logic                read, write;
  logic [RowBits-1:0]  at, at_q;
  logic [AttrBits-1:0] attr;
  logic [2:0]          qp_state;
  logic [19:0]         attr_pasid;
  logic [51:0]         attr_base;
  logic [3:0]          attr_log;
  logic [1:0]          attr_stride;
  logic                attr_ready, state_ready, word_ready, blocks_ready;
  assign {attr_pasid, attr_base, attr_log, attr_stride} = attr;

  roci_ram #(.Width(AttrBits), .Depth(NumQps), .Forward(1)) u_attr (
    .clk_i, .rst_ni,
    .write_i(row_is_attr), .write_row_i(row),
    .write_data_i({row_attr.pasid, row_attr.rq_base[63:12], row_attr.rq_log, row_attr.rq_stride_log}),
    .read_i(read), .read_row_i(at), .read_data_o(attr), .ready_o(attr_ready)
  );
  roci_ram #(.Width(3), .Depth(NumQps), .Clear(1), .Forward(1)) u_state (
    .clk_i, .rst_ni,
    .write_i(row_is_state), .write_row_i(row), .write_data_i(row_data_i[2:0]),
    .read_i(read), .read_row_i(at), .read_data_o(qp_state), .ready_o(state_ready)
  );

  // The index word. A reset of the queue pair marks it old; then all but the epoch counts as 0.
  localparam int unsigned WordBits = 4 * 16 + 4 + 2;
  logic [WordBits-1:0] word, word_d;
  logic [15:0]         prod, cons, next, got, prod_d, cons_d, next_d, got_d;
  logic [3:0]          epoch, epoch_d;
  logic                active, flush, active_d, flush_d;
  logic [NumQps-1:0]   old_q;
  logic                old;
  assign old    = old_q[at_q];
  assign prod   = old ? '0 : word[15:0];
  assign cons   = old ? '0 : word[31:16];
  assign next   = old ? '0 : word[47:32];  // to be fetched next
  assign got    = old ? '0 : word[63:48];  // to arrive next
  assign epoch  = word[67:64] + 4'(old);
  assign active = !old && word[68];
  assign flush  = !old && word[69];
  assign word_d = {flush_d, active_d, epoch_d, got_d, next_d, cons_d, prod_d};

  roci_ram #(.Width(WordBits), .Depth(NumQps), .Forward(1)) u_word (
    .clk_i, .rst_ni,
    .write_i(write), .write_row_i(at_q), .write_data_i(word_d),
    .read_i(read), .read_row_i(at), .read_data_o(word), .ready_o(word_ready)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) old_q <= '1;
    else begin
      if (write) old_q[at_q] <= 1'b0;
      if (row_is_reset) old_q[row] <= 1'b1;
    end
  end

  // A second copy of what tells how far the receives are.
  logic [15:0]        seen_prod, seen_got, seen_left, seen_here;
  logic [RowBits-1:0] seen_row_q;
  logic               seen_active, seen_old, unused_ready;
  roci_ram #(.Width(33), .Depth(NumQps), .Forward(1)) u_seen (
    .clk_i, .rst_ni,
    .write_i(write), .write_row_i(at_q), .write_data_i({active_d, got_d, prod_d}),
    .read_i(seen_read_i), .read_row_i(seen_row_i),
    .read_data_o({seen_active, seen_got, seen_prod}), .ready_o(unused_ready)
  );
  always_ff @(posedge clk_i) begin
    if (seen_read_i) seen_row_q <= seen_row_i;
  end
  assign seen_old       = old_q[seen_row_q];
  assign seen_left      = seen_prod - seen_index_i;
  assign seen_here      = seen_got - seen_index_i;
  assign seen_posted_o  = !seen_old && seen_active && signed'(seen_left) > 16'sd0;
  assign seen_fetched_o = seen_posted_o && signed'(seen_here) > 16'sd0;

  // ---------------------------------------------------------------- work queue
  logic               work_push, work_valid, work_pop;
  logic [RowBits-1:0] work_row;
  logic [RowBits:0]   work_level;
  roci_rq_queue #(.NumQps(NumQps)) u_work (
    .clk_i, .rst_ni,
    .push_i(work_push), .push_row_i(at_q),
    .pop_valid_o(work_valid), .pop_row_o(work_row), .pop_i(work_pop), .level_o(work_level)
  );

  // ---------------------------------------------------------------- requests in flight
  localparam int unsigned FlightBits = RowBits + 4 + BlockBits + 5 + 5;
  logic [FlightBits-1:0] flight;
  logic                  flight_push, flight_ready, flight_valid, flight_pop;
  logic [5:0]            unused_flight_level;
  logic [RowBits-1:0]    flight_row;
  logic [3:0]            flight_epoch;
  logic [BlockBits-1:0]  flight_block;
  logic [4:0]            flight_blocks, flight_entries;
  logic [4:0]            blocks, entries;    // of the fetch being made
  logic [BlockBits-1:0]  block;
  roci_fifo #(.Width(FlightBits), .Depth(32)) u_flight (
    .clk_i, .rst_ni,
    .in_data_i({at_q, epoch, block, blocks, entries}), .in_valid_i(flight_push), .in_ready_o(flight_ready),
    .out_data_o(flight), .out_valid_o(flight_valid), .out_ready_i(flight_pop),
    .level_o(unused_flight_level)
  );
  assign {flight_row, flight_epoch, flight_block, flight_blocks, flight_entries} = flight;

  logic [3:0]         arrived_q;     // blocks of the oldest request
  logic               bad_q;         // one of them failed
  logic               done_valid_q, done_bad_q;
  logic [RowBits-1:0] done_row_q;
  logic [3:0]         done_epoch_q;
  logic [4:0]         done_entries_q;
  logic               done_taken, take, take_last;
  assign br_data_ready_o = flight_valid && !done_valid_q;
  assign take            = br_data_valid_i && br_data_ready_o;
  assign take_last       = 5'(arrived_q) + 5'd1 == flight_blocks;
  assign flight_pop      = take && take_last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arrived_q    <= '0;
      bad_q        <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin
      if (done_taken) done_valid_q <= 1'b0;
      if (take) begin
        arrived_q    <= take_last ? '0 : arrived_q + 1'b1;
        bad_q        <= !take_last && (bad_q || br_error_i);
        done_valid_q <= take_last;
      end
    end
    if (flight_pop) begin
      done_bad_q     <= bad_q || br_error_i;
      done_row_q     <= flight_row;
      done_epoch_q   <= flight_epoch;
      done_entries_q <= flight_entries;
    end
  end

  // ---------------------------------------------------------------- blocks
  logic [511:0] list_block;
  logic [1:0]   lane_q;
  logic [3:0]   list_sge_less;
  logic [BlockBits-1:0] list_at, take_at;
  assign list_sge_less = list_sge_i - 4'd1;
  assign list_at = list_sge_i == '0 ? list_block_i[BlockBits-1:0]
                 : list_block_i[BlockBits-1:0] + BlockBits'(list_sge_less[3:2]) + 1'b1;
  assign take_at = flight_block + BlockBits'(arrived_q);
  roci_ram #(.Width(512), .Depth(Blocks * NumQps)) u_blocks (
    .clk_i, .rst_ni,
    .write_i(take), .write_row_i({flight_row, take_at}), .write_data_i(br_data_i),
    .read_i(list_read_i), .read_row_i({list_qpn_i[RowBits-1:0], list_at}),
    .read_data_o(list_block), .ready_o(blocks_ready)
  );
  always_ff @(posedge clk_i) begin
    if (list_read_i) lane_q <= list_sge_i == '0 ? 2'd3 : list_sge_less[1:0];
  end
  assign list_sge_o     = list_block[128*lane_q +: 128];
  assign list_num_sge_o = list_block[23:16];

  // ---------------------------------------------------------------- one thing at a time
  typedef enum logic [2:0] {StIdle, StArrival, StCmd, StDoorbell, StWork} state_e;
  state_e state_q, state_d;

  logic        fail_valid_q, fail_set;
  logic        posted_valid_q, posted_set;
  logic        br_valid_q, br_set;
  logic        room;                // for a fail and a posted
  logic [15:0] ahead, ring, at_ring, left, free, posted_free, to_end, to_wrap, want;
  logic [31:0] offset;              // of the entry in the ring
  assign room = !fail_valid_q && !posted_valid_q;

  // How far the doorbell is ahead, and what can be fetched in one piece: no more than is posted and
  // has room, over the end neither of the ring nor of an aligned group of Blocks.
  assign ahead   = doorbell_i.index - cons;
  assign ring    = 16'd1 << attr_log;
  assign at_ring = next & (ring - 16'd1);
  assign left    = prod - next;
  assign free    = (16'(Blocks) >> attr_stride) - (next - cons);
  assign block   = BlockBits'(next << attr_stride);
  assign to_end  = (16'(Blocks) - 16'(block)) >> attr_stride;
  assign to_wrap = ring - at_ring;
  assign posted_free = left < free ? left : free;
  assign want    = posted_free < to_end ? posted_free : to_end;
  assign entries = want < to_wrap ? want[4:0] : to_wrap[4:0];
  assign blocks  = entries << attr_stride;
  assign offset  = {16'd0, at_ring} << (5'd6 + 5'(attr_stride));

  assign cmd_ready_o      = state_q == StCmd;
  assign doorbell_ready_o = state_q == StDoorbell;
  assign done_taken       = state_q == StArrival;

  // What is done with the row that was read.
  always_comb begin
    write      = 1'b0;
    prod_d     = prod;
    cons_d     = cons;
    next_d     = next;
    got_d      = got;
    epoch_d    = epoch;
    active_d   = active;
    flush_d    = flush;
    work_push  = 1'b0;
    fail_set   = 1'b0;
    posted_set = 1'b0;
    br_set     = 1'b0;
    flight_push = 1'b0;
    fetched_o  = 1'b0;
    unique case (state_q)
      StArrival: begin
        if (active && done_epoch_q == epoch) begin
          write     = 1'b1;
          fetched_o = 1'b1;
          if (done_bad_q) begin
            active_d = 1'b0;
            fail_set = 1'b1;
          end else begin
            got_d = got + 16'(done_entries_q);
          end
        end
      end
      StCmd: begin
        unique case (cmd_i.op)
          roci_pkg::ReceiveOpFree: begin  // in RESET it belongs to the life before
            write     = qp_state != roci_pkg::QpReset;
            cons_d    = cons + 1'b1;
            work_push = write && active && prod != next;
          end
          roci_pkg::ReceiveOpInit: begin
            write     = 1'b1;
            next_d    = cons;
            got_d     = cons;
            epoch_d   = epoch + 1'b1;
            active_d  = 1'b1;
            flush_d   = 1'b0;
            work_push = prod != cons;
          end
          roci_pkg::ReceiveOpFlush: begin
            write    = 1'b1;
            epoch_d  = epoch + 1'b1;
            active_d = 1'b0;
            flush_d  = 1'b1;
          end
          default: ;  // Peek
        endcase
      end
      StDoorbell: begin
        if (qp_state != roci_pkg::QpReset) begin
          if (ahead > ring) begin
            fail_set = 1'b1;
          end else if (ahead > prod - cons) begin
            write      = 1'b1;
            prod_d     = doorbell_i.index;
            work_push  = active;
            posted_set = flush;
          end
        end
      end
      StWork: begin
        if (active && entries != '0) begin
          write       = 1'b1;
          next_d      = next + 16'(entries);
          br_set      = 1'b1;
          flight_push = 1'b1;
          work_push   = left != 16'(entries);
        end
      end
      default: ;
    endcase
  end

  // What comes next, in the same clock. What is under way still stands at its input.
  always_comb begin
    state_d  = StIdle;
    read     = 1'b1;
    at       = cmd_i.qpn[RowBits-1:0];
    work_pop = 1'b0;
    if (done_valid_q && state_q != StArrival && room && !posted_set && !fail_set) begin
      at      = done_row_q;
      state_d = StArrival;
    end else if (cmd_valid_i && state_q != StCmd) begin
      state_d = StCmd;
    end else if (doorbell_valid_i && state_q != StDoorbell && !pause_i && room && !fail_set
                 && state_ready) begin
      at      = doorbell_i.qpn[RowBits-1:0];
      state_d = StDoorbell;
    end else if (work_valid && state_q != StWork && !br_valid_q && flight_ready) begin
      at       = work_row;
      work_pop = 1'b1;
      state_d  = StWork;
    end else begin
      read = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      fail_valid_q   <= 1'b0;
      posted_valid_q <= 1'b0;
      br_valid_q     <= 1'b0;
    end else begin
      state_q        <= state_d;
      fail_valid_q   <= fail_set || (fail_valid_q && !fail_ready_i);
      posted_valid_q <= posted_set || (posted_valid_q && !posted_ready_i);
      br_valid_q     <= br_set || (br_valid_q && !br_ready_i);
    end
  end

  logic [RowBits-1:0] fail_row_q;
  always_ff @(posedge clk_i) begin
    if (read) at_q <= at;
    if (fail_set) fail_row_q <= at_q;
    if (posted_set) posted_row_o <= at_q;
    if (br_set) begin
      br_addr_o  <= {attr_base, 12'd0} + 64'(offset);
      br_pasid_o <= attr_pasid;
      br_count_o <= blocks;
    end
  end

  assign rsp_o.posted   = prod != cons;
  assign rsp_o.fetched  = active && got != cons;
  assign rsp_o.index    = cons;
  assign fail_o.kind    = roci_pkg::EventQpFatal;
  assign fail_o.number  = 24'(fail_row_q);
  assign fail_valid_o   = fail_valid_q;
  assign posted_valid_o = posted_valid_q;
  assign br_valid_o     = br_valid_q;
  assign idle_o = state_q == StIdle && !cmd_valid_i && !(doorbell_valid_i && !pause_i)
               && work_level == '0 && !flight_valid && !done_valid_q && room && !br_valid_q
               && attr_ready && state_ready && word_ready && blocks_ready;

  `ASSERT(NeverMoreThanPosted, `IMPLIES(write && active_d, next_d - cons_d <= prod_d - cons_d))
  `ASSERT(FetchFits, `IMPLIES(br_set, blocks <= 5'(Blocks) && 7'(offset[11:6]) + 7'(blocks) <= 7'd64))

endmodule
