// SPDX-License-Identifier: Apache-2.0
// One client of the block reads: holds a request, and knows where its beats lie in the memory that
// all clients share.
//
// Throughput: one request every two clocks. Latency: none when the mux is free, with Compact one
// clock; what cannot leave waits in a register. Whether tags and rows are free is that of the clock
// before: since then only a request of this client could have taken some, and after one the next
// waits for a clock.

`include "assert.svh"

module roci_dma_block_client #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned TagBits   = 3,  // log2 of requests in flight
  parameter int unsigned SlotBits  = 5,  // log2 of blocks in flight, more than 4
  parameter int unsigned Base      = 0,  // first block of its part of the memory
  parameter int unsigned Compact   = 0,  // 1: requests leave from the register only
  localparam int unsigned BeatBits = $clog2(512 / DataWidth)  // log2 of the beats of a block
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // request
  input  roci_pkg::block_read_req_t br_req_i,
  input  logic                      br_posted_i,
  input  logic                      br_req_valid_i,
  output logic                      br_req_ready_o,

  // read
  output logic [TagBits-1:0]        ar_tag_o,
  output logic [63:0]               ar_addr_o,
  output logic [19:0]               ar_pasid_o,
  output logic [8:0]                ar_beats_o,
  output logic                      ar_posted_o,  // no read of host memory
  output logic                      ar_valid_o,
  input  logic                      ar_ready_i,
  input  logic                      beat_i,
  input  logic [TagBits-1:0]        beat_tag_i,
  input  logic                      beat_last_i,
  output logic [8+BeatBits:0]       beat_row_o,

  // oldest beat
  output logic                      head_valid_o,
  output logic [8+BeatBits:0]       head_row_o,
  input  logic                      pop_i,

  output logic                      idle_o
);

  localparam int unsigned RowBits = SlotBits + BeatBits;

  logic [63:0]        addr_q;
  logic [19:0]        pasid_q;
  logic [4:0]         count_q, count;
  logic               posted_q, valid_q, free_q, tags_ready, empty, take, direct;
  logic [RowBits-1:0] beat_row, head_row, unused_index;
  logic               unused_first, unused_last, unused_info, unused_there;

  assign direct     = Compact == 0 && !valid_q;
  assign ar_addr_o  = direct ? br_req_i.addr : addr_q;
  assign ar_pasid_o = direct ? br_req_i.pasid : pasid_q;
  assign count      = direct ? br_req_i.count : count_q;
  assign ar_beats_o = 9'(count) << BeatBits;
  assign ar_posted_o = direct ? br_posted_i : posted_q;
  assign ar_valid_o = (direct ? br_req_valid_i : valid_q) && free_q;
  assign take       = ar_valid_o && ar_ready_i;
  assign br_req_ready_o = !valid_q;
  assign idle_o     = !br_req_valid_i && !valid_q && empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      free_q  <= 1'b0;
    end else begin
      valid_q <= (valid_q || br_req_valid_i) && !take;
      free_q  <= tags_ready && !take;
    end
    if (!valid_q && br_req_valid_i) begin
      addr_q  <= br_req_i.addr;
      pasid_q <= br_req_i.pasid;
      count_q <= br_req_i.count;
      posted_q <= br_posted_i;
    end
  end

  roci_dma_tags #(
    .TagBits(TagBits), .RowBits(RowBits), .MaxRows(16 << BeatBits), .InfoBits(1)
  ) u_tags (
    .clk_i, .rst_ni,
    .alloc_i(take), .alloc_rows_i(RowBits'(ar_beats_o)), .alloc_info_i(1'b0),
    .alloc_there_i(1'b0), .alloc_ready_o(tags_ready), .alloc_tag_o(ar_tag_o),
    .beat_i, .beat_tag_i, .beat_last_i, .beat_row_o(beat_row),
    .head_valid_o, .head_there_o(unused_there), .head_row_o(head_row),
    .head_index_o(unused_index), .head_first_o(unused_first), .head_last_o(unused_last),
    .head_info_o(unused_info), .pop_i, .empty_o(empty));
  assign beat_row_o = (9 + BeatBits)'(beat_row) + (9 + BeatBits)'(Base << BeatBits);
  assign head_row_o = (9 + BeatBits)'(head_row) + (9 + BeatBits)'(Base << BeatBits);

  `ASSUME(AddrIsAligned, `IMPLIES(br_req_valid_i, br_req_i.addr[5:0] == '0))
  `ASSUME(CountInRange, `IMPLIES(br_req_valid_i, br_req_i.count >= 5'd1 && br_req_i.count <= 5'd16))
  `ASSUME(WithinPage, `IMPLIES(br_req_valid_i,
                               7'(br_req_i.addr[11:6]) + 7'(br_req_i.count) <= 7'd64))

endmodule
