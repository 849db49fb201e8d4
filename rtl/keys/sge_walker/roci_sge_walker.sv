// SPDX-License-Identifier: Apache-2.0
// Finds the segments of host memory that hold `len` bytes from `offset` on of a scatter/gather
// list.
//
// Throughput: one list entry every two clocks; a walk over one entry every three clocks. Latency:
// with one entry, segments and done_valid_o come seven clocks after the start (four and the key
// table's three).
//
//   list entry --> compare --> key table    --> segments of this walk | segments given out --> out
//                                                               done: |<--- moves here
//
// A request to the key table stands in a register: the choice among its clients does not wait for
// the walk, nor the walk for the choice. Segments are held back until the whole walk was found
// good; those of a bad walk are dropped. The next walk starts while results of the key table are
// still on their way. Empty entries cost two clocks and give no segment; they are not looked up.

`include "assert.svh"

module roci_sge_walker (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  // start
  input  logic [7:0]                          start_num_sge_i,
  input  logic [31:0]                         start_offset_i,
  input  logic [31:0]                         start_len_i,         // 0: done at once, unchecked
  input  logic [15:0]                         start_pd_i,
  input  logic [3:0]                          start_access_i,
  input  logic                                start_check_only_i,  // no segments are given out
  input  logic                                start_valid_i,
  output logic                                start_ready_o,

  // the list, in the caller's memory: entry sge_index_o one clock later
  output logic [3:0]                          sge_index_o,
  input  roci_pkg::sge_t                      sge_i,

  // key table
  output roci_pkg::key_req_t                  key_req_o,
  output logic                                key_req_valid_o,
  input  logic                                key_req_ready_i,
  input  roci_pkg::key_rsp_t                  key_rsp_i,
  input  logic                                key_rsp_valid_i,

  // segments
  output roci_pkg::seg_t                      seg_o,
  output logic                                seg_valid_o,
  input  logic                                seg_ready_i,

  // one pulse per walk, in order
  output logic                                done_valid_o,
  output logic [7:0]                          done_status_o,

  output logic                                idle_o
);

  localparam int unsigned SlotBits = 4;                // 16 slots hold the segments of each walk
  localparam int unsigned Slots = 1 << SlotBits;
  localparam int unsigned WaitBits = 15;               // {check_only, last, len}

  // Walk: entry index_q is on sge_i. In one clock it is compared with what is skipped and what is
  // wanted, in the next it is looked up or skipped, so that the index of the list's memory does not
  // follow the memory's data.
  logic        walk_q, compared_q;
  logic        short_q;          // the list ended too early, results are still on their way
  logic [4:0]  index_q, num_q;
  logic [31:0] skip_q, left_q;   // bytes before the first one wanted, bytes still wanted
  logic [15:0] pd_q;
  logic [3:0]  access_q;
  logic        check_only_q;

  logic [31:0] avail, len;       // bytes after those skipped; those of them that are wanted
  logic        start, at_end, skip, last, ask, step, room_q, drained;

  roci_pkg::sge_t entry_q;
  logic [31:0]    len_q;
  logic           skip_entry_q, last_q, at_end_q, deciding;

  assign start   = start_valid_i && start_ready_o;
  assign at_end  = left_q == '0 || index_q == num_q;
  assign skip    = sge_i.length <= skip_q;
  assign avail   = sge_i.length - skip_q;
  assign last    = left_q <= avail;
  assign len     = last ? left_q : avail;

  assign deciding = walk_q && compared_q;
  assign ask      = deciding && !at_end_q && !skip_entry_q && room_q && !key_req_valid_o;
  assign step     = deciding && !at_end_q && (skip_entry_q || ask);

  assign start_ready_o   = !walk_q && !short_q;
  // While an entry is decided on, the next one is read, whether the decision waits or not.
  assign sge_index_o     = !walk_q ? '0 : compared_q ? index_q[3:0] + 1'b1 : index_q[3:0];

  roci_pkg::key_req_t key_req;
  always_comb begin
    key_req        = '0;
    key_req.key    = entry_q.lkey;
    key_req.va     = entry_q.addr + 64'(skip_q);
    key_req.len    = len_q;
    key_req.pd     = pd_q;
    key_req.access = access_q;
  end

  // An entry takes two clocks: the request before it has been taken when no other client asks.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) key_req_valid_o <= 1'b0;
    else key_req_valid_o <= ask || (key_req_valid_o && !key_req_ready_i);
    if (ask) key_req_o <= key_req;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      walk_q     <= 1'b0;
      compared_q <= 1'b0;
      short_q    <= 1'b0;
    end else begin
      if (start) walk_q <= 1'b1;
      else if (deciding && (at_end_q || (step && last_q && !skip_entry_q))) walk_q <= 1'b0;
      compared_q <= walk_q && (!compared_q || !(at_end_q || step));
      if (deciding && at_end_q) short_q <= 1'b1;
      else if (drained) short_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (walk_q && !compared_q) begin
      entry_q      <= sge_i;
      skip_entry_q <= skip;
      last_q       <= last;
      len_q        <= len;
      at_end_q     <= at_end;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      index_q      <= '0;
      num_q        <= start_num_sge_i > 8'(roci_pkg::MaxSge) ? 5'(roci_pkg::MaxSge)
                                                             : start_num_sge_i[4:0];
      skip_q       <= start_offset_i;
      left_q       <= start_len_i;
      pd_q         <= start_pd_i;
      access_q     <= start_access_i;
      check_only_q <= start_check_only_i;
    end else if (step) begin
      index_q <= index_q + 1'b1;
      skip_q  <= skip_entry_q ? skip_q - entry_q.length : '0;
      if (!skip_entry_q) left_q <= left_q - len_q;
    end
  end

  // Requests without a result yet.
  logic                waiting, waiting_room, waiting_last, waiting_check_only;
  logic [12:0]         waiting_len;
  logic [WaitBits-1:0] waiting_word;
  logic [3:0]          waiting_level;

  roci_fifo #(.Width(WaitBits), .Depth(8)) u_waiting (
    .clk_i, .rst_ni,
    .in_data_i({check_only_q, last_q, len_q[12:0]}),
    .in_valid_i(ask),
    .in_ready_o(waiting_room),
    .out_data_o(waiting_word),
    .out_valid_o(waiting),
    .out_ready_i(key_rsp_valid_i),
    .level_o(waiting_level)
  );
  assign {waiting_check_only, waiting_last, waiting_len} = waiting_word;

  // Segments: read_q up to good_q are given out, good_q up to write_q belong to a walk in flight.
  logic [roci_pkg::SegBits-1:0] segs [Slots];
  logic [SlotBits:0]            write_q, good_q, read_q, taken;
  logic                         bad_q, walk_bad, result, give;
  roci_pkg::seg_t               seg;

  assign result   = key_rsp_valid_i && waiting;
  assign walk_bad = bad_q || (result && !key_rsp_i.ok);
  assign drained  = short_q && !waiting;
  assign taken    = write_q - read_q + (SlotBits + 1)'(waiting_level);
  assign give     = seg_valid_o && seg_ready_i;

  always_comb begin
    seg       = '0;
    seg.addr  = key_rsp_i.addr;
    seg.pasid = key_rsp_i.pasid;
    seg.len   = waiting_len;
    seg.last  = waiting_last;
  end

  // Nothing was requested in the clock before a decision: this room is not less by then.
  always_ff @(posedge clk_i) room_q <= waiting_room && taken < (SlotBits + 1)'(Slots);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q       <= '0;
      good_q        <= '0;
      read_q        <= '0;
      bad_q         <= 1'b0;
      done_valid_o  <= 1'b0;
    end else begin
      done_valid_o <= (result && waiting_last) || drained;
      if (give) read_q <= read_q + 1'b1;
      if (drained) begin
        bad_q   <= 1'b0;
        write_q <= good_q;
      end else if (result) begin
        bad_q <= walk_bad && !waiting_last;
        if (waiting_last && walk_bad) begin
          write_q <= good_q;
        end else if (!waiting_check_only) begin
          write_q <= write_q + 1'b1;
          if (waiting_last) good_q <= write_q + 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (result) segs[write_q[SlotBits-1:0]] <= seg;
    if (result || drained) begin
      if (walk_bad) done_status_o <= roci_pkg::StatusLocProtErr;
      else if (drained && left_q != '0) done_status_o <= roci_pkg::StatusLocLenErr;
      else done_status_o <= roci_pkg::StatusSuccess;
    end
  end

  assign seg_o       = segs[read_q[SlotBits-1:0]];
  assign seg_valid_o = read_q != good_q;
  assign idle_o      = !start_valid_i && start_ready_o && !waiting && !seg_valid_o
                       && !done_valid_o;

  `ASSERT(ResultWasRequested, `IMPLIES(key_rsp_valid_i, waiting_level > 4'(key_req_valid_o)))
  `ASSERT(SegmentFits, `IMPLIES(ask && !check_only_q, len_q <= 32'd4136))
  `ASSERT(NeverOverrun, write_q - read_q <= (SlotBits + 1)'(Slots))

endmodule
