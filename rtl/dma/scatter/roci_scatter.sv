// SPDX-License-Identifier: Apache-2.0
// Writes received payload to the segments of memory it belongs to, with byte strobes, and counts
// the packets that are in memory. A packet of which a write failed is reported; it and those after
// it count when the report is taken.
//
// Throughput: one beat a clock; a segment that starts or ends unaligned costs up to one more.
// Latency: three clocks from a beat to the data of its write; the address goes one clock earlier.
// req_seg_ready_o and rsp_seg_ready_o follow the header, its ready follows the first segment.
//
//   header, segment --+--> split -----> aw          b --> good? --> wr_done, fault
//                   +--> queue --+
//   payload ---------------------+--> align --> w

`include "assert.svh"

module roci_scatter #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Packets   = 128,  // in flight, power of two
  parameter logic [15:0] FirstTicket = '0, // wr_done_o at reset
  localparam int unsigned OffBits = $clog2(DataWidth / 8)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // payload, and one header a packet
  input  roci_pkg::pay_hdr_t     pay_hdr_i,
  input  logic                   pay_hdr_valid_i,
  output logic                   pay_hdr_ready_o,
  input  logic [DataWidth-1:0]   pay_tdata_i,
  input  logic                   pay_tlast_i,
  input  logic                   pay_tvalid_i,
  output logic                   pay_tready_o,

  // segments of the packets of each source
  input  roci_pkg::seg_t         req_seg_i,
  input  logic                   req_seg_valid_i,
  output logic                   req_seg_ready_o,
  input  roci_pkg::seg_t         rsp_seg_i,
  input  logic                   rsp_seg_valid_i,
  output logic                   rsp_seg_ready_o,

  // writes
  output logic [63:0]            aw_addr_o,
  output logic [19:0]            aw_pasid_o,
  output logic [8:0]             aw_beats_o,
  output logic                   aw_valid_o,
  input  logic                   aw_ready_i,
  output logic [DataWidth-1:0]   w_data_o,
  output logic [DataWidth/8-1:0] w_strb_o,
  output logic                   w_last_o,
  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  input  logic                   b_i,        // a response, in order of the bursts
  input  logic                   b_error_i,  // with it: the write failed

  output logic [15:0]            wr_done_o,
  output roci_pkg::fault_t       fault_o,
  output logic                   fault_valid_o,
  input  logic                   fault_ready_i,
  output logic                   idle_o
);

  localparam int unsigned Bytes     = DataWidth / 8;
  localparam int unsigned BoundBits = OffBits + 8 < 12 ? OffBits + 8 : 12;  // as in dma_split
  localparam int unsigned IndexBits = BoundBits - OffBits;

  // The first segment of a packet takes its header along; each segment goes both ways.
  roci_pkg::seg_t seg;
  logic           seg_valid, split_ready, queue_ready, both_ready, join_valid, first_q, src_q;
  logic           ids_ready;
  logic           src, known;
  assign src             = first_q ? pay_hdr_i.src : src_q;
  assign known           = !first_q || pay_hdr_valid_i;
  assign seg             = src ? rsp_seg_i : req_seg_i;
  assign seg_valid       = src ? rsp_seg_valid_i : req_seg_valid_i;
  assign both_ready      = split_ready && queue_ready && (!first_q || ids_ready);
  assign join_valid      = known && seg_valid;
  assign req_seg_ready_o = known && !src && both_ready;
  assign rsp_seg_ready_o = known && src && both_ready;
  assign pay_hdr_ready_o = first_q && seg_valid && both_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (join_valid && both_ready) first_q <= seg.last;
    if (join_valid && both_ready) src_q <= src;
  end

  // Addresses.
  logic split_valid, split_last, split_drop, split_take, done_ready;
`ifdef FORMAL
  // That the bursts of a segment are its bytes is proved in roci_dma_split. Here a segment makes
  // any number of them, and one when it is dropped.
  (* anyseq *) logic f_final;
  logic f_valid_q, f_last_q, f_drop_q, f_final_burst;
  assign f_final_burst = f_final || f_drop_q;
  assign split_ready   = !f_valid_q || (done_ready && (split_drop || aw_ready_i) && f_final_burst);
  assign split_valid   = f_valid_q;
  assign split_last    = f_last_q && f_final_burst;
  assign split_drop    = f_drop_q;
  assign {aw_addr_o, aw_pasid_o, aw_beats_o} = '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_valid_q <= 1'b0;
    else if (split_ready) f_valid_q <= join_valid && queue_ready && (!first_q || ids_ready);
    if (split_ready) begin
      f_last_q <= seg.last;
      f_drop_q <= seg.drop;
    end
  end
`else
  logic [OffBits-1:0] unused_first, unused_end;
  roci_dma_split #(.DataWidth(DataWidth)) u_split (
    .clk_i, .rst_ni,
    .in_addr_i(seg.addr), .in_pasid_i(seg.pasid), .in_len_i(seg.len), .in_last_i(seg.last),
    .in_drop_i(seg.drop), .in_valid_i(join_valid && queue_ready && (!first_q || ids_ready)),
    .in_ready_o(split_ready),
    .out_addr_o(aw_addr_o), .out_pasid_o(aw_pasid_o), .out_beats_o(aw_beats_o),
    .out_first_o(unused_first), .out_end_o(unused_end), .out_last_o(split_last),
    .out_drop_o(split_drop), .out_valid_o(split_valid),
    .out_ready_i(done_ready && (split_drop || aw_ready_i)));
`endif
  assign aw_valid_o = split_valid && !split_drop && done_ready;
  assign split_take = split_valid && done_ready && (split_drop || aw_ready_i);

  // Packets in flight
  logic                     packets_empty, head_done;
  logic [$clog2(Packets):0] packets_level, ids_level;
  roci_scatter_done #(.Packets(Packets), .FirstTicket(FirstTicket)) u_done (
    .clk_i, .rst_ni,
    .id_i({src, pay_hdr_i.psn, pay_hdr_i.qpn}),
    .id_valid_i(join_valid && first_q && split_ready && queue_ready), .id_ready_o(ids_ready),
    .take_i(split_take), .last_i(split_last), .drop_i(split_drop), .ready_o(done_ready),
    .b_i, .b_error_i,
    .wr_done_o, .fault_o, .fault_valid_o, .fault_ready_i,
    .done_o(head_done), .level_o(packets_level), .ids_level_o(ids_level), .empty_o(packets_empty)
  );

  // Data: the segment that left the queue meets the beat.
  logic [BoundBits-1:0] head_addr, p_addr_q;
  logic [12:0]          head_len;
  logic [OffBits-1:0]   head_offset;
  logic                 head_first, head_last, head_drop, head_valid, head_take;
  logic                 p_last_q, p_drop_q, p_valid_q, p_take;
  logic [2:0]           queue_level;
  roci_fifo #(.Width(BoundBits + 13 + OffBits + 3), .Depth(4)) u_queue (
    .clk_i, .rst_ni,
    .in_data_i({seg.addr[BoundBits-1:0], seg.len, pay_hdr_i.offset[OffBits-1:0], first_q, seg.last,
                seg.drop}),
    .in_valid_i(join_valid && split_ready && (!first_q || ids_ready)), .in_ready_o(queue_ready),
    .out_data_o({head_addr, head_len, head_offset, head_first, head_last, head_drop}),
    .out_valid_o(head_valid), .out_ready_i(head_take), .level_o(queue_level));

  logic               begin_q;             // the segment has not begun
  logic [12:0]        left_q;              // bytes of it
  logic [OffBits-1:0] start_q, start_next;   // in the beat
  logic [12:0]        here;              // bytes of the beat from start on
  logic               seg_ends, beat_ends, able, step, align_ready, align_idle;
  logic [OffBits:0]   bytes;
  assign here         = 13'(Bytes) - 13'(start_q);
  assign seg_ends     = left_q <= here;
  assign beat_ends    = left_q >= here || (seg_ends && p_last_q);
  assign bytes        = seg_ends ? left_q[OffBits:0] : here[OffBits:0];
  assign able         = p_valid_q && (p_drop_q || align_ready);
  assign step         = able && pay_tvalid_i;
  assign p_take       = step && seg_ends;
  assign pay_tready_o = able && beat_ends;
  assign head_take    = !p_valid_q || p_take;
  assign start_next   = beat_ends ? '0 : start_q + bytes[OffBits-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) p_valid_q <= 1'b0;
    else if (head_take) p_valid_q <= head_valid;
    if (head_take && head_valid) begin
      {p_addr_q, p_last_q, p_drop_q} <= {head_addr, head_last, head_drop};
      left_q  <= head_len;
      begin_q <= 1'b1;
    end else if (step) begin
      left_q  <= left_q - here;
      begin_q <= 1'b0;
    end
    if (head_take && head_valid && head_first) start_q <= head_offset;
    else if (step) start_q <= start_next;
  end

  // The user field carries the beat of the segment's start within the burst boundary.
  logic [IndexBits-1:0] base, index_q, index;
  logic                 run_ends, run_begins_q;
`ifdef FORMAL
  // That what goes in comes out is proved in roci_dma_align.
  (* anyseq *) logic f_align_ready, f_align_idle;
  assign align_ready = f_align_ready;
  assign align_idle  = f_align_idle;
  assign w_valid_o   = 1'b0;
  assign w_data_o    = '0;
  assign w_strb_o    = '0;
  assign {base, run_ends} = '0;
`else
  roci_dma_align #(.DataWidth(DataWidth), .UserBits(IndexBits), .Zeros(0)) u_align (
    .clk_i, .rst_ni,
    .in_data_i(pay_tdata_i), .in_start_i(start_q), .in_bytes_i(bytes), .in_begin_i(begin_q),
    .in_pos_i(p_addr_q[OffBits-1:0]), .in_end_i(seg_ends),
    .in_user_i(p_addr_q[BoundBits-1:OffBits]),
    .in_valid_i(p_valid_q && pay_tvalid_i && !p_drop_q), .in_ready_o(align_ready),
    .out_data_o(w_data_o), .out_strb_o(w_strb_o), .out_from_o(), .out_to_o(),
    .out_last_o(run_ends),
    .out_user_o(base), .out_valid_o(w_valid_o), .out_ready_i(w_ready_i),
    .open_o(), .idle_o(align_idle));
`endif
  assign index    = run_begins_q ? base : index_q;
  assign w_last_o = run_ends || (&index);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) run_begins_q <= 1'b1;
    else if (w_valid_o && w_ready_i) run_begins_q <= run_ends;
    if (w_valid_o && w_ready_i) index_q <= index + 1'b1;
  end

  assign idle_o = !pay_hdr_valid_i && first_q && !split_valid && packets_empty && !head_valid &&
                  !p_valid_q && align_idle;

  logic unused;
  assign unused = &{1'b0, seg, packets_level, ids_level, head_done, queue_level};

  // Beats and segments of a packet end together; the header agrees.
  logic [12:0] rest_q, rest;
  assign rest = (first_q ? pay_hdr_i.len : rest_q) - seg.len;
  always_ff @(posedge clk_i) if (join_valid && both_ready) rest_q <= rest;
  `ASSUME(LengthAgrees, `IMPLIES(join_valid && both_ready, seg.last == (rest == 13'd0)))
  `ASSUME(OffsetInBeat, `IMPLIES(pay_hdr_valid_i, {26'd0, pay_hdr_i.offset} < Bytes))
  `ASSUME(EndsTogether, `IMPLIES(step && beat_ends, pay_tlast_i == (seg_ends && p_last_q)))

`ifdef FORMAL
  // Segments are counted where they come, where their bursts go, and where their bytes do; packets
  // where they come and where they are reported to be in memory.
  logic [7:0]  f_segs_q, f_split_q, f_written_out_q, f_packets_q;
  logic [12:0] f_given_q, f_len_q;   // bytes of the segment that meets the beat
  logic        f_join;
  assign f_join = join_valid && both_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_segs_q        <= '0;
      f_split_q       <= '0;
      f_written_out_q <= '0;
      f_packets_q     <= '0;
    end else begin
      f_segs_q        <= f_segs_q + 8'(f_join);
      f_split_q       <= f_split_q + 8'(split_take && f_final_burst);
      f_written_out_q <= f_written_out_q + 8'(p_take);
      f_packets_q     <= f_packets_q + 8'(pay_hdr_valid_i && pay_hdr_ready_o) - 8'(head_done);
    end
    if (p_take || !rst_ni) f_given_q <= '0;
    else if (step) f_given_q <= f_given_q + 13'(bytes);
    if (head_take) f_len_q <= head_len;
  end
  `ASSUME(LenInRange, `IMPLIES(seg_valid, seg.len != 13'd0 && seg.len <= 13'd4136))
  `ASSUME(QueuedInRange, `IMPLIES(head_valid, head_len != 13'd0
                                                 && head_len <= 13'd4136))  // the same, later
  `ASSERT(NoSegmentLostOrMade, f_segs_q - f_written_out_q == 8'(queue_level) + 8'(p_valid_q)
                             && f_segs_q - f_split_q == 8'(f_valid_q))
  `ASSERT(HeaderGoesWithFirst, (pay_hdr_valid_i && pay_hdr_ready_o) == (f_join && first_q))
  `ASSERT(LastIsOfItsPacket, `IMPLIES(f_valid_q, f_last_q == first_q))
  `ASSERT(EachIsKnown, 8'(ids_level)
                       == 8'(packets_level) + 8'(f_valid_q && f_last_q) + 8'(!first_q))
  `ASSERT(NoPacketLostOrMade, f_packets_q == 8'(ids_level))
  `ASSERT(RestIsKnown, `IMPLIES(p_valid_q, f_given_q + left_q == f_len_q && left_q != '0
                                         && left_q <= f_len_q && f_len_q <= 13'd4136
                                         && begin_q == (f_given_q == '0))
                       && `IMPLIES(!p_valid_q, f_given_q == '0))
  `ASSERT(BytesAreTheSegment, `IMPLIES(p_take, f_given_q + 13'(bytes) == f_len_q))
  `ASSERT(BytesAreOfTheBeat, `IMPLIES(step, bytes != '0 && 8'(start_q) + 8'(bytes) <= 8'(Bytes)))
  `ASSERT(BeatLeavesAtItsEnd, `IMPLIES(step, pay_tready_o == (8'(start_q) + 8'(bytes) == 8'(Bytes)
                                                              || (p_take && p_last_q))))
  `COVER(SplitsABeat, p_take && !beat_ends && f_written_out_q == 8'd1)
  initial assume (!rst_ni);
`endif

endmodule
