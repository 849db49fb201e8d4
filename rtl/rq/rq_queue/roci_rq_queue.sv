// SPDX-License-Identifier: Apache-2.0
// Queue of queue pair numbers, each in it at most once, so that it never overflows.
//
// Throughput: one in and one out per clock. Latency: two clocks. A push of a number that is inside
// already changes nothing; a number may be pushed again in the clock in which it is popped.
//
// Whether a number is inside is a flag in memory, cleared after reset in NumQps clocks; until
// ready_o rises nothing may be pushed.

`include "assert.svh"

module roci_rq_queue #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      push_i,
  input  logic [$clog2(NumQps)-1:0] push_row_i,

  output logic                      pop_valid_o,
  output logic [$clog2(NumQps)-1:0] pop_row_o,
  input  logic                      pop_i,

  output logic [$clog2(NumQps):0]   level_o,  // numbers inside
  output logic                      ready_o
);

  localparam int unsigned RowBits = $clog2(NumQps);

  logic [RowBits:0]   write_q, read_q, level_q, less, more;
  logic               out_valid_q;
  logic               push, push_popped, push_kept, pop, read, is_inside;
  logic               unused_ready;

  // Whether the oldest leaves is known last, so all else is prepared for both cases.
  assign pop         = pop_i && out_valid_q;
  assign push_kept   = push_i && !is_inside;
  assign push_popped = push_i && (!is_inside || pop_row_o == push_row_i);
  assign push        = pop ? push_popped : push_kept;
  assign less        = level_q - 1'b1;
  assign more        = level_q + 1'b1;
  assign read        = write_q != read_q && (!out_valid_q || pop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      level_q     <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      level_q     <= pop ? (push_popped ? level_q : less) : (push_kept ? more : level_q);
      out_valid_q <= read || (out_valid_q && !pop);
    end
  end

  roci_flags #(.Depth(NumQps)) u_inside (
    .clk_i, .rst_ni,
    .set_i(push), .set_row_i(push_row_i), .clear_i(pop), .clear_row_i(pop_row_o),
    .read_row_i(push_row_i), .flag_o(is_inside), .ready_o
  );

  // The memory's output register is the output.
  roci_ram #(
    .Width(RowBits),
    .Depth(NumQps)
  ) u_ram (
    .clk_i,
    .rst_ni,
    .write_i      (push),
    .write_row_i  (write_q[RowBits-1:0]),
    .write_data_i (push_row_i),
    .read_i       (read),
    .read_row_i   (read_q[RowBits-1:0]),
    .read_data_o  (pop_row_o),
    .ready_o      (unused_ready)
  );

  assign pop_valid_o = out_valid_q;
  assign level_o     = level_q;

  `ASSERT(LevelInRange, level_q <= (RowBits + 1)'(NumQps))
  `ASSERT(LevelIsSum, level_q == (write_q - read_q) + (RowBits + 1)'(out_valid_q))

endmodule
