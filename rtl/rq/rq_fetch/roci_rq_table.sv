// SPDX-License-Identifier: Apache-2.0
// Tables of the posted receives: where the rings are, how far they are, and what another block may
// see ahead.
//
// Throughput: one read of a queue pair or an SRQ and one write of the ring word per clock. Latency:
// one clock; the result is held.
//
// A word is written a clock after the operation that leaves it. A read in the clock of the
// operation takes the word beside the memory, where it stands until the next operation acts.
//
// A ring that was not written since its queue pair was reset, or since a row of its SRQ changed
// more than the limit, reads as empty.

`include "assert.svh"

module roci_rq_table #(
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned NumSrqs = 64,   // power of two
  parameter int unsigned Srq     = 1,    // 0: no SRQs
  localparam int unsigned RowBits = $clog2(NumQps > NumSrqs ? NumQps : NumSrqs)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      ready_o,

  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // reads
  input  logic                      read_i,
  input  logic                      read_srq_i,
  input  logic [RowBits-1:0]        read_row_i,
  input  logic                      of_cmd_i,    // a queue pair is read: this of the two rows
  input  logic [RowBits-1:0]        cmd_row_i,
  input  logic [RowBits-1:0]        qp_row_i,
  input  logic [$clog2(NumSrqs)-1:0] srq_row_i,  // an SRQ is read: this
  output logic                      srq_o,       // an SRQ was read
  output logic [RowBits-1:0]        row_o,
  output roci_pkg::receive_ring_t   ring_o,
  output logic [19:0]               pasid_o,
  output logic [51:0]               base_o,      // without the 12 lowest bits
  output logic [15:0]               mask_o,      // bits of an index that lie in the ring
  output logic [1:0]                stride_log_o,
  output logic                      in_reset_o,  // queue pair
  output logic                      takes_o,     // queue pair: it takes from SRQ take_o
  output logic [RowBits-1:0]        take_o,
  output logic [15:0]               pd_o,        // SRQ
  output logic [15:0]               limit_o,     // SRQ: event below so many; 0: none
  output logic                      changes_o,   // queue pair: is reset; SRQ: its row is written

  // to the row that was read
  input  logic                      acts_i,      // an operation leaves a word,
  input  logic                      write_i,     // a clock later
  input  roci_pkg::receive_ring_t   word_i,      // the word, from then until the next one

  // look ahead at queue pairs without an SRQ; result one clock later
  input  logic                      seen_read_i,
  input  logic [$clog2(NumQps)-1:0] seen_row_i,
  input  logic [15:0]               seen_base_i,   // with the result: receive base + ahead
  input  logic [2:0]                seen_ahead_i,
  output logic                      seen_posted_o,
  output logic                      seen_fetched_o
);

  localparam int unsigned QpRowBits  = $clog2(NumQps);
  localparam int unsigned SrqRowBits = $clog2(NumSrqs);
  localparam int unsigned RingBits   = roci_pkg::ReceiveRingBits;

  `PARAM_CHECK(SrqsFit, NumSrqs >= 2 && (NumSrqs & (NumSrqs - 1)) == 0)

  // Row bus.
  roci_pkg::qp_attr_t    row_attr;
  roci_pkg::srq_t        row_srq;
  logic                  row_is_attr, row_is_state, row_is_reset, row_is_srq, unused;
  logic [RowBits-1:0]    row;
  assign row_attr     = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign row_srq      = row_write_i.data[roci_pkg::SrqBits-1:0];
  assign row          = row_write_i.index[RowBits-1:0];
  assign row_is_attr  = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr;
  assign row_is_state = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState;
  assign row_is_reset = row_is_state && row_write_i.data[2:0] == roci_pkg::QpReset;
  assign row_is_srq   = Srq != 0 && row_write_valid_i && row_write_i.table_id == roci_pkg::TableSrq;
  assign unused       = &{row_attr, row_srq};

  // The mask of a ring is stored, not the logarithm of its size: what is read is needed at once.
  logic [14:0] attr_mask, srq_mask;
  always_comb for (int i = 0; i < 15; i++) begin
    attr_mask[i] = 4'(i) < row_attr.rq_log;
    srq_mask[i]  = 4'(i) < row_srq.log;
  end

  // A row of an SRQ is compared with its old content, then written.
  localparam int unsigned PlaceBits = 20 + 52 + 15 + 2;
  localparam int unsigned SrqAttrBits = PlaceBits + 16 + 1;
  logic                   srq_row_q, srq_moves, unused_before_ready;
  logic [SrqRowBits-1:0]  srq_index_q;
  logic [SrqAttrBits-1:0] srq_attr_in, srq_attr_q, srq_before;
  logic [15:0]            srq_limit_q;
  assign srq_attr_in = {row_srq.valid, row_srq.pd, row_srq.pasid, row_srq.base[63:12], srq_mask,
                        row_srq.stride_log};
  assign srq_moves   = srq_row_q && srq_attr_q != srq_before;
  roci_ram #(.Width(SrqAttrBits), .Depth(NumSrqs), .Clear(1)) u_before (
    .clk_i, .rst_ni,
    .write_i(row_is_srq), .write_row_i(row[SrqRowBits-1:0]), .write_data_i(srq_attr_in),
    .read_i(row_is_srq), .read_row_i(row[SrqRowBits-1:0]), .read_data_o(srq_before),
    .ready_o(unused_before_ready)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) srq_row_q <= 1'b0;
    else srq_row_q <= row_is_srq;
    if (row_is_srq) begin
      srq_index_q <= row[SrqRowBits-1:0];
      srq_attr_q  <= srq_attr_in;
      srq_limit_q <= row_srq.limit;
    end
  end

  // Attributes.
  localparam int unsigned AttrBits = PlaceBits + 1 + SrqRowBits;
  logic [AttrBits-1:0]    attr;
  logic [SrqAttrBits-1:0] srq_attr;
  logic [SrqRowBits-1:0]  take;
  logic [PlaceBits-1:0]   place, srq_place;
  logic [15:0]            srq_limit;
  logic [2:0]             qp_state;
  logic                   srq_valid, attr_ready, state_ready, srq_ready;
  roci_ram #(.Width(AttrBits), .Depth(NumQps), .Forward(1)) u_attr (
    .clk_i, .rst_ni,
    .write_i(row_is_attr), .write_row_i(row[QpRowBits-1:0]),
    .write_data_i({row_attr.srqn[SrqRowBits-1:0], row_attr.srq, row_attr.pasid,
                   row_attr.rq_base[63:12], attr_mask, row_attr.rq_stride_log}),
    .read_i(read_i && !read_srq_i), .read_row_i(read_row_i[QpRowBits-1:0]),
    .read_data_o(attr), .ready_o(attr_ready)
  );
  roci_ram #(.Width(3), .Depth(NumQps), .Clear(1), .Forward(1)) u_state (
    .clk_i, .rst_ni,
    .write_i(row_is_state), .write_row_i(row[QpRowBits-1:0]), .write_data_i(row_write_i.data[2:0]),
    .read_i(read_i && !read_srq_i), .read_row_i(read_row_i[QpRowBits-1:0]),
    .read_data_o(qp_state), .ready_o(state_ready)
  );
  roci_ram #(.Width(16 + SrqAttrBits), .Depth(NumSrqs), .Clear(1), .Forward(1)) u_srq_attr (
    .clk_i, .rst_ni,
    .write_i(srq_row_q), .write_row_i(srq_index_q), .write_data_i({srq_limit_q, srq_attr_q}),
    .read_i(read_i && read_srq_i), .read_row_i(read_row_i[SrqRowBits-1:0]),
    .read_data_o({srq_limit, srq_attr}), .ready_o(srq_ready)
  );
  logic takes, srq_read_q;
  assign {take, takes, place}         = attr;
  assign takes_o                      = Srq != 0 && takes;
  assign {srq_valid, pd_o, srq_place} = srq_attr;
  assign take_o     = RowBits'(take);
  assign in_reset_o = qp_state == roci_pkg::QpReset;
  assign {pasid_o, base_o, mask_o[14:0], stride_log_o} = srq_o ? srq_place : place;
  assign mask_o[15] = 1'b0;

  // Ring words of queue pairs, and after them those of SRQs: a result needs no choice.
  localparam int unsigned WordRowBits = RowBits + (Srq != 0 ? 1 : 0);
  roci_pkg::receive_ring_t memory, stored;
  logic [RowBits-1:0]      write_row_q;  // the row that an operation leaves
  logic                    word_ready, flags_ready, write_srq_q, near_q;
  roci_ram #(.Width(RingBits), .Depth(1 << WordRowBits), .Forward(1)) u_word (
    .clk_i, .rst_ni,
    .write_i, .write_row_i(WordRowBits'({write_srq_q, write_row_q})), .write_data_i(word_i),
    .read_i, .read_row_i(WordRowBits'({read_srq_i, read_row_i})),
    .read_data_o(memory), .ready_o(word_ready)
  );
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      srq_read_q <= read_srq_i;
      row_o      <= read_row_i;
      near_q     <= acts_i && srq_o == read_srq_i && row_o == read_row_i;
    end
    if (acts_i) {write_srq_q, write_row_q} <= {srq_o, row_o};
  end
  assign srq_o  = Srq != 0 && srq_read_q;
  assign stored = near_q ? word_i : memory;

  // Words that were written since, of queue pairs (read at two places) and of SRQs; and SRQs that
  // had no word written since their row came, so that the limit counts again. The flags of a row
  // are there in the clock after its read, and kept; what changes while the row is held is added.
  // Whether the row is that of the order is known late, so the flags of both rows are looked up.
  logic       srq_here, rearm_here, set_here, set_srq, clear_srq;
  logic       reset_row, moves_row;
  logic       new_q, old, rearm, old_q, rearm_q, kept_q, takes_q;
  // The flags as a row was read, and what changed in that clock.
  logic       of_cmd_q;
  logic       rearm_here_q, rearm_set_q, rearm_clear_q;
  logic [1:0] here;
  logic [3:0] ready;
  logic [QpRowBits-1:0]  qp_row, bus_row;
  logic [SrqRowBits-1:0] srq_row;
  assign qp_row      = row_o[QpRowBits-1:0];
  assign srq_row     = row_o[SrqRowBits-1:0];
  assign bus_row     = row[QpRowBits-1:0];
  assign reset_row   = row_is_reset && bus_row == qp_row;
  assign moves_row   = srq_moves && srq_index_q == srq_row;
  assign set_here    = acts_i && !srq_o && !reset_row;
  assign set_srq     = acts_i && srq_o && !moves_row;
  assign clear_srq   = acts_i && srq_o;
  assign flags_ready = &ready;
  assign changes_o   = srq_o ? srq_row_q && srq_index_q == srq_row : reset_row;
  roci_flags #(.Depth(NumQps), .Reads(2)) u_here (
    .clk_i, .rst_ni, .set_i(set_here), .set_row_i(qp_row),
    .clear_i(row_is_reset && ready[0]), .clear_row_i(bus_row),
    .read_row_i({cmd_row_i[QpRowBits-1:0], qp_row_i[QpRowBits-1:0]}),
    .flag_o(here), .ready_o(ready[0])
  );
  roci_flags #(.Depth(NumSrqs)) u_srq_here (
    .clk_i, .rst_ni, .set_i(set_srq), .set_row_i(srq_row),
    .clear_i(srq_moves && ready[2]), .clear_row_i(srq_index_q),
    .read_row_i(srq_row_i), .flag_o(srq_here), .ready_o(ready[2])
  );
  roci_flags #(.Depth(NumSrqs)) u_rearm (
    .clk_i, .rst_ni, .set_i(srq_row_q && ready[3]), .set_row_i(srq_index_q),
    .clear_i(clear_srq), .clear_row_i(srq_row),
    .read_row_i(srq_row_i), .flag_o(rearm_here), .ready_o(ready[3])
  );
  // Each row is compared before the choice, not the row that was chosen.
  logic [2:0] of_srq_q, of_cmd_row_q, of_qp_row_q;  // the flag; whether it was set, or cleared
  logic       here_now, set_now, clear_now;
  assign {here_now, set_now, clear_now} = srq_o ? of_srq_q
                                                : of_cmd_q ? of_cmd_row_q : of_qp_row_q;
  always_ff @(posedge clk_i) begin
    of_cmd_q     <= of_cmd_i;
    of_srq_q     <= {srq_here, set_srq && srq_row == srq_row_i,
                     srq_moves && srq_index_q == srq_row_i};
    of_cmd_row_q <= {here[1], set_here && qp_row == cmd_row_i[QpRowBits-1:0],
                     row_is_reset && bus_row == cmd_row_i[QpRowBits-1:0]};
    of_qp_row_q  <= {here[0], set_here && qp_row == qp_row_i[QpRowBits-1:0],
                     row_is_reset && bus_row == qp_row_i[QpRowBits-1:0]};
    rearm_here_q  <= rearm_here;
    rearm_set_q   <= srq_row_q && srq_index_q == srq_row_i;
    rearm_clear_q <= clear_srq && srq_row == srq_row_i;
    new_q      <= read_i;
    old_q      <= (srq_o ? moves_row : reset_row) || (old && !acts_i);
    rearm_q    <= (srq_row_q && srq_index_q == srq_row) || (rearm && !clear_srq);
    if (acts_i) {kept_q, takes_q} <= {!reset_row, takes_o};
  end
  assign old      = new_q ? clear_now || !(here_now || set_now) : old_q;
  assign rearm    = new_q ? rearm_set_q || (rearm_here_q && !rearm_clear_q) : rearm_q;
  always_comb begin
    ring_o = stored;
    if (srq_o && rearm) ring_o.fired = 1'b0;
    if (old) begin
      ring_o        = '0;
      ring_o.epoch  = stored.epoch + 4'd1;
      ring_o.active = srq_o && srq_valid;
    end
  end
  assign limit_o = ring_o.fired ? '0 : srq_limit;

  roci_rq_seen #(.NumQps(NumQps)) u_seen (
    .clk_i, .rst_ni, .ready_o(ready[1]), .reset_i(row_is_reset), .reset_row_i(bus_row),
    .write_i(write_i && !write_srq_q), .keep_i(kept_q), .write_row_i(write_row_q[QpRowBits-1:0]),
    .active_i(word_i.active && !takes_q), .got_i(word_i.got), .prod_i(word_i.prod),
    .read_i(seen_read_i), .read_row_i(seen_row_i), .base_i(seen_base_i), .ahead_i(seen_ahead_i),
    .posted_o(seen_posted_o), .fetched_o(seen_fetched_o)
  );

  assign ready_o = attr_ready && state_ready && srq_ready && word_ready && flags_ready;

endmodule
