// SPDX-License-Identifier: Apache-2.0
// Finds where the data of a READ response, or the result of an atomic, goes.
//
// A list of one entry costs one key lookup. A longer list is read again from the send queue, kept
// until another message needs one, and walked. The requester waits meanwhile.
//
//  Compare -> Act -> Place --> one entry: key -------------------------------+--> segment, done
//                          +-> longer: read the work request --> walk the list-+
//
// The key is looked up before it is known that the response fits: as soon as a response is compared
// that seems to be the first of its message, and again a clock later when it is not. What nobody
// waits for any more is dropped as it comes.
//
// Latency: for one entry three clocks after the lookup that counts, the guess or a later one.

`include "assert.svh"

module roci_requester_place #(
  parameter int unsigned DataWidth = 512  // bits of a beat of a block: 64, 128, 256 or 512
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // the response in hand
  input  logic [15:0]               at_i,      // bit of its step
  input  logic [2:0]                ask_i,     // ResponseAsk; an atomic gets no segment
  input  logic                      begins_i,  // it seems to be the first of its message,
  input  logic                      first_i,   // or is, as known from the step after Compare on
  input  logic [23:0]               qpn_i,
  input  logic [15:0]               wqe_index_i,
  input  logic [31:0]               offset_i,  // bytes of the message before these
  input  logic [12:0]               len_i,
  input  roci_pkg::sge_t            sge0_i,
  input  logic [3:0]                num_sge_i,
  input  logic [15:0]               pd_i,
  input  logic [19:0]               pasid_i,   // PASID of the send queue
  input  logic [63:0]               sq_base_i, // address of entry 0 of the send queue
  input  logic [15:0]               wqe_entry_i,
  input  logic [1:0]                stride_log_i,
  input  logic                      forget_i,  // what was read again is no longer good

  // out
  output logic                      done_o,   // pulse
  output logic                      quick_o,  // with it: the segment of a list of one entry
  output logic                      waits_o,  // for a result alone: its inputs may change
  output logic [7:0]                status_o,
  output logic [7:0]                vendor_o,
  output roci_pkg::key_rsp_t        place_o,  // atomic
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i, // up for a first segment

  // block read client
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  input  logic [DataWidth:0]        br_rsp_i,  // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o,

  // key table
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i
);

  localparam logic [3:0] Rights = 4'b0001;  // local write

  typedef enum logic [2:0] {StIdle, StKeyResult, StRead, StData, StWalk, StSegments} state_e;
  state_e             state_q;
  logic               kept_q;       // blocks of {qpn, index} are here
  logic [23:0]        kept_qpn_q;
  logic [15:0]        kept_index_q;
  logic [1:0]         arrived_q;    // blocks of the read so far
  logic               failed_q;     // one of them could not be read
  logic               guess, act, start;  // steps of the response
  logic               atomic, hit;
  logic               several_q, list;  // more than one entry
  logic               asks, asked;      // for the key; it is, or was by the guess
  logic [31:0]        offset;           // that is asked for
  logic               guessed_q;        // it was in the clock before
  logic [1:0]         owed_q;           // results to come
  logic               result;           // the one that is waited for
  logic [31:0]        offset_q;
  logic [63:0]        wqe_addr_q;
  logic [24:0]        wqe_offset_q;
  logic               addr_ready_q;  // the address is that of the work request

  assign atomic     = ask_i == roci_pkg::AskAtomic;
  assign guess      = at_i[roci_pkg::RequesterCompare] && begins_i;
  assign act        = at_i[roci_pkg::RequesterAct] && (ask_i == roci_pkg::AskData || atomic);
  assign start      = at_i[roci_pkg::RequesterPlace];
  assign list       = several_q && !atomic;
  assign hit        = kept_q && kept_qpn_q == qpn_i && kept_index_q == wqe_index_i;

  // The list is there in Compare and stays while the response acts and its place is looked for.
  always_ff @(posedge clk_i) several_q <= |num_sge_i[3:1];
  `ASSERT(ListStays, `IMPLIES(state_q == StIdle && (act || start), several_q == (num_sge_i > 4'd1)))

  // Requests for keys, apart from those of the walker; what comes is what was asked for first.
  assign asks   = state_q == StIdle && (act || start) && !list && !(guessed_q && first_i);
  assign asked  = key_req_ready_i || (guessed_q && first_i);
  assign offset = guess || atomic ? '0 : offset_i;
  assign result = state_q == StKeyResult && key_rsp_valid_i && owed_q == 2'd1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      guessed_q <= 1'b0;
      owed_q    <= '0;
    end else begin
      guessed_q <= guess && key_req_ready_i;
      owed_q    <= owed_q + 2'((guess || asks) && key_req_ready_i)
                   - 2'(key_rsp_valid_i && owed_q != '0);
    end
  end

  // What is read again comes by beats.
  localparam int unsigned PartBits = DataWidth < 128 ? 128 : DataWidth;
  localparam int unsigned Lanes    = PartBits / DataWidth;
  logic             beat, last_beat, last;  // the last beat of a block, of the work request
  logic             unused_first;
  logic [1:0]       entry;
  logic [Lanes-1:0] lane;
  assign beat = state_q == StData && br_rsp_valid_i;
  assign last = beat && last_beat && 3'(arrived_q) == (3'd1 << stride_log_i) - 3'd1;
  roci_block_beats #(.DataWidth(DataWidth)) u_beats (
    .clk_i, .rst_ni, .beat_i(beat), .first_o(unused_first), .last_o(last_beat), .entry_o(entry),
    .lane_o(lane));

  // Walker of the list read again
  logic               walk_ready, walk_done, walk_idle, walk_seg_valid, walk_key_valid;
  logic [7:0]         walk_status;
  logic [3:0]         sge_index, sge_row;
  logic [1:0]         sge_place_q;
  logic               sge_first_q;
  logic [PartBits-1:0] part;
  roci_pkg::sge_t     sge;
  roci_pkg::seg_t     walk_seg;
  roci_pkg::key_req_t walk_key;
  logic               walking_q;    // started
  roci_sge_walker u_walker (
    .clk_i, .rst_ni,
    .start_valid_i(state_q == StWalk && !walking_q && !failed_q), .start_ready_o(walk_ready),
    .start_num_sge_i(8'(num_sge_i)), .start_offset_i(offset_q), .start_len_i(32'(len_i)),
    .start_pd_i(pd_i), .start_access_i(Rights), .start_check_only_i(1'b0),
    .sge_index_o(sge_index), .sge_i(sge),
    .key_req_o(walk_key), .key_req_valid_o(walk_key_valid),
    .key_req_ready_i(key_req_ready_i && state_q == StWalk),
    .key_rsp_i, .key_rsp_valid_i(key_rsp_valid_i && state_q == StWalk && owed_q == '0),
    .seg_o(walk_seg), .seg_valid_o(walk_seg_valid),
    .seg_ready_i(seg_ready_i && state_q == StSegments),
    .done_valid_o(walk_done), .done_status_o(walk_status), .idle_o(walk_idle));

  assign sge_row = sge_index - 4'd1;
  always_ff @(posedge clk_i) begin
    sge_place_q <= sge_row[1:0] & 2'(PartBits / 128 - 1);
    sge_first_q <= sge_index == '0;
  end
  always_comb begin
    sge = part[128 * sge_place_q +: 128];
    if (sge_first_q) sge = sge0_i;
  end
  roci_block_ram #(.DataWidth(DataWidth), .Blocks(4)) u_blocks (
    .clk_i, .rst_ni,
    .write_i(beat ? lane : '0), .write_block_i(arrived_q), .write_entry_i(entry),
    .write_data_i({Lanes{br_rsp_i[DataWidth-1:0]}}), .write_bad_i(1'b0),
    .read_i(state_q == StWalk), .read_block_i(2'(sge_row[3:2]) + 2'd1),
    .read_entry_i(sge_row[1:0]), .part_o(part), .bad_o());

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      kept_q    <= 1'b0;
      walking_q <= 1'b0;
    end else begin
      if (forget_i) kept_q <= 1'b0;
      unique case (state_q)
        StIdle: begin
          if ((act || start) && !list && asked) state_q <= StKeyResult;
          if (start && list) state_q <= hit ? StWalk : StRead;
        end
        StKeyResult: if (result || !start) state_q <= StIdle;
        StRead:   if (br_req_valid_o && br_req_ready_i) begin
          state_q <= StData;
          kept_q  <= 1'b0;
        end
        StData:   if (last) begin
          kept_q  <= 1'b1;
          state_q <= StWalk;
        end
        StWalk: if (failed_q) begin
          kept_q  <= 1'b0;
          state_q <= StIdle;
        end else begin
          if (walk_ready) walking_q <= 1'b1;
          if (walk_done) begin
            walking_q <= 1'b0;
            state_q   <= walk_status == roci_pkg::StatusSuccess ? StSegments : StIdle;
          end
        end
        default:  if (walk_seg_valid && seg_ready_i && walk_seg.last) state_q <= StIdle;
      endcase
    end
  end
  // Found from the ring and the attributes in the clock of the start, used from the next one on.
  always_ff @(posedge clk_i) begin
    offset_q     <= offset_i;
    wqe_addr_q   <= sq_base_i + 64'(wqe_offset_q);
    wqe_offset_q <= 25'(wqe_entry_i) << (4'd6 + 4'(stride_log_i));
    addr_ready_q <= state_q == StRead;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StRead) begin
      arrived_q    <= '0;
      failed_q     <= 1'b0;
      kept_qpn_q   <= qpn_i;
      kept_index_q <= wqe_index_i;
    end else if (beat) begin
      arrived_q <= arrived_q + 2'(last_beat);
      failed_q  <= failed_q || br_rsp_i[DataWidth];
    end
  end

  always_comb begin
    key_req_o       = walk_key;
    key_req_valid_o = walk_key_valid && state_q == StWalk;
    if (state_q != StWalk) begin
      key_req_o.key    = sge0_i.lkey;
      key_req_o.va     = sge0_i.addr + 64'(offset);
      key_req_o.len    = atomic ? 32'd8 : 32'(len_i);
      key_req_o.pd     = pd_i;
      key_req_o.access = Rights;
      key_req_valid_o  = guess || asks;
    end
  end

  always_comb begin
    done_o   = 1'b0;
    status_o = roci_pkg::StatusSuccess;
    vendor_o = roci_pkg::VendorErrPlaceKey;
    unique case (state_q)
      StKeyResult: begin
        done_o = result;
        if (!key_rsp_i.ok) status_o = roci_pkg::StatusLocProtErr;
      end
      StWalk: begin
        done_o   = failed_q || (walk_done && walk_status != roci_pkg::StatusSuccess);
        status_o = walk_status;
        if (failed_q) begin
          status_o = roci_pkg::StatusFatalErr;
          vendor_o = roci_pkg::VendorErrPlaceFetch;
        end
      end
      StSegments: done_o = walk_seg_valid && seg_ready_i && walk_seg.last;
      default: done_o = 1'b0;
    endcase
  end

  always_comb begin
    seg_o       = walk_seg;
    seg_valid_o = walk_seg_valid && state_q == StSegments;
    if (state_q == StKeyResult) begin
      seg_o.addr  = key_rsp_i.addr;
      seg_o.pasid = key_rsp_i.pasid;
      seg_o.len   = len_i;
      seg_o.last  = 1'b1;
      seg_o.drop  = 1'b0;
      seg_o.fetched = 1'b0;
      seg_valid_o   = quick_o;
    end
  end
  assign quick_o = result && key_rsp_i.ok && !atomic;
  assign waits_o = state_q == StKeyResult;
  assign place_o = key_rsp_i;

  assign br_req_valid_o      = state_q == StRead && addr_ready_q;
  assign br_req_o.addr       = wqe_addr_q;
  assign br_req_o.pasid      = pasid_i;
  assign br_req_o.count      = 5'd1 << stride_log_i;
  assign br_rsp_ready_o = 1'b1;

  logic unused;
  assign unused = &{1'b0, unused_first, walk_idle};

  `ASSERT(NoDataUnasked, `IMPLIES(br_rsp_valid_i, state_q == StData))
  `ASSERT(GuessesWhenIdle, `IMPLIES(guess || act, state_q == StIdle))
  `ASSERT(ResultIsOwed, `IMPLIES(key_rsp_valid_i, owed_q != '0 || state_q == StWalk))
  `ASSERT(OneIsStarted, `IMPLIES(result, start))
  `ASSERT(SegmentHasRoom, `IMPLIES(quick_o, seg_ready_i))

endmodule
