// SPDX-License-Identifier: Apache-2.0
// Progress of what the responder gave to other blocks: payload in memory, packets sent, the moment
// when all that was accepted before is done, and the MSN of a write that failed.
//
// Throughput: one event per clock. Latency: one clock from wr_done_i to done_o.

module roci_responder_progress #(
  parameter int unsigned KeyOps = 1  // 0: no key is invalidated: no drain_i, no mark_i
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        idle_o,

  // the event in progress
  input  logic        between_i,         // none is in progress
  input  logic        commit_i,          // a request is taken
  input  logic        payload_i,         // it has payload
  input  logic [15:0] ticket_i,          // its ticket
  input  logic [23:0] msn_i,             // messages of its queue pair before it
  input  logic [15:0] last_desc_i,       // newest packet of its queue pair
  input  logic        job_i,             // an atomic goes to the atomic unit
  input  logic        result_i,          // its result came
  input  logic        issue_i,           // a packet goes to tx's payload queue
  input  logic        fault_i,           // an access to memory failed
  input  logic        fault_write_i,     // payload was not written,
  input  logic        fault_response_i,  // but payload of a response
  input  logic        mark_i,            // a completion waits for what was accepted before

  // progress
  input  logic [15:0] wr_done_i,
  input  logic        sent_i,            // a packet left tx's payload queue
  input  logic        drain_i,           // pulse: sq has invalidated a key

  output logic        moved_o,           // payload reached memory
  output logic [31:0] done_o,            // payload packets in memory
  output logic [31:0] ticket_o,          // ticket_i, extended
  output logic [31:0] newest_o,          // ticket of the newest request taken
  output logic        settled_o,         // its payload is in memory
  output logic [15:0] issued_o,          // packets given to tx's payload queue
  output logic [15:0] sent_o,            // packets that left it
  output logic        clear_of_tx_o,     // it holds nothing of the queue pair
  output logic [23:0] fault_msn_o,       // messages before the packet whose access failed
  output logic        marked_o,          // pulse: the oldest mark
  output logic        drained_o          // pulse: what was accepted before drain_i is done
);

  roci_responder_time u_time (
    .clk_i, .rst_ni, .wr_done_i, .ticket_i, .commit_i, .issue_i, .sent_i, .last_desc_i,
    .moved_o, .done_o, .ticket_o, .newest_o, .settled_o, .issued_o, .sent_o, .clear_of_tx_o
  );

  logic [23:0] payload_msn;
  roci_responder_msn u_msn (
    .clk_i, .rst_ni, .push_i(commit_i && payload_i), .ticket_i, .msn_i, .done_i(done_o[15:0]),
    .failed_i(fault_i && fault_write_i && !fault_response_i), .msn_o(payload_msn)
  );
  assign fault_msn_o = fault_write_i ? payload_msn : msn_i;

  if (KeyOps != 0) begin : gen_drain
    roci_responder_drain u_drain (
      .clk_i, .rst_ni, .newest_i(newest_o), .landed_i(done_o), .issue_i, .sent_i, .job_i,
      .result_i, .start_i(drain_i), .between_i, .drained_o, .mark_i, .marked_o, .idle_o
    );
  end else begin : gen_no_drain
    logic unused;
    assign {drained_o, marked_o, idle_o} = 3'b001;
    assign unused = ^{between_i, job_i, result_i, mark_i, drain_i};
  end

endmodule
