// SPDX-License-Identifier: Apache-2.0
// Tables of the responder: its state word of each queue pair, copies of the attributes and of the
// state, and the index up to which receives are posted.
//
// Throughput: one read and one write per clock. Latency: one clock.
//
// A read takes the row of all tables and holds the result; a write replaces the word. A word that
// was not written since the queue pair was reset reads as 0 except for `dead`. What was read stays
// as it was when the queue pair is reset meanwhile: the event in progress ends in the generation in
// which it began, and what it writes is forgotten.

`include "assert.svh"

module roci_responder_table #(
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned Compact = 0     // 1: no word is read in the clock in which one is written
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  input  logic                      read_i,
  input  logic [23:0]               other_qpn_i,    // it is this queue pair,
  input  logic                      other_i,        // with this,
  input  logic [23:0]               request_qpn_i,  // or this one,
  input  logic                      request_i,      // with this,
  input  logic [$clog2(NumQps)-1:0] queue_row_i,    // or this one
  output logic [23:0]               qpn_o,    // number of the queue pair that was read
  output roci_pkg::responder_qp_t   qp_o,
  output roci_pkg::responder_qp_t   plain_o,  // the same, but only `dead` counts when it is up
  output logic                      full_o,   // what was written with the word, or 0
  output logic [3:0]                oldest_o,  // its oldest pending slot, when it has one
  output roci_pkg::qp_attr_t        attr_o,   // fields the responder needs; the others are 0
  output logic [2:0]                state_o,
  output logic [15:0]               posted_o,
  output logic                      reset_o,  // the queue pair was reset since

  input  logic                      posted_write_i,
  input  logic [$clog2(NumQps)-1:0] posted_row_i,
  input  logic [15:0]               posted_i,
  input  logic                      write_i,  // to the row that was read
  input  roci_pkg::responder_qp_t   qp_i,
  input  logic                      full_i,

  output logic                      ready_o
);

  localparam int unsigned RowBits  = $clog2(NumQps);
  localparam int unsigned AttrBits = 16 + 4 + 3 + 5 + 5 + 16 + 2 + 24 + 2;

  roci_pkg::qp_attr_t        row_attr;
  logic [RowBits-1:0]        row, read_row;
  logic [23:0]               qpn, qpn_q;
  logic                      row_is_attr, row_is_state;
  logic [AttrBits-1:0]       attr;
  roci_pkg::responder_qp_t   stored;
  logic                      full;
  logic                      attr_ready, state_ready, word_ready, posted_ready;
  logic                      unused;
  assign qpn          = other_i ? other_qpn_i : request_i ? request_qpn_i : 24'(queue_row_i);
  assign row_attr     = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign row          = row_write_i.index[RowBits-1:0];
  assign read_row     = qpn_q[RowBits-1:0];
  assign row_is_attr  = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr;
  assign row_is_state = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState;
  assign unused       = &{row_attr};

  roci_ram #(.Width(AttrBits), .Depth(NumQps), .Forward(1)) u_attr (
    .clk_i, .rst_ni,
    .write_i(row_is_attr), .write_row_i(row),
    .write_data_i({row_attr.pd, row_attr.access, row_attr.pmtu, row_attr.min_rnr_timer,
                   row_attr.max_dest_rd_atomic, row_attr.recv_cqn, row_attr.rq_stride_log,
                   row_attr.rq_psn, row_attr.srq, row_attr.credits}),
    .read_i, .read_row_i(qpn[RowBits-1:0]), .read_data_o(attr), .ready_o(attr_ready)
  );
  always_comb begin
    attr_o = '0;
    {attr_o.pd, attr_o.access, attr_o.pmtu, attr_o.min_rnr_timer, attr_o.max_dest_rd_atomic,
     attr_o.recv_cqn, attr_o.rq_stride_log, attr_o.rq_psn, attr_o.srq, attr_o.credits} = attr;
  end
  roci_ram #(.Width(3), .Depth(NumQps), .Clear(1), .Forward(1)) u_state (
    .clk_i, .rst_ni,
    .write_i(row_is_state), .write_row_i(row), .write_data_i(row_write_i.data[2:0]),
    .read_i, .read_row_i(qpn[RowBits-1:0]), .read_data_o(state_o), .ready_o(state_ready)
  );
  roci_ram #(
    .Width(roci_pkg::ResponderQpBits + 1), .Depth(NumQps), .Forward(Compact == 0 ? 1 : 0)
  ) u_word (
    .clk_i, .rst_ni,
    .write_i, .write_row_i(read_row), .write_data_i({full_i, qp_i}),
    .read_i, .read_row_i(qpn[RowBits-1:0]), .read_data_o({full, stored}),
    .ready_o(word_ready)
  );

  roci_ram #(.Width(16), .Depth(NumQps), .Forward(1)) u_posted (
    .clk_i, .rst_ni,
    .write_i(posted_write_i), .write_row_i(posted_row_i), .write_data_i(posted_i),
    .read_i, .read_row_i(qpn[RowBits-1:0]), .read_data_o(posted_o), .ready_o(posted_ready)
  );

  // The oldest pending slot is found a clock after the word is written, and stored beside it then;
  // a read of its row in that clock forwards. A read in the clock of the write takes it from here,
  // until the next write.
  logic               write_q, near_q, unused_ready;
  logic [RowBits-1:0] write_row_q;
  logic [15:0]        pending_q;
  logic [3:0]         slot_next_q, newest, kept;
  roci_responder_oldest u_oldest (
    .clk_i, .rst_ni, .pending_i(pending_q), .slot_next_i(slot_next_q), .oldest_o(newest)
  );
  roci_ram #(.Width(4), .Depth(NumQps), .Forward(1)) u_oldest_slots (
    .clk_i, .rst_ni,
    .write_i(write_q), .write_row_i(write_row_q), .write_data_i(newest),
    .read_i, .read_row_i(qpn[RowBits-1:0]), .read_data_o(kept), .ready_o(unused_ready)
  );
  assign oldest_o = near_q ? newest : kept;
  always_ff @(posedge clk_i) begin
    write_q <= write_i && rst_ni;
    if (write_i) {write_row_q, pending_q, slot_next_q} <= {read_row, qp_i.pending, qp_i.slot_next};
    if (read_i) near_q <= write_i && read_row == qpn[RowBits-1:0];
  end

  // A reset between a read and its write wins: the write belongs to the former generation.
  logic row_is_reset, past_q, old_read, old_read_q, new_q, keeps, here_ready;
  logic [2:0] here, here_q;
  logic other_q, request_q, here_now, set_q, clear_q;  // as the row was read, and changed in that
                                                       // clock
  assign row_is_reset = row_is_state && row_write_i.data[2:0] == roci_pkg::QpReset;
  always_ff @(posedge clk_i) begin
    if (read_i) qpn_q <= qpn;
    past_q     <= !read_i && (past_q || (row_is_reset && row == read_row));
    here_q     <= here;
    other_q    <= other_i;
    request_q  <= request_i;
    set_q      <= keeps && read_row == qpn[RowBits-1:0];
    clear_q    <= row_is_reset && row == qpn[RowBits-1:0];
    new_q      <= read_i;
    old_read_q <= old_read;
  end
  // Rows whose word was written since their queue pair was reset. Their flags are looked at in the
  // clock after the read, and kept then. Which row is read is known late, so the flags of all three
  // are looked up.
  assign here_now = other_q ? here_q[2] : request_q ? here_q[1] : here_q[0];
  assign old_read = new_q ? clear_q || !(here_now || set_q) : old_read_q;
  roci_flags #(.Depth(NumQps), .Reads(3)) u_here (
    .clk_i, .rst_ni,
    .set_i(keeps && !(row_is_reset && row == read_row)), .set_row_i(read_row),
    .clear_i(row_is_reset && here_ready), .clear_row_i(row),
    .read_row_i({other_qpn_i[RowBits-1:0], request_qpn_i[RowBits-1:0], queue_row_i}),
    .flag_o(here), .ready_o(here_ready)
  );
  assign keeps   = write_i && !past_q;
  assign reset_o = past_q;

  always_comb begin
    qp_o = stored;
    if (old_read) begin
      qp_o      = '0;
      qp_o.dead = 1'b1;
    end
  end
  // For what decides on a request: nothing else of a dead one matters, so the rest needs no choice.
  always_comb begin
    plain_o = stored;
    if (old_read) plain_o.dead = 1'b1;
  end
  assign full_o  = full && !old_read;
  logic [3:0] oldest, at;  // as the word has it
  always_comb begin
    oldest = stored.slot_next;
    at     = stored.slot_next;
    for (int i = 0; i < 16; i++) begin
      at = at - 4'd1;
      if (stored.pending[at]) oldest = at;
    end
  end
  `ASSERT(ReadsBetweenWrites, `IMPLIES(Compact != 0, !(read_i && write_i)))
  `ASSERT(OldestIsOfTheWord, `IMPLIES(new_q && !old_read && stored.pending != '0,
                                      oldest_o == oldest))
  assign qpn_o   = qpn_q;
  assign ready_o = attr_ready && state_ready && word_ready && posted_ready
                && here_ready;

endmodule
