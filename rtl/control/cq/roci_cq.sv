// SPDX-License-Identifier: Apache-2.0
// Completion queues: writes entries into the rings of host memory and raises events for the queues
// that software armed.
//
// Throughput: one entry or doorbell per clock, of one queue in two clocks. Latency: eight clocks
// from cqe_i to bw_req_valid_o when its data is in memory. Up to `Writes` writes are in flight: 128
// are 256 clocks of memory at two clocks an entry.
//
//   cqe_sq --> wait for tickets --+                         +--> entry FIFO --> bw
//   cqe_rq --> wait for tickets --+--> look up,  --> decide +--> retire FIFO, bw_done --> event
//   doorbells, restarts, ends of  |    compare              +--> fail
//   moderation periods -----------+    (kCq row, ring)
//
// One operation a clock enters `look up`, and the next one on the same queue two clocks after it:
// it reads the ring in the clock in which the one before writes it. Operations of the two sources
// wait for their tickets apart from one another.
//
// Arming (11.4.2.2): the arm doorbell carries the entry up to which software has seen the ring.
// Entries from there on raise the event at once, so none is missed; those before raise none. An
// event leaves only when all entries written before it are in memory. Once a ring overflowed it
// takes no entries until it is created again (10.8.3.4). A new row restarts the ring; one that
// changes only the moderation of a valid queue does not, and one with `resize` moves it: indices
// and arming stay, and entries from the next one on go to the new place.
//
// Memory that cannot be written: a queue pair with a fault gets no good completion that waited for
// data any more, until its next generation (FatalErr in its place). An entry that did not reach
// memory raises CqError and breaks its ring.

`include "assert.svh"

module roci_cq #(
  parameter int unsigned NumCqs = 256,
  parameter int unsigned NumQps = 256,
  parameter int unsigned Writes = 128, // in flight, a power of two
  parameter int unsigned Skips  = 1    // 0: next_deadline_o is 0
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [63:0]                 now_i,

  // in
  input  roci_pkg::cqe_req_t          cqe_sq_i,
  input  logic                        cqe_sq_valid_i,
  output logic                        cqe_sq_ready_o,
  input  roci_pkg::cqe_req_t          cqe_rq_i,
  input  logic                        cqe_rq_valid_i,
  output logic                        cqe_rq_ready_o,
  input  logic [15:0]                 wr_done_i,
  input  logic [7:0]                  store_done_i,
  input  logic [23:0]                 fault_qpn_i,  // pulse: data of this queue pair got lost
  input  logic                        fault_valid_i,
  input  logic [23:0]                 begin_qpn_i,  // pulse: a generation of the queue pair begins
  input  logic                        begin_valid_i,

  input  roci_pkg::cq_doorbell_t      doorbell_i,
  input  logic                        doorbell_valid_i,
  output logic                        doorbell_ready_o,

  input  logic [roci_pkg::CqBits-1:0] row_data_i,   // a new row restarts the ring
  input  logic [23:0]                 row_index_i,  // in range
  input  logic                        row_valid_i,
  output logic                        row_ready_o,

  input  logic                        live_valid_i,  // request for live_o of row_index_i
  output logic                        live_ready_o,
  output roci_pkg::cq_live_t          live_o,        // in the clock of ready

  // out
  output logic                        bw_req_valid_o,
  input  logic                        bw_req_ready_i,
  output roci_pkg::block_write_req_t  bw_req_o,
  input  logic                        bw_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t  bw_rsp_i,  // with done

  output roci_pkg::event_req_t        event_o,  // Completion, CqError
  output logic                        event_valid_o,
  input  logic                        event_ready_i,
  output roci_pkg::event_req_t        fail_o,   // QpFatal
  output logic                        fail_valid_o,
  input  logic                        fail_ready_i,

  output logic [63:0]                 next_deadline_o,  // moderation period ends; all ones: none
  output logic                        bells_idle_o,
  output logic                        idle_o
);

  localparam int unsigned RowBits = $clog2(NumCqs);
  // Entries
  roci_pkg::cqe_req_t entry;
  logic               entry_valid, entries_empty, pick_entry;
  roci_cq_entries #(.NumQps(NumQps)) u_entries (
    .clk_i, .rst_ni,
    .cqe_sq_i, .cqe_sq_valid_i, .cqe_sq_ready_o,
    .cqe_rq_i, .cqe_rq_valid_i, .cqe_rq_ready_o,
    .wr_done_i, .store_done_i,
    .fault_qpn_i, .fault_valid_i, .begin_qpn_i, .begin_valid_i,
    .entry_o (entry),
    .valid_o (entry_valid),
    .take_i  (pick_entry),
    .empty_o (entries_empty)
  );

  // Doorbells
  roci_pkg::cq_doorbell_t bell, next_bell;  // bell: a register, which is compared
  logic                   bell_valid, bell_take, bell_load, bells_wait;
  roci_fifo #(.Width(roci_pkg::CqDoorbellBits), .Depth(8)) u_bells (
    .clk_i, .rst_ni, .in_data_i(doorbell_i), .in_ready_o(doorbell_ready_o),
    .in_valid_i(doorbell_valid_i && (doorbell_i.cqn >> RowBits) == '0), .out_data_o(next_bell),
    .out_valid_o(bells_wait), .out_ready_i(bell_load), .level_o());
  assign bell_load = !bell_valid || bell_take;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) bell_valid <= 1'b0;
    else if (bell_load) bell_valid <= bells_wait;
    if (bell_load) bell <= next_bell;
  end

  // Choice of the next operation; _q: of the one that is looked up
  logic               valid_q;
  logic [RowBits-1:0] row_q;
  logic               room, rows_ready, period_valid, period_take, go, break_valid, break_take;
  logic               looking;
  logic [RowBits-1:0] period_row, op_row, break_row;
  logic [2:0]         op, op_q;
  roci_cq_choose #(.RowBits(RowBits)) u_choose (
    .clk_i, .rst_ni,
    .room_i(room && rows_ready), .last_row_i(row_q), .last_valid_i(valid_q),
    .break_row_i(break_row), .break_valid_i(break_valid), .break_take_o(break_take),
    .row_i(row_index_i[RowBits-1:0]), .live_valid_i(live_valid_i && !looking),
    .restart_valid_i(row_valid_i), .restart_take_o(row_ready_o),
    .period_row_i(period_row), .period_valid_i(period_valid), .period_take_o(period_take),
    .bell_row_i(bell.cqn[RowBits-1:0]), .bell_arm_i(bell.arm), .bell_valid_i(bell_valid),
    .bell_take_o(bell_take),
    .entry_row_i(entry.cqn[RowBits-1:0]), .entry_valid_i(entry_valid), .entry_take_o(pick_entry),
    .op_o(op), .row_o(op_row), .valid_o(go)
  );

  // Look up
  logic               solicited_q, in_range_q;
  logic [15:0]        index_q;
  roci_pkg::cqe_req_t entry_q;
  roci_pkg::cq_t      config_row, new_row_q;  // the old and the new row of a restart
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= go;
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      op_q        <= op;
      row_q       <= op_row;
      index_q     <= bell.index;
      solicited_q <= bell.solicited;
      in_range_q  <= !pick_entry || (entry.cqn >> RowBits) == '0;
    end
    if (pick_entry) entry_q <= entry;
    if (row_ready_o) new_row_q <= row_data_i;
  end

  roci_ram #(.Width(roci_pkg::CqBits), .Depth(NumCqs), .Clear(1)) u_rows (
    .clk_i, .rst_ni,
    .write_i      (row_ready_o),
    .write_row_i  (op_row),
    .write_data_i (row_data_i),
    .read_i       (go),
    .read_row_i   (op_row),
    .read_data_o  (config_row),
    .ready_o      (rows_ready)
  );

  // The ring as it moves
  localparam int unsigned RingBits = roci_pkg::CqRingBits;
  logic               decide;    // the operation that was looked up in the clock before
  logic [RowBits-1:0] last_row;
  roci_pkg::cq_ring_t ring, ring_next;
  roci_ram #(.Width(RingBits), .Depth(NumCqs), .Forward(1)) u_rings (
    .clk_i, .rst_ni,
    .write_i      (decide),
    .write_row_i  (last_row),
    .write_data_i (ring_next),
    .read_i       (go),
    .read_row_i   (op_row),
    .read_data_o  (ring),
    .ready_o      ()
  );

  // Compare, then decide
  logic               solicited, in_use, satisfies, same_ring, moderate, owner, full;
  logic [2:0]         last_op;
  logic [15:0]        index, slot, unseen, hits;
  roci_pkg::cqe_req_t last_entry;
  roci_pkg::cq_t      last_config;
  roci_pkg::cq_ring_t last_ring;
  roci_cq_compare #(.RowBits(RowBits)) u_compare (
    .clk_i, .rst_ni, .valid_i(valid_q), .op_i(op_q), .row_i(row_q), .in_range_i(in_range_q),
    .index_i(index_q), .solicited_i(solicited_q), .entry_i(entry_q), .config_i(config_row),
    .new_row_i(new_row_q), .ring_i(ring),
    .valid_o(decide), .op_o(last_op), .row_o(last_row), .index_o(index), .solicited_o(solicited),
    .entry_o(last_entry), .config_o(last_config), .ring_o(last_ring),
    .in_use_o(in_use), .satisfies_o(satisfies), .same_ring_o(same_ring), .moderate_o(moderate),
    .full_o(full), .slot_o(slot), .owner_o(owner), .unseen_o(unseen), .hits_o(hits));
  logic write, raise, raise_error, fail, start_period, stop_period, period_room, periods_settled;

  // Live state
  assign live_ready_o      = decide && last_op == roci_pkg::CqOpLive;
  assign looking           = live_ready_o || (valid_q && op_q == roci_pkg::CqOpLive);
  assign live_o.producer   = last_ring.producer;
  assign live_o.consumer   = last_ring.consumer;
  assign live_o.pass       = last_ring.pass;
  assign live_o.overflowed = last_ring.broken && last_config.valid;

  roci_cq_decide u_decide (
    .op_i           (last_op),
    .valid_i        (in_use),
    .full_i         (full),
    .moderate_i     (moderate),
    .count_i        (last_config.moderation_count),
    .period_room_i  (period_room),
    .satisfies_i    (satisfies),
    .index_i        (index),
    .solicited_i    (solicited),
    .same_ring_i    (same_ring),
    .unseen_i       (unseen),
    .hits_i         (hits),
    .ring_i         (last_ring),
    .ring_o         (ring_next),
    .write_o        (write),
    .raise_o        (raise),
    .raise_error_o  (raise_error),
    .fail_o         (fail),
    .start_period_o (start_period),
    .stop_period_o  (stop_period)
  );

  roci_cq_periods #(.RowBits(RowBits), .Skips(Skips)) u_periods (
    .clk_i, .rst_ni, .now_i,
    .start_i     (decide && start_period),
    .stop_i      (decide && stop_period),
    .row_i       (last_row),
    .period_i    (last_config.moderation_period),
    .room_o      (period_room),
    .end_row_o   (period_row),
    .end_valid_o (period_valid),
    .end_take_i  (period_take),
    .next_deadline_o, .settled_o(periods_settled)
  );

  // Entries to memory and events
  logic write_room, write_idle;
  roci_cq_write #(.RowBits(RowBits), .Writes(Writes)) u_write (
    .clk_i, .rst_ni,
    .entry_i       (last_entry),
    .base_i        (last_config.base),
    .pasid_i       (last_config.pasid),
    .slot_i        (slot),
    .owner_i       (owner),
    .row_i         (last_row),
    .write_i       (decide && write),
    .raise_i       (decide && raise),
    .raise_error_i (decide && raise_error),
    .room_o        (write_room),
    .bw_req_valid_o, .bw_req_ready_i, .bw_req_o, .bw_rsp_valid_i,
    .bw_rsp_i,
    .break_row_o   (break_row),
    .break_valid_o (break_valid),
    .break_take_i  (break_take),
    .event_o, .event_valid_o, .event_ready_i,
    .idle_o       (write_idle)
  );

  // Lost entries
  logic [3:0] fails;
  logic       fails_ready, fails_room_q;
  roci_fifo #(.Width(24), .Depth(8)) u_fails (
    .clk_i, .rst_ni,
    .in_data_i   (last_entry.qpn), .in_valid_i (decide && fail), .in_ready_o (fails_ready),
    .out_data_o  (fail_o.number),
    .out_valid_o (fail_valid_o),
    .out_ready_i (fail_ready_i),
    .level_o     (fails)
  );
  assign fail_o.kind = roci_pkg::EventQpFatal;

  // Room of the clock before: then and now one may have failed, and one may be in each stage after
  // the choice.
  always_ff @(posedge clk_i) fails_room_q <= fails <= 4'd4;
  assign room = write_room && fails_room_q;

  // Software may ring at any time, so doorbells do not count as work that a fence waits for.
  // The clock may skip to next_deadline_o only when that knows of every period.
  assign bells_idle_o = !bell_valid && !bells_wait && !valid_q && !decide && periods_settled;
  assign idle_o = entries_empty && !row_valid_i && write_idle && !fail_valid_o &&
                  !period_valid && rows_ready && !break_valid &&
                  !(valid_q && op_q != roci_pkg::CqOpConsumer && op_q != roci_pkg::CqOpArm) &&
                  !(decide && last_op != roci_pkg::CqOpConsumer && last_op != roci_pkg::CqOpArm);

  logic unused;
  assign unused = ^{config_row.resize, last_config.resize, last_config.log};

  `ASSERT(RoomForFail, `IMPLIES(decide && fail, fails_ready))

endmodule
