// SPDX-License-Identifier: Apache-2.0
// Entries of both sources, each in order and with its data in memory, one at a time.
//
// Throughput: one per clock. Latency: four clocks.
//
//   cqe_sq --> wait for tickets --+--> turn about --> register --> fault? --> entry
//   cqe_rq --> wait for tickets --+
//
// After a fault a queue pair gets no good completion that waited for data any more, until its next
// generation: FatalErr stands in its place.

module roci_cq_entries #(
  parameter int unsigned NumQps = 256
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // in
  input  roci_pkg::cqe_req_t   cqe_sq_i,
  input  logic                 cqe_sq_valid_i,
  output logic                 cqe_sq_ready_o,
  input  roci_pkg::cqe_req_t   cqe_rq_i,
  input  logic                 cqe_rq_valid_i,
  output logic                 cqe_rq_ready_o,
  input  logic [15:0]          wr_done_i,
  input  logic [7:0]           store_done_i,
  input  logic [23:0]          fault_qpn_i,    // pulse: data of this queue pair got lost
  input  logic                 fault_valid_i,
  input  logic [23:0]          begin_qpn_i,    // pulse: a generation of the queue pair begins
  input  logic                 begin_valid_i,

  // out
  output roci_pkg::cqe_req_t   entry_o,
  output logic                 valid_o,
  input  logic                 take_i,
  output logic                 empty_o         // nothing waits, and the block is ready
);

  localparam int unsigned QpBits = $clog2(NumQps);

  logic [roci_pkg::CqeReqBits-1:0] sq_word, rq_word;
  logic sq_valid, rq_valid, sq_empty, rq_empty, from_rq, rq_turn_q, poisoned,
        flags_ready, load;

  roci_cq_wait u_wait_sq (
    .clk_i, .rst_ni,
    .cqe_i  (cqe_sq_i),
    .valid_i(cqe_sq_valid_i),
    .ready_o(cqe_sq_ready_o),
    .wr_done_i, .store_done_i,
    .cqe_o  (sq_word),
    .valid_o(sq_valid),
    .empty_o(sq_empty),
    .take_i (load && !from_rq && sq_valid)
  );
  roci_cq_wait u_wait_rq (
    .clk_i, .rst_ni,
    .cqe_i  (cqe_rq_i),
    .valid_i(cqe_rq_valid_i),
    .ready_o(cqe_rq_ready_o),
    .wr_done_i, .store_done_i,
    .cqe_o  (rq_word),
    .valid_o(rq_valid),
    .empty_o(rq_empty),
    .take_i (load && from_rq)
  );

  assign from_rq = rq_valid && (rq_turn_q || !sq_valid);
  assign load    = !valid_o || take_i;
  assign empty_o = sq_empty && rq_empty && !valid_o && flags_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_turn_q <= 1'b0;
      valid_o   <= 1'b0;
    end else if (load) begin
      valid_o <= sq_valid || rq_valid;
      if (sq_valid || rq_valid) rq_turn_q <= !from_rq;
    end
  end

  // Queue pairs with a fault; neither a fault nor a generation comes before the flags are cleared.
  logic               faulty;
  roci_pkg::cqe_req_t word;  // the next entry
  always_ff @(posedge clk_i) begin
    if (load) word <= from_rq ? rq_word : sq_word;
  end
  assign poisoned = (word.wait_data || word.wait_store)
                    && word.status == roci_pkg::StatusSuccess
                    && (faulty || (fault_valid_i && fault_qpn_i == word.qpn));
  always_comb begin
    entry_o = word;
    if (poisoned) entry_o.status = roci_pkg::StatusFatalErr;
  end
  roci_flags #(.Depth(NumQps)) u_faulty (
    .clk_i, .rst_ni,
    .set_i      (fault_valid_i),
    .set_row_i  (fault_qpn_i[QpBits-1:0]),
    .clear_i    (begin_valid_i),
    .clear_row_i(begin_qpn_i[QpBits-1:0]),
    .read_row_i (word.qpn[QpBits-1:0]),
    .flag_o     (faulty),
    .ready_o    (flags_ready)
  );

  logic unused;
  assign unused = ^begin_qpn_i[23:QpBits];

endmodule
