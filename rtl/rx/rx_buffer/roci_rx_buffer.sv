// SPDX-License-Identifier: Apache-2.0
// Payload of packets between arrival and the engines' decision where it goes. Beats of a frame are
// written as they come; they stay only when the frame ends without an error.
//
// Throughput: a beat in and a beat out per clock, no bubble between packets; a dropped packet takes
// one clock of the reader. Latency: two clocks from a command to the first beat. The memory's
// read register is the output stage.
//
//   base                    base + row        At the end of a frame base moves after its rows
//    |  frame in flight -->  |                (commit) or stays (rollback). A command takes the
//  --+-----------------------+----            oldest rows: to the stream, or drops them.
//      free rows ...      ^ read      kept for another command (keep), to be read again.

`include "assert.svh"

module roci_rx_buffer #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  parameter int unsigned Rows = 1024,     // beats, a power of two
  parameter int unsigned Commands = 16    // waiting commands, a power of two
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // writing
  input  logic                 write_i,
  input  logic [DataWidth-1:0] write_data_i,
  input  logic [9:0]           write_row_i,   // in the frame
  input  logic                 last_i,        // frame ends, with or after its last row
  input  logic                 commit_i,      // with last_i: keep it
  input  logic [9:0]           rows_i,        // with last_i: how many
  output logic                 overflow_o,    // with last_i: no room for some row; not kept

  // one command a packet with rows, in the order of the frames, and those before it that keep them
  input  logic                 command_valid_i,
  output logic                 command_ready_o,
  input  logic                 command_drop_i,
  input  logic                 command_keep_i,  // the next command is for the same rows; with drop
                                                // it does nothing
  input  logic [9:0]           command_rows_i,

  // payload
  output logic [DataWidth-1:0] pay_tdata_o,
  output logic                 pay_tlast_o,
  output logic                 pay_tvalid_o,
  input  logic                 pay_tready_i,

  output logic                 idle_o,    // no row inside
  output logic                 done_o     // all commands are carried out
);

  localparam int unsigned RowBits  = $clog2(Rows);

  // writing
  logic [RowBits:0]   base_q, read_q, oldest_q;  // top bit: pass parity
  logic [RowBits+10:0] used_with;      // rows in use when this one is written
  logic               full, over_q;
  logic [RowBits-1:0] write_row;
  logic [RowBits:0]   used;
  assign used       = base_q - oldest_q;
  assign used_with  = (RowBits + 11)'(used) + (RowBits + 11)'(write_row_i);
  assign full       = used_with >= (RowBits + 11)'(Rows);
  assign write_row  = base_q[RowBits-1:0] + RowBits'(write_row_i);
  assign overflow_o = over_q || (write_i && full);

  logic unused_rows;  // more than there is room for are never committed
  assign unused_rows = ^rows_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_q <= '0;
      over_q <= 1'b0;
    end else begin
      over_q <= !last_i && overflow_o;
      if (last_i && commit_i && !overflow_o) base_q <= base_q + (RowBits + 1)'(rows_i);
    end
  end

  // commands
  logic        drop, keep, command_valid, command_taken;
  logic [9:0]  rows;
  logic [$clog2(Commands):0] unused_commands;
  roci_fifo #(.Width(12), .Depth(Commands)) u_commands (
    .clk_i, .rst_ni, .in_data_i({command_keep_i, command_drop_i, command_rows_i}),
    .in_valid_i(command_valid_i), .in_ready_o(command_ready_o), .out_data_o({keep, drop, rows}),
    .out_valid_o(command_valid), .out_ready_i(command_taken), .level_o(unused_commands));

  logic [9:0] row_q;  // rows of the command already read
  logic       read, read_last;
  assign read          = command_valid && !drop && (!pay_tvalid_o || pay_tready_i);
  assign read_last     = row_q + 1'b1 == rows;
  assign command_taken = drop || (read && read_last);

  // Rows that are kept stay in use, and reading returns to the first of them. What is added does
  // not follow the reader, which is known last.
  logic [RowBits:0] advance, read_next, oldest_next;
  assign advance     = drop ? (RowBits + 1)'(rows) : (RowBits + 1)'(1);
  assign read_next   = read_q + advance;
  assign oldest_next = oldest_q + advance;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q       <= '0;
      oldest_q     <= '0;
      row_q        <= '0;
      pay_tvalid_o <= 1'b0;
    end else begin
      pay_tvalid_o <= read || (pay_tvalid_o && !pay_tready_i);
      if (read) begin
        read_q <= read_last && keep ? oldest_q : read_next;
        row_q  <= read_last ? '0 : row_q + 1'b1;
        if (!keep) oldest_q <= oldest_next;
      end else if (command_valid && drop && !keep) begin
        read_q   <= read_next;
        oldest_q <= oldest_next;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (read) pay_tlast_o <= read_last;
  end

  logic unused_ready;
  roci_ram #(.Width(DataWidth), .Depth(Rows)) u_memory (
    .clk_i, .rst_ni, .write_i(write_i && !full), .write_row_i(write_row),
    .write_data_i(write_data_i), .read_i(read), .read_row_i(read_q[RowBits-1:0]),
    .read_data_o(pay_tdata_o), .ready_o(unused_ready));

  assign idle_o = used == '0 && done_o;
  assign done_o = !command_valid && !pay_tvalid_o;

  `ASSERT(NoMoreThanRows, used <= (RowBits + 1)'(Rows))
  `ASSERT(ReadsWhatIsThere, `IMPLIES(read, used != '0))
  // There is one command for each committed frame with rows, in order, after those that keep them.
  `ASSUME(CommandIsOfAFrame, `IMPLIES(command_valid, rows > row_q &&
                                      16'(rows) - (keep ? '0 : 16'(row_q)) <= 16'(used)))

`ifdef FORMAL
  // Rows of a frame come one after the other, and its end says how many they were.
  logic [9:0] f_next_q, f_next;
  assign f_next = f_next_q + 10'(write_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || last_i) f_next_q <= '0;
    else f_next_q <= f_next;
  end
  `ASSUME(RowsAreInOrder, `IMPLIES(write_i, write_row_i == f_next_q))
  `ASSUME(RowsAreCounted, `IMPLIES(last_i && commit_i, rows_i == f_next))
  `ASSUME(FramesAreShort, f_next_q < 10'd512)
  `ASSERT(FrameHasItsPlace, over_q || 16'(used) + 16'(f_next_q) <= 16'(Rows))
  `ASSERT(DropIsWhole, `IMPLIES(row_q != '0, command_valid && !drop))

  logic [RowBits:0] f_again;  // rows that were read and will be again
  assign f_again = read_q - oldest_q;
  `ASSERT(KeptRowsAreReadAgain, 10'(f_again) == (command_valid && keep ? row_q : 10'd0))

  // Beats that were committed and neither given out nor dropped are all in the memory or past it; a
  // beat that is kept is there once more.
  logic [RowBits+3:0] f_inside_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_inside_q <= '0;
    else begin
      f_inside_q <= f_inside_q
          + (last_i && commit_i && !overflow_o ? (RowBits + 4)'(rows_i) : '0)
          - (command_valid && command_taken && drop && !keep ? (RowBits + 4)'(rows) : '0)
          + (RowBits + 4)'(read && keep)
          - (RowBits + 4)'(pay_tvalid_o && pay_tready_i);
    end
  end
  `ASSERT(NoBeatLostOrMade, f_inside_q == (RowBits + 4)'(used) + (RowBits + 4)'(pay_tvalid_o))
  `COVER(MemoryFull, used == (RowBits + 1)'(Rows))
  `COVER(FrameRolledBack, last_i && commit_i && overflow_o)
  `COVER(FrameDropped, command_valid && drop && rows > 10'd1)
  `COVER(FrameReadAgain, read && read_last && keep && rows > 10'd1)
  `COVER(LastBeatOut, pay_tvalid_o && pay_tready_i && pay_tlast_o && used == '0)
  initial assume (!rst_ni);
`endif

endmodule
