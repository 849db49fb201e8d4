// SPDX-License-Identifier: Apache-2.0
// Proof harness, part of roci_requester_proof_tb: what is known of a plan in hand beside its word
// agrees with the word, also when the plan follows another one of its queue pair at once.

`include "assert.svh"

module roci_requester_plan_tb #(
  parameter int unsigned RingDepth = 4,
  parameter int unsigned Window    = 32
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      take_i,      // an event comes into the hand
  input  logic                      planning_i,  // step Plan of a plan that is not late
  input  roci_pkg::plan_t           plan_q_i,    // the plan that is read or in hand
  input  roci_pkg::requester_qp_t   qp_i,
  input  logic [23:0]               span_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic                      uc_i,        // UC or UD
  input  logic                      alive_i,
  input  roci_pkg::plan_t           plan_i,      // the next one
  input  logic                      same_i,      // there is one

  output roci_pkg::requester_look_t look_o,
  output logic                      follows_o
);

  roci_requester_look #(.RingDepth(RingDepth), .Window(Window)) u_look (
    .clk_i, .plan_i(plan_q_i), .qp_i, .attr_i, .uc_i, .alive_i, .follows_i(follows_o), .look_o);
  roci_requester_follow #(.RingDepth(RingDepth), .Window(Window)) u_follow (
    .clk_i, .rst_ni, .take_i, .planning_i, .look_i(look_o), .epoch_i(plan_q_i.epoch), .qp_i,
    .plan_i, .same_i, .alive_i, .follows_o);

  logic unused;
  assign unused = &{1'b0, span_i};

`ifdef FORMAL
  logic        f_is_rd, f_is_local;
  logic [23:0] f_flight;
  assign f_flight   = qp_i.psn_next - qp_i.una;
  assign f_is_rd    = plan_q_i.opcode == roci_pkg::WrOpRead
                      || plan_q_i.opcode == roci_pkg::WrOpCmpSwap
                      || plan_q_i.opcode == roci_pkg::WrOpFetchAdd;
  assign f_is_local = plan_q_i.opcode == roci_pkg::WrOpLocalInv
                      || plan_q_i.opcode == roci_pkg::WrOpBindMw
                      || plan_q_i.opcode == roci_pkg::WrOpRegMr;

  // The segmenter gives plans of a queue pair in order; its service does not change meanwhile.
  `ASSUME(PlansComeInOrder, `IMPLIES(follows_o,
                                     plan_i.wqe_index == plan_q_i.wqe_index + 16'd1))
  `ASSUME(ServiceStays, `IMPLIES(look_o.plain, !uc_i))

  `ASSERT(FlightIsKnown, `IMPLIES(planning_i,
      look_o.some == (qp_i.psn_next != qp_i.una) && look_o.all == (qp_i.psn_next == qp_i.psn_max)
      && look_o.ahead == qp_i.psn_max - qp_i.psn_next
      && `IMPLIES(!look_o.window, f_flight < 24'(Window))))
  `ASSERT(RingIsKnown, `IMPLIES(planning_i,
      look_o.ring == (plan_q_i.first && qp_i.count == 8'(RingDepth))
      && look_o.alone == (qp_i.count + 8'(plan_q_i.first) == 8'd1)))
  `ASSERT(AgeIsKnown, `IMPLIES(planning_i,
      `IMPLIES(look_o.fresh, plan_q_i.first && qp_i.begun == plan_q_i.wqe_index)
      && `IMPLIES(!look_o.old, !qp_i.failed && !qp_i.stopped && plan_q_i.epoch == qp_i.epoch)))
  `ASSERT(LocalWaits, `IMPLIES(planning_i,
      look_o.drain == (f_is_local && (qp_i.count != '0 || look_o.some))
      && `IMPLIES((look_o.full || look_o.window) && f_is_local && !look_o.fence, look_o.drain)))
  `ASSERT(PlainIsOne, `IMPLIES(planning_i, `IMPLIES(!f_is_rd, span_i == 24'd1)
      && `IMPLIES(look_o.plain, !f_is_rd && !f_is_local
                                && (!look_o.over || plan_q_i.opcode == roci_pkg::WrOpWrite))))
`endif

endmodule
