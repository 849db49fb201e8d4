// SPDX-License-Identifier: Apache-2.0
// Read-modify-write of 8 bytes in host memory, indivisible against one another, and plain stores of
// 8 bytes.
//
// Throughput: an atomic in two clocks, also when all name one address, limited by the reads and
// writes that memory has in progress. Latency: two clocks each to seek, to ask and to compute, one
// memory read and, if something changes, one write. The block holds up to 16 atomics and 16 stores.
//
//   job ---> ring of 16: seek --> ask --> data --> put --> out ---> done
//                                  |        ^       |       ^
//                                  v        |       v       |
//                             block read ---+    block write done
//                                                   ^       |
//   store ---> 16 stores ---------------------------+       +---> store_done, fault
//
// Atomics pass the stages in order. Seek, ask and data take two clocks for each: in the first, what
// the ring holds of the atomic is compared or selected; in the second it decides. An atomic on a
// word that another atomic in progress is about to change takes its value from that one. The same
// offset in another page may be the same memory, so such an atomic waits until that write is done.
// Stores wait for no atomic: an atomic may wait for payload whose place the requester cannot find
// before its stores have room.

`include "assert.svh"

module roci_atomic #(
  parameter int unsigned DataWidth = 512  // bits of a beat of a block: 64, 128, 256 or 512
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       idle_o,

  // compare and swap, fetch and add; their results leave on done_o in order
  input  roci_pkg::atomic_job_t      job_i,
  input  logic                       job_valid_i,
  output logic                       job_ready_o,
  output roci_pkg::atomic_done_t     done_o,
  output logic                       done_valid_o,
  input  logic                       done_ready_i,

  // stores; each is counted when it is in memory
  input  roci_pkg::atomic_job_t      store_job_i,
  input  logic                       store_job_valid_i,
  output logic                       store_job_ready_o,
  output logic [7:0]                 store_done_o,

  input  logic [15:0]                wr_done_i,

  // host memory
  output logic                       br_req_valid_o,
  input  logic                       br_req_ready_i,
  output roci_pkg::block_read_req_t  br_req_o,
  input  logic [DataWidth:0]         br_rsp_i,  // a beat: {error, data}
  input  logic                       br_rsp_valid_i,
  output logic                       br_rsp_ready_o,
  output logic                       bw_req_valid_o,
  input  logic                       bw_req_ready_i,
  output roci_pkg::block_write_req_t bw_req_o,
  input  logic                       bw_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_rsp_i,  // its error bit: the write failed

  // a store whose write failed; it is counted when this is taken
  output roci_pkg::fault_t           fault_o,
  output logic                       fault_valid_o,
  input  logic                       fault_ready_i
);

  localparam logic [1:0]  OpStore = 2'd0, OpCompareSwap = 2'd1;
  localparam int unsigned Depth = 16, Bits = 4;
  localparam int unsigned PlaceBits = 9;  // offset of a word in its page

  // Ring.
  logic [roci_pkg::AtomicJobBits-1:0] jobs [Depth];
  logic [63:0]          original [Depth];  // valid from the stage data on
  logic [63:0]          after    [Depth];  // content of memory after the atomic
  logic [Bits-1:0]      source   [Depth];  // the youngest atomic before it that has its place
  logic [PlaceBits-1:0] place_q  [Depth];
  logic [Depth-1:0]     near_q;            // there was one when the atomic was at the stage seek
  logic [Depth-1:0]     inherits_q, changes_q, error_q;
  logic [Bits:0]        in_q, seek_q, ask_q, data_q, put_q, out_q;  // next of each stage; top bit:
                                                                    // pass
  logic [Bits-1:0]      in, seek, ask, data, put, out;
  logic                 take, asked, put_on, finished;
  logic                 seeking_q, here_q;  // second clock of seek, of data
  roci_pkg::atomic_job_t seek_job, ask_job, data_job, put_job, out_job;
  assign in       = in_q[Bits-1:0];
  assign seek     = seek_q[Bits-1:0];
  assign ask      = ask_q[Bits-1:0];
  assign data     = data_q[Bits-1:0];
  assign put      = put_q[Bits-1:0];
  assign out      = out_q[Bits-1:0];
  assign seek_job = jobs[seek];
  assign ask_job  = jobs[ask];
  assign data_job = jobs[data];
  assign put_job  = jobs[put];
  assign out_job  = jobs[out];

  assign job_ready_o = !(in == out && in_q != out_q);
  assign take        = job_valid_i && job_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {in_q, seek_q, ask_q, data_q, put_q, out_q} <= '0;
    end else begin
      in_q   <= in_q + (Bits + 1)'(take);
      seek_q <= seek_q + (Bits + 1)'(seeking_q);
      ask_q  <= ask_q + (Bits + 1)'(asked);
      data_q <= data_q + (Bits + 1)'(here_q);
      put_q  <= put_q + (Bits + 1)'(put_on);
      out_q  <= out_q + (Bits + 1)'(finished);
    end
    if (take) begin
      jobs[in]    <= job_i;
      place_q[in] <= job_i.addr[3 +: PlaceBits];
    end
  end

  // Seek: the youngest atomic in the ring before this one that has its place. Older ones with that
  // place leave before it, and younger ones come after this one, so it alone can be in the way.
  logic [Depth-1:0]   holds;        // entries with this place
  logic [Depth-1:0]   holds_from;   // likewise; bit 0 is the entry of this atomic
  logic [Depth-1:0]   in_way_q;     // likewise, by distance, without those that have left
  logic [2*Depth-1:0] holds_twice;
  logic [Bits:0]      outstanding;  // atomics before it that have not left
  logic               found;
  logic [Bits-1:0]    distance;
  assign outstanding = seek_q - out_q;
  assign holds_twice = {holds, holds} >> seek;
  assign holds_from  = holds_twice[Depth-1:0];
  always_comb begin
    for (int i = 0; i < Depth; i++) holds[i] = place_q[i] == seek_job.addr[3 +: PlaceBits];
    found    = 1'b0;
    distance = '0;
    for (int d = Depth - 1; d >= 1; d--) begin
      if (in_way_q[d]) begin
        found    = 1'b1;
        distance = Bits'(d);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) seeking_q <= 1'b0;
    else seeking_q <= seek_q != in_q && !seeking_q;
    in_way_q[0] <= 1'b0;
    for (int d = 1; d < Depth; d++) begin
      in_way_q[d] <= (Bits + 1)'(d) <= outstanding && holds_from[Depth-d];
    end
    if (seeking_q) begin
      near_q[seek] <= found;
      source[seek] <= seek - distance;
    end
  end

  // Ask: an atomic reads its block, or inherits the word from another atomic. The one that was
  // found may have left since; its write is done then, and memory has the word. If it leaves in the
  // second clock, what the ring holds of it is still that word: it is overwritten by a younger
  // atomic only, at the stage data.
  logic [15:0]     landed;      // payload packets in memory since the ticket of the atomic
  logic            due_q, near_here_q, same_q;  // it has this place, and this very word
  logic            near, same;
  logic [Bits-1:0] newest, back;
  roci_pkg::atomic_job_t near_job;
  assign landed   = wr_done_i - ask_job.ticket;
  assign newest   = source[ask];
  assign back     = ask - newest;
  assign near     = near_q[ask] && (Bits + 1)'(back) <= (Bits + 1)'(ask_q - out_q);
  assign near_job = jobs[newest];
  assign same     = near_job.addr == ask_job.addr && near_job.pasid == ask_job.pasid;
  assign asked    = due_q && (near_here_q ? same_q : br_req_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) due_q <= 1'b0;
    else due_q <= ask_q != seek_q && !landed[15] && !asked;
    if (!due_q || near_here_q) near_here_q <= near;  // a read that is offered stays
    same_q <= same;
    if (asked) inherits_q[ask] <= near_here_q;
  end
  assign br_req_valid_o = due_q && !near_here_q;
  assign br_req_o.addr  = {ask_job.addr[63:6], 6'd0};
  assign br_req_o.pasid = ask_job.pasid;
  assign br_req_o.count = 5'd1;

  // Data: the word comes, and the result is computed a clock later. An atomic that inherits the
  // word of the one before finds it in the ring, since its first clock follows that one's second.
  logic        inherits, is_compare_q, change, comes, beat, last_beat, bad, bad_q;
  logic [63:0] read_word, word, word_q, result, operand_q, compare_q;
  assign inherits    = inherits_q[data];
  assign word        = inherits ? after[source[data]] : read_word;
  assign beat        = br_rsp_valid_i && br_rsp_ready_o;
  assign comes       = data_q != ask_q && !here_q && (inherits || (beat && last_beat));
  assign change      = !bad_q && (!is_compare_q || word_q == compare_q);
  assign result      = is_compare_q ? operand_q : word_q + operand_q;
  assign br_rsp_ready_o = data_q != ask_q && !here_q && !inherits;
  roci_atomic_word #(.DataWidth(DataWidth)) u_word (
    .clk_i, .rst_ni, .word_i(data_job.addr[5:3]), .beat_i(beat), .br_rsp_i, .last_o(last_beat),
    .word_o(read_word), .bad_o(bad));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) here_q <= 1'b0;
    else here_q <= comes;
    word_q       <= word;
    bad_q        <= inherits ? error_q[source[data]] : bad;
    is_compare_q <= data_job.op == OpCompareSwap;
    operand_q    <= data_job.operand;
    compare_q    <= data_job.compare;
    if (here_q) begin
      original[data]  <= word_q;
      after[data]     <= change ? result : word_q;
      changes_q[data] <= change;
      error_q[data]   <= bad_q;
    end
  end

  // Stores.
  roci_pkg::atomic_job_t store;
  logic                  store_valid, store_take;
  logic [4:0]            store_level;
  roci_fifo #(.Width(roci_pkg::AtomicJobBits), .Depth(16)) u_stores (
    .clk_i, .rst_ni,
    .in_data_i(store_job_i), .in_valid_i(store_job_valid_i), .in_ready_o(store_job_ready_o),
    .out_data_o(store), .out_valid_o(store_valid), .out_ready_i(store_take), .level_o(store_level)
  );

  // Put: atomics and stores are written in turns.
  logic        can_put, writes, free, room, turn_q;  // turn_q: atomics go first
  logic [63:0] put_word;
  assign can_put    = put_q != data_q;
  assign writes     = can_put && changes_q[put];
  assign free       = (!bw_req_valid_o || bw_req_ready_i) && room;
  assign store_take = store_valid && free && !(turn_q && writes);
  assign put_on     = can_put && (!changes_q[put] || (free && !store_take));

  // Writes in progress and their responses, both in order.
  logic        rsp_valid, rsp_bad, of_store, pop, rsp_room, writing;
  logic [23:0] store_qpn;
  roci_fifo #(.Width(25), .Depth(32)) u_order (
    .clk_i, .rst_ni,
    .in_data_i({store_take, store.qpn}), .in_valid_i(store_take || (writes && put_on)),
    .in_ready_o(room),
    .out_data_o({of_store, store_qpn}), .out_valid_o(writing), .out_ready_i(pop), .level_o()
  );
  roci_fifo #(.Width(1), .Depth(32)) u_rsps (
    .clk_i, .rst_ni,
    .in_data_i(bw_rsp_i.error), .in_valid_i(bw_rsp_valid_i), .in_ready_o(rsp_room),
    .out_data_o(rsp_bad), .out_valid_o(rsp_valid), .out_ready_i(pop), .level_o()
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bw_req_valid_o <= 1'b0;
      turn_q         <= 1'b0;
    end else begin
      if (store_take || (writes && put_on)) begin
        bw_req_valid_o <= 1'b1;
        turn_q         <= store_take;
      end else if (bw_req_ready_i) begin
        bw_req_valid_o <= 1'b0;
      end
    end
    if (store_take || (writes && put_on)) begin
      bw_req_o.addr  <= store_take ? store.addr : put_job.addr;
      bw_req_o.pasid <= store_take ? store.pasid : put_job.pasid;
      bw_req_o.data  <= 512'(put_word);
      bw_req_o.bytes <= 7'd8;
    end
  end
  assign put_word = store_take ? store.operand : after[put];

  // Out: the result leaves.
  logic       can_out, stored;
  logic [7:0] store_done_q;
  assign can_out         = out_q != put_q && (!changes_q[out] || (rsp_valid && !of_store));
  assign finished        = can_out && done_ready_i;
  assign stored          = rsp_valid && of_store && (!rsp_bad || fault_ready_i);
  assign pop             = stored || (finished && changes_q[out]);
  assign done_valid_o    = can_out;
  assign done_o.qpn      = out_job.qpn;
  assign done_o.slot     = out_job.slot;
  assign done_o.original = original[out];
  assign done_o.error    = error_q[out] || (changes_q[out] && rsp_bad);
  assign store_done_o    = store_done_q;
  assign fault_valid_o   = rsp_valid && of_store && rsp_bad;
  assign fault_o.qpn     = store_qpn;
  assign fault_o.psn     = '0;
  assign fault_o.response = 1'b1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) store_done_q <= '0;
    else store_done_q <= store_done_q + 8'(stored);
  end

  assign idle_o = in_q == out_q && store_level == '0 && !writing && !job_valid_i
               && !store_job_valid_i;

  logic unused;
  assign unused = &{1'b0, holds_twice, seek_job, ask_job, data_job, put_job, out_job, near_job,
                    landed, store};

  `ASSERT(StoresAreStores, `IMPLIES(store_job_valid_i, store_job_i.op == OpStore))
  `ASSERT(AtomicsAreAligned, `IMPLIES(br_req_valid_o, ask_job.addr[2:0] == 3'd0))
  `ASSERT(ResponseHasRoom, `IMPLIES(bw_rsp_valid_i, rsp_room))
  `ASSERT(SoughtBeforeAsked, (Bits + 1)'(seek_q - ask_q) <= (Bits + 1)'(in_q - ask_q))
  `ASSERT(NoDataUnrequested, `IMPLIES(br_rsp_valid_i, data_q != ask_q))

endmodule
