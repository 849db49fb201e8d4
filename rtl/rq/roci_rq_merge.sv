// SPDX-License-Identifier: Apache-2.0
// Merges two sources of events; the first has priority, and an event that was offered stays.
//
// Throughput: one event per clock. Latency: none.

module roci_rq_merge (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  roci_pkg::event_req_t a_i,
  input  logic                 a_valid_i,
  output logic                 a_ready_o,
  input  roci_pkg::event_req_t b_i,
  input  logic                 b_valid_i,
  output logic                 b_ready_o,

  output roci_pkg::event_req_t out_o,
  output logic                 out_valid_o,
  input  logic                 out_ready_i
);

  logic of_b, of_b_q, held_q;
  assign of_b        = held_q ? of_b_q : !a_valid_i;
  assign out_o       = of_b ? b_i : a_i;
  assign out_valid_o = of_b ? b_valid_i : a_valid_i;
  assign a_ready_o   = !of_b && out_ready_i;
  assign b_ready_o   = of_b && out_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= out_valid_o && !out_ready_i;
    of_b_q <= of_b;
  end

endmodule
