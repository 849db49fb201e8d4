// SPDX-License-Identifier: Apache-2.0
// Deep queue of wide records in block RAM. A record comes in when its frame ends and may leave when
// the verdict on the frame is there, which comes along with it.
//
// Throughput: one record in, one verdict and one record out per clock. Latency: one clock from a
// verdict, and three from the record. in_ready_o and all outputs are registers or come from them;
// the memory's read register is the output stage.
//
//  record  --> memory -------> read register --> out
//  verdict --> a few bits each ----------------^

`include "assert.svh"

module roci_rx_queue #(
  parameter int unsigned Width = 64,       // bits of a record
  parameter int unsigned VerdictBits = 2,  // bits of a verdict
  parameter int unsigned Depth = 256       // records, a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // in
  input  logic [Width-1:0]       in_data_i,
  input  logic                   in_valid_i,
  output logic                   in_ready_o,

  // on the oldest record that has none
  input  logic [VerdictBits-1:0] verdict_i,
  input  logic                   verdict_valid_i,

  // out
  output logic [Width-1:0]       out_data_o,
  output logic [VerdictBits-1:0] out_verdict_o,
  output logic                   out_valid_o,
  input  logic                   out_ready_i
);

  localparam int unsigned RowBits = $clog2(Depth);

  logic [RowBits:0] write_q, read_q, waiting, records, verdicts;  // top bit: pass parity
  logic             write, read, take, loaded_q, verdict_there, unused_ready, unused_room;

  assign waiting     = write_q - read_q;
  assign records     = waiting + (RowBits + 1)'(loaded_q);
  assign in_ready_o  = records != (RowBits + 1)'(Depth);
  assign write       = in_valid_i && in_ready_o;
  assign out_valid_o = loaded_q && verdict_there;
  assign take        = out_valid_o && out_ready_i;
  assign read        = waiting != '0 && (!loaded_q || take);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      read_q   <= '0;
      loaded_q <= 1'b0;
    end else begin
      if (write) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      loaded_q <= read || (loaded_q && !take);
    end
  end

  roci_ram #(.Width(Width), .Depth(Depth)) u_memory (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(write_q[RowBits-1:0]),
    .write_data_i(in_data_i), .read_i(read), .read_row_i(read_q[RowBits-1:0]),
    .read_data_o(out_data_o), .ready_o(unused_ready));

  roci_fifo #(.Width(VerdictBits), .Depth(Depth)) u_verdicts (
    .clk_i, .rst_ni, .in_data_i(verdict_i), .in_valid_i(verdict_valid_i), .in_ready_o(unused_room),
    .out_data_o(out_verdict_o), .out_valid_o(verdict_there), .out_ready_i(loaded_q && out_ready_i),
    .level_o(verdicts));

  `ASSUME(VerdictIsOnARecord, `IMPLIES(verdict_valid_i, verdicts != records))
  `ASSERT(VerdictsHaveRoom, `IMPLIES(verdict_valid_i, unused_room))
  `ASSERT(NoMoreThanDepth, records <= (RowBits + 1)'(Depth))

`ifdef FORMAL
  logic [RowBits+2:0] f_records_q, f_verdicts_q;  // taken in and not yet given out
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_records_q  <= '0;
      f_verdicts_q <= '0;
    end else begin
      f_records_q  <= f_records_q + (RowBits + 3)'(in_valid_i && in_ready_o)
                                 - (RowBits + 3)'(out_valid_o && out_ready_i);
      f_verdicts_q <= f_verdicts_q + (RowBits + 3)'(verdict_valid_i)
                                   - (RowBits + 3)'(out_valid_o && out_ready_i);
    end
  end
  `ASSERT(NoRecordLostOrMade, f_records_q == (RowBits + 3)'(records))
  `ASSERT(NoVerdictLostOrMade, f_verdicts_q == (RowBits + 3)'(verdicts))
  `ASSERT(NoMoreVerdicts, verdicts <= records)
  `COVER(Full, !in_ready_o)
  `COVER(RecordLeaves, take && waiting != '0)
  `COVER(WaitsForVerdict, loaded_q && !verdict_there && records == (RowBits + 1)'(Depth))
  initial assume (!rst_ni);
`endif

endmodule
