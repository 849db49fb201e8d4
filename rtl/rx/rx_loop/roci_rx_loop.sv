// SPDX-License-Identifier: Apache-2.0
// Puts the datagrams that this adapter sends to multicast groups between the frames from the MAC
// (UD-10). A frame from the MAC never waits for one that has not begun, and none is lost.
//
// Throughput: one beat a clock. Latency: none for frames from the MAC while nothing is looped; of a
// looped frame store and forward plus two clocks.
//
//  MAC ------+---------------------------------------------+--> out
//            +--> beats that come while a looped frame ----+
//                 passes, and until they have passed       |
//  tx -----------> whole frames ---------------------------+
//
// A looped frame begins when no beat of the MAC waits or arrives and its frame is whole. So what
// waits is never more than the beats of one looped frame, of up to 4096 bytes of payload.

`include "assert.svh"

module roci_rx_loop #(
  parameter int unsigned DataWidth = 512,            // 64, 128, 256 or 512
  parameter int unsigned Rows = 65536 / DataWidth    // beats of each memory, a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // frames from the MAC
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,

  // beats that leave for the MAC
  input  logic [DataWidth-1:0]   sent_tdata_i,
  input  logic [DataWidth/8-1:0] sent_tkeep_i,
  input  logic                   sent_tlast_i,
  input  logic                   sent_roce_i,  // an engine's packet; during the whole frame
  input  logic                   sent_beat_i,  // the MAC takes one

  // both
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_looped_o,
  output logic                   m_axis_tvalid_o,

  output logic                   lost_o,  // a frame to a group is not looped, as there is no room
  output logic                   idle_o
);

  localparam int unsigned Bytes   = DataWidth / 8;
  localparam int unsigned EndBits = $clog2(Bytes);
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned Width   = DataWidth + EndBits + 1;

  // With a beat stands its last byte.
  function automatic logic [EndBits-1:0] end_of(input logic [Bytes-1:0] keep);
    end_of = '0;
    for (int i = EndBits - 1; i >= 0; i--) begin
      if (keep[end_of | EndBits'(1 << i)]) end_of = end_of | EndBits'(1 << i);
    end
  endfunction

  // Frames that are sent to a group: the first byte of the MAC address says so.
  logic             first_q, wanted_q, wanted, full, over_q, over, keep_beat;
  logic [RowBits:0] write_q, kept_q, read_q;  // top bit: pass parity
  assign wanted    = first_q ? sent_roce_i && sent_tdata_i[0] : wanted_q;
  assign full      = write_q - read_q == (RowBits + 1)'(Rows);
  assign over      = over_q || full;
  assign keep_beat = sent_beat_i && wanted;
  assign lost_o    = keep_beat && sent_tlast_i && over;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      over_q  <= 1'b0;
      write_q <= '0;
      kept_q  <= '0;
    end else begin
      if (sent_beat_i) first_q <= sent_tlast_i;
      if (keep_beat) begin
        over_q <= !sent_tlast_i && over;
        if (!over) write_q <= write_q + 1'b1;
        else if (sent_tlast_i) write_q <= kept_q;
        if (sent_tlast_i && !over) kept_q <= write_q + 1'b1;
      end
    end
    if (sent_beat_i) wanted_q <= wanted;
  end

  // Whose beats pass. While reads are issued, what was read the clock before passes.
  typedef enum logic [1:0] {StMac, StLoop, StWaiting} state_e;
  state_e           state_q;
  logic             between_q, pending_q, from_loop_q, loop_last, wait_last, ends, reads_loop,
                    reads_waiting, waits;
  logic [RowBits:0] in_q, out_q;  // beats of the MAC that wait
  assign ends          = pending_q && from_loop_q && loop_last;
  assign reads_loop    = state_q == StLoop && !ends;
  assign reads_waiting = state_q == StWaiting && in_q != out_q;
  assign waits         = s_axis_tvalid_i && state_q != StMac;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q     <= StMac;
      between_q   <= 1'b1;
      pending_q   <= 1'b0;
      from_loop_q <= 1'b0;
      read_q      <= '0;
      in_q        <= '0;
      out_q       <= '0;
    end else begin
      if (s_axis_tvalid_i) between_q <= s_axis_tlast_i;
      case (state_q)
        StMac:   if (kept_q != read_q && between_q && !s_axis_tvalid_i) state_q <= StLoop;
        StLoop:  if (ends) state_q <= StWaiting;
        default: if (in_q == out_q && !s_axis_tvalid_i) state_q <= StMac;
      endcase
      pending_q   <= reads_loop || reads_waiting;
      from_loop_q <= state_q == StLoop;
      if (reads_loop) read_q <= read_q + 1'b1;
      if (waits) in_q <= in_q + 1'b1;
      if (reads_waiting) out_q <= out_q + 1'b1;
    end
  end

  logic [DataWidth-1:0] loop_data, wait_data;
  logic [EndBits-1:0]   loop_end, wait_end, end_byte;
  logic                 unused_loop_ready, unused_wait_ready;
  roci_ram #(.Width(Width), .Depth(Rows)) u_looped (
    .clk_i, .rst_ni, .write_i(keep_beat && !over), .write_row_i(write_q[RowBits-1:0]),
    .write_data_i({sent_tlast_i, end_of(sent_tkeep_i), sent_tdata_i}), .read_i(reads_loop),
    .read_row_i(read_q[RowBits-1:0]), .read_data_o({loop_last, loop_end, loop_data}),
    .ready_o(unused_loop_ready));
  roci_ram #(.Width(Width), .Depth(Rows)) u_waiting (
    .clk_i, .rst_ni, .write_i(waits), .write_row_i(in_q[RowBits-1:0]),
    .write_data_i({s_axis_tlast_i, end_of(s_axis_tkeep_i), s_axis_tdata_i}),
    .read_i(reads_waiting), .read_row_i(out_q[RowBits-1:0]),
    .read_data_o({wait_last, wait_end, wait_data}), .ready_o(unused_wait_ready));

  logic passes;
  assign passes          = state_q == StMac;
  assign end_byte        = from_loop_q ? loop_end : wait_end;
  assign m_axis_tvalid_o = passes ? s_axis_tvalid_i : pending_q;
  assign m_axis_tlast_o  = passes ? s_axis_tlast_i : from_loop_q ? loop_last : wait_last;
  assign m_axis_tdata_o  = passes ? s_axis_tdata_i : from_loop_q ? loop_data : wait_data;
  assign m_axis_looped_o = !passes && from_loop_q;
  always_comb begin
    m_axis_tkeep_o = {Bytes{1'b1}} >> (EndBits'(Bytes - 1) - end_byte);
    if (!m_axis_tlast_o) m_axis_tkeep_o = '1;
    if (passes) m_axis_tkeep_o = s_axis_tkeep_i;
  end

  assign idle_o = passes && write_q == read_q && first_q;

  `ASSERT(NothingIsReadTwice, `IMPLIES(passes, !pending_q && in_q == out_q))
  `ASSERT(WaitingHasRoom, `IMPLIES(waits, in_q - out_q != (RowBits + 1)'(Rows)))
  `ASSERT(LoopReadsWholeFrames, `IMPLIES(reads_loop, kept_q != read_q))

`ifdef FORMAL
  // A datagram has fewer beats than there is room for what waits meanwhile.
  logic [RowBits:0] f_sent_q;  // beats of the frame that leaves, before this one
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_sent_q <= '0;
    else if (sent_beat_i) f_sent_q <= sent_tlast_i ? '0 : f_sent_q + 1'b1;
  end
  `ASSUME(FramesAreShort, `IMPLIES(sent_beat_i && f_sent_q == (RowBits + 1)'(Rows - 3),
                                   sent_tlast_i))

  // A frame is whole before another begins.
  logic f_open_q, f_looped_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (m_axis_tvalid_o) f_open_q <= !m_axis_tlast_o;
    if (m_axis_tvalid_o) f_looped_q <= m_axis_looped_o;
  end
  `ASSERT(FramesDoNotInterleave, `IMPLIES(f_open_q && m_axis_tvalid_o,
                                          m_axis_looped_o == f_looped_q))

  // One beat of the MAC, chosen freely: as many come out before it as went in before it, then it.
  (* anyseq *) logic    f_choose;
  logic                 f_chosen_q, f_follows_q, f_takes, f_out;
  logic [RowBits+1:0]   f_ahead_q;  // beats inside, of those before it once it is chosen
  logic [DataWidth:0]   f_beat_q;
  assign f_takes = s_axis_tvalid_i && f_choose && !f_chosen_q;
  assign f_out   = m_axis_tvalid_o && !m_axis_looped_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_chosen_q  <= 1'b0;
      f_follows_q <= 1'b0;
      f_ahead_q   <= '0;
    end else begin
      if (f_takes) f_chosen_q <= 1'b1;
      if (f_takes) f_follows_q <= !(f_out && f_ahead_q == '0);
      else if (f_follows_q && f_out && f_ahead_q == '0) f_follows_q <= 1'b0;
      if (!f_chosen_q || f_follows_q) begin
        f_ahead_q <= f_ahead_q + (RowBits + 2)'(s_axis_tvalid_i && !f_chosen_q && !f_takes)
                               - (RowBits + 2)'(f_out && (f_ahead_q != '0 || !f_follows_q)
                                                && !(f_takes && f_ahead_q == '0));
      end
    end
    if (f_takes) f_beat_q <= {s_axis_tlast_i, s_axis_tdata_i};
  end
  `ASSERT(BeatOfTheMacComesOut, `IMPLIES(f_follows_q && f_out && f_ahead_q == '0,
                                         {m_axis_tlast_o, m_axis_tdata_o} == f_beat_q))
  `ASSERT(BeatPassesAtOnce, `IMPLIES(f_takes && f_out && f_ahead_q == '0,
                                     {m_axis_tlast_o, m_axis_tdata_o} ==
                                     {s_axis_tlast_i, s_axis_tdata_i}))
  `COVER(Looped, m_axis_tvalid_o && m_axis_looped_o && m_axis_tlast_o)
  `COVER(BeatWaited, f_follows_q && f_out && f_ahead_q == '0)
  `COVER(Lost, lost_o)
  `COVER(PassesAgain, passes && s_axis_tvalid_i && f_looped_q)
  initial assume (!rst_ni);
`endif

endmodule
