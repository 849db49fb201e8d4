// SPDX-License-Identifier: Apache-2.0
// Whether a plan comes into the hand in the clock after another one of its queue pair. It does when
// all that the word will say of it is known before that is written: the one in hand is plain, so it
// is sent now, and the next one is of the same kind.
//
//  plain   RC; no READ, atomic or local operation, so that it takes one sequence number; never seen
//          before, and nothing is to be retransmitted; half of the window is free
//
// After Run plans the window is looked at again; half of the smallest one is as many.

`include "assert.svh"

module roci_requester_follow #(
  parameter int unsigned RingDepth = 128,  // messages in flight of a queue pair
  parameter int unsigned Window    = 256  // packets in flight of a queue pair
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // the plan in hand
  input  logic                      take_i,      // one comes into the hand: the next one
  input  logic                      planning_i,  // step Plan
  input  roci_pkg::requester_look_t look_i,
  input  logic [3:0]                epoch_i,
  input  roci_pkg::requester_qp_t   qp_i,        // its word

  input  roci_pkg::plan_t           plan_i,      // the next one, of the same queue pair
  input  logic                      same_i,      // there is one
  input  logic                      alive_i,     // that queue pair is in RTS or SQD
  output logic                      follows_o
);

  localparam int unsigned Run = 16;
  logic [$clog2(Run):0] run_q;  // plans that followed
  logic                 plain, write, send, alive_q;
  assign write = plan_i.opcode == roci_pkg::WrOpWrite;
  assign send  = plan_i.opcode == roci_pkg::WrOpSend || plan_i.opcode == roci_pkg::WrOpSendImm
                 || plan_i.opcode == roci_pkg::WrOpWriteImm;
  assign plain = planning_i && look_i.plain && look_i.fresh && look_i.all && look_i.roomy
                 && !look_i.old && !look_i.bad && !look_i.ring && !look_i.full;
  assign follows_o = same_i && alive_q && plain && !run_q[$clog2(Run)]
                     && qp_i.count != 8'(RingDepth - 1)
                     && plan_i.first && plan_i.epoch == epoch_i && !plan_i.fence
                     && plan_i.status == roci_pkg::StatusSuccess
                     && (write || (send && !qp_i.limited));
  always_ff @(posedge clk_i) begin
    alive_q <= alive_i;
    if (!rst_ni) run_q <= '0;
    else if (take_i) run_q <= follows_o ? run_q + 1'b1 : '0;
  end

  logic unused;
  assign unused = &{1'b0, look_i, qp_i, plan_i};

  logic [23:0] flight;
  assign flight = qp_i.psn_next - qp_i.una;
  `ASSERT(WindowHasRoom, `IMPLIES(planning_i && look_i.roomy,
                                  flight < 24'(Window / 2) + 24'(run_q)))
  `ASSERT(RunEnds, `IMPLIES(planning_i, run_q <= ($clog2(Run) + 1)'(Run)))

endmodule
