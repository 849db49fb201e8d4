// SPDX-License-Identifier: Apache-2.0
// Looks ahead for the responder: looks up the key of each request that carries a remote key,
// and finds the receive of each that takes one and where its first packet goes, so that the results
// are there when the responder comes to the request.
//
// Throughput: one request per clock, one per two clocks with a receive; four inside. Latency: one
// clock without key and receive, the key table's latency and three clocks with a key, two clocks
// more when a list is read. Requests leave in order.
//
//   meta --> PD, next receive --> [first list entry] --> key request       key response
//     |             |                                                           |
//     +--> 4 requests, 4 findings ----------------------------------------> 4 results --> out
//
// The receive is a guess: the next one of the queue pair, and one more for each request inside that
// ends one. It is wrong when one of those turns out not to be executed; the responder knows which
// receive it is, and looks itself when it is another. A receive that is posted but not here yet is
// waited for while there are other requests before this one.

`include "assert.svh"

module roci_responder_front #(
  parameter int unsigned NumQps = 256  // power of two
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
  output logic [15:0]               seen_index_o,  // with the result
  input  logic                      seen_posted_i,
  input  logic                      seen_fetched_i,
  input  logic                      list_busy_i,   // no read of a list now
  output logic                      list_read_o,
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
  output roci_pkg::key_rsp_t        key_o,       // ok when no remote key is needed
  output logic                      foreseen_o,  // receive foreseen_index_o is here
  output logic [15:0]               foreseen_index_o,
  output logic                      placed_o,    // key_o is of the payload's place in it
  output logic                      changed_o,   // the key table changed since it came
  output logic                      valid_o,
  input  logic                      ready_i
);

  localparam int unsigned RowBits = $clog2(NumQps);

  // Rights the operation needs; none: no key is carried, or nothing is touched.
  function automatic logic [3:0] rights(input logic [7:0] opcode, input logic [31:0] length);
    case (opcode)
      roci_pkg::OpRcWriteFirst, roci_pkg::OpRcWriteOnly, roci_pkg::OpRcWriteOnlyImm:
        rights = length == '0 ? 4'd0 : 4'd1 << roci_pkg::AccessRemoteWrite;
      roci_pkg::OpRcReadRequest:
        rights = length == '0 ? 4'd0 : 4'd1 << roci_pkg::AccessRemoteRead;
      roci_pkg::OpRcCmpSwap, roci_pkg::OpRcFetchAdd:
        rights = 4'd1 << roci_pkg::AccessRemoteAtomic;
      default: rights = 4'd0;
    endcase
  endfunction

  function automatic logic takes(input logic [7:0] opcode);
    takes = opcode == roci_pkg::OpRcSendFirst || opcode == roci_pkg::OpRcSendOnly
         || opcode == roci_pkg::OpRcSendOnlyImm || opcode == roci_pkg::OpRcSendOnlyInv
         || opcode == roci_pkg::OpRcWriteOnlyImm || opcode == roci_pkg::OpRcWriteLastImm;
  endfunction

  function automatic logic ends(input logic [7:0] opcode);
    ends = (takes(opcode) && opcode != roci_pkg::OpRcSendFirst)
        || opcode == roci_pkg::OpRcSendLast || opcode == roci_pkg::OpRcSendLastImm
        || opcode == roci_pkg::OpRcSendLastInv;
  endfunction

  function automatic logic invalidates(input logic [7:0] opcode);
    invalidates = opcode == roci_pkg::OpRcSendLastInv || opcode == roci_pkg::OpRcSendOnlyInv;
  endfunction

  roci_pkg::ext_reth_t reth, out_reth;
  roci_pkg::qp_attr_t row_attr;
  logic [RowBits-1:0] meta_row, guess_row;
  logic               take, pop, in_ready, out_valid, need, need_out, meta_takes, takes_out;
  logic               atomic;
  logic [2:0]         level, key_level, spec_level;
  logic               unused;
  assign reth       = meta_i.ext;
  assign out_reth   = meta_o.ext;
  assign row_attr   = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign meta_row   = meta_i.qpn[RowBits-1:0];
  assign need       = rights(meta_i.opcode, reth.dma_length) != '0;
  assign need_out   = rights(meta_o.opcode, out_reth.dma_length) != '0;
  assign meta_takes = takes(meta_i.opcode);
  assign takes_out  = takes(meta_o.opcode);
  assign atomic     = meta_i.opcode == roci_pkg::OpRcCmpSwap || meta_i.opcode == roci_pkg::OpRcFetchAdd;
  assign unused     = &{row_attr, reth, out_reth, spec_level};

  // Ask: tables are read.
  logic               ask_q, ask_takes_q, ask_list_q, ask_need_q, ask_atomic_q;
  roci_pkg::reth_t    ask_reth_q;
  logic [3:0]         ask_access_q;
  logic [23:0]        ask_qpn_q;
  logic [12:0]        ask_len_q;
  logic [2:0]         ahead, ahead_q;
  logic [15:0]        pd, next, index;
  logic [1:0]         stride;
  logic               ask_leaves, ask_waits, ask_lists, again, unused_pd_ready, unused_next_ready;
  logic               list_q, key_q, key_free;  // the next stage is occupied

  // No key is looked up after a SEND that may still invalidate a key.
  logic inv_q;
  assign meta_ready_o = in_ready && !inv_q && (!ask_q || ask_leaves);
  assign take         = meta_valid_i && meta_ready_o;
  assign again        = ask_q && ask_takes_q && !ask_leaves;  // what is found may change

  roci_ram #(.Width(18), .Depth(NumQps), .Forward(1)) u_pd (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr),
    .write_row_i(row_write_i.index[RowBits-1:0]), .write_data_i({row_attr.rq_stride_log, row_attr.pd}),
    .read_i(take && (need || meta_takes)), .read_row_i(meta_row), .read_data_o({stride, pd}),
    .ready_o(unused_pd_ready)
  );
  roci_ram #(.Width(16), .Depth(NumQps), .Forward(1)) u_next (
    .clk_i, .rst_ni,
    .write_i(next_write_i), .write_row_i(next_row_i), .write_data_i(next_i),
    .read_i(seen_read_o), .read_row_i(guess_row), .read_data_o(next), .ready_o(unused_next_ready)
  );
  assign guess_row    = again ? ask_qpn_q[RowBits-1:0] : meta_row;
  assign seen_read_o  = again || (take && meta_takes);
  assign seen_row_o   = guess_row;
  assign index        = next + 16'(ahead_q);
  assign seen_index_o = index;

  // Requests inside; the requesting one is the newest.
  logic [3:0]           inside_q, inside_ends_q, inside_changed_q;
  logic                 row_is_key;
  assign row_is_key = row_write_valid_i && row_write_i.table_id == roci_pkg::TableKey;
  assign changed_o  = inside_changed_q[out_q];
  logic [4*RowBits-1:0] inside_row_q;
  logic [1:0]           in_q, out_q, own;
  assign own = in_q - 2'd1;
  always_comb begin
    ahead = '0;
    for (int i = 0; i < 4; i++) begin
      if (inside_q[i] && inside_ends_q[i] && inside_row_q[RowBits*i +: RowBits] == guess_row
          && !(pop && out_q == 2'(i)) && !(again && own == 2'(i))) ahead = ahead + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ask_q    <= 1'b0;
      inv_q    <= 1'b0;
      inside_q <= '0;
      in_q     <= '0;
      out_q    <= '0;
    end else begin
      ask_q <= (take && (need || meta_takes)) || (ask_q && !ask_leaves);
      inv_q <= (take && invalidates(meta_i.opcode)) || (inv_q && !(pop && invalidates(meta_o.opcode)));
      if (pop) inside_q[out_q] <= 1'b0;
      if (take) inside_q[in_q] <= 1'b1;
      in_q  <= in_q + 2'(take);
      out_q <= out_q + 2'(pop);
    end
    if (take) inside_changed_q[in_q] <= 1'b0;
    if (row_is_key) inside_changed_q <= '1;
    if (take) begin
      inside_ends_q[in_q]                   <= ends(meta_i.opcode);
      inside_row_q[RowBits*in_q +: RowBits] <= meta_row;
    end
    if (seen_read_o) ahead_q <= ahead;
    if (take && (need || meta_takes)) begin
      ask_reth_q   <= {reth.va, reth.rkey, reth.dma_length};
      ask_need_q   <= need;
      ask_atomic_q <= atomic;
      ask_access_q <= rights(meta_i.opcode, reth.dma_length);
      ask_takes_q  <= meta_takes;
      ask_list_q   <= meta_takes && !need && meta_i.payload_len != '0
                      && meta_i.opcode != roci_pkg::OpRcWriteLastImm
                      && meta_i.opcode != roci_pkg::OpRcWriteOnlyImm;
      ask_qpn_q    <= meta_i.qpn;
      ask_len_q    <= meta_i.payload_len;
    end
  end

  assign key_free   = !key_q || key_req_ready_i;
  assign ask_waits  = ask_list_q && seen_posted_i && !seen_fetched_i && level > 3'd1;
  assign ask_lists  = ask_list_q && seen_fetched_i;
  assign ask_leaves = !list_q && (ask_lists  ? !list_busy_i && key_free
                                : ask_need_q ? !key_q && key_req_ready_i : !ask_waits);

  // List: its first entry is here.
  logic [15:0] list_pd_q, list_index_q;
  logic [12:0] list_len_q;
  logic [1:0]  list_stride_q;
  logic        list_good;
  assign list_read_o  = ask_q && ask_lists && ask_leaves;
  assign list_qpn_o   = ask_qpn_q;
  assign list_block_o = 4'(index << stride);
  assign list_good    = list_num_sge_i != '0 && list_num_sge_i <= (8'd4 << list_stride_q) - 8'd3
                     && 32'(list_len_q) <= list_sge_i.length;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      list_q <= 1'b0;
      key_q  <= 1'b0;
    end else begin
      list_q <= list_read_o;
      key_q  <= (list_q && list_good) || (key_q && !key_req_ready_i);
    end
    if (list_read_o) begin
      list_pd_q     <= pd;
      list_index_q  <= index;
      list_len_q    <= ask_len_q;
      list_stride_q <= stride;
    end
  end

  // Key.
  roci_pkg::key_req_t key_req_q, key_remote;
  always_comb begin
    key_remote.key    = ask_reth_q.rkey;
    key_remote.va     = ask_reth_q.va;
    key_remote.len    = ask_atomic_q ? 32'd8 : ask_reth_q.dma_length;
    key_remote.pd     = pd;
    key_remote.access = ask_access_q;
    key_remote.qpn    = ask_qpn_q;
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
  assign key_req_valid_o = key_q || (ask_q && ask_need_q && !list_q);

  // What waits for the responder.
  logic               spec_push, spec_valid, spec_room, key_room, key_valid, waits_out;
  logic               spec_fetched, spec_key, spec_list, push_fetched, push_key;
  logic [15:0]        push_index;
  roci_pkg::key_rsp_t key_stored;
  assign spec_push    = list_q || (ask_q && ask_leaves && !ask_lists);
  assign push_fetched = list_q || (ask_takes_q && seen_fetched_i);
  assign push_key     = list_q ? list_good : ask_need_q;
  assign push_index   = list_q ? list_index_q : index;

  roci_fifo #(.Width(roci_pkg::RxMetaBits), .Depth(4)) u_metas (
    .clk_i, .rst_ni,
    .in_data_i(meta_i), .in_valid_i(take), .in_ready_o(in_ready),
    .out_data_o(meta_o), .out_valid_o(out_valid), .out_ready_i(pop), .level_o(level)
  );
  roci_fifo #(.Width(19), .Depth(4)) u_specs (
    .clk_i, .rst_ni,
    .in_data_i({list_q, push_key, push_fetched, push_index}), .in_valid_i(spec_push),
    .in_ready_o(spec_room),
    .out_data_o({spec_list, spec_key, spec_fetched, foreseen_index_o}), .out_valid_o(spec_valid),
    .out_ready_i(pop && waits_out), .level_o(spec_level)
  );
  roci_fifo #(.Width(roci_pkg::KeyRspBits), .Depth(4)) u_keys (
    .clk_i, .rst_ni,
    .in_data_i(key_rsp_i), .in_valid_i(key_rsp_valid_i), .in_ready_o(key_room),
    .out_data_o(key_stored), .out_valid_o(key_valid), .out_ready_i(pop && waits_out && spec_key),
    .level_o(key_level)
  );

  always_comb begin
    key_o    = key_stored;
    key_o.ok = !need_out || key_stored.ok;
  end
  assign waits_out  = need_out || takes_out;
  assign foreseen_o = takes_out && spec_fetched;
  assign placed_o   = takes_out && spec_list && spec_key && key_stored.ok;
  assign valid_o    = out_valid && (!waits_out || (spec_valid && (!spec_key || key_valid)));
  assign pop        = valid_o && ready_i;
  assign idle_o     = level == '0 && !meta_valid_i;

  `ASSERT(AnswerHasRoom, `IMPLIES(key_rsp_valid_i, key_room))
  `ASSERT(AnswersAreAwaited, key_level <= level)
  `ASSERT(FindingHasRoom, `IMPLIES(spec_push, spec_room))
  `ASSERT(AsksInside, `IMPLIES(ask_q, inside_q[own]))

endmodule
