// SPDX-License-Identifier: Apache-2.0
// Chooses the next operation of roci_rq_fetch and the row that it reads. The operation that is in
// progress still stands at its input, so it is not chosen again.
//
// Throughput: one operation per clock; a fetch takes three, a Peek or take two. Latency:
// none for the row; one clock for the operation, or as many as it takes.
//
// A fetch needs what roci_rq_next makes of the ring, which takes two clocks. So it stays for two
// clocks before it acts; nothing else is read or written in them, so the ring is still that of the
// table. When the queue pair is reset or the row of the SRQ is written in them, the row is read
// again and the clocks repeated. The take of an entry of an SRQ stays for one clock
// likewise. A Peek looks for a clock whether it must take an entry; if the queue pair is reset
// then, the entry that it takes is lost, as when that happens while it is copied.

`include "assert.svh"

module roci_rq_select #(
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned NumSrqs = 64,   // power of two
  parameter int unsigned Srq     = 1,    // 0: no SRQs
  localparam int unsigned RowBits = $clog2(NumQps > NumSrqs ? NumQps : NumSrqs)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       ready_i,       // the tables are cleared
  input  logic                       pause_i,       // stops doorbells
  output logic                       idle_o,

  // what waits
  input  logic                       arrival_valid_i,
  input  logic                       arrival_srq_i,
  input  logic [RowBits-1:0]         arrival_row_i,
  input  logic                       cmd_valid_i,
  input  logic                       cmd_ready_i,   // the order in progress ends
  input  logic [23:0]                cmd_qpn_i,
  input  logic                       live_valid_i,
  input  logic [23:0]                live_srqn_i,
  input  logic                       doorbell_valid_i,
  input  logic [23:0]                doorbell_qpn_i,
  input  logic                       srq_doorbell_valid_i,
  input  logic [23:0]                srq_doorbell_srqn_i,
  input  logic                       work_valid_i,
  input  logic [$clog2(NumQps)-1:0]  work_row_i,
  input  logic                       srq_work_valid_i,
  input  logic [$clog2(NumSrqs)-1:0] srq_work_row_i,

  // the row that was read
  input  logic                       srq_i,
  input  logic [RowBits-1:0]         row_i,
  input  logic                       changes_i,     // it changes in this clock

  // outcome of the operation in progress
  input  logic                       may_seek_i,    // the order is a Peek
  input  logic                       seeks_i,       // a clock later: it needs one
  input  logic [RowBits-1:0]         take_row_i,    // the row of that SRQ
  input  logic                       copy_start_i,  // the entry is copied
  input  logic                       copy_done_i,
  input  logic                       room_i,        // two failures or events can be reported
  input  logic                       fetch_room_i,  // a block read can be requested

  output logic                       read_o,
  output logic                       read_srq_o,
  output logic [RowBits-1:0]         read_row_o,
  output logic                       of_cmd_o,      // it is the row of the order, else of these:
  output logic [RowBits-1:0]         qp_row_o,
  output logic [$clog2(NumSrqs)-1:0] srq_row_o,
  output logic                       work_pop_o,
  output logic                       srq_work_pop_o,

  // the operation in progress, on the row that was read
  output logic                       arrival_o,
  output logic                       cmd_o,
  output logic                       seek_o,        // the Peek, a clock later
  output logic                       take_o,        // take an entry of the SRQ
  output logic                       hold_o,        // the copied entry is the queue pair's
  output logic                       bell_o,
  output logic                       srq_bell_o,
  output logic                       work_o,        // fetch
  output logic                       live_o
);

  localparam int unsigned SrqRowBits = $clog2(NumSrqs);

  typedef enum logic [3:0] {
    StIdle, StArrival, StCmd, StSeek, StTake, StCopy, StHold, StDoorbell, StSrqDoorbell, StWork,
    StLive
  } state_e;
  state_e state_q, state_d;
  logic   srq_turn_q;
  logic [1:0] clocks_q;  // clocks that the operation in progress has stayed
  logic       stays;     // and it does not act yet

  assign idle_o     = state_q == StIdle;
  assign arrival_o  = state_q == StArrival;
  assign cmd_o      = state_q == StCmd;
  assign seek_o     = state_q == StSeek;
  assign take_o     = Srq != 0 && state_q == StTake && clocks_q[0];
  assign hold_o     = Srq != 0 && state_q == StHold;
  assign bell_o     = state_q == StDoorbell;
  assign srq_bell_o = Srq != 0 && state_q == StSrqDoorbell;
  assign work_o     = state_q == StWork && clocks_q[1];
  assign live_o     = Srq != 0 && state_q == StLive;

  assign stays      = (state_q == StWork && !clocks_q[1]) || (state_q == StTake && !clocks_q[0]);

  logic bell_ok;
  assign bell_ok = !pause_i && room_i && ready_i;
  // Which operation is next, and whether its row is read now.
  logic work_srq;
  assign work_srq = srq_work_valid_i && (srq_turn_q || !work_valid_i);
  always_comb begin
    state_d        = StIdle;
    read_o         = 1'b1;
    work_pop_o     = 1'b0;
    srq_work_pop_o = 1'b0;
    if (stays) begin
      read_o  = changes_i;
      state_d = state_q;
    end else if (may_seek_i) begin
      read_o  = 1'b0;
      state_d = StSeek;
    end else if (seek_o && seeks_i && room_i) begin
      state_d = StTake;
    end else if (copy_start_i || (state_q == StCopy && !copy_done_i)) begin
      read_o  = 1'b0;
      state_d = StCopy;
    end else if (state_q == StCopy) begin
      state_d = StHold;
    end else if (arrival_valid_i && state_q != StArrival && room_i) begin
      state_d = StArrival;
    end else if (cmd_valid_i && !cmd_ready_i && ready_i) begin
      state_d = StCmd;
    end else if (live_valid_i && state_q != StLive && ready_i) begin
      state_d = StLive;
    end else if (doorbell_valid_i && state_q != StDoorbell && bell_ok) begin
      state_d = StDoorbell;
    end else if (srq_doorbell_valid_i && state_q != StSrqDoorbell && bell_ok) begin
      state_d = StSrqDoorbell;
    end else if ((work_valid_i || srq_work_valid_i) && state_q != StWork && fetch_room_i) begin
      work_pop_o     = !work_srq;
      srq_work_pop_o = work_srq;
      state_d        = StWork;
    end else begin
      read_o = 1'b0;
    end
  end

  // Its row. Nothing is read for a Peek that looks, and while an entry is copied: what decides on
  // these does not reach the row.
  logic cmd_ends, takes_row, arrives, reads_live, bell, srq_bell, rest_srq;
  assign cmd_ends  = cmd_o || hold_o || take_o || (seek_o && !seeks_i);
  assign takes_row = seek_o && seeks_i && room_i;
  assign arrives   = arrival_valid_i && state_q != StArrival && room_i;
  assign reads_live     = live_valid_i && state_q != StLive && ready_i;
  assign bell      = doorbell_valid_i && state_q != StDoorbell && bell_ok;
  assign srq_bell  = srq_doorbell_valid_i && state_q != StSrqDoorbell && bell_ok;
  // The row if it is of a queue pair but no order's, and if it is of an SRQ.
  always_comb begin
    qp_row_o  = stays   ? row_i
              : arrives ? arrival_row_i
              : bell    ? doorbell_qpn_i[RowBits-1:0] : RowBits'(work_row_i);
    srq_row_o = stays     ? row_i[SrqRowBits-1:0]
              : takes_row ? take_row_i[SrqRowBits-1:0]
              : arrives   ? arrival_row_i[SrqRowBits-1:0]
              : reads_live     ? live_srqn_i[SrqRowBits-1:0]
              : srq_bell  ? srq_doorbell_srqn_i[SrqRowBits-1:0] : srq_work_row_i;
    rest_srq  = stays     ? srq_i
              : takes_row ? 1'b1
              : arrives   ? arrival_srq_i
              : reads_live || (!bell && (srq_bell || work_srq));
  end
  // The order is known last.
  assign of_cmd_o   = !stays && !takes_row
                   && (state_q == StCopy || (cmd_valid_i && !cmd_ends && ready_i && !arrives));
  assign read_srq_o = !of_cmd_o && rest_srq;
  assign read_row_o = of_cmd_o ? cmd_qpn_i[RowBits-1:0] : rest_srq ? RowBits'(srq_row_o) : qp_row_o;
  `ASSERT(RowIsOfTheChoice, `IMPLIES(read_o && state_d != StWork, read_srq_o
            == (state_d == StTake || state_d == StLive || state_d == StSrqDoorbell
                || (state_d == StArrival && arrival_srq_i))))
  `ASSERT(OrderStands, `IMPLIES(state_d == StCmd, read_row_o == cmd_qpn_i[RowBits-1:0]))

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      srq_turn_q <= 1'b0;
      clocks_q   <= '0;
    end else begin
      state_q  <= state_d;
      clocks_q <= stays && !changes_i ? clocks_q + 2'd1 : '0;
      if (work_pop_o || srq_work_pop_o) srq_turn_q <= work_pop_o;
    end
  end

  logic unused;
  assign unused = &{cmd_qpn_i, live_srqn_i, doorbell_qpn_i, srq_doorbell_srqn_i, take_row_i};

endmodule
