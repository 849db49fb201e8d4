// SPDX-License-Identifier: Apache-2.0
// Segments fetched work requests into packets: checks them, looks up their lists, and gives out a
// plan for each packet, with the segments that its payload comes from: of host memory, or, inline
// data, of the fetched blocks, which dma keeps.
//
// Throughput: a one-packet message every three clocks (at 256 bits four, at less six), further
// packets every clock (lists of one entry; longer lists take a walk per packet). Latency: that of
// the block read and about eight clocks. Holds no state of queue pairs but their attributes.
//
//            +-------+ blocks +---------+ plan         +---------+ status   +-------+
//  grant --> | fetch | -----> | segment | -----------> | pending | -------> | plans | --> requester
//            +-------+ jobs   +---------+ key, or walk +---------+ segments +-------+

`include "assert.svh"

module roci_sq_segment #(
  parameter int unsigned DataWidth = 512, // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps  = 256,   // queue pairs, a power of two
  parameter int unsigned Quantum = 16384, // payload bytes of a grant
  parameter int unsigned Compact = 0,     // 1: no work request is kept, shorter queues
  parameter int unsigned Blocks  = 256,   // blocks in the fetch buffer, a power of two
  parameter int unsigned Atomics = 1,     // 0: no atomics
  parameter int unsigned KeyOps  = 1      // 0: no operations on keys
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  input  roci_pkg::grant_t          grant_i,
  input  logic                      grant_valid_i,
  output logic                      grant_ready_o,

  // block read client
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  output logic                      br_posted_o,    // its blocks came with their doorbell
  input  logic [DataWidth:0]        br_rsp_i,       // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o,

  // key table
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  // out: where fetching goes on, packets, and their segments
  output roci_pkg::fetch_ptr_t      ptr_o,
  output logic                      ptr_valid_o,
  input  logic                      ptr_ready_i,
  output roci_pkg::plan_t           plan_o,
  output logic                      plan_valid_o,
  input  logic                      plan_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,

  output logic                      look_o,   // with a grant: as in roci_sq_fetch
  input  logic                      posted_i,
  input  logic                      posted_two_i,
  output logic                      posted_unused_o,

  // a segment of inline data was dropped, or read; the last block of it
  input  logic                      inline_dropped_i,
  input  logic                      inline_done_valid_i,
  input  logic [$clog2(Blocks)-1:0] inline_done_block_i,

  output logic                      idle_o
);

  localparam int unsigned QpBits    = $clog2(NumQps);
  localparam int unsigned BlockBits = $clog2(Blocks), InlineBits = BlockBits + 6;
  localparam int unsigned PartBits  = DataWidth < 128 ? 128 : DataWidth;

  typedef enum logic [2:0] {StWait, StHead, StSegment, StWalk, StSegments} state_e;
  state_e               state_q, resume_q;  // resume_q: after the segments of a walk
  logic                 kept, kept_q; // this work request was not fetched; from StHead on
  logic                 whole_q;      // all of its blocks are there; from StSegment on

  // Fetch
  roci_pkg::segment_job_t job;
  logic                 job_valid, job_done, fetch_idle, block_error, look_kept;
  logic [BlockBits:0]   arrived, base_q, ready_blocks;
  logic [1:0]           walk_block, walk_entry;
  logic [511:0]         block;
  logic [PartBits-1:0]  list_part;
  logic                 head_ready, head_there, walk_start;  // head_there: with StHead
  logic                 push_room, may_go, key_go, emit, own_seg, ptr_room;
  roci_sq_fetch #(
    .DataWidth(DataWidth), .NumQps(NumQps), .Blocks(Blocks), .Jobs(Compact != 0 ? 8 : 64)
  ) u_fetch (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .grant_i, .grant_valid_i, .grant_ready_o,
    .look_o, .kept_i(look_kept), .posted_i, .posted_two_i, .posted_unused_o, .br_req_valid_o,
    .br_req_ready_i, .br_req_o, .br_posted_o, .br_rsp_i, .br_rsp_valid_i, .br_rsp_ready_o,
    .job_o(job), .job_valid_o(job_valid), .job_ready_i(job_done), .arrived_o(arrived),
    .freed_i(base_q), .hold_i(emit && own_seg && !key_go), .inline_dropped_i, .inline_done_valid_i,
    .inline_done_block_i, .start_i(head_ready), .head_i(state_q == StHead), .head_kept_i(kept_q),
    .there_o(head_there), .block_o(block), .block_error_o(block_error),
    .walk_i(state_q == StWalk || walk_start), .walk_block_i(walk_block), .walk_entry_i(walk_entry),
    .part_o(list_part), .idle_o(fetch_idle));

  logic                 begun_q;      // the job's first work request is done
  logic [5:0]           left, left_q; // work requests of the job to be segmented, with this one
  logic [15:0]          index_q;      // number of this work request
  logic [31:0]          offset_q;     // bytes of it segmented
  logic [31:0]          remaining_q;  // bytes of it to be segmented;
  logic [12:0]          counted_q;    // those that the grant is spent by
  logic [14:0]          spent_q;      // payload bytes of this grant
  logic [2:0]           reads_q;      // READs and atomics of it
  logic [2:0]           stride, stride_q, pmtu_q;  // blocks; those and the MTU of this one
  logic [31:0]          head_offset, head_remaining;
  assign stride       = 3'd1 << job.stride_log;
  assign left         = begun_q ? left_q : job.count;
  assign head_offset  = begun_q ? '0 : job.offset;
  assign kept         = job.kept && !begun_q;
  // A grant that ends early gives blocks back before they came: the difference may be negative.
  assign ready_blocks = arrived - base_q;

  // The last two of each queue pair
  logic [511:0] kept_block;
  roci_sq_keep #(.NumQps(NumQps), .Compact(Compact)) u_keep (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .look_i(look_o),
    .look_row_i(grant_i.qpn[QpBits-1:0]), .look_index_i(grant_i.wqe_index), .kept_o(look_kept),
    .read_i(head_ready && kept), .read_row_i(job.qpn[QpBits-1:0]), .read_index_i(job.wqe_index),
    .block_o(kept_block), .write_i(state_q == StHead && head_there && !kept_q && !block_error),
    .write_row_i(job.qpn[QpBits-1:0]), .write_index_i(begun_q ? index_q : job.wqe_index),
    .write_block_i(block));

  // Checks of a work request, made when its block comes out of the buffer
  roci_pkg::wqe_t wqe, wqe_q;
  logic           one_plan, is_atomic, is_local, is_local_q;
  logic [7:0]     status, status_q;
  assign wqe = kept_q ? kept_block : block;
  roci_sq_segment_check #(.Atomics(Atomics), .KeyOps(KeyOps)) u_check (
    .wqe_i(wqe), .fetch_error_i(block_error && !kept_q), .stride_log_i(job.stride_log),
    .offset_i(head_offset), .status_o(status), .one_plan_o(one_plan), .is_atomic_o(is_atomic),
    .is_local_o(is_local));
  assign head_remaining = wqe.length - head_offset;

  // The next packet
  logic [7:0]      walk_status;
  logic            one_plan_q, by_key_q, by_list_q, bad, last;
  logic [31:0]     bytes, after;  // the packet's; offset after it
  logic [12:0]     mtu_q;
  roci_pkg::plan_t plan;
  roci_sq_segment_packet u_packet (
    .job_i(job), .wqe_i(wqe_q), .pmtu_i(pmtu_q), .mtu_i(mtu_q), .index_i(index_q),
    .offset_i(offset_q), .remaining_i(remaining_q), .status_i(status_q), .one_plan_i(one_plan_q),
    .walked_i(state_q == StWalk), .walk_status_i(walk_status), .plan_o(plan), .part_o(bytes),
    .last_o(last));
  assign after   = offset_q + 32'(mtu_q);  // when the packet is not the last
  assign bad     = status_q != roci_pkg::StatusSuccess;
  assign own_seg = plan.has_segs && state_q != StWalk;
  assign may_go  = state_q == StSegment && whole_q && push_room && ptr_room;

  // Walker of lists of several entries
  logic               walk_ready, walk_done, walk_idle, walk_seg_valid, walk_seg_ready;
  roci_pkg::seg_t     walk_seg;
  roci_pkg::key_req_t walk_key;
  logic               walk_key_valid, pending_empty;
  logic [3:0]         rights;

  // Its segments follow those of all packets before it.
  assign walk_start = may_go && by_list_q && !bad && pending_empty;
  roci_sq_segment_walk #(.PartBits(PartBits)) u_walk (
    .clk_i, .rst_ni, .start_i(walk_start), .start_ready_o(walk_ready), .wqe_i(wqe_q),
    .offset_i(offset_q), .len_i(bytes), .pd_i(job.pd), .access_i(rights), .check_only_i(one_plan_q),
    .block_index_o(walk_block), .entry_o(walk_entry), .part_i(list_part), .key_req_o(walk_key),
    .key_req_valid_o(walk_key_valid), .key_req_ready_i(key_req_ready_i && state_q == StWalk),
    .key_rsp_i, .key_rsp_valid_i(key_rsp_valid_i && state_q == StWalk), .seg_o(walk_seg),
    .seg_valid_o(walk_seg_valid), .seg_ready_i(walk_seg_ready), .done_valid_o(walk_done),
    .done_status_o(walk_status), .idle_o(walk_idle));

  // The first block is read when it is there, also before the others of its work request.
  assign head_ready = state_q == StWait && job_valid
                      && (kept || (!ready_blocks[BlockBits] && ready_blocks != '0));
  // Keys of lists of one entry
  assign rights = one_plan_q ? 4'b0001 : 4'b0000;  // local write, or nothing to read
  always_comb begin
    key_req_o       = walk_key;
    key_req_valid_o = walk_key_valid && state_q == StWalk;
    key_go          = state_q == StSegment && by_key_q && remaining_q != '0 && !bad;
    if (state_q != StWalk) begin
      key_req_o.key    = wqe_q.sge0_lkey;
      key_req_o.va     = wqe_q.sge0_addr + 64'(offset_q);
      key_req_o.len    = bytes;
      key_req_o.pd     = job.pd;
      key_req_o.access = rights;
      key_req_valid_o  = key_go && may_go;
    end
  end
  assign emit = state_q == StWalk ? walk_done
                : may_go && (bad || !by_list_q) && (!key_go || key_req_ready_i);

  // After a packet
  logic [15:0] spent;
  logic [1:0]  less;
  logic        next_wqe, end_grant;
  roci_sq_segment_grant #(.Quantum(Quantum)) u_grant (
    .spent_i(spent_q), .counted_i(counted_q), .mtu_i(mtu_q), .remaining_i(remaining_q),
    .left_i(left_q), .reads_i(reads_q), .one_plan_i(one_plan_q), .is_local_i(is_local_q),
    .last_i(last), .failed_i(plan.status != roci_pkg::StatusSuccess), .spent_o(spent),
    .next_wqe_o(next_wqe), .end_grant_o(end_grant), .less_o(less));
  logic [BlockBits:0] job_blocks, wqe_blocks;
  assign job_blocks = ((BlockBits + 1)'(left_q) - (BlockBits + 1)'(kept_q)) << job.stride_log;
  assign wqe_blocks = kept_q ? '0 : (BlockBits + 1)'(stride_q);
  assign job_done   = emit && end_grant;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StWait;
      begun_q <= 1'b0;
      base_q  <= '0;
    end else begin
      unique case (state_q)
        StWait:   if (head_ready) state_q <= StHead;
        StHead:   if (head_there) state_q <= StSegment;
        StSegment:    if (walk_start && walk_ready) state_q <= StWalk;
        StWalk:   if (walk_done && plan.has_segs) state_q <= StSegments;
        default:  if (walk_seg_valid && walk_seg_ready && walk_seg.last) state_q <= resume_q;
      endcase
      if (emit) begin
        begun_q <= !end_grant;
        if (end_grant) base_q <= base_q + job_blocks;
        else if (next_wqe) base_q <= base_q + wqe_blocks;
        if (!(state_q == StWalk && plan.has_segs)) begin
          state_q <= next_wqe || end_grant ? StWait : StSegment;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StWait) kept_q <= kept;
    whole_q <= kept_q || (!ready_blocks[BlockBits] && ready_blocks >= (BlockBits + 1)'(stride));
    if (emit) resume_q <= next_wqe || end_grant ? StWait : StSegment;
    if (state_q == StHead) begin
      wqe_q       <= wqe;
      stride_q    <= stride;
      pmtu_q      <= job.pmtu;
      mtu_q       <= 13'd128 << job.pmtu;  // bytes of a packet that is not the last
      status_q    <= status;
      one_plan_q  <= one_plan;
      is_local_q  <= is_local;
      by_key_q    <= !wqe.inline_data && (wqe.num_sge == 8'd1 || is_atomic);
      by_list_q   <= !wqe.inline_data && wqe.num_sge > 8'd1 && !is_atomic && wqe.length != '0;
      left_q      <= left;
      offset_q    <= head_offset;
      remaining_q <= head_remaining;
      counted_q   <= one_plan ? '0 : head_remaining[12:0];
      if (!begun_q) {index_q, spent_q, reads_q} <= {job.wqe_index, 15'd0, 3'd0};
    end else if (emit) begin
      offset_q    <= after;
      remaining_q <= remaining_q - 32'(mtu_q);
      counted_q   <= remaining_q[12:0] - mtu_q;  // one_plan_q: the packet was the last one
      spent_q     <= spent[14:0];
      reads_q     <= reads_q + 3'(one_plan_q);
      if (next_wqe) begin
        left_q  <= left_q - 6'd1;
        index_q <= index_q + 16'd1;
      end
    end
  end

  // Where fetching goes on
  roci_pkg::fetch_ptr_t ptr;
  assign ptr.qpn       = job.qpn;
  assign ptr.epoch     = job.epoch;
  assign ptr.wqe_index = next_wqe ? index_q + 16'd1 : index_q;
  assign ptr.offset    = next_wqe ? '0 : after;
  assign ptr.ready     = !is_local_q;
  assign ptr.less      = less;
  roci_fifo #(.Width(roci_pkg::FetchPtrBits), .Depth(4)) u_ptr (
    .clk_i, .rst_ni, .in_data_i(ptr), .in_valid_i(job_done), .in_ready_o(ptr_room),
    .out_data_o(ptr_o), .out_valid_o(ptr_valid_o), .out_ready_i(ptr_ready_i), .level_o());
  // Plans wait for their key, then leave with their segments
  logic                  out_idle;
  logic [InlineBits-1:0] inline_addr;  // inline data follow the first block
  assign inline_addr = {base_q[BlockBits-1:0] + 1'b1, 6'd0} + InlineBits'(offset_q);
  roci_sq_segment_out #(.Compact(Compact), .InlineBits(InlineBits)) u_out (
    .clk_i, .rst_ni, .plan_i(plan), .plan_push_i(emit), .inline_addr_i(inline_addr),
    .wait_key_i(key_go), .own_seg_i(own_seg), .push_room_o(push_room),
    .pending_empty_o(pending_empty), .key_rsp_i,
    .key_rsp_valid_i(key_rsp_valid_i && state_q != StWalk), .walk_seg_i(walk_seg),
    .walk_seg_valid_i(walk_seg_valid), .walk_segs_i(state_q == StSegments),
    .walk_seg_ready_o(walk_seg_ready), .plan_o, .plan_valid_o, .plan_ready_i, .seg_o, .seg_valid_o,
    .seg_ready_i, .idle_o(out_idle));

  logic unused;
  assign unused = &{1'b0, spent, job, wqe, wqe_q, walk_idle};
  assign idle_o = fetch_idle && state_q == StWait && out_idle && !ptr_valid_o;
  `ASSERT(PendingHasRoom, `IMPLIES(emit, push_room))
  `ASSERT(InlineIsFetched, `IMPLIES(emit && own_seg && !key_go, wqe_q.inline_data && !kept_q))
  `ASSERT(PacketFits, `IMPLIES(plan_valid_o && plan_o.has_segs, plan_o.len <= 32'd4096))

endmodule
