// SPDX-License-Identifier: Apache-2.0
// Local operations of the requester: the request to the key table, and the operations that are
// executed and wait until what the receive side accepted before them is done.
//
//   plan --> request --> key table
//   executed --> queue --> drained? --> late event
//
// The queue pair goes on when its operation is complete. Others go on meanwhile, because the
// accesses that are waited for may need responses to be placed.

`include "assert.svh"

module roci_requester_operate #(
  parameter int unsigned NumQps = 256,  // queue pairs, a power of two
  parameter int unsigned Depth  = 4,    // operations that wait, a power of two
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // the operation in hand
  input  logic [QpBits-1:0]     row_i,
  input  roci_pkg::plan_t       plan_i,
  input  logic [15:0]           pd_i,
  input  logic                  req_i,        // the key table is to execute it
  output roci_pkg::key_op_req_t req_o,
  output logic                  req_valid_o,
  input  logic                  push_i,       // executed; accesses of peers may still use the key

  // accesses of peers
  output logic                  drain_o,      // pulse: begin to wait
  input  logic                  drained_i,    // pulse, in order: what was accepted before is done

  output roci_pkg::plan_t       late_o,       // an operation that is to be completed
  output logic                  late_valid_o,
  input  logic                  late_ready_i,
  output logic                  room_o,       // one more may be chosen while another is pushed
  output logic                  idle_o
);

  localparam int unsigned LevelBits = $clog2(Depth) + 1;
  localparam int unsigned Width     = QpBits + 16 + 4 + 8 + 1;

  assign req_valid_o = req_i;
  always_comb begin
    req_o        = '0;
    req_o.op     = plan_i.opcode == roci_pkg::WrOpBindMw  ? roci_pkg::KeyOpBind
                   : plan_i.opcode == roci_pkg::WrOpRegMr ? roci_pkg::KeyOpRegister
                   : roci_pkg::KeyOpInvalidate;
    req_o.key    = plan_i.rkey;
    req_o.qpn    = 24'(row_i);
    req_o.pd     = pd_i;
    req_o.region = plan_i.sge0_lkey;
    req_o.va     = plan_i.remote_addr;
    req_o.length = plan_i.swap_add;
    req_o.access = plan_i.compare[5:0];
    req_o.addr   = plan_i.sge0_addr;
  end

  logic [QpBits-1:0]    row;
  logic [15:0]          index;
  logic [3:0]           epoch;
  logic [7:0]           opcode;
  logic                 signaled, valid, ready, taken_q, unused;
  logic [LevelBits-1:0] level, drained_q;
  assign drain_o = push_i;
  roci_fifo #(.Width(Width), .Depth(Depth)) u_late (
    .clk_i, .rst_ni,
    .in_data_i({row_i, plan_i.wqe_index, plan_i.epoch, plan_i.opcode, plan_i.signaled}),
    .in_valid_i(push_i), .in_ready_o(ready),
    .out_data_o({row, index, epoch, opcode, signaled}), .out_valid_o(valid),
    .out_ready_i(late_ready_i), .level_o(level));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) drained_q <= '0;
    else drained_q <= drained_q + LevelBits'(drained_i) - LevelBits'(taken_q);
    taken_q <= rst_ni && late_ready_i;
  end
  // One that was taken is counted a clock later, and the next one waits for that.
  assign late_valid_o = valid && drained_q != '0 && !taken_q;
  always_comb begin
    late_o           = '0;
    late_o.qpn       = 24'(row);
    late_o.wqe_index = index;
    late_o.epoch     = epoch;
    late_o.opcode    = opcode;
    late_o.signaled  = signaled;
  end
  assign room_o = level < LevelBits'(Depth - 1);
  assign idle_o = !valid;
  assign unused = &{1'b0, plan_i};

  `ASSERT(LateHasRoom, `IMPLIES(drain_o, ready))
  `ASSERT(DrainsAreAwaited, drained_q <= level + LevelBits'(taken_q))

endmodule
