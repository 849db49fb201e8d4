// SPDX-License-Identifier: Apache-2.0
// Buffer of whole frames on their way to the Ethernet path. Beats are written as they come; a frame
// that turns out to be RoCE, or that finds no room, is rolled back.
//
// Throughput: one beat a clock. Latency: store and forward plus two clocks. The
// memory's read register is the output stage.

`include "assert.svh"

module roci_rx_ethernet #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  parameter int unsigned Rows = 256      // beats, a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // writing
  input  logic                   write_i,
  input  logic [DataWidth-1:0]   write_data_i,
  input  logic [$clog2(DataWidth/8)-1:0] write_end_i,  // last byte of the last beat
  input  logic                   last_i,       // frame ends
  input  logic                   commit_i,     // with last_i: keep it
  output logic                   overflow_o,   // with last_i: no room for some beat; not kept

  // frames
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic                   idle_o
);

  localparam int unsigned Bytes    = DataWidth / 8;
  localparam int unsigned EndBits  = $clog2(Bytes);
  localparam int unsigned RowBits  = $clog2(Rows);
  localparam int unsigned Width    = DataWidth + EndBits + 1;

  // write_q counts all beats, kept_q those of whole frames
  logic [RowBits:0] write_q, kept_q, read_q;  // top bit: pass parity
  logic             full, over_q, write;
  assign full       = write_q - read_q == (RowBits + 1)'(Rows);
  assign overflow_o = over_q || (write_i && full);
  assign write      = write_i && !overflow_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      kept_q  <= '0;
      over_q  <= 1'b0;
    end else begin
      over_q <= !last_i && overflow_o;
      if (last_i && (overflow_o || !commit_i)) begin
        write_q <= kept_q;
      end else begin
        if (write) write_q <= write_q + 1'b1;
        if (last_i) kept_q <= write_q + (RowBits + 1)'(write);
      end
    end
  end

  logic               read, unused_ready;
  logic [EndBits-1:0] end_byte;
  assign read = kept_q != read_q && (!m_axis_tvalid_o || m_axis_tready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q          <= '0;
      m_axis_tvalid_o <= 1'b0;
    end else begin
      if (read) read_q <= read_q + 1'b1;
      m_axis_tvalid_o <= read || (m_axis_tvalid_o && !m_axis_tready_i);
    end
  end

  roci_ram #(.Width(Width), .Depth(Rows)) u_memory (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(write_q[RowBits-1:0]),
    .write_data_i({last_i, write_end_i, write_data_i}), .read_i(read),
    .read_row_i(read_q[RowBits-1:0]), .read_data_o({m_axis_tlast_o, end_byte, m_axis_tdata_o}),
    .ready_o(unused_ready));

  assign m_axis_tkeep_o = m_axis_tlast_o ? {Bytes{1'b1}} >> (EndBits'(Bytes - 1) - end_byte) : '1;

  assign idle_o = write_q == read_q && !m_axis_tvalid_o;

  `ASSERT(NoMoreThanRows, write_q - read_q <= (RowBits + 1)'(Rows))

`ifdef FORMAL
  // Beats of whole frames that were not given out are all in the memory or past it.
  logic [RowBits:0]   f_frame;  // beats of the frame in flight
  logic [RowBits+3:0] f_inside_q;
  assign f_frame = write_q - kept_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_inside_q <= '0;
    else begin
      f_inside_q <= f_inside_q - (RowBits + 4)'(m_axis_tvalid_o && m_axis_tready_i)
          + (last_i && commit_i && !overflow_o ? (RowBits + 4)'(f_frame)
                                                 + (RowBits + 4)'(write) : '0);
    end
  end
  logic [RowBits:0] f_kept;
  assign f_kept = kept_q - read_q;
  `ASSERT(KeptIsBeforeWrite, f_kept <= write_q - read_q)
  `ASSERT(NoBeatLostOrMade, f_inside_q == (RowBits + 4)'(f_kept)
                                          + (RowBits + 4)'(m_axis_tvalid_o))
  `COVER(MemoryFull, f_kept == (RowBits + 1)'(Rows))
  `COVER(FrameRolledBack, last_i && commit_i && overflow_o)
  `COVER(LastBeatOut, m_axis_tvalid_o && m_axis_tready_i && m_axis_tlast_o && f_kept == '0)
  initial assume (!rst_ni);
`endif

endmodule
