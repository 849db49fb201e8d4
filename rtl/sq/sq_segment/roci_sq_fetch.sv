// SPDX-License-Identifier: Apache-2.0
// Fetches the work requests of grants into one buffer shared by all queue pairs.
//
// Throughput: a grant every four clocks. Latency: that of the block read. As many reads are in
// progress as the buffer has room for, so the latency of host memory is hidden.
//
// The first work request of a grant is not read when it was kept since it was last segmented.
//
// dma keeps the newest blocks, too, and reads inline data from there: room is made when they were.
//
//  grant --> attributes --> block read --> +--------------+ --> blocks
//                 +----------------------> | jobs         | --> job

`include "assert.svh"

module roci_sq_fetch #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,  // queue pairs, a power of two
  parameter int unsigned Blocks    = 256,  // 64-byte blocks in the buffer, a power of two
  parameter int unsigned Jobs      = 64,   // grants fetched or being fetched, a power of two
  localparam int unsigned PartBits = DataWidth < 128 ? 128 : DataWidth
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  input  roci_pkg::grant_t          grant_i,
  input  logic                      grant_valid_i,
  output logic                      grant_ready_o,

  // is the first work request of the grant kept; result one clock after look_o
  output logic                      look_o,
  input  logic                      kept_i,
  // did it come with its doorbell, as the only one of the grant; result one clock after look_o
  input  logic                      posted_i,
  input  logic                      posted_two_i,     // as two blocks, not one
  output logic                      posted_unused_o,  // pulse: it is not taken from there

  // block read client
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  output logic                      br_posted_o,    // its blocks came with their doorbell
  input  logic [DataWidth:0]        br_rsp_i,       // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o,

  // jobs; blocks of a job stand in the buffer from where those of the last one end
  output roci_pkg::segment_job_t        job_o,
  output logic                      job_valid_o,
  input  logic                      job_ready_i,
  output logic [$clog2(Blocks):0]   arrived_o,  // free-running count of whole blocks in the buffer
  input  logic [$clog2(Blocks):0]   freed_i,    // free-running count of blocks done with
  input  logic                      hold_i,     // the blocks from there on have inline data to send
  input  logic                      inline_dropped_i,   // such data will not be sent,
  input  logic                      inline_done_valid_i,  // or were read; their last block
  input  logic [$clog2(Blocks)-1:0] inline_done_block_i,

  // reading: the oldest block is put together from its parts
  input  logic                      start_i,        // reads its first part
  input  logic                      head_i,         // a part is there, from the clock after on
  input  logic                      head_kept_i,    // none is needed: the block is kept elsewhere
  output logic                      there_o,        // with head_i: the last part is there, and
  output logic [511:0]              block_o,        // the block
  output logic                      block_error_o,
  // or an entry of a list in the blocks after it
  input  logic                      walk_i,
  input  logic [1:0]                walk_block_i,   // after the next block
  input  logic [1:0]                walk_entry_i,   // 128 bits of it
  output logic [PartBits-1:0]       part_o,         // what holds them, one clock later

  output logic                      idle_o
);

  localparam int unsigned QpBits     = $clog2(NumQps);
  localparam int unsigned BlockBits  = $clog2(Blocks);
  localparam int unsigned MostBlocks = Blocks / 4;
  localparam int unsigned PlaceBits  = 16 + 6 + 2;

  // Attributes of the queue pair
  roci_pkg::qp_attr_t attr_row, attr;
  logic [roci_pkg::QpAttrBits-1:0] attr_bits;
  logic               unused_ready, unused, attr_write;
  assign attr_write = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr;
  roci_ram #(.Width(roci_pkg::QpAttrBits), .Depth(NumQps)) u_attr (
    .clk_i, .rst_ni,
    .write_i(attr_write), .write_row_i(row_write_i.index[QpBits-1:0]), .write_data_i(attr_row),
    .read_i(look_o), .read_row_i(grant_i.qpn[QpBits-1:0]), .read_data_o(attr_bits),
    .ready_o(unused_ready));
  assign attr_row = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign attr     = attr_bits;
  assign unused   = &{1'b0, attr, unused_ready};

  // How many work requests of the grant are fetched: those up to the end of the ring, in no more
  // than a quarter of the buffer. What follows the first one in the ring, whose size is a power of
  // two, is the complement of its place.
  logic [15:0] entry_q;  // place in the ring of the first one to be read
  logic [15:0] span_q;   // work requests of the ring, less 1
  logic        kept_q;
  logic        came_q, posted;  // with its doorbell; and its blocks are those of an entry
  logic [15:0] follow;   // those after the first one
  logic [5:0]  most_q;   // the most that are read, less 1
  logic [1:0]  stride_q; // log2 of blocks of each
  logic [5:0]  left_q, count;
  logic [6:0]  blocks;
  always_ff @(posedge clk_i) begin
    kept_q   <= kept_i;
    came_q   <= posted_i;
    left_q   <= grant_i.count - 6'(kept_i);
    entry_q  <= (grant_i.wqe_index + 16'(kept_i)) & ~(16'hFFFF << attr.sq_log);
    span_q   <= ~(16'hFFFF << attr.sq_log);
    most_q   <= 6'(MostBlocks - 1) >> attr.sq_stride_log;
    stride_q <= attr.sq_stride_log;
  end
  assign posted = came_q && !kept_q && stride_q == {1'b0, posted_two_i};
  assign follow = ~entry_q & span_q;
  always_comb begin
    count = left_q;
    if (follow > 16'(most_q)) begin
      if (left_q > most_q) count = most_q + 6'd1;
    end else if (left_q > follow[5:0]) begin
      count = follow[5:0] + 6'd1;
    end
  end
  assign blocks = 7'(count) << stride_q;

  // Read the tag, compare it, find the size, then issue reads, the last one with the job. A read
  // ends at a multiple of 16 blocks, as bursts do not cross a page.
  typedef enum logic [1:0] {StLook, StKept, StSize, StIssue} state_e;
  state_e               state_q;
  roci_pkg::segment_job_t   job_q;
  logic [63:0]              addr_q, addr;  // where the first block stands
  logic [19:0]              pasid_q;
  logic                     carry_q;
  logic                     posted_q;
  logic [PlaceBits-1:0]     place;      // bytes from the base of the ring
  logic [6:0]           blocks_q;   // still to be asked for
  logic                 again_q;    // some of the grant were asked for
  logic [53:0]          next_q;     // address of the rest, 1024 bytes each
  logic                 more, asks;
  logic [4:0]           to_end, asked;  // blocks that one read can bring, and those of this read
  logic [BlockBits:0]   asked_q, arrived_q;  // free-running counts of blocks
  logic [BlockBits:0]   held, held_from;
  logic                 room, issue, job_room;
  logic [$clog2(Jobs):0] unused_level;

  roci_sq_fetch_hold #(.BlockBits(BlockBits)) u_hold (
    .clk_i, .rst_ni, .freed_i, .hold_i, .dropped_i(inline_dropped_i),
    .done_valid_i(inline_done_valid_i), .done_block_i(inline_done_block_i),
    .held_from_o(held_from));
  assign held  = asked_q - held_from;
  assign room  = (BlockBits + 2)'(held) + (BlockBits + 2)'(blocks_q) <= (BlockBits + 2)'(Blocks);
  // No row is read in the clock in which one is written: block RAM may then give anything.
  assign look_o     = state_q == StLook && grant_valid_i && !attr_write;
  assign br_req_valid_o = state_q == StIssue && room && job_room && blocks_q != '0;
  assign to_end     = again_q ? 5'd16 : 5'd16 - 5'(addr_q[9:6]);
  assign more       = blocks_q > 7'(to_end);
  assign asked      = more ? to_end : blocks_q[4:0];
  assign asks       = br_req_valid_o && br_req_ready_i;
  assign issue      = blocks_q == '0 ? state_q == StIssue && job_room : asks && !more;
  assign grant_ready_o = state_q == StSize;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StLook;
      asked_q <= '0;
    end else begin
      unique case (state_q)
        StLook:  if (look_o) state_q <= StKept;
        StKept:  state_q <= StSize;
        StSize:  state_q <= StIssue;
        default: begin
          if (issue) state_q <= StLook;
          if (asks) asked_q <= asked_q + (BlockBits + 1)'(asked);
        end
      endcase
    end
  end
  assign place = {2'd0, entry_q, 6'd0} << stride_q;
  always_comb begin
    addr                = addr_q;
    addr[63:PlaceBits] = addr_q[63:PlaceBits] + (64 - PlaceBits)'(carry_q);
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StSize) begin
      job_q.qpn        <= grant_i.qpn;
      job_q.epoch      <= grant_i.epoch;
      job_q.wqe_index  <= grant_i.wqe_index;
      job_q.kept       <= kept_q;
      job_q.count      <= count + 6'(kept_q);
      job_q.offset     <= grant_i.offset;
      // The rest of the sum is made a clock later.
      {carry_q, addr_q[PlaceBits-1:0]} <= (PlaceBits + 1)'(attr.sq_base[PlaceBits-1:0])
                                          + (PlaceBits + 1)'(place);
      addr_q[63:PlaceBits]             <= attr.sq_base[63:PlaceBits];
      pasid_q          <= attr.pasid;
      posted_q         <= posted;
      job_q.pd         <= attr.pd;
      job_q.pmtu       <= attr.pmtu;
      job_q.stride_log <= attr.sq_stride_log;
      blocks_q         <= blocks;
      again_q          <= 1'b0;
    end else if (asks) begin
      blocks_q <= blocks_q - 7'(asked);
      again_q  <= 1'b1;
      next_q   <= (again_q ? next_q : addr[63:10]) + 54'd1;
    end
  end
  assign br_req_o.addr  = again_q ? {next_q, 10'd0} : addr;
  assign br_req_o.pasid = pasid_q;
  assign br_req_o.count = asked;
  assign br_posted_o    = posted_q;
  assign posted_unused_o = state_q == StSize && came_q && !posted;

  roci_fifo #(.Width(roci_pkg::SegmentJobBits), .Depth(Jobs)) u_jobs (
    .clk_i, .rst_ni,
    .in_data_i(job_q), .in_valid_i(issue), .in_ready_o(job_room),
    .out_data_o(job_o), .out_valid_o(job_valid_o), .out_ready_i(job_ready_i),
    .level_o(unused_level));

  // Buffer; room was kept when the read was issued
  localparam int unsigned Lanes = PartBits / DataWidth;
  logic             first, last, bad, bad_q, read;
  logic [1:0]       entry, read_entry;
  logic [Lanes-1:0] lane;
  logic [BlockBits-1:0] read_block;
  roci_block_beats #(.DataWidth(DataWidth)) u_beats (
    .clk_i, .rst_ni, .beat_i(br_rsp_valid_i), .first_o(first), .last_o(last), .entry_o(entry),
    .lane_o(lane));
  roci_block_ram #(.DataWidth(DataWidth), .Blocks(Blocks)) u_block (
    .clk_i, .rst_ni,
    .write_i(br_rsp_valid_i ? lane : '0), .write_block_i(arrived_q[BlockBits-1:0]),
    .write_entry_i(entry), .write_data_i({Lanes{br_rsp_i[DataWidth-1:0]}}),
    .write_bad_i(bad), .read_i(read), .read_block_i(read_block), .read_entry_i(read_entry),
    .part_o, .bad_o(block_error_o));
  roci_sq_fetch_read #(.PartBits(PartBits), .BlockBits(BlockBits)) u_read (
    .clk_i, .start_i, .head_i, .kept_i(head_kept_i), .base_i(freed_i[BlockBits-1:0]), .there_o,
    .block_o, .walk_i, .walk_block_i, .walk_entry_i, .read_o(read), .read_block_o(read_block),
    .read_entry_o(read_entry), .part_i(part_o));
  // The last beat of a block says whether one of them failed.
  assign bad = br_rsp_i[DataWidth] || (!first && bad_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) arrived_q <= '0;
    else if (br_rsp_valid_i && last) arrived_q <= arrived_q + 1'b1;
    if (br_rsp_valid_i) bad_q <= bad;
  end
  assign arrived_o       = arrived_q;
  assign br_rsp_ready_o = 1'b1;
  assign idle_o          = state_q == StLook && !grant_valid_i && !job_valid_o
                           && arrived_q == asked_q;

  logic unused_all;
  assign unused_all = &{1'b0, unused, unused_level};

  `ASSERT(NothingIsReplaced, held <= (BlockBits + 1)'(Blocks))
  `ASSERT(ReadIsNotEmpty, `IMPLIES(br_req_valid_o, br_req_o.count != '0 && br_req_o.count <= 5'd16))

endmodule
