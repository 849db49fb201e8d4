// SPDX-License-Identifier: Apache-2.0
// The reads of roci_dma_bridge: a burst becomes a descriptor, its data come into a buffer, and
// leave as beats when the DMA engine says that all are there.
//
// Throughput: a burst in two clocks, a beat per clock. Latency: a clock to the descriptor, three
// from the status to the first beat.
//
//  AR --> room in the buffer? --> descriptor --> DMA engine --> segments --> beats --> R
//                  \--> order: id, beats ----------- status --> done ------/
//
// Beats leave in the order of the requests. The buffer is a ring of beats: a burst takes those
// after the burst before it, over the end of the memory to its beginning.

`include "assert.svh"

module roci_dma_bridge_read #(
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
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [7:0]                 s_axi_arid_i,
  input  logic [63:0]                s_axi_araddr_i,
  input  logic [7:0]                 s_axi_arlen_i,
  input  logic [AsidBits-1:0]        s_axi_aruser_i,
  input  logic                       s_axi_arvalid_i,
  output logic                       s_axi_arready_o,
  output logic [7:0]                 s_axi_rid_o,
  output logic [DataWidth-1:0]       s_axi_rdata_o,
  output logic [1:0]                 s_axi_rresp_o,
  output logic                       s_axi_rlast_o,
  output logic                       s_axi_rvalid_o,
  input  logic                       s_axi_rready_i,

  output logic [63:0]                req_src_addr_o,
  output logic [AsidBits-1:0]        req_src_asid_o,
  output logic [AddrBits-1:0]        req_dst_addr_o,
  output logic [LenBits-1:0]         req_len_o,
  output logic [TagBits-1:0]         req_tag_o,
  output logic                       req_valid_o,
  input  logic                       req_ready_i,
  input  logic [TagBits-1:0]         sts_tag_i,
  input  logic [3:0]                 sts_error_i,
  input  logic                       sts_valid_i,

  input  logic [Segs*RowBits-1:0]    ram_wr_cmd_addr_i,
  input  logic [Segs*SegWidth-1:0]   ram_wr_cmd_data_i,
  input  logic [Segs*SegWidth/8-1:0] ram_wr_cmd_be_i,
  input  logic [Segs-1:0]            ram_wr_cmd_valid_i,
  output logic [Segs-1:0]            ram_wr_cmd_ready_o,
  output logic [Segs-1:0]            ram_wr_done_o
);

  localparam int unsigned Beat     = DataWidth / 8;               // bytes of a beat
  localparam int unsigned OffBits  = $clog2(Beat);
  localparam int unsigned Parts    = Segs * SegWidth / DataWidth;  // beats of a row
  localparam int unsigned Beats    = Bytes / Beat;
  localparam int unsigned BeatBits = $clog2(Beats);
  localparam int unsigned Most     = 4096 / Beat < 256 ? 4096 / Beat : 256;  // beats of a burst
  localparam logic [1:0]  Okay     = 2'b00;
  localparam logic [1:0]  SlvErr   = 2'b10;

  // Requests. Room is that of a longest burst, so that no sum stands before arready.
  logic                accept, roomy_q, order_ready, order_valid, order_pop, done, bad;
  logic [8:0]          beats, order_beats;
  logic [7:0]          order_id;
  logic [BeatBits:0]   begin_q;   // beat at which the next burst begins in the buffer,
  logic [BeatBits:0]   at_q;      // that leaves it next; the upper bit is that of the lap
  logic [BeatBits:0]   used;
  logic [TagBits-1:0]  tag;
  logic                issue;     // a beat is read in the buffer
  assign beats           = 9'(s_axi_arlen_i) + 9'd1;
  assign s_axi_arready_o = roomy_q && order_ready && (!req_valid_o || req_ready_i);
  assign accept          = s_axi_arvalid_i && s_axi_arready_o;
  assign used            = begin_q - at_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {req_valid_o, roomy_q} <= '0;
      begin_q <= '0;
    end else begin
      if (accept) req_valid_o <= 1'b1;
      else if (req_ready_i) req_valid_o <= 1'b0;
      roomy_q <= !accept && used <= (BeatBits + 1)'(Beats - Most);
      if (accept) begin_q <= begin_q + (BeatBits + 1)'(beats);
    end
    if (accept) begin
      req_src_addr_o <= s_axi_araddr_i;
      req_src_asid_o <= s_axi_aruser_i;
      req_dst_addr_o <= {begin_q[BeatBits-1:0], OffBits'(0)};
      req_len_o      <= LenBits'({beats, OffBits'(0)});
      req_tag_o      <= tag;
    end
  end
  roci_dma_bridge_order #(.Width(8 + 9), .TagBits(TagBits)) u_order (
    .clk_i, .rst_ni,
    .push_i(accept), .word_i({s_axi_arid_i, beats}), .ready_o(order_ready), .tag_o(tag),
    .sts_tag_i, .sts_error_i, .sts_valid_i,
    .valid_o(order_valid), .word_o({order_id, order_beats}), .done_o(done), .bad_o(bad),
    .pop_i(order_pop)
  );

  // Beats of the oldest request.
  logic                take, last, read_q, read_last_q, read_bad_q, move;
  logic [7:0]          read_id_q;
  logic [8:0]          sent_q;
  assign move      = !s_axi_rvalid_o || s_axi_rready_i;
  assign take      = !read_q || move;
  assign issue     = take && order_valid && done;
  assign last      = sent_q + 9'd1 == order_beats;
  assign order_pop = issue && last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {read_q, s_axi_rvalid_o} <= '0;
      {sent_q, at_q} <= '0;
    end else begin
      if (take) read_q <= issue;
      if (move) s_axi_rvalid_o <= read_q;
      if (issue) begin
        sent_q <= last ? '0 : sent_q + 9'd1;
        at_q   <= at_q + 1'b1;
      end
    end
    if (issue) {read_id_q, read_last_q, read_bad_q} <= {order_id, last, bad};
    if (move) begin
      s_axi_rid_o   <= read_id_q;
      s_axi_rlast_o <= read_last_q;
      s_axi_rresp_o <= read_bad_q ? SlvErr : Okay;
    end
  end

  logic [Segs*SegWidth-1:0] row;
  logic [DataWidth-1:0]     part;
  roci_dma_segments #(.Segs(Segs), .SegWidth(SegWidth), .Rows(1 << RowBits)) u_segments (
    .clk_i,
    .write_i(ram_wr_cmd_valid_i), .write_row_i(ram_wr_cmd_addr_i),
    .write_data_i(ram_wr_cmd_data_i), .write_bytes_i(ram_wr_cmd_be_i),
    .read_i({Segs{issue}}), .read_row_i({Segs{at_q[BeatBits-1 -: RowBits]}}), .read_data_o(row)
  );
  if (Parts == 1) begin : gen_whole
    assign part = row;
  end else begin : gen_parts
    logic [BeatBits-RowBits-1:0] part_q;
    always_ff @(posedge clk_i) begin
      if (issue) part_q <= at_q[BeatBits-RowBits-1:0];
    end
    assign part = row[part_q*DataWidth +: DataWidth];
  end
  always_ff @(posedge clk_i) begin
    if (move) s_axi_rdata_o <= part;
    ram_wr_done_o <= rst_ni ? ram_wr_cmd_valid_i : '0;
  end
  assign ram_wr_cmd_ready_o = '1;

  `ASSERT(BurstInPage, `IMPLIES(s_axi_arvalid_i, s_axi_araddr_i[OffBits-1:0] == '0
                                && 32'(beats) <= Most))
  `ASSERT(RoomIsKept, used <= (BeatBits + 1)'(Beats))

endmodule
