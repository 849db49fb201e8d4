// Asks the key table about each request that carries a remote key, before the responder comes to
// it, so that the answer is there when the responder is.
//
// Throughput: one request per clock, four inside. Latency: one clock without a key, the key table's
// latency and three clocks with one. Requests leave in order.
//
//   meta --> PD lookup --> key request        key response
//     |                                            |
//     +--> 4 requests -----------------------> 4 answers --> out

`include "assert.svh"

module roci_responder_front #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     pause_i,
  output logic                     idle_o,

  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,
  input  logic [23:0]              row_index_i,
  input  logic [roci_pkg::RowBits-1:0] row_data_i,

  // in
  input  roci_pkg::rx_meta_t       meta_i,
  input  logic                     meta_valid_i,
  output logic                     meta_ready_o,

  // key table
  output roci_pkg::key_req_t       key_req_o,
  output logic                     key_req_valid_o,
  input  logic                     key_req_ready_i,
  input  roci_pkg::key_rsp_t       key_rsp_i,
  input  logic                     key_rsp_valid_i,

  // out
  output roci_pkg::rx_meta_t       meta_o,
  output roci_pkg::key_rsp_t       key_o,   // ok when no key is needed
  output logic                     valid_o,
  input  logic                     ready_i
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

  roci_pkg::reth_t       reth, out_reth;
  roci_pkg::qp_attr_t    row_attr;
  roci_pkg::key_rsp_t    key_stored;
  logic                  take, pop, in_ready, out_valid, atomic, need, need_out, key_valid;
  logic                  ask_q, ask_atomic_q;
  roci_pkg::reth_t       ask_reth_q;
  logic [3:0]            ask_access_q;
  logic [15:0]           pd;
  logic [2:0]            level, key_level;
  logic                  key_room, unused_ready;
  logic                  unused;

  assign reth     = meta_i.ext[223:96];
  assign out_reth = meta_o.ext[223:96];
  assign row_attr = row_data_i[roci_pkg::QpAttrBits-1:0];
  assign atomic   = meta_i.opcode == roci_pkg::OpRcCmpSwap || meta_i.opcode == roci_pkg::OpRcFetchAdd;
  assign need     = rights(meta_i.opcode, reth.dma_length) != '0;
  assign need_out = rights(meta_o.opcode, out_reth.dma_length) != '0;
  assign unused   = &{row_attr, row_data_i, row_index_i, out_reth, key_room};

  // A request is taken when the question of the one before has left.
  assign meta_ready_o = in_ready && !pause_i && (!ask_q || key_req_ready_i);
  assign take         = meta_valid_i && meta_ready_o;

  roci_ram #(.Width(16), .Depth(NumQps), .Forward(1)) u_pd (
    .clk_i, .rst_ni,
    .write_i(row_valid_i && row_table_i == roci_pkg::TableQpAttr),
    .write_row_i(row_index_i[RowBits-1:0]), .write_data_i(row_attr.pd),
    .read_i(take && need), .read_row_i(meta_i.qpn[RowBits-1:0]), .read_data_o(pd),
    .ready_o(unused_ready)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ask_q <= 1'b0;
    else ask_q <= (take && need) || (ask_q && !key_req_ready_i);
    if (take && need) begin
      ask_reth_q   <= reth;
      ask_atomic_q <= atomic;
      ask_access_q <= rights(meta_i.opcode, reth.dma_length);
    end
  end
  assign key_req_valid_o  = ask_q;
  assign key_req_o.key    = ask_reth_q.rkey;
  assign key_req_o.va     = ask_reth_q.va;
  assign key_req_o.len    = ask_atomic_q ? 32'd8 : ask_reth_q.dma_length;
  assign key_req_o.pd     = pd;
  assign key_req_o.access = ask_access_q;

  roci_fifo #(.Width(roci_pkg::RxMetaBits), .Depth(4)) u_metas (
    .clk_i, .rst_ni,
    .in_data_i(meta_i), .in_valid_i(take), .in_ready_o(in_ready),
    .out_data_o(meta_o), .out_valid_o(out_valid), .out_ready_i(pop), .level_o(level)
  );
  roci_fifo #(.Width(roci_pkg::KeyRspBits), .Depth(4)) u_keys (
    .clk_i, .rst_ni,
    .in_data_i(key_rsp_i), .in_valid_i(key_rsp_valid_i), .in_ready_o(key_room),
    .out_data_o(key_stored), .out_valid_o(key_valid), .out_ready_i(pop && need_out),
    .level_o(key_level)
  );

  always_comb begin
    key_o    = key_stored;
    key_o.ok = !need_out || key_stored.ok;
  end
  assign valid_o = out_valid && (!need_out || key_valid);
  assign pop     = valid_o && ready_i;
  assign idle_o  = level == '0 && !(meta_valid_i && !pause_i);

  `ASSERT(AnswerHasRoom, `IMPLIES(key_rsp_valid_i, key_room))
  `ASSERT(AnswersAreAwaited, key_level <= level)

endmodule
