// SPDX-License-Identifier: Apache-2.0
// Bound into roci_nic of a verilated engine: which blocks are at work, and what they hand on, for
// the timeline of the test bench (testbench/nic/engine_work.hpp has the numbers of both).
//
// The test bench sets `on`; without it nothing is sampled. What is sampled at an edge is what the
// blocks see at that edge.

module roci_nic_probe #(
  parameter int unsigned Blocks  = 15,
  parameter int unsigned Records = 20
) (
  input logic clk_i,

  input logic sched_idle, segment_idle, requester_idle, order_idle, tx_idle, rx_idle, receive_idle,
              responder_idle, memory_idle, key_idle, dma_idle, timer_idle, cq_idle, eq_idle,
              management_idle,

  input roci_pkg::grant_t       grant,
  input roci_pkg::plan_t        plan,
  input roci_pkg::tx_desc_t     sq_desc, rq_desc, tx_desc, ack,
  input roci_pkg::rx_meta_t     req_meta, rsp_meta,
  input roci_pkg::sent_t        sent,
  input roci_pkg::cqe_req_t     cqe_sq, cqe_rq,
  input roci_pkg::timer_event_t timer_event,
  input roci_pkg::event_req_t   fail_sq, fail_rq, event_rq,
  input roci_pkg::block_read_req_t br_req_sq, br_req_rq, br_req_again, br_req_atomic, br_req_fw,
  input logic grant_valid, grant_ready, plan_valid, plan_ready, sq_desc_valid, sq_desc_ready,
              rsp_meta_valid, rsp_meta_ready, req_meta_valid, req_meta_ready, rq_desc_valid,
              rq_desc_ready, ack_valid, ack_ready, tx_desc_valid, tx_desc_ready, sent_sq_valid,
              sent_rq_valid, cqe_sq_valid, cqe_sq_ready, cqe_rq_valid, cqe_rq_ready,
              timer_event_valid, timer_event_ready, fail_sq_valid, fail_sq_ready, fail_rq_valid,
              fail_rq_ready, event_rq_valid, event_rq_ready,
  input logic [4:0] br_req_valid, br_req_ready
);

  logic on  /* verilator public_flat_rw */;
  logic [Blocks-1:0]  busy_q     /* verilator public_flat_rd */;
  logic [Records-1:0] offered_q  /* verilator public_flat_rd */;
  logic [Records-1:0] taken_q    /* verilator public_flat_rd */;
  logic [32*Records-1:0] who_q   /* verilator public_flat_rd */;  // code and queue pair of each
  logic [64*Records-1:0] number_q /* verilator public_flat_rd */;

  logic [Records-1:0] ready;
  assign ready = {br_req_ready, event_rq_ready, fail_rq_ready, fail_sq_ready, timer_event_ready,
                  cqe_rq_ready, cqe_sq_ready, 1'b1, tx_desc_ready, ack_ready, rq_desc_ready,
                  req_meta_ready, rsp_meta_ready, sq_desc_ready, plan_ready, grant_ready};
  logic [Records-1:0] valid;
  assign valid = {br_req_valid, event_rq_valid, fail_rq_valid, fail_sq_valid, timer_event_valid,
                  cqe_rq_valid, cqe_sq_valid, sent_sq_valid || sent_rq_valid, tx_desc_valid,
                  ack_valid, rq_desc_valid, req_meta_valid, rsp_meta_valid, sq_desc_valid,
                  plan_valid, grant_valid};

  initial on = 1'b0;

  always_ff @(posedge clk_i) begin
    if (on) begin
      busy_q <= ~{management_idle, eq_idle, cq_idle, timer_idle, dma_idle, key_idle, memory_idle,
                  responder_idle, receive_idle, rx_idle, tx_idle, order_idle, requester_idle,
                  segment_idle, sched_idle};
      offered_q <= valid;
      taken_q   <= valid & ready;
      who_q     <= {8'(br_req_fw.count), 24'd0, 8'(br_req_atomic.count), 24'd0,
                    8'(br_req_again.count), 24'd0, 8'(br_req_rq.count), 24'd0,
                    8'(br_req_sq.count), 24'd0, event_rq.kind, event_rq.number,
                    fail_rq.kind, fail_rq.number, fail_sq.kind, fail_sq.number,
                    8'(timer_event.rnr), timer_event.qpn, cqe_rq.status, cqe_rq.qpn,
                    cqe_sq.status, cqe_sq.qpn, 8'(sent.error), sent.qpn,
                    tx_desc.opcode, tx_desc.qpn, ack.ext[223:216], ack.qpn,
                    rq_desc.opcode, rq_desc.qpn, req_meta.opcode, req_meta.qpn,
                    rsp_meta.opcode, rsp_meta.qpn, sq_desc.opcode, sq_desc.qpn,
                    plan.opcode, plan.qpn, 8'(grant.count), grant.qpn};
      number_q  <= {br_req_fw.addr, br_req_atomic.addr, br_req_again.addr, br_req_rq.addr,
                    br_req_sq.addr, 64'(0), 64'(0), 64'(0), 64'(0), 64'(cqe_rq.wqe_index),
                    64'(cqe_sq.wqe_index), 64'(sent.psn), 64'(tx_desc.psn), 64'(ack.psn),
                    64'(rq_desc.psn), 64'(req_meta.psn), 64'(rsp_meta.psn), 64'(sq_desc.psn),
                    64'({plan.last, plan.first, plan.wqe_index}), 64'(grant.wqe_index)};
    end
  end

endmodule

bind roci_nic roci_nic_probe u_probe (
  .sched_idle(u_sq.sched_idle), .segment_idle(u_sq.segment_idle),
  .requester_idle(u_sq.requester_idle), .receive_idle(u_rq.receive_idle),
  .responder_idle(u_rq.front_idle && u_rq.responder_idle), .memory_idle(u_rq.memory_idle),
  .cq_idle(u_control.cq_idle), .eq_idle(u_control.eq_idle),
  .management_idle(u_control.tables_idle && u_control.dma_idle),
  .grant(u_sq.grant), .grant_valid(u_sq.grant_valid), .grant_ready(u_sq.grant_ready),
  .plan(u_sq.plan), .plan_valid(u_sq.plan_valid), .plan_ready(u_sq.plan_ready), .*);
