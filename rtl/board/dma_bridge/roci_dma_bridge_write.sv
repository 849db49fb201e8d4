// SPDX-License-Identifier: Apache-2.0
// The writes of roci_dma_bridge: a burst is gathered in a buffer, becomes a descriptor of the bytes
// that its strobes select, and is responded to when the DMA engine says that they are written.
//
// Throughput: a beat and a burst per clock. Latency: four clocks from the last beat to the
// descriptor, two from the status to the response.
//
//  AW --> addresses ---------------------\
//  W  --> segments, first and last byte --> bursts --> descriptor --> DMA engine --> status
//                                                \--> order: id, beats --> done --> B
//
// The strobes of a burst select one run of bytes, or none: then there is nothing to write, and the
// response waits only for those before it. Responses leave in the order of the requests. The
// buffer is a ring of beats, as that of reads.

`include "assert.svh"

module roci_dma_bridge_write #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Segs      = 2,
  parameter int unsigned SegWidth  = 512,
  parameter int unsigned Bytes     = 65536,
  parameter int unsigned TagBits   = 6,
  parameter int unsigned LenBits   = 13,
  parameter int unsigned AsidBits  = 20,
  localparam int unsigned AddrBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Bytes / (Segs * SegWidth / 8))
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic [7:0]               s_axi_awid_i,
  input  logic [63:0]              s_axi_awaddr_i,
  input  logic [AsidBits-1:0]      s_axi_awuser_i,
  input  logic                     s_axi_awvalid_i,
  output logic                     s_axi_awready_o,
  input  logic [DataWidth-1:0]     s_axi_wdata_i,
  input  logic [DataWidth/8-1:0]   s_axi_wstrb_i,
  input  logic                     s_axi_wlast_i,
  input  logic                     s_axi_wvalid_i,
  output logic                     s_axi_wready_o,
  output logic [7:0]               s_axi_bid_o,
  output logic [1:0]               s_axi_bresp_o,
  output logic                     s_axi_bvalid_o,
  input  logic                     s_axi_bready_i,

  output logic [AddrBits-1:0]      req_src_addr_o,
  output logic [63:0]              req_dst_addr_o,
  output logic [AsidBits-1:0]      req_dst_asid_o,
  output logic [LenBits-1:0]       req_len_o,
  output logic [TagBits-1:0]       req_tag_o,
  output logic                     req_valid_o,
  input  logic                     req_ready_i,
  input  logic [TagBits-1:0]       sts_tag_i,
  input  logic [3:0]               sts_error_i,
  input  logic                     sts_valid_i,

  input  logic [Segs*RowBits-1:0]  ram_rd_cmd_addr_i,
  input  logic [Segs-1:0]          ram_rd_cmd_valid_i,
  output logic [Segs-1:0]          ram_rd_cmd_ready_o,
  output logic [Segs*SegWidth-1:0] ram_rd_resp_data_o,
  output logic [Segs-1:0]          ram_rd_resp_valid_o,
  input  logic [Segs-1:0]          ram_rd_resp_ready_i
);

  localparam int unsigned Beat     = DataWidth / 8;               // bytes of a beat
  localparam int unsigned OffBits  = $clog2(Beat);
  localparam int unsigned Parts    = Segs * SegWidth / DataWidth;  // beats of a row
  localparam int unsigned Beats    = Bytes / Beat;
  localparam int unsigned BeatBits = $clog2(Beats);
  localparam int unsigned Most     = 4096 / Beat < 256 ? 4096 / Beat : 256;  // beats of a burst
  localparam int unsigned CntBits  = $clog2(Most + 1);
  localparam int unsigned ByteBits = $clog2(Most) + OffBits;  // bytes of a burst
  localparam int unsigned Ahead    = 4;   // addresses whose data have not come
  localparam int unsigned Bursts   = 8;   // without a descriptor
  localparam logic [1:0]  Okay     = 2'b00;
  localparam logic [1:0]  SlvErr   = 2'b10;

  // Addresses wait for their data. A beat is taken when its address is known and the buffer has
  // room. The list of bursts has room for all whose addresses are here.
  logic                    aw_ready, aw_valid, begins;
  logic [7:0]              aw_id;
  logic [63-OffBits:0]     aw_beat;
  logic [AsidBits-1:0]     aw_user;
  logic [$clog2(Bursts):0] unused_aw_level, unused_burst_level;
  logic [$clog2(Bursts):0] owed_q;  // addresses whose last beat was not taken
  logic                    w_take, free_q;
  assign w_take          = s_axi_wvalid_i && s_axi_wready_o;
  assign s_axi_wready_o  = owed_q != '0 && free_q;
  assign s_axi_awready_o = aw_ready && 32'(owed_q) < Ahead;
  roci_fifo #(.Width(8 + 64 - OffBits + AsidBits), .Depth(Bursts)) u_addresses (
    .clk_i, .rst_ni,
    .in_data_i({s_axi_awid_i, s_axi_awaddr_i[63:OffBits], s_axi_awuser_i}),
    .in_valid_i(s_axi_awvalid_i && s_axi_awready_o), .in_ready_o(aw_ready),
    .out_data_o({aw_id, aw_beat, aw_user}), .out_valid_o(aw_valid), .out_ready_i(begins),
    .level_o(unused_aw_level)
  );

  // The beat that was taken is written, and its first and last selected byte are found: in each
  // group of eight, and then in the first and the last group that has one.
  localparam int unsigned Groups = Beat / 8;
  logic                 beat_q, last_q;
  logic [DataWidth-1:0] data_q;
  logic [Beat-1:0]      strb_q;
  logic [OffBits-1:0]   low, high;
  logic [Groups-1:0]    selects;
  logic [3*Groups-1:0]  lows, highs;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [7:0] strb;
    logic [2:0] lowest, highest;
    assign strb = strb_q[8*g +: 8];
    always_comb begin
      lowest  = '0;
      highest = '0;
      for (int b = 0; b < 8; b++) begin
        if (strb[7-b]) lowest = 3'(7 - b);
        if (strb[b]) highest = 3'(b);
      end
    end
    assign selects[g]      = |strb;
    assign lows[3*g +: 3]  = lowest;
    assign highs[3*g +: 3] = highest;
  end
  always_comb begin
    low  = '0;
    high = '0;
    for (int g = 0; g < Groups; g++) begin
      if (selects[Groups-1-g]) low = OffBits'({32'(Groups - 1 - g), lows[3*(Groups-1-g) +: 3]});
      if (selects[g]) high = OffBits'({32'(g), highs[3*g +: 3]});
    end
  end

  // The burst so far.
  logic                    found_q, found_last_q, some_q, burst_some_q;
  logic [OffBits-1:0]      low_q, high_q;
  logic [CntBits-1:0]      count_q;       // beats before the one that was found
  logic [ByteBits-1:0]     from, to, from_q, to_q;
  logic [BeatBits-1:0]     write_q, start_q;  // beat in the buffer: written next, of the burst
  logic                    some;
  assign some = burst_some_q || some_q;
  assign from = burst_some_q ? from_q : ByteBits'({count_q, low_q});
  assign to   = some_q ? ByteBits'({count_q, high_q}) : to_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {beat_q, found_q, burst_some_q} <= '0;
      {count_q, write_q, start_q, owed_q} <= '0;
    end else begin
      beat_q  <= w_take;
      found_q <= beat_q;
      owed_q  <= owed_q + ($clog2(Bursts) + 1)'(s_axi_awvalid_i && s_axi_awready_o)
                        - ($clog2(Bursts) + 1)'(w_take && s_axi_wlast_i);
      if (beat_q) write_q <= write_q + 1'b1;
      if (found_q) begin
        count_q      <= found_last_q ? '0 : count_q + 1'b1;
        burst_some_q <= !found_last_q && some;
        if (found_last_q) start_q <= start_q + BeatBits'(count_q) + 1'b1;
      end
    end
    {data_q, strb_q, last_q} <= {s_axi_wdata_i, s_axi_wstrb_i, s_axi_wlast_i};
    {low_q, high_q, some_q, found_last_q} <= {low, high, strb_q != '0, last_q};
    if (found_q) {from_q, to_q} <= {from, to};
  end

  // Bursts become descriptors; the order of responses is theirs.
  logic                burst_ready, burst_valid, burst_any, order_ready, order_valid, pop;
  logic [ByteBits-1:0] burst_from, burst_to;
  logic [CntBits-1:0]  burst_beats, order_beats;
  logic [BeatBits-1:0] burst_start;
  logic [7:0]          order_id;
  logic                order_any, done, bad;
  logic [TagBits-1:0]  tag;
  roci_fifo #(.Width(1 + 2 * ByteBits + CntBits + BeatBits), .Depth(Bursts)) u_bursts (
    .clk_i, .rst_ni,
    .in_data_i({some, from, to, count_q + 1'b1, start_q}), .in_valid_i(found_q && found_last_q),
    .in_ready_o(burst_ready),
    .out_data_o({burst_any, burst_from, burst_to, burst_beats, burst_start}),
    .out_valid_o(burst_valid), .out_ready_i(begins),
    .level_o(unused_burst_level)
  );
  assign begins = burst_valid && order_ready && (!req_valid_o || req_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) req_valid_o <= 1'b0;
    else if (begins) req_valid_o <= burst_any;
    else if (req_ready_i) req_valid_o <= 1'b0;
    if (begins) begin
      req_src_addr_o <= {burst_start, OffBits'(0)} + AddrBits'(burst_from);
      req_dst_addr_o <= {aw_beat, OffBits'(0)} + 64'(burst_from);
      req_dst_asid_o <= aw_user;
      req_len_o      <= LenBits'(burst_to) - LenBits'(burst_from) + LenBits'(1);
      req_tag_o      <= tag;
    end
  end
  roci_dma_bridge_order #(.Width(8 + CntBits + 1), .TagBits(TagBits)) u_order (
    .clk_i, .rst_ni,
    .push_i(begins), .word_i({aw_id, burst_beats, burst_any}), .ready_o(order_ready), .tag_o(tag),
    .sts_tag_i, .sts_error_i, .sts_valid_i,
    .valid_o(order_valid), .word_o({order_id, order_beats, order_any}), .done_o(done), .bad_o(bad),
    .pop_i(pop)
  );

  // Responses.
  logic [BeatBits:0] used_q;  // beats of the buffer
  assign pop = order_valid && (!order_any || done) && (!s_axi_bvalid_o || s_axi_bready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {s_axi_bvalid_o, free_q} <= '0;
      used_q <= '0;
    end else begin
      if (pop) s_axi_bvalid_o <= 1'b1;
      else if (s_axi_bready_i) s_axi_bvalid_o <= 1'b0;
      used_q <= used_q + (BeatBits + 1)'(w_take) - (pop ? (BeatBits + 1)'(order_beats) : '0);
      free_q <= used_q < (BeatBits + 1)'(Beats - 2);
    end
    if (pop) begin
      s_axi_bid_o   <= order_id;
      s_axi_bresp_o <= order_any && bad ? SlvErr : Okay;
    end
  end

  // The DMA engine reads each segment by itself.
  logic [Segs-1:0]            read;
  logic [Segs*SegWidth/8-1:0] bytes;
  assign ram_rd_cmd_ready_o = ~ram_rd_resp_valid_o | ram_rd_resp_ready_i;
  assign read               = ram_rd_cmd_valid_i & ram_rd_cmd_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ram_rd_resp_valid_o <= '0;
    else ram_rd_resp_valid_o <= read | (ram_rd_resp_valid_o & ~ram_rd_resp_ready_i);
  end
  if (Parts == 1) begin : gen_whole
    assign bytes = '1;
  end else begin : gen_parts
    for (genvar p = 0; p < Parts; p++) begin : gen_part
      assign bytes[p*Beat +: Beat] =
        {Beat{write_q[BeatBits-RowBits-1:0] == (BeatBits - RowBits)'(p)}};
    end
  end
  roci_dma_segments #(.Segs(Segs), .SegWidth(SegWidth), .Rows(1 << RowBits)) u_segments (
    .clk_i,
    .write_i({Segs{beat_q}}), .write_row_i({Segs{write_q[BeatBits-1 -: RowBits]}}),
    .write_data_i({Parts{data_q}}), .write_bytes_i(bytes),
    .read_i(read), .read_row_i(ram_rd_cmd_addr_i), .read_data_o(ram_rd_resp_data_o)
  );

  `ASSERT(BeginsAtBeat, `IMPLIES(s_axi_awvalid_i, s_axi_awaddr_i[OffBits-1:0] == '0))
  `ASSERT(OneRunOfBytes, `IMPLIES(beat_q && strb_q != '0,
                                  strb_q == (({Beat{1'b1}} >> (OffBits'(Beat - 1) - high))
                                             & ({Beat{1'b1}} << low))))
  `ASSERT(RunGoesOn, `IMPLIES(found_q && some_q && burst_some_q, low_q == '0
                              && to_q == ByteBits'({count_q, OffBits'(0)}) - 1'b1))
  `ASSERT(BurstsHaveRoom, `IMPLIES(found_q && found_last_q, burst_ready))
  `ASSERT(AddressOfBurst, `IMPLIES(begins, aw_valid))
  `ASSERT(RoomIsKept, used_q <= (BeatBits + 1)'(Beats))

endmodule
