// SPDX-License-Identifier: Apache-2.0
// Packets that tx took and that have not left, in order, and what is known of them by ticket.
//
// A ticket counts packets as they come from the engine. Those that were dropped before tx took them
// are reported with those that were taken, so that "left" is one number: every packet up to that
// ticket has left or was dropped. Its payload has been read then, and is not read again. A packet
// whose payload could not be read is reported as a fault, and one of UC that was to be reported as
// left. Room is kept for the reports of all that is in flight, so none is lost.

`include "assert.svh"

module roci_requester_flight #(
  parameter int unsigned NumQps = 256,
  parameter int unsigned Depth  = 128,  // packets in flight, a power of two, at most 256
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              push_i,   // a packet gets the next ticket
  input  logic              pop_i,    // the oldest packet not yet reported is reported
  input  logic              taken_i,  // with it: taken, or else dropped
  input  logic              report_i, // with taken_i: to be reported when it has left
  output logic              room_o,   // for pop_i

  // packets taken, as they leave
  input  logic              sent_valid_i,
  input  roci_pkg::sent_t   sent_i,

  output logic [9:0]        newest_o,
  output logic [9:0]        left_o,

  output logic [QpBits-1:0] fault_row_o,
  output logic [23:0]       fault_psn_o,
  output logic              fault_left_o,  // no fault: the packet left
  output logic              fault_valid_o,
  input  logic              fault_ready_i,

  output logic              empty_o
);

  localparam int unsigned LevelBits = $clog2(Depth) + 1;

  logic [LevelBits-1:0] level, fault_level, report_level;
  logic                 flight_room, valid, taken, leaves, fault_room, report, report_room;
  logic                 report_kept, report_valid, fault_left, fault_valid, fault_take;
  logic [QpBits-1:0]    fault_row;
  logic [23:0]          fault_psn;
  roci_fifo #(.Width(1), .Depth(Depth)) u_flight (
    .clk_i, .rst_ni, .in_data_i(taken_i), .in_valid_i(pop_i), .in_ready_o(flight_room),
    .out_data_o(taken), .out_valid_o(valid), .out_ready_i(leaves), .level_o(level));
  roci_fifo #(.Width(1), .Depth(Depth)) u_report (
    .clk_i, .rst_ni, .in_data_i(report_i), .in_valid_i(pop_i && taken_i), .in_ready_o(report_room),
    .out_data_o(report_kept), .out_valid_o(report_valid), .out_ready_i(sent_valid_i),
    .level_o(report_level));
  assign report = report_kept && report_valid;
  roci_fifo #(.Width(1 + QpBits + 24), .Depth(Depth)) u_fault (
    .clk_i, .rst_ni, .in_data_i({!sent_i.error, sent_i.qpn[QpBits-1:0], sent_i.psn}),
    .in_valid_i(sent_valid_i && (sent_i.error || report)),
    .in_ready_o(fault_room), .out_data_o({fault_left, fault_row, fault_psn}),
    .out_valid_o(fault_valid), .out_ready_i(fault_take), .level_o(fault_level));
  // Room of the clock before, and a place for the packet that came then.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) room_o <= 1'b0;
    else begin
      room_o <= {1'b0, level} + {1'b0, fault_level} < (LevelBits + 1)'(Depth - 1)
                && report_level < LevelBits'(Depth - 1);
    end
  end
  // The oldest one stands in a register, as the memory is slow.
  assign fault_take = !fault_valid_o || fault_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_valid_o <= 1'b0;
    else if (fault_take) fault_valid_o <= fault_valid;
    if (fault_take) {fault_left_o, fault_row_o, fault_psn_o} <= {fault_left, fault_row, fault_psn};
  end

  // Packets may leave while dropped ones stand before them.
  logic [LevelBits-1:0] owed_q;
  assign leaves  = valid && (!taken || sent_valid_i || owed_q != '0);
  assign empty_o = !valid;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q   <= '0;
      newest_o <= '0;
      left_o   <= '0;
    end else begin
      owed_q <= owed_q + LevelBits'(sent_valid_i) - LevelBits'(leaves && taken);
      if (push_i) newest_o <= newest_o + 10'd1;
      if (leaves) left_o <= left_o + 10'd1;
    end
  end

  `ASSERT(FlightHasRoom, `IMPLIES(pop_i, flight_room))
  `ASSERT(FaultHasRoom, `IMPLIES(sent_valid_i && (sent_i.error || report), fault_room))
  `ASSERT(ReportHasRoom, `IMPLIES(pop_i && taken_i, report_room))
  `ASSUME(SentWasTaken, `IMPLIES(sent_valid_i, valid && owed_q < level))

`ifdef FORMAL
  // Packets: `left_o` counts what left or was dropped, in order; nothing counts before it left. A
  // fault is reported for each packet whose payload could not be read.
  logic [9:0] f_popped_q, f_bad_q, f_reported_q, f_waiting;
  assign f_waiting = newest_o - f_popped_q;             // pushed and not reported
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_popped_q   <= '0;
      f_bad_q      <= '0;
      f_reported_q <= '0;
    end else begin
      f_popped_q   <= f_popped_q + 10'(pop_i);
      f_bad_q      <= f_bad_q + 10'(sent_valid_i && (sent_i.error || report));
      f_reported_q <= f_reported_q + 10'(fault_valid_o && fault_ready_i);
    end
  end
  `ASSUME(PopsWhatWaits, `IMPLIES(pop_i, room_o && f_waiting != '0))
  `ASSUME(PushesFew, f_waiting <= 10'd4)
  `ASSERT(NoPacketLostOrMade, newest_o - left_o == f_waiting + 10'(level))
  `ASSERT(NoFaultLostOrMade, f_bad_q - f_reported_q == 10'(fault_level) + 10'(fault_valid_o))
  `ASSERT(RoomForAll, 9'(level) + 9'(fault_level) <= 9'(Depth))
  `COVER(DroppedOnesAreLate, owed_q == LevelBits'(1) && left_o == 10'd2)
  `COVER(FaultAfterDropped, fault_valid_o && left_o == 10'd3 && level == LevelBits'(1))
  initial assume (!rst_ni);
`endif

endmodule
