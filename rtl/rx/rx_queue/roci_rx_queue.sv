// SPDX-License-Identifier: Apache-2.0
// Deep queue of wide records in block RAM.
//
// Throughput: one record in and one out per clock. Latency: one clock when the queue is empty,
// three through the memory. in_ready_o and all outputs are registers or come from them.
//
//  in --+--------(memory empty)---------+--> four records --> out
//       +--> memory --> read register --+

`include "assert.svh"

module roci_rx_queue #(
  parameter int unsigned Width = 64,   // bits of a record
  parameter int unsigned Depth = 256   // records, a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // in
  input  logic [Width-1:0] in_data_i,
  input  logic             in_valid_i,
  output logic             in_ready_o,

  // out
  output logic [Width-1:0] out_data_o,
  output logic             out_valid_o,
  input  logic             out_ready_i
);

  localparam int unsigned RowBits  = $clog2(Depth);
  localparam int unsigned OutDepth = 4;
  localparam int unsigned OutBits  = $clog2(OutDepth) + 1;

  logic [RowBits:0]   write_q, read_q, used;  // top bit: pass parity
  logic               pending_q, empty, room, bypass, write, read, unused_ready, out_ready;
  logic [OutBits-1:0] level;
  logic [Width-1:0]   row;

  assign used       = write_q - read_q;
  assign empty      = used == '0;
  assign in_ready_o = used != (RowBits + 1)'(Depth);
  assign room       = level + OutBits'(pending_q) < OutBits'(OutDepth);
  assign bypass     = in_valid_i && empty && !pending_q && room;
  assign write      = in_valid_i && in_ready_o && !bypass;
  assign read       = !empty && room;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      pending_q <= 1'b0;
    end else begin
      if (write) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      pending_q <= read;
    end
  end

  roci_ram #(.Width(Width), .Depth(Depth)) u_memory (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(write_q[RowBits-1:0]),
    .write_data_i(in_data_i), .read_i(read), .read_row_i(read_q[RowBits-1:0]),
    .read_data_o(row), .ready_o(unused_ready));

  roci_fifo #(.Width(Width), .Depth(OutDepth)) u_out (
    .clk_i, .rst_ni, .in_data_i(pending_q ? row : in_data_i), .in_valid_i(pending_q || bypass),
    .in_ready_o(out_ready), .out_data_o, .out_valid_o, .out_ready_i, .level_o(level));

  `ASSERT(OutHasRoom, `IMPLIES(pending_q || bypass, out_ready))
  `ASSERT(RoomIsKept, level + OutBits'(pending_q) <= OutBits'(OutDepth))
  `ASSERT(NoMoreThanDepth, used <= (RowBits + 1)'(Depth))

`ifdef FORMAL
  logic [RowBits+2:0] f_inside_q;  // records taken in and not yet given out
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_inside_q <= '0;
    else f_inside_q <= f_inside_q + (RowBits + 3)'(in_valid_i && in_ready_o)
                                  - (RowBits + 3)'(out_valid_o && out_ready_i);
  end
  `ASSERT(NoRecordLostOrMade, f_inside_q == (RowBits + 3)'(used)
                                            + (RowBits + 3)'(pending_q) + (RowBits + 3)'(level))
  `ASSERT(BypassKeepsOrder, `IMPLIES(bypass, used == '0 && !pending_q))
  `COVER(Full, !in_ready_o)
  `COVER(ThroughMemory, pending_q && out_valid_o)
  initial assume (!rst_ni);
`endif

endmodule
