// SPDX-License-Identifier: Apache-2.0
// Looks ahead for the responder: looks up the key of each request that carries a remote key, and
// finds the receive of each request that takes one and where its first packet goes, so that the
// results are there when the responder comes to the request.
//
// Throughput: one request per clock, one per three clocks with a receive; four inside, with Compact
// one. Latency: one clock without key and receive, two clocks with a receive, the key table's
// latency and three clocks with a key, two more when a list is read. Requests leave in order.
//
//   meta --> PD, next receive --> finding --> [first list entry] --> key request    key response
//     |                              |                                                   |
//     +--> 4 requests, 4 findings <--+------------------------------------------> 4 results --> out
//
// The receive is a guess: the next one of the queue pair, and one more for each request inside that
// ends a message with a receive. The guess is wrong when such a request turns out not to be
// executed; the responder compares it with the receive whose turn it is, and looks that one up
// itself when they differ. While there are other requests before this one, it waits for a receive
// that is posted but was not fetched yet. The receive is looked up anew in each clock of the wait,
// and the finding decides a clock later; what is used up or fetched in that clock changes nothing,
// since the finding is about a receive whose turn has not come.

`include "assert.svh"

module roci_responder_front #(
  parameter int unsigned NumQps = 256,  // power of two
  parameter int unsigned Compact = 0    // 1: one request inside, in a register
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      idle_o,

  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // in
  input  roci_pkg::rx_meta_t        meta_i,
  input  logic                      meta_valid_i,
  output logic                      meta_ready_o,

  // index of the next receive of a queue pair, when it changes
  input  logic                      next_write_i,
  input  logic [$clog2(NumQps)-1:0] next_row_i,
  input  logic [15:0]               next_i,

  // posted receives; result one clock later
  output logic                      seen_read_o,
  output logic [$clog2(NumQps)-1:0] seen_row_o,
  output logic [15:0]               seen_base_o,   // with the result: receive base + ahead
  output logic [2:0]                seen_ahead_o,
  input  logic                      seen_posted_i,
  input  logic                      seen_fetched_i,
  input  logic                      list_busy_i,   // no list can be read now
  output logic [23:0]               list_qpn_o,
  output logic [3:0]                list_block_o,
  input  roci_pkg::sge_t            list_sge_i,    // entry 0
  input  logic [7:0]                list_num_sge_i,

  // key table
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  // out
  output roci_pkg::rx_meta_t        meta_o,
  output roci_pkg::key_rsp_t        key_o,         // ok when no remote key is needed
  output logic                      foreseen_o,    // receive foreseen_index_o is here
  output logic [15:0]               foreseen_index_o,
  output logic                      placed_o,      // key_o belongs to the payload's place in it
  output logic                      changed_o,     // the key table changed since the request came
  output logic                      more_o,        // another request is inside
  output logic                      valid_o,
  input  logic                      ready_i
);

  localparam int unsigned RowBits = $clog2(NumQps), Inside = Compact != 0 ? 1 : 4;

  roci_pkg::ext_reth_t reth;
  roci_pkg::qp_attr_t  row_attr;
  logic [RowBits-1:0]  meta_row, guess_row;
  logic                take, pop, in_ready, out_valid, unused;
  logic [$clog2(Inside):0] level, key_level, spec_level;
  assign reth     = meta_i.ext;
  assign row_attr = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign meta_row = meta_i.qpn[RowBits-1:0];
  assign unused   = &{row_attr, reth, spec_level};

  // Needs of the request that comes; they stay beside it until it leaves.
  logic       need, atomic, takes, places, ends, invalidates, looks_up;
  logic       out_need, out_takes, out_invalidates;
  logic [3:0] access, lookup_access_q, of_row;
  roci_responder_opcode u_opcode (
    .opcode_i(meta_i.opcode), .length_i(reth.dma_length), .access_o(access), .atomic_o(atomic),
    .takes_o(takes), .places_o(places), .ends_o(ends), .invalidates_o(invalidates)
  );
  assign need     = access != '0;
  assign looks_up = need || takes;

  // Lookup: the tables are read.
  logic            lookup_q, lookup_takes_q, lookup_list_q, lookup_need_q, lookup_atomic_q;
  roci_pkg::reth_t lookup_reth_q;
  logic [23:0]     lookup_qpn_q;
  logic [12:0]     lookup_len_q, list_len_q;
  logic [2:0]      ahead, ahead_q;
  logic [15:0]     pd, index, index_q;
  logic [1:0]      stride;
  logic            lookup_leaves, lookup_found, lookup_waits, lookup_lists, row_is_key;
  logic            found_q, posted_q, fetched_q;  // the finding of the request in the lookup
  logic            unused_pd_ready, unused_next_ready;
  logic            list_q, key_q, key_free, more_q;  // the next stage is occupied

  // No key is looked up after a SEND that may still invalidate a key.
  logic inv_q, popped_q;
  assign meta_ready_o = in_ready && !inv_q && (!lookup_q || (lookup_leaves && !takes));
  assign take         = meta_valid_i && meta_ready_o;

  roci_ram #(.Width(18), .Depth(NumQps), .Forward(1)) u_pd (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr),
    .write_row_i(row_write_i.index[RowBits-1:0]),
    .write_data_i({row_attr.rq_stride_log, row_attr.pd}),
    .read_i(take && looks_up), .read_row_i(meta_row), .read_data_o({stride, pd}),
    .ready_o(unused_pd_ready));
  roci_ram #(.Width(16), .Depth(NumQps), .Forward(1)) u_next (
    .clk_i, .rst_ni,
    .write_i(next_write_i), .write_row_i(next_row_i), .write_data_i(next_i),
    .read_i(seen_read_o), .read_row_i(guess_row), .read_data_o(seen_base_o),
    .ready_o(unused_next_ready));
  // A request with a receive comes when the lookup is free, so that the row does not depend on the
  // finding.
  assign guess_row    = lookup_q ? lookup_qpn_q[RowBits-1:0] : meta_row;
  assign seen_read_o  = 1'b1;
  assign seen_row_o   = guess_row;
  assign seen_ahead_o = ahead_q - 3'(popped_q);
  assign index        = seen_base_o + 16'(seen_ahead_o);

  // Requests inside; the newest one is in the lookup.
  logic [3:0]           inside_q, inside_ends_q, inside_changed_q;
  logic [4*RowBits-1:0] inside_row_q;
  logic [1:0]           in_q, out_q, own;  // own: of the newest, in the lookup
  assign row_is_key = row_write_valid_i && row_write_i.table_id == roci_pkg::TableKey;
  assign changed_o  = inside_changed_q[out_q];
  always_comb begin
    ahead = '0;
    for (int i = 0; i < 4; i++) begin
      of_row[i] = inside_q[i] && inside_ends_q[i] && !(lookup_q && own == 2'(i))
                  && inside_row_q[RowBits*i +: RowBits] == guess_row;
      ahead     = ahead + 3'(of_row[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lookup_q <= 1'b0;
      inv_q    <= 1'b0;
      inside_q <= '0;
      in_q     <= '0;
      out_q    <= '0;
      own      <= 2'd3;
    end else begin
      lookup_q <= (take && looks_up) || (lookup_q && !lookup_leaves);
      inv_q    <= (take && invalidates) || (inv_q && !(pop && out_invalidates));
      if (pop) inside_q[out_q] <= 1'b0;
      if (take) inside_q[in_q] <= 1'b1;
      in_q  <= in_q + 2'(take);
      out_q <= out_q + 2'(pop);
      if (take) own <= in_q;
    end
    if (take) inside_changed_q[in_q] <= 1'b0;
    if (row_is_key) inside_changed_q <= '1;
    if (take) begin
      inside_ends_q[in_q]                   <= ends;
      inside_row_q[RowBits*in_q +: RowBits] <= meta_row;
    end
    ahead_q   <= ahead;
    popped_q  <= pop && of_row[out_q];
    found_q   <= lookup_q && !lookup_leaves;
    more_q    <= more_o;
    posted_q  <= seen_posted_i;
    fetched_q <= seen_fetched_i;
    index_q   <= index;
    if (take && looks_up) begin
      lookup_reth_q   <= {reth.va, reth.rkey, reth.dma_length};
      lookup_need_q   <= need;
      lookup_atomic_q <= atomic;
      lookup_access_q <= access;
      lookup_takes_q  <= takes;
      lookup_list_q   <= places && meta_i.payload_len != '0;
      lookup_qpn_q    <= meta_i.qpn;
      lookup_len_q    <= meta_i.payload_len;
    end
  end

  assign key_free      = !key_q || key_req_ready_i;
  assign lookup_waits  = lookup_list_q && posted_q && !fetched_q && more_q;
  assign lookup_lists  = lookup_list_q && fetched_q;
  assign lookup_found  = found_q || !lookup_takes_q;
  assign lookup_leaves = !list_q && lookup_found
                      && (lookup_lists    ? !list_busy_i && key_free
                          : lookup_need_q ? !key_q && key_req_ready_i : !lookup_waits);

  // List: the first entry of the receive's list is here.
  logic [15:0] list_pd_q, list_index_q;
  logic [1:0]  list_stride_q, list_at_q, bad_at_q;
  logic        list_good, list_read, list_bad_q;
  assign list_read    = lookup_q && lookup_lists && lookup_leaves;
  assign list_qpn_o   = lookup_qpn_q;
  assign list_block_o = 4'(index_q << stride);
  assign list_good    = list_num_sge_i != '0 && list_num_sge_i <= (8'd4 << list_stride_q) - 8'd3
                     && 32'(list_len_q) <= list_sge_i.length;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {list_q, list_bad_q, key_q} <= '0;
    end else begin
      {list_q, list_bad_q} <= {list_read, list_q && !list_good};
      key_q  <= (list_q && list_good) || (key_q && !key_req_ready_i);
    end
    bad_at_q <= list_at_q;
    if (list_read) begin
      list_at_q     <= own;
      list_pd_q     <= pd;
      list_index_q  <= index_q;
      list_len_q    <= lookup_len_q;
      list_stride_q <= stride;
    end
  end

  // Key.
  roci_pkg::key_req_t key_req_q, key_remote;
  always_comb begin
    key_remote.key    = lookup_reth_q.rkey;
    key_remote.va     = lookup_reth_q.va;
    key_remote.len    = lookup_atomic_q ? 32'd8 : lookup_reth_q.dma_length;
    key_remote.pd     = pd;
    key_remote.access = lookup_access_q;
    key_remote.qpn    = lookup_qpn_q;
  end
  always_ff @(posedge clk_i) begin
    if (list_q) begin
      key_req_q.key    <= list_sge_i.lkey;
      key_req_q.va     <= list_sge_i.addr;
      key_req_q.len    <= 32'(list_len_q);
      key_req_q.pd     <= list_pd_q;
      key_req_q.access <= 4'd1 << roci_pkg::AccessLocalWrite;
      key_req_q.qpn    <= '0;
    end
  end
  assign key_req_o       = key_q ? key_req_q : key_remote;
  assign key_req_valid_o = key_q || (lookup_q && lookup_found && lookup_need_q && !list_q);

  // What waits for the responder.
  logic               look_push, spec_push, spec_valid, spec_room, key_room, key_valid, waits_out;
  logic               spec_fetched, spec_key, spec_list, push_fetched, push_key;
  logic [15:0]        push_index;
  roci_pkg::key_rsp_t key_stored;
  assign look_push    = lookup_q && lookup_leaves && !lookup_lists;
  assign spec_push    = list_q || look_push;
  assign push_fetched = list_q || (lookup_takes_q && fetched_q);
  assign push_key     = list_q ? list_good : lookup_need_q;
  assign push_index   = list_q ? list_index_q : index_q;

  roci_records #(.Width(3 + roci_pkg::RxMetaBits), .Depth(Inside)) u_metas (
    .clk_i, .rst_ni,
    .in_data_i({need, takes, invalidates, meta_i}), .in_valid_i(take), .in_ready_o(in_ready),
    .out_data_o({out_need, out_takes, out_invalidates, meta_o}), .out_valid_o(out_valid),
    .out_ready_i(pop), .level_o(level));
  roci_records #(.Width(19), .Depth(Inside)) u_specs (
    .clk_i, .rst_ni, .in_data_i({list_q, push_key, push_fetched, push_index}),
    .in_valid_i(spec_push), .in_ready_o(spec_room),
    .out_data_o({spec_list, spec_key, spec_fetched, foreseen_index_o}), .out_valid_o(spec_valid),
    .out_ready_i(pop && waits_out), .level_o(spec_level));
  roci_records #(.Width(roci_pkg::KeyRspBits), .Depth(Inside)) u_keys (
    .clk_i, .rst_ni, .in_data_i(key_rsp_i), .in_valid_i(key_rsp_valid_i), .in_ready_o(key_room),
    .out_data_o(key_stored), .out_valid_o(key_valid), .out_ready_i(pop && waits_out && spec_key),
    .level_o(key_level));
  always_comb begin
    key_o = key_stored; key_o.ok = !out_need || key_stored.ok;
  end
  roci_responder_whole u_whole (
    .clk_i, .rst_ni, .take_i(take), .at_i(in_q), .looks_up_i(looks_up), .found_i(look_push),
    .found_at_i(own), .awaits_i(lookup_need_q), .list_i(list_q), .list_at_i(list_at_q),
    .none_i(list_bad_q), .none_at_i(bad_at_q), .key_i(key_rsp_valid_i), .oldest_i(out_q),
    .whole_o(valid_o), .pop_i(pop));
  assign waits_out  = out_need || out_takes;
  assign foreseen_o = out_takes && spec_fetched;
  assign placed_o   = out_takes && spec_list && spec_key && key_stored.ok;
  assign pop        = valid_o && ready_i;
  assign more_o     = (inside_q & (inside_q - 4'd1)) != '0;
  assign idle_o     = level == '0 && !meta_valid_i;

  `ASSERT(WholeIsAllThere, valid_o == (out_valid && !(list_bad_q && bad_at_q == out_q)
            && (!waits_out || (spec_valid && (!spec_key || key_valid)))))
  `ASSERT(ResponseHasRoom, `IMPLIES(key_rsp_valid_i, key_room))
  `ASSERT(ResponsesAreAwaited, key_level <= level)
  `ASSERT(FindingHasRoom, `IMPLIES(spec_push, spec_room))
  `ASSERT(LookupIsInside, `IMPLIES(lookup_q, inside_q[own]))

endmodule
