// Requester of all queue pairs: sends plans, takes responses, keeps the window, the ring of messages
// in flight, retries and completions.
//
// One engine, one event at a time: a plan takes two clocks, an acknowledgement of one message three.
// The state of a queue pair is one word; the next event's word is read while the last is written.
//
//  plan, response, timer, control --> choose --> look --> act --> write the word
//                                               word     ring
//
//  ring of a queue pair:   head: oldest message not completed     tail = head + count
//  sequence numbers:       una: oldest not acknowledged           psn_next: next to send
//
// Going back empties the ring but for a message acknowledged in part, bumps the epoch, and sends
// the scheduler to the message and offset of `una`; what was cut before has an old epoch.

`include "assert.svh"

module roci_requester #(
  parameter int unsigned NumQps    = 256,  // queue pairs, a power of two
  parameter int unsigned RingDepth = 32,   // messages in flight of a queue pair, a power of two
  parameter int unsigned Window    = 256   // packets in flight of a queue pair
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // row bus
  input  logic                      row_valid_i,
  input  logic [3:0]                row_table_i,
  input  logic [23:0]               row_index_i,
  input  logic [511:0]              row_data_i,

  // events
  input  roci_pkg::sq_control_t     control_i,
  input  logic                      control_valid_i,
  output logic                      control_ready_o,
  input  roci_pkg::plan_t           plan_i,
  input  logic                      plan_valid_i,
  output logic                      plan_ready_o,
  input  roci_pkg::seg_t            plan_seg_i,
  input  logic                      plan_seg_valid_i,
  output logic                      plan_seg_ready_o,
  input  roci_pkg::rx_meta_t        rsp_meta_i,
  input  logic                      rsp_meta_valid_i,
  output logic                      rsp_meta_ready_o,
  input  roci_pkg::timer_event_t    timer_event_i,
  input  logic                      timer_event_valid_i,
  output logic                      timer_event_ready_o,
  input  logic [23:0]               live_qpn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::qp_live_t        live_o,

  // to the scheduler
  output roci_pkg::fetch_ptr_t      ptr_o,
  output logic                      ptr_valid_o,
  input  logic                      ptr_ready_i,
  output logic                      done_valid_o,
  output logic [$clog2(NumQps)-1:0] done_row_o,
  output logic [15:0]               done_index_o,

  // packets and their pieces; pieces of responses
  output roci_pkg::tx_desc_t        desc_o,
  output logic                      desc_valid_o,
  input  logic                      desc_ready_i,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  input  logic                      seg_ready_i,
  output roci_pkg::seg_t            rsp_seg_o,
  output logic                      rsp_seg_valid_o,
  input  logic                      rsp_seg_ready_i,

  // lists of READs again, keys of their entries
  output logic                      br_valid_o,
  input  logic                      br_ready_i,
  output logic [63:0]               br_addr_o,
  output logic [19:0]               br_pasid_o,
  output logic [4:0]                br_count_o,
  input  logic [511:0]              br_data_i,
  input  logic                      br_error_i,
  input  logic                      br_data_valid_i,
  output logic                      br_data_ready_o,
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  // the rest
  output roci_pkg::atomic_job_t     atomic_job_o,
  output logic                      atomic_job_valid_o,
  input  logic                      atomic_job_ready_i,
  input  logic [7:0]                store_done_i,
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,
  input  logic                      cqe_ready_i,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::timer_cmd_t      timer_cmd_o,
  output logic                      timer_cmd_valid_o,
  input  logic                      timer_cmd_ready_i,
  output roci_pkg::count_t          count_o,
  output logic                      count_valid_o,
  input  logic                      count_ready_i,
  output logic                      drop_ghost_o,

  output logic                      idle_o
);

  localparam int unsigned QpBits   = $clog2(NumQps);
  localparam int unsigned RingBits = $clog2(RingDepth);
  localparam int unsigned FlushRun = 4;   // flushes at one go, so that other queue pairs get on

  `PARAM_CHECK(WindowInRange, Window >= 32 && Window <= 4096)

  typedef struct packed {
    logic [23:0]         psn_next;
    logic [23:0]         una;
    logic [15:0]         done;         // oldest work request not completed
    logic [15:0]         begun;        // first work request never sent
    logic [RingBits-1:0] head;
    logic [RingBits:0]   count;
    logic [3:0]          rd_head;      // slot of the oldest READ or atomic in flight
    logic [4:0]          rd_count;     // READs and atomics in flight
    logic [3:0]          epoch;
    logic [2:0]          retry_left;
    logic [2:0]          rnr_left;
    logic                blocked;      // waits for room; `resume` holds where to go on
    logic                rnr_wait;
    logic                stopped;      // an error entry ends the ring: no more plans
    logic                failed;       // until the next life
    logic                restart;      // the READ at the head was asked again from `una`
    logic                implied;      // went back for a skipped READ, no progress since
    logic                naked;        // went back for a sequence NAK, no progress since
    logic                owe_data;     // unsignaled READ since the last completion
    logic                owe_store;    // unsignaled atomic likewise
    logic                fence_wait;   // blocked until no READ or atomic is in flight
    logic                unstopped;    // the timer was left running with nothing in flight
    logic [15:0]         resume_index;
    logic [31:0]         resume_offset;
  } word_t;
  localparam int unsigned WordBits = 24 + 24 + 16 + 16 + RingBits + RingBits + 1 + 4 + 5 + 4 + 3 + 3
                                     + 11 + 16 + 32;

  localparam logic [1:0] KindData   = 2'd0;  // SEND or WRITE
  localparam logic [1:0] KindRead   = 2'd1;
  localparam logic [1:0] KindAtomic = 2'd2;
  localparam logic [1:0] KindError  = 2'd3;  // completes with `status` when it is the oldest
  typedef struct packed {
    logic [23:0] first;      // sequence numbers
    logic [23:0] last;
    logic [1:0]  kind;
    logic [2:0]  opcode;     // WrOp
    logic        signaled;
    logic [31:0] msg_len;
    logic [7:0]  status;     // of an error
    logic [7:0]  vendor;
  } entry_t;
  localparam int unsigned EntryBits = 24 + 24 + 2 + 3 + 1 + 32 + 8 + 8;

  typedef enum logic [3:0] {
    StIdle, StLook, StPlan, StRetire, StAct, StPlace, StPlaced, StBack, StFail, StFlush, StEnd
  } state_e;
  // What a response asks for when everything before it is acknowledged
  typedef enum logic [2:0] {AskNone, AskBack, AskRnr, AskRefuse, AskSyndrome, AskData, AskAtomic}
      ask_e;

  state_e state_q, state_d;

  // ---- The next event ----
  logic                   pick, finish, memory_ready, none;
  logic [QpBits-1:0]      pick_row, row_q;
  logic                   is_live_q, is_plan_q, is_rsp_q, is_timer_q, is_again_q;
  logic                   room, fail_room, desc_room, rsp_room, store_room, again_push;
  roci_pkg::plan_t        plan_q;
  roci_pkg::rx_meta_t     rsp_q;
  roci_pkg::timer_event_t timer_q;
  roci_pkg::sq_control_t  control_q, again;
  always_comb begin
    again       = control_q;
    again.clear = 1'b0;
  end
  roci_requester_pick #(.NumQps(NumQps)) u_pick (
    .clk_i, .rst_ni, .control_i, .control_valid_i, .control_ready_o,
    .plan_i, .plan_valid_i, .plan_ready_o,
    .rsp_i(rsp_meta_i), .rsp_valid_i(rsp_meta_valid_i), .rsp_ready_o(rsp_meta_ready_o),
    .timer_i(timer_event_i), .timer_valid_i(timer_event_valid_i),
    .timer_ready_o(timer_event_ready_o),
    .live_qpn_i, .live_valid_i, .live_busy_i(state_q != StIdle && is_live_q),
    .again_i(again), .again_push_i(again_push),
    .free_i((state_q == StIdle || finish) && memory_ready), .room_i(room),
    .fail_room_i(fail_room), .desc_room_i(desc_room), .rsp_room_i(rsp_room && store_room),
    .pick_o(pick), .pick_row_o(pick_row), .row_o(row_q), .is_live_o(is_live_q),
    .is_plan_o(is_plan_q), .is_rsp_o(is_rsp_q), .is_timer_o(is_timer_q), .is_again_o(is_again_q),
    .plan_o(plan_q), .rsp_o(rsp_q), .timer_o(timer_q), .control_o(control_q), .none_o(none));

  // ---- Memories ----
  logic [WordBits-1:0] word_bits;
  word_t               word, w_q, w_d;
  roci_ram #(.Width(WordBits), .Depth(NumQps), .Clear(1), .Forward(1)) u_word (
    .clk_i, .rst_ni, .write_i(finish), .write_row_i(row_q), .write_data_i(w_d),
    .read_i(pick), .read_row_i(pick_row), .read_data_o(word_bits), .ready_o(memory_ready));
  assign word = word_bits;

  roci_pkg::qp_attr_t              attr_row, attr;
  logic [roci_pkg::QpAttrBits-1:0] attr_bits;
  logic                            unused_ram0, unused_ram1, unused_ram2;
  assign attr_row = row_data_i[roci_pkg::QpAttrBits-1:0];
  assign attr     = attr_bits;
  roci_ram #(.Width(roci_pkg::QpAttrBits), .Depth(NumQps)) u_attr (
    .clk_i, .rst_ni, .write_i(row_valid_i && row_table_i == roci_pkg::TableQpAttr),
    .write_row_i(row_index_i[QpBits-1:0]), .write_data_i(attr_row),
    .read_i(pick), .read_row_i(pick_row), .read_data_o(attr_bits), .ready_o(unused_ram0));

  logic                ring_read, ring_write;
  logic [RingBits-1:0] ring_read_at, ring_write_at;
  logic [EntryBits-1:0] entry_bits;
  entry_t              entry, entry_in;
  roci_ram #(.Width(EntryBits), .Depth(NumQps * RingDepth)) u_ring (
    .clk_i, .rst_ni, .write_i(ring_write), .write_row_i({row_q, ring_write_at}),
    .write_data_i(entry_in), .read_i(ring_read), .read_row_i({row_q, ring_read_at}),
    .read_data_o(entry_bits), .ready_o(unused_ram1));
  assign entry = entry_bits;

  localparam int unsigned SlotBits = roci_pkg::SgeBits + 4;
  logic                slot_write;
  logic [3:0]          slot_write_at;
  logic [SlotBits-1:0] slot_bits;
  roci_pkg::sge_t      slot_sge;
  logic [3:0]          slot_num_sge;
  roci_ram #(.Width(SlotBits), .Depth(NumQps * 16)) u_slot (
    .clk_i, .rst_ni, .write_i(slot_write), .write_row_i({row_q, slot_write_at}),
    .write_data_i({plan_q.num_sge[3:0], plan_q.sge0_lkey, plan_q.sge0_length, plan_q.sge0_addr}),
    .read_i(state_q == StRetire), .read_row_i({row_q, w_q.rd_head}), .read_data_o(slot_bits),
    .ready_o(unused_ram2));
  assign {slot_num_sge, slot_sge} = slot_bits;

  // Queue pairs in RTS or SQD whose life has begun
  logic [NumQps-1:0] sending_q, begun_q, in_err_q;
  logic              is_state, to_sending, is_control, init, alive;
  assign is_state   = row_valid_i && row_table_i == roci_pkg::TableQpState;
  assign to_sending = row_data_i[2:0] == roci_pkg::QpRts || row_data_i[2:0] == roci_pkg::QpSqd;
  assign is_control = !is_live_q && !is_plan_q && !is_rsp_q && !is_timer_q;
  assign init       = state_q == StLook && is_control && !control_q.flush;
  assign alive      = sending_q[row_q] && begun_q[row_q];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sending_q <= '0;
      begun_q   <= '0;
      in_err_q  <= '0;
    end else begin
      if (init) begun_q[row_q] <= 1'b1;
      if (is_state) begin
        sending_q[row_index_i[QpBits-1:0]] <= to_sending;
        in_err_q[row_index_i[QpBits-1:0]]  <= row_data_i[2:0] == roci_pkg::QpErr;
        if (!to_sending) begun_q[row_index_i[QpBits-1:0]] <= 1'b0;
      end
    end
  end

  // ---- Response: window, what it asks for ----
  logic        in_window;
  logic [23:0] word_flight, flight, upto, upto_q;
  logic [7:0]  syndrome;
  ask_e        ask, ask_q;
  roci_psn_window u_inside (
    .una_i(word.una), .next_i(word.psn_next), .psn_i(rsp_q.psn), .inside_o(in_window),
    .in_flight_o(word_flight));
  assign flight   = w_q.psn_next - w_q.una;
  assign syndrome = rsp_q.ext[223:216];
  always_comb begin
    ask  = AskSyndrome;
    upto = rsp_q.psn;
    unique case (rsp_q.opcode)
      roci_pkg::OpRcAck: begin
        if (syndrome[7:5] == roci_pkg::AethAck) begin
          ask  = AskNone;
          upto = rsp_q.psn + 24'd1;
        end else if (syndrome[7:5] == roci_pkg::AethRnr) begin
          ask = AskRnr;
        end else if (syndrome == roci_pkg::SynNakSequence) begin
          ask = AskBack;
        end else if (syndrome == roci_pkg::SynNakInvalid || syndrome == roci_pkg::SynNakAccess
                     || syndrome == roci_pkg::SynNakOperational) begin
          ask = AskRefuse;
        end
      end
      roci_pkg::OpRcAtomicAck: ask = AskAtomic;
      default:                 ask = AskData;
    endcase
  end

  logic [31:0] rd_offset;
  logic        kind_ok, length_ok, syndrome_ok;
  roci_requester_check u_check (
    .opcode_i(rsp_q.opcode), .aeth_kind_i(syndrome[7:5]), .payload_len_i(rsp_q.payload_len),
    .psn_i(rsp_q.psn), .first_i(entry.first), .last_i(entry.last), .msg_len_i(entry.msg_len),
    .pmtu_i(attr.pmtu), .restart_i(w_q.restart), .offset_o(rd_offset),
    .kind_ok_o(kind_ok), .length_ok_o(length_ok), .syndrome_ok_o(syndrome_ok));

  // ---- Plan: packet, reasons not to send it ----
  roci_pkg::tx_desc_t desc;
  logic [23:0]        span, message_span;
  logic               is_rd, plan_old, plan_bad, no_depth, wait_ring, wait_send, plan_blocks;
  logic [24:0]        flight_after;
  logic [7:0]         plan_status, plan_vendor;
  roci_requester_build u_build (
    .plan_i(plan_q), .psn_i(w_q.psn_next), .pmtu_i(attr.pmtu), .desc_o(desc), .span_o(span),
    .message_o(message_span));
  assign is_rd        = plan_q.opcode == roci_pkg::WrOpRead || plan_q.opcode == roci_pkg::WrOpCmpSwap
                        || plan_q.opcode == roci_pkg::WrOpFetchAdd;
  assign plan_old     = !alive || w_q.failed || w_q.stopped || plan_q.epoch != w_q.epoch;
  assign no_depth     = is_rd && attr.max_rd_atomic == '0;
  assign plan_bad     = plan_q.status != roci_pkg::StatusSuccess || no_depth;
  assign flight_after = 25'(flight) + 25'(span);
  assign wait_ring    = plan_q.first && w_q.count == (RingBits + 1)'(RingDepth);
  assign wait_send    = flight >= 24'(Window) || (flight != '0 && flight_after > 25'h80_0000)
                        || (plan_q.first && is_rd && w_q.rd_count >= attr.max_rd_atomic)
                        || (plan_q.first && plan_q.fence && w_q.rd_count != '0);
  assign plan_blocks  = wait_ring || (!plan_bad && wait_send);
  always_comb begin
    plan_status = plan_q.status;
    unique case (plan_q.status)
      roci_pkg::StatusLocProtErr: plan_vendor = roci_pkg::VendorErrLocalKey;
      roci_pkg::StatusLocLenErr:  plan_vendor = roci_pkg::VendorErrLocalLength;
      roci_pkg::StatusFatalErr:   plan_vendor = roci_pkg::VendorErrLocalFetch;
      default:                    plan_vendor = roci_pkg::VendorErrLocalFormat;
    endcase
    if (plan_q.status == roci_pkg::StatusSuccess) begin
      plan_status = roci_pkg::StatusLocQpOpErr;
      plan_vendor = roci_pkg::VendorErrNoDepth;
    end
  end

  // ---- Placement ----
  logic               place_start, place_done, place_seg_valid;
  logic [7:0]         place_status, place_vendor;
  roci_pkg::key_rsp_t place;
  roci_pkg::seg_t     place_seg;
  logic               rsp_seg_in_ready;
  logic [63:0]        wqe_addr;
  logic [15:0]        wqe_entry;
  logic               retire, forget;
  assign wqe_entry   = w_q.done & ((16'd1 << attr.sq_log) - 16'd1);
  assign wqe_addr    = attr.sq_base + (64'(wqe_entry) << (4'd6 + 4'(attr.sq_stride_log)));
  assign place_start = state_q == StPlace;
  assign forget      = retire || init;
  roci_requester_place u_place (
    .clk_i, .rst_ni,
    .start_i(place_start), .atomic_i(ask_q == AskAtomic), .qpn_i(24'(row_q)),
    .wqe_index_i(w_q.done), .offset_i(ask_q == AskAtomic ? '0 : rd_offset),
    .len_i(ask_q == AskAtomic ? 13'd8 : rsp_q.payload_len), .sge0_i(slot_sge),
    .num_sge_i(slot_num_sge), .pd_i(attr.pd), .pasid_i(attr.pasid), .wqe_addr_i(wqe_addr),
    .stride_log_i(attr.sq_stride_log), .forget_i(forget),
    .done_o(place_done), .status_o(place_status), .vendor_o(place_vendor), .place_o(place),
    .seg_o(place_seg), .seg_valid_o(place_seg_valid), .seg_ready_i(rsp_seg_in_ready),
    .br_valid_o, .br_ready_i, .br_addr_o, .br_pasid_o, .br_count_o,
    .br_data_i, .br_error_i, .br_data_valid_i, .br_data_ready_o,
    .key_req_o, .key_req_valid_o, .key_req_ready_i, .key_rsp_i, .key_rsp_valid_i);

  // ---- Decisions ----
  logic [23:0] ahead, entry_span;
  logic        have, head_error, progress_q, progress_d, placed_q, placed_d;
  logic        counted_q, counted_d;      // going back costs a retry
  logic        rnr_q, rnr_d;              // going back is for an RNR NAK
  logic [7:0]  status_q, status_d, vendor_q, vendor_d;
  logic [4:0]  flushed_q, flushed_d;
  logic [15:0] to_flush;
  logic        cqe_push, cqe_room, fail_push, desc_push, ptr_push, count_push, timer_push;
  logic        job_push, verdict_push, kill, rsp_drop, flush_more, keep, timer_calm;
  logic [1:0]  timer_op;
  logic [4:0]  timer_code;
  logic [7:0]  cqe_status, cqe_vendor, store_q;
  logic [2:0]  counter;
  logic        ptr_go, unblock;
  logic [31:0] back_offset;
  logic [23:0] back_packets;

  assign ahead        = upto_q - w_q.una;
  assign have         = w_q.count != '0;
  assign head_error   = have && entry.kind == KindError;
  assign entry_span   = entry.last + 24'd1 - w_q.una;
  assign keep         = have && w_q.una != entry.first && entry.kind != KindError;
  assign back_packets = w_q.una - entry.first;
  assign back_offset  = 32'(back_packets) << (3'd7 + 4'(attr.pmtu));
  assign to_flush     = control_q.index - w_q.done;
  assign flush_more   = !to_flush[15] && to_flush != '0;
  // Unblocked with half the room free, so that what is fetched again is worth the fetch
  assign unblock      = w_q.blocked && flight <= 24'(Window / 2)
                        && w_q.count <= (RingBits + 1)'(RingDepth / 2)
                        && w_q.rd_count <= (w_q.fence_wait ? '0 : attr.max_rd_atomic >> 1);

  always_comb begin
    state_d       = state_q;
    w_d           = w_q;
    finish        = 1'b0;
    progress_d    = progress_q;
    placed_d      = placed_q;
    counted_d     = counted_q;
    rnr_d         = rnr_q;
    status_d      = status_q;
    vendor_d      = vendor_q;
    flushed_d     = flushed_q;
    retire        = 1'b0;
    ring_read     = 1'b0;
    ring_read_at  = w_q.head + 1'b1;
    ring_write    = 1'b0;
    ring_write_at = w_q.head + w_q.count[RingBits-1:0];
    slot_write    = 1'b0;
    slot_write_at = w_q.rd_head + w_q.rd_count[3:0];
    cqe_push      = 1'b0;
    cqe_status    = roci_pkg::StatusSuccess;
    cqe_vendor    = roci_pkg::VendorErrNone;
    fail_push     = 1'b0;
    desc_push     = 1'b0;
    ptr_push      = 1'b0;
    ptr_go        = 1'b1;
    count_push    = 1'b0;
    counter       = roci_pkg::QpCounterRxPackets;
    timer_push    = 1'b0;
    timer_op      = roci_pkg::TimerOpRestart;
    timer_code    = attr.timeout;
    job_push      = 1'b0;
    verdict_push  = 1'b0;
    again_push    = 1'b0;
    kill          = 1'b0;
    drop_ghost_o  = 1'b0;
    live_ready_o  = 1'b0;

    entry_in          = '0;
    entry_in.first    = w_q.psn_next;
    entry_in.last     = w_q.psn_next + message_span - 24'd1;
    entry_in.kind     = plan_q.opcode == roci_pkg::WrOpRead ? KindRead : is_rd ? KindAtomic : KindData;
    entry_in.opcode   = plan_q.opcode[2:0];
    entry_in.signaled = plan_q.signaled;
    entry_in.msg_len  = plan_q.msg_len;

    unique case (state_q)
      StIdle: ;

      StLook: begin
        w_d          = word;
        progress_d   = 1'b0;
        placed_d     = 1'b0;
        counted_d    = 1'b0;
        rnr_d        = 1'b0;
        flushed_d    = '0;
        ring_read    = 1'b1;
        ring_read_at = word.head;
        if (is_live_q) begin
          live_ready_o = 1'b1;
          finish       = 1'b1;
        end else if (is_plan_q) begin
          state_d = StPlan;
        end else if (is_rsp_q) begin
          if (alive && !word.failed && in_window) begin
            state_d    = StRetire;
            count_push = ask != AskData;  // data count when they are placed
            counter    = roci_pkg::QpCounterRxPackets;
          end else begin
            drop_ghost_o = 1'b1;
            finish       = 1'b1;
          end
        end else if (is_timer_q) begin
          timer_push = 1'b1;
          timer_op   = roci_pkg::TimerOpStop;
          finish     = 1'b1;
          w_d.unstopped = 1'b0;
          if (alive && !word.failed) begin
            if (timer_q.rnr && word.rnr_wait) begin
              w_d.rnr_wait = 1'b0;
              ptr_push     = 1'b1;
            end else if (word_flight != '0) begin
              if (timer_q.rnr || word.unstopped) begin
                // Maybe of packets before those in flight: give them a whole time more.
                timer_op = roci_pkg::TimerOpRestart;
              end else begin
                timer_push = 1'b0;
                finish     = 1'b0;
                count_push = 1'b1;
                counter    = roci_pkg::QpCounterTimeouts;
                counted_d  = 1'b1;
                status_d   = roci_pkg::StatusRetryExcErr;
                vendor_d   = roci_pkg::VendorErrRetryTimeout;
                state_d    = StBack;
              end
            end
          end
        end else begin  // control, or the rest of a flush
          if (!control_q.flush || in_err_q[row_q]) begin
            timer_push    = !is_again_q;
            timer_op      = roci_pkg::TimerOpStop;
            w_d.count     = '0;
            w_d.rd_count  = '0;
            w_d.blocked   = 1'b0;
            w_d.rnr_wait  = 1'b0;
            w_d.stopped   = 1'b0;
            w_d.restart   = 1'b0;
            w_d.implied   = 1'b0;
            w_d.naked     = 1'b0;
            w_d.owe_data  = 1'b0;
            w_d.owe_store = 1'b0;
            w_d.unstopped = 1'b0;
          end
          if (control_q.flush && !in_err_q[row_q]) begin
            finish = 1'b1;  // of a life that is over
          end else if (control_q.flush) begin
            if (control_q.clear) w_d.done = '0;
            w_d.failed   = 1'b1;
            w_d.psn_next = word.una;
            state_d      = StFlush;
          end else begin
            w_d.psn_next      = attr.sq_psn;
            w_d.una           = attr.sq_psn;
            w_d.done          = '0;
            w_d.begun         = '0;
            w_d.epoch         = word.epoch + 4'd1;
            w_d.retry_left    = attr.retry_cnt;
            w_d.rnr_left      = attr.rnr_retry;
            w_d.failed        = 1'b0;
            w_d.resume_index  = '0;
            w_d.resume_offset = '0;
            ptr_push          = 1'b1;
            finish            = 1'b1;
          end
        end
      end

      StPlan: begin
        finish       = 1'b1;
        verdict_push = plan_q.has_segs;
        if (plan_old) begin
          // Cut before going back, or behind an error.
        end else if (plan_blocks) begin
          w_d.blocked       = 1'b1;
          w_d.fence_wait    = plan_q.fence;
          w_d.epoch         = w_q.epoch + 4'd1;
          w_d.resume_index  = plan_q.wqe_index;
          w_d.resume_offset = plan_q.offset;
          ptr_push          = 1'b1;
          ptr_go            = 1'b0;
        end else begin
          ring_write = plan_q.first || plan_bad;
          if (plan_q.first) begin
            w_d.count = w_q.count + 1'b1;
            if (w_q.begun == plan_q.wqe_index) w_d.begun = plan_q.wqe_index + 16'd1;
          end
          if (plan_bad) begin
            entry_in.kind   = KindError;
            entry_in.status = plan_status;
            entry_in.vendor = plan_vendor;
            if (!plan_q.first) ring_write_at = w_q.head + w_q.count[RingBits-1:0] - 1'b1;
            w_d.stopped = 1'b1;
            if (w_d.count == (RingBits + 1)'(1)) begin
              status_d = plan_status;
              vendor_d = plan_vendor;
              finish   = 1'b0;
              state_d  = StFail;
            end
          end else begin
            desc_push    = 1'b1;
            w_d.psn_next = w_q.psn_next + span;
            if (is_rd) begin
              slot_write = plan_q.first;
              if (plan_q.first) w_d.rd_count = w_q.rd_count + 5'd1;
              else w_d.restart = 1'b1;
            end
            timer_push = flight == '0;
          end
        end
      end

      StRetire: begin
        if (head_error) begin
          status_d = entry.status;
          vendor_d = entry.vendor;
          state_d  = StFail;
        end else if (ahead == '0 || !have) begin
          state_d = ask_q == AskNone ? StEnd : StAct;
        end else if (entry.kind != KindData) begin
          // A READ or atomic was skipped: its responses are missing (RQ-13).
          if (w_q.implied) begin
            state_d = StEnd;
          end else begin
            w_d.implied = 1'b1;
            counted_d   = 1'b1;
            status_d    = roci_pkg::StatusRetryExcErr;
            vendor_d    = roci_pkg::VendorErrRetryImplied;
            state_d     = StBack;
          end
        end else if (ahead < entry_span) begin
          w_d.una    = upto_q;
          progress_d = 1'b1;
        end else if (cqe_room || !entry.signaled) begin
          retire     = 1'b1;
          cqe_push   = entry.signaled;
          w_d.una    = entry.last + 24'd1;
          progress_d = 1'b1;
          ring_read  = 1'b1;
          if (ahead == entry_span && ask_q == AskNone && !w_q.stopped) state_d = StEnd;
        end
      end

      StAct: begin
        state_d = StFail;
        unique case (ask_q)
          AskBack: begin
            counted_d  = 1'b1;
            count_push = 1'b1;
            counter    = roci_pkg::QpCounterNaksReceived;
            status_d   = roci_pkg::StatusRetryExcErr;
            vendor_d   = roci_pkg::VendorErrRetrySequence;
            // A gap is NAKed once (RSP-04): the next one at this PSN is a copy that comes late.
            state_d    = w_q.naked ? StEnd : StBack;
          end
          AskRnr: begin
            count_push = 1'b1;
            counter    = roci_pkg::QpCounterNaksReceived;
            rnr_d      = 1'b1;
            status_d   = roci_pkg::StatusRnrRetryExcErr;
            vendor_d   = roci_pkg::VendorErrRetryRnr;
            state_d    = StBack;
          end
          AskRefuse: begin
            count_push = 1'b1;
            counter    = roci_pkg::QpCounterNaksReceived;
            vendor_d   = roci_pkg::VendorErrPeerNak;
            status_d   = syndrome == roci_pkg::SynNakInvalid ? roci_pkg::StatusRemInvReqErr
                         : syndrome == roci_pkg::SynNakAccess ? roci_pkg::StatusRemAccessErr
                         : roci_pkg::StatusRemOpErr;
          end
          AskSyndrome: begin
            status_d = roci_pkg::StatusBadRespErr;
            vendor_d = roci_pkg::VendorErrResponseSyndrome;
          end
          default: begin  // AskData, AskAtomic
            status_d = roci_pkg::StatusBadRespErr;
            if (entry.kind != (ask_q == AskData ? KindRead : KindAtomic)
                || (ask_q == AskData && !kind_ok)) begin
              vendor_d = roci_pkg::VendorErrResponseKind;
            end else if (ask_q == AskData ? !syndrome_ok : syndrome[7:5] != roci_pkg::AethAck) begin
              vendor_d = roci_pkg::VendorErrResponseSyndrome;
            end else if (ask_q == AskData && !length_ok) begin
              status_d = roci_pkg::StatusLocLenErr;
              vendor_d = roci_pkg::VendorErrResponseLength;
            end else begin
              state_d = ask_q == AskData && rsp_q.payload_len == '0 ? StPlaced : StPlace;
            end
          end
        endcase
      end

      StPlace: if (place_done) begin
        if (place_status != roci_pkg::StatusSuccess) begin
          status_d = place_status;
          vendor_d = place_vendor;
          state_d  = StFail;
        end else begin
          placed_d = ask_q == AskData;
          job_push = ask_q == AskAtomic;
          state_d  = StPlaced;
        end
      end

      StPlaced: begin
        if (rsp_q.psn != entry.last || !entry.signaled || cqe_room) begin
          w_d.una     = w_q.una + 24'd1;
          count_push  = ask_q == AskData;
          counter     = roci_pkg::QpCounterRxPackets;
          w_d.restart = 1'b0;
          progress_d  = 1'b1;
          state_d     = StEnd;
          if (rsp_q.psn == entry.last) begin
            retire       = 1'b1;
            cqe_push     = entry.signaled;
            w_d.rd_head  = w_q.rd_head + 4'd1;
            w_d.rd_count = w_q.rd_count - 5'd1;
            ring_read    = 1'b1;
            // Look at the next entry: it may be an error.
            if (w_q.stopped) state_d = StRetire;
          end
        end
      end

      StBack: begin
        if (counted_q && w_q.retry_left == '0) begin
          state_d = StFail;
        end else if (rnr_q && attr.rnr_retry != 3'd7 && w_q.rnr_left == '0) begin
          state_d = StFail;
        end else begin
          if (counted_q) w_d.retry_left = w_q.retry_left - 3'd1;
          if (rnr_q && attr.rnr_retry != 3'd7) w_d.rnr_left = w_q.rnr_left - 3'd1;
          w_d.naked         = vendor_q == roci_pkg::VendorErrRetrySequence;
          w_d.psn_next      = w_q.una;
          w_d.count         = (RingBits + 1)'(keep);
          w_d.rd_count      = 5'(keep && entry.kind == KindRead);
          w_d.epoch         = w_q.epoch + 4'd1;
          w_d.blocked       = 1'b0;
          w_d.stopped       = 1'b0;
          w_d.restart       = 1'b0;
          w_d.rnr_wait      = rnr_q;
          w_d.resume_index  = w_q.done;
          w_d.resume_offset = keep ? back_offset : '0;
          kill              = 1'b1;
          ptr_push          = 1'b1;
          ptr_go            = !rnr_q;
          count_push        = 1'b1;
          counter           = roci_pkg::QpCounterRetries;
          timer_push        = 1'b1;
          timer_op          = rnr_q ? roci_pkg::TimerOpRnr : roci_pkg::TimerOpStop;
          timer_code        = rnr_q ? syndrome[4:0] : attr.timeout;
          finish            = 1'b1;
        end
      end

      StFail: if (cqe_room) begin
        cqe_push     = 1'b1;
        cqe_status   = status_q;
        cqe_vendor   = vendor_q;
        fail_push    = 1'b1;
        w_d.done     = w_q.done + 16'd1;
        w_d.count    = '0;
        w_d.rd_count = '0;
        w_d.psn_next = w_q.una;
        w_d.blocked  = 1'b0;
        w_d.rnr_wait = 1'b0;
        w_d.failed   = 1'b1;
        timer_push   = 1'b1;
        timer_op     = roci_pkg::TimerOpStop;
        finish       = 1'b1;
      end

      StFlush: begin
        if (!flush_more) begin
          finish = 1'b1;
        end else if (flushed_q == 5'(FlushRun)) begin
          again_push = 1'b1;
          finish     = 1'b1;
        end else if (cqe_room) begin
          cqe_push   = 1'b1;
          cqe_status = roci_pkg::StatusWrFlushErr;
          w_d.done   = w_q.done + 16'd1;
          flushed_d  = flushed_q + 5'd1;
        end
      end

      default: begin  // StEnd: a response is done with
        finish = 1'b1;
        if (progress_q) begin
          w_d.retry_left = attr.retry_cnt;
          w_d.rnr_left   = attr.rnr_retry;
          w_d.implied    = 1'b0;
          w_d.naked      = 1'b0;
          // An expiry with nothing in flight does no harm, so a busy timer is spared the order.
          timer_push     = flight != '0 || timer_calm;
          w_d.unstopped  = flight == '0 ? !timer_calm : w_q.unstopped;
          timer_op       = flight != '0 ? roci_pkg::TimerOpRestart : roci_pkg::TimerOpStop;
        end
        if (unblock) begin
          w_d.blocked = 1'b0;
          ptr_push    = 1'b1;
        end
      end
    endcase

    if (retire) begin
      w_d.head  = w_q.head + 1'b1;
      w_d.count = w_q.count - 1'b1;
      w_d.done  = w_q.done + 16'd1;
      w_d.owe_data  = !entry.signaled && (w_q.owe_data || entry.kind == KindRead);
      w_d.owe_store = !entry.signaled && (w_q.owe_store || entry.kind == KindAtomic);
    end
    // Progress found by an event that goes back gives the retries back first.
    if ((state_q == StRetire || state_q == StPlaced) && progress_d) begin
      w_d.retry_left = attr.retry_cnt;
      w_d.rnr_left   = attr.rnr_retry;
      w_d.naked      = 1'b0;
      if (state_d != StBack) w_d.implied = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StIdle;
    else if (state_q == StIdle || finish) state_q <= pick ? StLook : StIdle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q != StIdle) begin
      w_q        <= w_d;
      progress_q <= progress_d;
      placed_q   <= placed_d;
      counted_q  <= counted_d;
      rnr_q      <= rnr_d;
      status_q   <= status_d;
      vendor_q   <= vendor_d;
      flushed_q  <= flushed_d;
    end
    if (state_q == StLook) begin
      upto_q <= upto;
      ask_q  <= ask;
    end else if (state_q == StPlaced) begin
      upto_q <= rsp_q.psn + 24'd1;
      ask_q  <= AskNone;
    end
  end

  // ---- Outputs ----
  roci_pkg::fetch_ptr_t  ptr_in;
  roci_pkg::cqe_req_t    cqe_in;
  roci_pkg::event_req_t  fail_in;
  roci_pkg::timer_cmd_t  timer_in;
  roci_pkg::count_t      count_in;
  roci_pkg::atomic_job_t job_in;
  roci_pkg::seg_t        rsp_seg_in;
  logic                  out_empty;

  assign store_room   = store_q - store_done_i < 8'd64;
  assign done_valid_o = finish || retire || cqe_push;
  assign done_row_o   = row_q;
  assign done_index_o = w_d.done;

  assign ptr_in.qpn       = 24'(row_q);
  assign ptr_in.epoch     = w_d.epoch;
  assign ptr_in.wqe_index = w_d.resume_index;
  assign ptr_in.offset    = w_d.resume_offset;
  assign ptr_in.ready     = ptr_go;
  assign fail_in.kind     = roci_pkg::EventQpFatal;
  assign fail_in.number   = 24'(row_q);
  assign timer_in.qpn     = 24'(row_q);
  assign timer_in.op      = timer_op;
  assign timer_in.code    = timer_code;
  assign count_in.qpn     = 24'(row_q);
  assign count_in.counter = counter;
  assign count_in.bytes   = state_q == StPlaced ? rsp_q.payload_len : '0;

  always_comb begin
    cqe_in           = '0;
    cqe_in.cqn       = attr.send_cqn;
    cqe_in.qpn       = 24'(row_q);
    cqe_in.wqe_index = w_q.done;
    cqe_in.status     = cqe_status;
    cqe_in.vendor_err = cqe_vendor;
    if (retire) begin
      unique case (8'(entry.opcode))
        roci_pkg::WrOpWrite, roci_pkg::WrOpWriteImm: cqe_in.opcode = roci_pkg::WcOpWrite;
        roci_pkg::WrOpRead:     cqe_in.opcode = roci_pkg::WcOpRead;
        roci_pkg::WrOpCmpSwap:  cqe_in.opcode = roci_pkg::WcOpCmpSwap;
        roci_pkg::WrOpFetchAdd: cqe_in.opcode = roci_pkg::WcOpFetchAdd;
        default:                cqe_in.opcode = roci_pkg::WcOpSend;
      endcase
      if (entry.kind == KindRead) cqe_in.byte_len = entry.msg_len;
      if (entry.kind == KindAtomic) cqe_in.byte_len = 32'd8;
      cqe_in.wait_data    = w_q.owe_data || (entry.kind == KindRead && entry.msg_len != '0);
      cqe_in.ticket       = rsp_q.ticket;
      cqe_in.wait_store   = w_q.owe_store || entry.kind == KindAtomic;
      cqe_in.store_ticket = store_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) store_q <= '0;
    else if (job_push) store_q <= store_q + 8'd1;
  end
  always_comb begin
    job_in         = '0;
    job_in.qpn     = 24'(row_q);
    job_in.addr    = place.addr;
    job_in.pasid   = place.pasid;
    job_in.operand = rsp_q.ext[191:128];
  end

  // Payload that is not placed is skipped.
  assign rsp_drop = finish && is_rsp_q && rsp_q.payload_len != '0 && !placed_d;
  always_comb begin
    rsp_seg_in = place_seg;
    if (rsp_drop) begin
      rsp_seg_in      = '0;
      rsp_seg_in.len  = rsp_q.payload_len;
      rsp_seg_in.last = 1'b1;
      rsp_seg_in.drop = 1'b1;
    end
  end

  roci_requester_out #(.NumQps(NumQps)) u_out (
    .clk_i, .rst_ni, .ptr_i(ptr_in), .ptr_push_i(ptr_push), .desc_i(desc),
    .desc_push_i(desc_push), .verdict_push_i(verdict_push), .kill_i(kill), .kill_row_i(row_q), .cqe_i(cqe_in), .cqe_push_i(cqe_push),
    .fail_i(fail_in), .fail_push_i(fail_push), .timer_i(timer_in), .timer_push_i(timer_push),
    .count_i(count_in), .count_push_i(count_push), .job_i(job_in), .job_push_i(job_push),
    .rsp_seg_i(rsp_seg_in), .rsp_seg_push_i(rsp_drop || place_seg_valid),
    .rsp_seg_ready_o(rsp_seg_in_ready), .plan_seg_i, .plan_seg_valid_i, .plan_seg_ready_o,
    .room_o(room), .fail_room_o(fail_room), .desc_room_o(desc_room), .rsp_room_o(rsp_room),
    .cqe_room_o(cqe_room), .timer_calm_o(timer_calm),
    .ptr_o, .ptr_valid_o, .ptr_ready_i, .desc_o, .desc_valid_o, .desc_ready_i,
    .seg_o, .seg_valid_o, .seg_ready_i, .cqe_o, .cqe_valid_o, .cqe_ready_i,
    .fail_o, .fail_valid_o, .fail_ready_i, .timer_cmd_o, .timer_cmd_valid_o, .timer_cmd_ready_i,
    .count_o, .count_valid_o, .count_ready_i,
    .atomic_job_o, .atomic_job_valid_o, .atomic_job_ready_i,
    .rsp_seg_o, .rsp_seg_valid_o, .rsp_seg_ready_i, .empty_o(out_empty));

  always_comb begin
    live_o              = '0;
    live_o.sq_psn       = word.psn_next;
    live_o.sq_una_psn   = word.una;
    live_o.sq_completed = word.done;
    live_o.sq_idle      = word.psn_next == word.una && (word.failed || word.done == word.begun);
  end

  assign idle_o = memory_ready && state_q == StIdle && none && out_empty;

  logic unused;
  assign unused = &{1'b0, attr, plan_q, rsp_q, timer_q, control_q, word, slot_num_sge, row_index_i,
                    row_data_i, unused_ram0, unused_ram1, unused_ram2, place};

  `ASSERT(DropHasRoom, `IMPLIES(rsp_drop, rsp_seg_in_ready))
  `ASSERT(UnsentNeverFreed, `IMPLIES(retire, ahead != '0 || state_q == StPlaced))
  `ASSERT(RingHoldsHead, `IMPLIES(retire, have))
  `ASSERT(ContinuesHead, `IMPLIES(desc_push && !plan_q.first, have))

endmodule
