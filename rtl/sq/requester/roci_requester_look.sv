// SPDX-License-Identifier: Apache-2.0
// What the word of a queue pair says of a plan, found while the word is read and kept for the clock
// in which the plan is decided on: subtractions and comparisons of 24 bits are the longer part of
// that decision.
//
// A plan that follows another one of its queue pair at once (roci_requester_follow) has no word to
// look at yet: it is what such plans are.
//
// Latency: one clock. The word does not change between the two.

module roci_requester_look #(
  parameter int unsigned RingDepth = 128,  // messages in flight of a queue pair
  parameter int unsigned Window    = 256  // packets in flight of a queue pair
) (
  input  logic                      clk_i,

  input  roci_pkg::plan_t           plan_i,
  input  roci_pkg::requester_qp_t   qp_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic                      uc_i,     // UC or UD
  input  logic                      alive_i,  // in RTS or SQD, generation begun
  input  logic                      follows_i,  // the plan follows, see above

  output roci_pkg::requester_look_t look_o
);

  logic        is_rd, is_local, no_depth, not_there, fence, drain, some;
  logic [23:0] flight, unused_limit;
  logic        over, unused_limited, takes_receive;
  logic [7:0]  count_next;
  assign is_rd      = plan_i.opcode == roci_pkg::WrOpRead
                      || plan_i.opcode == roci_pkg::WrOpCmpSwap
                      || plan_i.opcode == roci_pkg::WrOpFetchAdd;
  assign is_local   = plan_i.opcode == roci_pkg::WrOpLocalInv
                      || plan_i.opcode == roci_pkg::WrOpBindMw
                      || plan_i.opcode == roci_pkg::WrOpRegMr;
  assign flight     = qp_i.psn_next - qp_i.una;
  assign some       = qp_i.psn_next != qp_i.una;
  assign count_next = qp_i.count + 8'(plan_i.first);
  assign no_depth   = is_rd && attr_i.max_rd_atomic == '0;
  assign not_there  = uc_i && (is_rd || plan_i.opcode == roci_pkg::WrOpSendInv);  // UC-06
  assign fence      = plan_i.first && plan_i.fence && qp_i.rd_count != '0;
  assign drain      = is_local && (qp_i.count != '0 || some);

  roci_requester_credit u_credit (
    .code_i('0), .msn_i('0), .limited_o(unused_limited), .limit_o(unused_limit),
    .known_limited_i(qp_i.limited), .known_limit_i(qp_i.limit),
    .ssn_i(qp_i.messages + 24'(count_next)), .beyond_o(over));

  assign takes_receive = plan_i.opcode != roci_pkg::WrOpWrite;

  always_ff @(posedge clk_i) begin
    look_o.roomy     <= flight < 24'(Window / 2);
    look_o.plain     <= !uc_i && !is_rd && !is_local && !(takes_receive && qp_i.limited);
    look_o.flight    <= flight;
    look_o.ahead     <= qp_i.psn_max - qp_i.psn_next;
    look_o.some      <= some;
    look_o.all       <= qp_i.psn_next == qp_i.psn_max;
    look_o.over      <= over;
    look_o.old       <= !alive_i || qp_i.failed || qp_i.stopped || plan_i.epoch != qp_i.epoch;
    look_o.fresh     <= alive_i && plan_i.first && qp_i.begun == plan_i.wqe_index;
    look_o.bad       <= plan_i.status != roci_pkg::StatusSuccess || no_depth || not_there;
    look_o.not_there <= not_there;
    look_o.alone     <= count_next == 8'd1;
    look_o.ring      <= plan_i.first && qp_i.count == 8'(RingDepth);
    look_o.fence     <= fence;
    look_o.drain     <= drain;
    look_o.window    <= flight >= 24'(Window);
    look_o.full      <= fence || drain
                        || (plan_i.first && is_rd && qp_i.rd_count >= attr_i.max_rd_atomic);
    if (follows_i) begin
      look_o       <= '0;
      look_o.some  <= 1'b1;
      look_o.all   <= 1'b1;
      look_o.fresh <= 1'b1;
      look_o.roomy <= 1'b1;
      look_o.plain <= 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, plan_i, qp_i, attr_i, unused_limited, unused_limit};

endmodule
