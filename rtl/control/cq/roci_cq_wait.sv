// SPDX-License-Identifier: Apache-2.0
// Completions of one source, in order; the first is valid when what it waits for is in memory.
//
// Throughput: one per clock. Latency: three clocks. Tickets come out of block RAM, so a completion
// goes on to a register once its tickets are reached, and its choice follows that register.

`include "assert.svh"

module roci_cq_wait #(
  // Completions that may wait: a write round trip of 200 clocks at 3 clocks a message.
  parameter int unsigned Waiting = 64
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // in
  input  roci_pkg::cqe_req_t              cqe_i,
  input  logic                            valid_i,
  output logic                            ready_o,
  input  logic [15:0]                     wr_done_i,
  input  logic [7:0]                      store_done_i,

  // out
  output roci_pkg::cqe_req_t              cqe_o,
  output logic                            valid_o,
  output logic                            empty_o,
  input  logic                            take_i
);

  logic               head_valid, met, met_q, load;
  roci_pkg::cqe_req_t head;
  logic [$clog2(Waiting):0] level;
  logic [15:0]        data_ahead;
  logic [7:0]         stores_ahead;

  roci_deep_fifo #(.Width(roci_pkg::CqeReqBits), .Depth(Waiting)) u_fifo (
    .clk_i, .rst_ni,
    .in_data_i  (cqe_i),
    .in_valid_i (valid_i),
    .in_ready_o (ready_o),
    .out_data_o (head),
    .out_valid_o(head_valid),
    .out_ready_i(load && (met || met_q)),
    .level_o    (level)
  );

  assign data_ahead   = wr_done_i - head.ticket;
  assign stores_ahead = store_done_i - head.store_ticket;
  assign met          = !(head.wait_data && data_ahead[15]) &&
                        !(head.wait_store && stores_ahead[7]);
  assign load         = !valid_o || take_i;
  assign empty_o      = level == '0 && !valid_o;

  // A ticket that was reached stays so, however far the count runs on.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) met_q <= 1'b0;
    else met_q <= head_valid && (met || met_q) && !load;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (load) valid_o <= head_valid && (met || met_q);
    if (load) cqe_o <= head;
  end

  `ASSERT(TakenWhenValid, `IMPLIES(take_i, valid_o))

endmodule
