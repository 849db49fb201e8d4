// SPDX-License-Identifier: Apache-2.0
// Packets that wait to be taken by tx, and the segments of their payload.
//
// Throughput: a packet and a segment per clock. Latency: one clock. Packets of a queue pair that
// recovers are dropped with their segments, so that what is retransmitted does not wait after
// them, and so are those that an acknowledgement overtook; desc_valid_o may fall then. A packet is
// counted when it is taken, and in flight until it has left.
//
//  desc --> | 4, each kept or not  | --+--> desc_o, count_o
//                                      +--> flight <-- sent
//                                      +--> kept --+
//  verdict (plan sent, or dropped) ----------------+--> segments pass, or are dropped

`include "assert.svh"

module roci_requester_tx #(
  parameter int unsigned NumQps = 256,
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // in
  input  roci_pkg::tx_desc_t desc_i,
  input  logic               desc_push_i,
  input  logic               verdict_push_i,  // a plan with segments: desc_push_i is the verdict
  input  logic [23:0]        desc_end_i,      // PSN after it
  input  logic [QpBits-1:0]  row_i,           // queue pair in hand
  input  logic [23:0]        una_i,           // its packets before this are not needed any more
  input  logic               kill_i,          // nor any other; never with desc_push_i
  output logic               room_o,          // for a packet now and one that ends now,
  output logic               more_room_o,     // and for one more
  input  roci_pkg::seg_t     plan_seg_i,
  input  logic               plan_seg_valid_i,
  output logic               plan_seg_ready_o,

  // out
  output roci_pkg::tx_desc_t desc_o,
  output logic               desc_valid_o,
  input  logic               desc_ready_i,
  output roci_pkg::seg_t     seg_o,
  output logic               seg_valid_o,
  input  logic               seg_ready_i,
  output roci_pkg::count_t   count_o,
  output logic               count_valid_o,
  input  logic               count_ready_i,

  // packets on the way, see roci_requester_flight
  output logic [9:0]         newest_o,
  output logic [9:0]         left_o,
  input  logic               sent_valid_i,
  input  roci_pkg::sent_t    sent_i,
  output logic [QpBits-1:0]  fault_row_o,
  output logic [23:0]        fault_psn_o,
  output logic               fault_left_o,
  output logic               fault_valid_o,
  input  logic               fault_ready_i,

  output logic               empty_o
);

  localparam int unsigned Depth = 4;

  logic [2:0] level, count_level, fate_level, level_q;
  logic [3:0] verdict_level, verdict_level_q;
  logic       desc_room, desc_valid, pop, taken, alive, outlets, flight_room, flight_empty;

  roci_pkg::tx_desc_t desc;
  logic               unreliable;
  roci_fifo #(.Width(roci_pkg::TxDescBits), .Depth(Depth)) u_desc (
    .clk_i, .rst_ni, .in_data_i(desc_i), .in_valid_i(desc_push_i), .in_ready_o(desc_room),
    .out_data_o(desc), .out_valid_o(desc_valid), .out_ready_i(pop), .level_o(level));
  // UC and UD: no acknowledge is requested on the link, the packet is reported when it has left.
  assign unreliable = desc.opcode[5];
  always_comb begin
    desc_o         = desc;
    desc_o.ack_req = desc.ack_req && !unreliable;
  end

  // Which of them are kept. What an event ends is dropped a clock after it: a packet that is taken
  // meanwhile has left just before.
  logic [QpBits-1:0] ended_row_q;
  logic [23:0]       una_q;
  logic              kill_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) kill_q <= 1'b0;
    else kill_q <= kill_i;
    ended_row_q <= row_i;
    una_q       <= una_i;
  end
  logic [1:0]       in_q, out_q;
  logic [Depth-1:0] alive_q, killed;
  for (genvar i = 0; i < Depth; i++) begin : gen_row
    logic [QpBits-1:0] row_q;
    logic [23:0]       end_q, rest;
    always_ff @(posedge clk_i) begin
      if (desc_push_i && in_q == 2'(i)) begin
        row_q <= desc_i.qpn[QpBits-1:0];
        end_q <= desc_end_i;
      end
    end
    assign rest      = end_q - una_q;
    assign killed[i] = row_q == ended_row_q && (kill_q || rest == '0 || rest[23]);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q    <= '0;
      out_q   <= '0;
      alive_q <= '0;
    end else begin
      alive_q <= alive_q & ~killed;
      if (desc_push_i) begin
        in_q          <= in_q + 2'd1;
        alive_q[in_q] <= 1'b1;
      end
      if (pop) out_q <= out_q + 2'd1;
    end
  end

  roci_requester_flight #(.NumQps(NumQps)) u_flight (
    .clk_i, .rst_ni, .push_i(desc_push_i), .pop_i(pop), .taken_i(taken), .room_o(flight_room),
    .report_i(unreliable && desc.ack_req), .sent_valid_i, .sent_i, .newest_o, .left_o,
    .fault_row_o, .fault_psn_o, .fault_left_o, .fault_valid_o, .fault_ready_i,
    .empty_o(flight_empty));

  logic fate_room, count_room, verdict_room;
  assign alive        = alive_q[out_q];
  assign outlets      = fate_level <= 3'd3 && count_level <= 3'd3 && flight_room;
  assign desc_valid_o = desc_valid && alive && outlets;
  assign taken        = desc_valid_o && desc_ready_i;
  assign pop          = taken || (desc_valid && !alive && outlets);

  roci_pkg::count_t count;
  assign count.qpn     = desc_o.qpn;
  assign count.counter = roci_pkg::QpCounterTxPackets;
  assign count.bytes   = desc_o.payload_len;
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(4)) u_count (
    .clk_i, .rst_ni, .in_data_i(count), .in_valid_i(taken), .in_ready_o(count_room),
    .out_data_o(count_o), .out_valid_o(count_valid_o), .out_ready_i(count_ready_i),
    .level_o(count_level));

  // Segments pass or are dropped with their packet; those of a plan that was not sent are dropped.
  logic verdict, verdict_valid, fate, fate_valid, seg_known, packet_end;
  roci_fifo #(.Width(1), .Depth(8)) u_verdict (
    .clk_i, .rst_ni, .in_data_i(desc_push_i), .in_valid_i(verdict_push_i),
    .in_ready_o(verdict_room), .out_data_o(verdict), .out_valid_o(verdict_valid),
    .out_ready_i(packet_end), .level_o(verdict_level));
  roci_fifo #(.Width(1), .Depth(4)) u_fate (
    .clk_i, .rst_ni, .in_data_i(alive), .in_valid_i(pop && desc_o.payload_len != '0),
    .in_ready_o(fate_room), .out_data_o(fate), .out_valid_o(fate_valid),
    .out_ready_i(packet_end && verdict), .level_o(fate_level));
  assign seg_known        = verdict_valid && (!verdict || fate_valid);
  assign seg_o            = plan_seg_i;
  assign seg_valid_o      = plan_seg_valid_i && seg_known && verdict && fate;
  assign plan_seg_ready_o = seg_known && (!verdict || !fate || seg_ready_i);
  assign packet_end       = plan_seg_valid_i && plan_seg_ready_o && plan_seg_i.last;

  // The levels once more, in registers: what has room chooses the next event.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      level_q         <= '0;
      verdict_level_q <= '0;
    end else begin
      level_q         <= level_q + 3'(desc_push_i) - 3'(pop);
      verdict_level_q <= verdict_level_q + 4'(verdict_push_i) - 4'(packet_end);
    end
  end
  assign room_o      = level_q <= 3'd2 && verdict_level_q <= 4'd6;
  assign more_room_o = level_q <= 3'd1 && verdict_level_q <= 4'd5;
  assign empty_o = flight_empty && !desc_valid && !count_valid_o && !verdict_valid && !fate_valid
                   && !plan_seg_valid_i;

  `ASSERT(DescHasRoom, `IMPLIES(desc_push_i, desc_room && !kill_i))
  `ASSERT(VerdictHasRoom, `IMPLIES(verdict_push_i, verdict_room))
  `ASSERT(LevelsAgree, level_q == level && verdict_level_q == verdict_level)
  `ASSERT(OutletsHaveRoom, `IMPLIES(pop, fate_room && count_room))

endmodule
