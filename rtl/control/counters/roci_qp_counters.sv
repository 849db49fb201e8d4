// SPDX-License-Identifier: Apache-2.0
// Counters of the queue pairs: eight 64-bit values each, in pairs in a memory.
//
// Throughput: one increment per clock for both sources together. Latency: three clocks.
//
//   count_sq --> FIFO --+--> read pair --> add --> write pair
//   count_rq --> FIFO --+      ^ reads and clears of firmware, four pairs each

`include "assert.svh"

module roci_qp_counters #(
  parameter int unsigned NumQps = 256
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // in
  input  roci_pkg::count_t  count_sq_i,
  input  logic              count_sq_valid_i,
  output logic              count_sq_ready_o,
  input  roci_pkg::count_t  count_rq_i,
  input  logic              count_rq_valid_i,
  output logic              count_rq_ready_o,

  // table port: valid stays until done
  input  logic [23:0]       qpn_i,
  input  logic              clear_valid_i,
  output logic              clear_done_o,
  input  logic              read_valid_i,
  output logic              read_done_o,
  output logic              pair_valid_o,
  output logic [1:0]        pair_index_o,
  output logic [127:0]      pair_o,

  output logic              idle_o
);

  localparam int unsigned QpBits  = $clog2(NumQps);
  localparam int unsigned RowBits = QpBits + 2;

  localparam logic [1:0] OpAdd   = 2'd0;
  localparam logic [1:0] OpRead  = 2'd1;
  localparam logic [1:0] OpClear = 2'd2;

  logic [roci_pkg::CountBits-1:0] sq_word, rq_word;
  logic                           sq_valid, rq_valid, sq_take, rq_take;
  roci_pkg::count_t               count;

  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(4)) u_sq (
    .clk_i, .rst_ni,
    .in_data_i  (count_sq_i),
    .in_valid_i (count_sq_valid_i),
    .in_ready_o (count_sq_ready_o),
    .out_data_o (sq_word),
    .out_valid_o(sq_valid),
    .out_ready_i(sq_take),
    .level_o    ()
  );
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(4)) u_rq (
    .clk_i, .rst_ni,
    .in_data_i  (count_rq_i),
    .in_valid_i (count_rq_valid_i),
    .in_ready_o (count_rq_ready_o),
    .out_data_o (rq_word),
    .out_valid_o(rq_valid),
    .out_ready_i(rq_take),
    .level_o    ()
  );

  // Choice: firmware's four pairs in a row, else the two sources in turn.
  logic               ready, walk, go, rq_turn_q, finished_q;
  logic [1:0]         pair_q;
  logic [RowBits-1:0] row;
  assign walk    = (clear_valid_i || read_valid_i) && !finished_q;
  assign go      = ready && (walk || sq_valid || rq_valid);
  assign rq_take = ready && !walk && rq_valid && (rq_turn_q || !sq_valid);
  assign sq_take = ready && !walk && sq_valid && !rq_take;
  assign count   = rq_take ? rq_word : sq_word;
  assign row     = walk ? {qpn_i[QpBits-1:0], pair_q} : {count.qpn[QpBits-1:0], count.counter[2:1]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_turn_q  <= 1'b0;
      pair_q     <= '0;
      finished_q <= 1'b0;
    end else begin
      if (rq_take || sq_take) rq_turn_q <= sq_take;
      if (walk && ready) pair_q <= pair_q + 1'b1;
      // Blocks a second walk until the first was seen to be done.
      finished_q <= (walk && ready && &pair_q) || (finished_q && !(clear_done_o || read_done_o));
    end
  end

  logic               valid_q, bump_high_q;
  logic [1:0]         op_q;
  logic [RowBits-1:0] row_q;
  logic [12:0]        bytes_q;
  logic               with_bytes_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= go;
  end
  always_ff @(posedge clk_i) begin
    if (go) begin
      op_q         <= !walk ? OpAdd : clear_valid_i ? OpClear : OpRead;
      row_q        <= row;
      bytes_q      <= count.bytes;
      bump_high_q  <= count.counter[0];
      with_bytes_q <= count.counter == roci_pkg::QpCounterTxPackets ||
                      count.counter == roci_pkg::QpCounterRxPackets;
    end
  end

  logic [63:0] low, high, low_next, high_next;
  always_comb begin
    if (op_q == OpClear) begin
      low_next  = '0;
      high_next = '0;
    end else begin
      low_next  = low + 64'(!bump_high_q);
      high_next = high + (with_bytes_q ? 64'(bytes_q) : 64'(bump_high_q));
    end
  end

  roci_deep_ram #(.Width(128), .Depth(4 * NumQps), .Forward(1)) u_pairs (
    .clk_i, .rst_ni,
    .write_i     (valid_q && op_q != OpRead),
    .write_row_i (row_q),
    .write_data_i({high_next, low_next}),
    .read_i      (go),
    .read_row_i  (row),
    .read_data_o ({high, low}),
    .ready_o     (ready)
  );

  assign pair_valid_o = valid_q && op_q == OpRead;
  assign pair_index_o = row_q[1:0];
  assign pair_o       = {high, low};
  assign read_done_o  = pair_valid_o && &row_q[1:0];
  assign clear_done_o = valid_q && op_q == OpClear && &row_q[1:0];
  assign idle_o       = ready && !sq_valid && !rq_valid && !valid_q;

endmodule
