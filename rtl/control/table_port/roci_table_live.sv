// SPDX-License-Identifier: Apache-2.0
// Live state on its way to TableData: what the two engines know of a queue pair, as either
// responds, or what another block gave.
//
// Throughput: one request at a time. Latency: one clock after the later response.

module roci_table_live (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               request_i,  // stays until done
  output logic               done_o,     // the last response comes in this clock, or came
  input  logic               other_i,    // another block gives its state
  input  logic [63:0]        other_data_i,
  input  logic [1:0]         word_i,
  output logic [31:0]        data_o,     // a word, from the clock after done_o or other_i on

  output logic               live_sq_valid_o,
  input  logic               live_sq_ready_i,
  input  roci_pkg::qp_live_t live_sq_i,
  output logic               live_rq_valid_o,
  input  logic               live_rq_ready_i,
  input  roci_pkg::qp_live_t live_rq_i
);

  logic               sq_done_q, rq_done_q;
  roci_pkg::qp_live_t live_q;
  logic [127:0]       words;
  assign live_sq_valid_o = request_i && !sq_done_q;
  assign live_rq_valid_o = request_i && !rq_done_q;
  assign done_o = (sq_done_q || live_sq_ready_i) && (rq_done_q || live_rq_ready_i);
  assign words  = 128'(live_q);
  assign data_o = words[32*word_i +: 32];

  always_ff @(posedge clk_i) begin
    if (!request_i) begin
      sq_done_q <= 1'b0;
      rq_done_q <= 1'b0;
    end else begin
      if (live_sq_valid_o && live_sq_ready_i) sq_done_q <= 1'b1;
      if (live_rq_valid_o && live_rq_ready_i) rq_done_q <= 1'b1;
    end
    if (!rst_ni) begin
      sq_done_q <= 1'b0;
      rq_done_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (other_i) live_q <= roci_pkg::QpLiveBits'(other_data_i);
    if (live_sq_valid_o && live_sq_ready_i) begin
      live_q.sq_psn       <= live_sq_i.sq_psn;
      live_q.sq_una_psn   <= live_sq_i.sq_una_psn;
      live_q.sq_completed <= live_sq_i.sq_completed;
      live_q.sq_idle      <= live_sq_i.sq_idle;
    end
    if (live_rq_valid_o && live_rq_ready_i) begin
      live_q.rq_psn <= live_rq_i.rq_psn;
      live_q.msn    <= live_rq_i.msn;
    end
  end

  logic unused;
  assign unused = ^{live_sq_i, live_rq_i};

endmodule
