// SPDX-License-Identifier: Apache-2.0
// Plans whose key may still be looked up, and what leaves: plans and segments of payload.
//
// Throughput: a plan per clock, with Compact one per key. Latency: that of the key. The queue of
// plans is so deep that a grant is segmented before its packets left; with Compact it holds one.
//
//  plan --> | 8 pending | --key--> | 16 plans  | --> plan
//                           +----> | 32 segments | --> seg
//  walker's segments ----------------^

`include "assert.svh"

module roci_sq_segment_out #(
  parameter int unsigned Compact    = 0,  // 1: one plan waits for its key, one for the requester
  parameter int unsigned InlineBits = 14  // log2 of bytes in the fetch buffer
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  roci_pkg::plan_t           plan_i,
  input  logic                      plan_push_i,
  input  logic [InlineBits-1:0]     inline_addr_i,     // its segment, when not by key
  input  logic                      wait_key_i,        // a result of the key table belongs to it
  input  logic                      own_seg_i,         // one segment, not those of the walker
  output logic                      push_room_o,
  output logic                      pending_empty_o,

  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  input  roci_pkg::seg_t            walk_seg_i,
  input  logic                      walk_seg_valid_i,
  input  logic                      walk_segs_i,       // segments of the walker come now
  output logic                      walk_seg_ready_o,

  output roci_pkg::plan_t           plan_o,
  output logic                      plan_valid_o,
  input  logic                      plan_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,

  output logic                      idle_o
);

  localparam int unsigned PendingDepth = Compact != 0 ? 1 : 8;
  localparam int unsigned PlanDepth    = Compact != 0 ? 1 : 16;
  localparam int unsigned FateBits     = 8 + 1;  // status, has_segs
  localparam int unsigned WaitBits     = FateBits + 13 + InlineBits + 2;
  logic [$clog2(PendingDepth):0] pending_level, unused_rsp_level;
  logic [$clog2(PlanDepth):0]    unused_plan_level;
  logic [WaitBits-1:0]           wait_in, wait_out;
  logic [12:0]                   len;
  logic [7:0]                    status_in, status;
  roci_pkg::key_rsp_t            rsp;
  logic                          pending_valid, resolve, wait_key, own_seg, rsp_valid, failed;
  logic                          has_segs_in, has_segs;
  logic                          unused_push, unused_rsp_ready, plan_room, seg_room;
  logic [InlineBits-1:0]         inline_addr;

  assign push_room_o     = pending_level < ($clog2(PendingDepth) + 1)'(PendingDepth);
  assign pending_empty_o = pending_level == '0;
  assign wait_in = {plan_i.status, plan_i.has_segs, plan_i.len[12:0], inline_addr_i, wait_key_i,
                    own_seg_i};
  assign {status_in, has_segs_in, len, inline_addr, wait_key, own_seg} = wait_out;
  // At most as many results as pending plans
  roci_records #(.Width(roci_pkg::KeyRspBits), .Depth(PendingDepth)) u_rsp (
    .clk_i, .rst_ni,
    .in_data_i(key_rsp_i), .in_valid_i(key_rsp_valid_i),
    .in_ready_o(unused_rsp_ready),
    .out_data_o(rsp), .out_valid_o(rsp_valid), .out_ready_i(resolve && wait_key),
    .level_o(unused_rsp_level));

  // What the key decides of a plan
  assign resolve  = pending_valid && plan_room && (!wait_key || rsp_valid)
                    && (!own_seg || seg_room);
  assign failed   = wait_key && !rsp.ok;
  assign status   = failed ? roci_pkg::StatusLocProtErr : status_in;
  assign has_segs = has_segs_in && !failed;

  // The queue holds the plans of a grant before its packets left. All of a plan but its fate waits
  // there from the beginning, so that there is one wide memory; with Compact each queue holds one
  // plan in a register.
  logic [roci_pkg::PlanBits-1:0] plan_bits;
  logic [FateBits-1:0]           fate;
  roci_pkg::plan_t               plan_out;
  if (Compact != 0) begin : gen_registers
    logic [roci_pkg::PlanBits-1:0] waits;
    roci_records #(.Width(roci_pkg::PlanBits + WaitBits), .Depth(PendingDepth)) u_pending (
      .clk_i, .rst_ni,
      .in_data_i({plan_i, wait_in}), .in_valid_i(plan_push_i), .in_ready_o(unused_push),
      .out_data_o({waits, wait_out}), .out_valid_o(pending_valid), .out_ready_i(resolve),
      .level_o(pending_level));
    roci_records #(.Width(roci_pkg::PlanBits + FateBits), .Depth(PlanDepth)) u_plan (
      .clk_i, .rst_ni,
      .in_data_i({waits, status, has_segs}), .in_valid_i(resolve), .in_ready_o(plan_room),
      .out_data_o({plan_bits, fate}), .out_valid_o(plan_valid_o), .out_ready_i(plan_ready_i),
      .level_o(unused_plan_level));
  end else begin : gen_queue
    logic unused_room, unused_valid;
    logic [$clog2(2*PlanDepth):0] unused_level;
    roci_records #(.Width(WaitBits), .Depth(PendingDepth)) u_pending (
      .clk_i, .rst_ni,
      .in_data_i(wait_in), .in_valid_i(plan_push_i), .in_ready_o(unused_push),
      .out_data_o(wait_out), .out_valid_o(pending_valid), .out_ready_i(resolve),
      .level_o(pending_level));
    roci_records #(.Width(FateBits), .Depth(PlanDepth)) u_fate (
      .clk_i, .rst_ni,
      .in_data_i({status, has_segs}), .in_valid_i(resolve), .in_ready_o(plan_room),
      .out_data_o(fate), .out_valid_o(plan_valid_o), .out_ready_i(plan_ready_i),
      .level_o(unused_plan_level));
    // Room for those whose key is looked up, and those after them
    roci_records #(.Width(roci_pkg::PlanBits), .Depth(2 * PlanDepth)) u_plan (
      .clk_i, .rst_ni,
      .in_data_i(plan_i), .in_valid_i(plan_push_i), .in_ready_o(unused_room),
      .out_data_o(plan_bits), .out_valid_o(unused_valid),
      .out_ready_i(plan_valid_o && plan_ready_i), .level_o(unused_level));
    logic unused;
    assign unused = &{1'b0, unused_valid, unused_level};
    `ASSERT(PlanHasRoom, `IMPLIES(plan_push_i, unused_room))
    `ASSERT(PlanIsThere, `IMPLIES(plan_valid_o, unused_valid))
  end
  assign plan_out = plan_bits;
  always_comb begin
    plan_o                      = plan_out;
    {plan_o.status, plan_o.has_segs} = fate;
  end

  // Segments: of the plan resolved, or of the walker
  localparam int unsigned SegDepth = 32;
  logic [$clog2(SegDepth):0] unused_seg_level;
  logic                      seg_push;
  roci_pkg::seg_t            seg_in;
  assign walk_seg_ready_o = walk_segs_i && seg_room;
  always_comb begin
    seg_push       = resolve && own_seg && has_segs;
    seg_in.addr    = wait_key ? rsp.addr : 64'(inline_addr);
    seg_in.pasid   = rsp.pasid;
    seg_in.len     = len;
    seg_in.last    = 1'b1;
    seg_in.drop    = 1'b0;
    seg_in.fetched = !wait_key;
    if (walk_segs_i) begin
      seg_push = walk_seg_valid_i && walk_seg_ready_o;
      seg_in   = walk_seg_i;
    end
  end
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(SegDepth)) u_seg (
    .clk_i, .rst_ni,
    .in_data_i(seg_in), .in_valid_i(seg_push), .in_ready_o(seg_room),
    .out_data_o(seg_o), .out_valid_o(seg_valid_o), .out_ready_i(seg_ready_i),
    .level_o(unused_seg_level));

  assign idle_o = !pending_valid && !plan_valid_o && !seg_valid_o;

  logic unused;
  assign unused = &{1'b0, unused_push, unused_rsp_ready, unused_rsp_level, unused_plan_level,
                    unused_seg_level};

  `ASSERT(ResultsAreExpected, `IMPLIES(rsp_valid, pending_valid))

endmodule
