// SPDX-License-Identifier: Apache-2.0
// Puts the packets of requester and responder into one order: descriptors wait here for their
// payload while the segments of it go on to be read.
//
// Throughput: a packet every 2 clocks with one segment of payload, 3 when it has 512 bytes or more,
// every clock without. Latency: two clocks for a descriptor, none for a segment, one for a report.
// Sources take turns packet by packet.
//
//  sq desc --+--> | FIFO of Depth | --> desc_o       sent_i --> source FIFO --> sent_sq_valid_o
//  rq desc --+                                                              +-> sent_rq_valid_o
//  sq segs --+--------------------> seg_o, in the order of the descriptors
//  rq segs --+

`include "assert.svh"

module roci_tx_order #(
  parameter int unsigned Depth = 128  // packets whose payload may be on the way, a power of two
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // requester
  input  roci_pkg::tx_desc_t sq_desc_i,
  input  logic               sq_desc_valid_i,
  output logic               sq_desc_ready_o,
  input  roci_pkg::seg_t     sq_seg_i,
  input  logic               sq_seg_valid_i,
  output logic               sq_seg_ready_o,

  // responder
  input  roci_pkg::tx_desc_t rq_desc_i,
  input  logic               rq_desc_valid_i,
  output logic               rq_desc_ready_o,
  input  roci_pkg::seg_t     rq_seg_i,
  input  logic               rq_seg_valid_i,
  output logic               rq_seg_ready_o,

  // to tx and to payload reads
  output roci_pkg::tx_desc_t desc_o,
  output logic               desc_valid_o,
  input  logic               desc_ready_i,
  output roci_pkg::seg_t     seg_o,
  output logic               seg_valid_o,
  input  logic               seg_ready_i,

  // packets that left, in order; sent_o a clock later
  input  logic               sent_i,
  input  logic               sent_error_i,
  output roci_pkg::sent_t    sent_o,
  output logic               sent_sq_valid_o,
  output logic               sent_rq_valid_o,

  output logic               idle_o
);

  localparam int unsigned DescBits = roci_pkg::TxDescBits;

  logic               fifo_ready, order_ready;  // room for a descriptor, for its source
  logic               seg_room_q;               // a segment could go on, and no long one did
  logic               rq_turn_q;                // the responder was not the last one served
  logic               in_segs_q, segs_rq_q;     // segments of a packet are passing, and whose
  logic               pick_rq, can_take, take;
  roci_pkg::tx_desc_t picked;
  logic               segs_end;
  logic               order_valid;
  logic               sent_rq;
  roci_pkg::sent_t    sent;
  logic [$clog2(Depth):0]     waiting_unused;
  logic [$clog2(Depth)+1:0]   on_way;

  assign pick_rq         = rq_desc_valid_i && (rq_turn_q || !sq_desc_valid_i);
  assign picked          = pick_rq ? rq_desc_i : sq_desc_i;
  // Ready may look at the other source's valid but not at its own. A packet is taken when its
  // first segment can go on, so that it can be dropped until then; after a short segment, when that
  // could go on.
  assign can_take        = !in_segs_q && seg_room_q && fifo_ready && order_ready;
  assign rq_desc_ready_o = can_take && (rq_turn_q || !sq_desc_valid_i);
  assign sq_desc_ready_o = can_take && !(rq_turn_q && rq_desc_valid_i);
  assign take            = (rq_desc_valid_i && rq_desc_ready_o)
                           || (sq_desc_valid_i && sq_desc_ready_o);

  assign seg_o          = segs_rq_q ? rq_seg_i : sq_seg_i;
  assign seg_valid_o    = in_segs_q && (segs_rq_q ? rq_seg_valid_i : sq_seg_valid_i);
  assign rq_seg_ready_o = in_segs_q && segs_rq_q && seg_ready_i;
  assign sq_seg_ready_o = in_segs_q && !segs_rq_q && seg_ready_i;
  assign segs_end       = seg_valid_o && seg_ready_i && seg_o.last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) seg_room_q <= 1'b0;
    else seg_room_q <= seg_ready_i && !(seg_valid_o && seg_o.len >= 13'd512);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_turn_q <= 1'b0;
      in_segs_q <= 1'b0;
      segs_rq_q <= 1'b0;
    end else begin
      if (take) begin
        rq_turn_q <= !pick_rq;
        segs_rq_q <= pick_rq;
        in_segs_q <= picked.payload_len != '0;
      end else if (segs_end) begin
        in_segs_q <= 1'b0;
      end
    end
  end

  roci_deep_fifo #(.Width(DescBits), .Depth(Depth)) u_descs (
    .clk_i, .rst_ni,
    .in_data_i   (picked),
    .in_valid_i  (take),
    .in_ready_o  (fifo_ready),
    .out_data_o  (desc_o),
    .out_valid_o (desc_valid_o),
    .out_ready_i (desc_ready_i),
    .level_o     (waiting_unused)
  );

  // Twice as deep: also for packets that tx holds already.
  roci_deep_fifo #(.Width(49), .Depth(2 * Depth)) u_sources (
    .clk_i, .rst_ni,
    .in_data_i   ({pick_rq, picked.qpn, picked.psn}),
    .in_valid_i  (take),
    .in_ready_o  (order_ready),
    .out_data_o  ({sent_rq, sent.qpn, sent.psn}),
    .out_valid_o (order_valid),
    .out_ready_i (sent_i),
    .level_o     (on_way)
  );

  assign sent.error = sent_error_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {sent_sq_valid_o, sent_rq_valid_o} <= '0;
    else {sent_sq_valid_o, sent_rq_valid_o} <= {sent_i && !sent_rq, sent_i && sent_rq};
    sent_o <= sent;
  end
  assign idle_o     = on_way == '0 && !in_segs_q && !sq_desc_valid_i && !rq_desc_valid_i
                      && !sent_sq_valid_o && !sent_rq_valid_o;

  `ASSERT(SentWasTaken, `IMPLIES(sent_i, order_valid))

`ifdef FORMAL
  // Packets: what came in of either source is in the queue or has gone on, and each that left is
  // reported to one source. Segments: they pass for the packet taken last, all of them and no
  // others.
  `ASSUME(OnlyTakenAreSent, `IMPLIES(sent_i, order_valid))
  logic        f_sq, f_rq;
  logic [15:0] f_in_q, f_out_q, f_reported_q, f_sent_q, f_paid_q, f_ended_q;
  assign f_sq = sq_desc_valid_i && sq_desc_ready_o;
  assign f_rq = rq_desc_valid_i && rq_desc_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in_q       <= '0;
      f_out_q      <= '0;
      f_reported_q <= '0;
      f_sent_q     <= '0;
      f_paid_q     <= '0;
      f_ended_q    <= '0;
    end else begin
      f_in_q       <= f_in_q + 16'(f_sq) + 16'(f_rq);
      f_out_q      <= f_out_q + 16'(desc_valid_o && desc_ready_i);
      f_sent_q     <= f_sent_q + 16'(sent_i);
      f_reported_q <= f_reported_q + 16'(sent_sq_valid_o) + 16'(sent_rq_valid_o);
      f_paid_q     <= f_paid_q + 16'(f_sq && sq_desc_i.payload_len != '0)
                            + 16'(f_rq && rq_desc_i.payload_len != '0);
      f_ended_q <= f_ended_q + 16'(sq_seg_valid_i && sq_seg_ready_o && sq_seg_i.last)
                             + 16'(rq_seg_valid_i && rq_seg_ready_o && rq_seg_i.last);
    end
  end
  `ASSERT(NoPacketLostOrMade, f_in_q - f_out_q == 16'(waiting_unused) && !(f_sq && f_rq))
  `ASSERT(EachIsReported, f_sent_q - f_reported_q == 16'(sent_sq_valid_o) + 16'(sent_rq_valid_o)
                      && !(sent_sq_valid_o && sent_rq_valid_o)
                      && f_in_q - f_sent_q == 16'(on_way))
  `ASSERT(SegmentsOfItsPacket, f_paid_q - f_ended_q == 16'(in_segs_q))
  `ASSERT(NoSegmentLostOrMade, (seg_valid_o && seg_ready_i)
                             == ((sq_seg_valid_i && sq_seg_ready_o)
                                 || (rq_seg_valid_i && rq_seg_ready_o)))
  `COVER(BothSources, f_ended_q == 16'd2 && f_in_q == 16'd3 && segs_rq_q && sent_sq_valid_o)
  initial assume (!rst_ni);
`endif

endmodule
