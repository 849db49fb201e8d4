// SPDX-License-Identifier: Apache-2.0
// Owner of the state of every queue pair: firmware's writes and the engines' failures come one
// after the other, each change goes out on the row bus, and the engines get their commands.
//
// Throughput: one request per four clocks. Latency: two clocks to the row bus, of a request of
// firmware three, and one more to qp_event.
//
//   firmware (write, read) ---+                      +--> change (row bus)
//   fail of sq, rq, cq -------+--> look up, decide --+--> qp_event to sq and rq
//                                                    +--> event to the event queue
//
// A failure acts in INIT, RTR, RTS, SQD and SQE; in RESET and ERR it is dropped. A failure of the
// sends alone (UC) acts in RTS and SQD, leads to SQE and raises no event (10.3.1). From ERR
// firmware may write RESET only, so that a failure that it has not seen is not undone. Failures
// never wait for the engines, which may themselves wait for a failure to be taken: firmware's
// writes start only while both qp_event queues are empty, and a queue holds one Flush of every
// queue pair besides.

`include "assert.svh"

module roci_qp_state #(
  parameter int unsigned NumQps = 256
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // in: firmware; a pulse of done with the state before
  input  logic                  req_valid_i,
  input  logic                  req_write_i,
  input  logic [23:0]           req_qpn_i,
  input  logic [2:0]            req_state_i,
  output logic                  req_done_o,
  output logic [2:0]            req_state_o,

  // in: failures, `number` is the queue pair
  input  roci_pkg::event_req_t  fail_sq_i,
  input  logic                  fail_sq_valid_i,
  output logic                  fail_sq_ready_o,
  input  roci_pkg::event_req_t  fail_rq_i,
  input  logic                  fail_rq_valid_i,
  output logic                  fail_rq_ready_o,
  input  roci_pkg::event_req_t  fail_cq_i,
  input  logic                  fail_cq_valid_i,
  output logic                  fail_cq_ready_o,

  // out: change of state
  output logic                  change_valid_o,
  output logic [23:0]           change_qpn_o,
  output logic [2:0]            change_state_o,

  // out
  output roci_pkg::qp_event_t   event_sq_o,
  output logic                  event_sq_valid_o,
  input  logic                  event_sq_ready_i,
  output roci_pkg::qp_event_t   event_rq_o,
  output logic                  event_rq_valid_o,
  input  logic                  event_rq_ready_i,
  output roci_pkg::event_req_t  event_o,
  output logic                  event_valid_o,
  input  logic                  event_ready_i,

  output logic                  idle_o
);

  localparam int unsigned QpBits = $clog2(NumQps);
  localparam int unsigned Clients = 4;  // fail of sq, rq, cq, and firmware

  typedef enum logic [2:0] {StPick, StRead, StDecide, StReport, StEvent} state_e;
  state_e state_q;

  // The request in flight
  logic [Clients-1:0] request, grant, grant_q;
  logic [1:0]         index;
  logic               take, by_firmware, write_q, acts, fails_q, sends_only;
  logic [23:0]        qpn_q;
  logic [2:0]         next_q, next, now_state;
  logic [7:0]         kind_q;
  logic               settled_q, req_q, ram_ready;

  // Firmware's request follows from a command register, so it is chosen a clock later.
  always_ff @(posedge clk_i) req_q <= rst_ni && req_valid_i && !req_done_o;
  assign request = {req_q && (!req_write_i || settled_q), fail_cq_valid_i, fail_rq_valid_i,
                    fail_sq_valid_i};
  assign take    = state_q == StPick && |request && ram_ready;

  roci_arbiter #(.Clients(Clients)) u_arbiter (
    .clk_i, .rst_ni,
    .request_i(request),
    .grant_o  (grant),
    .index_o  (index),
    .taken_i  (take)
  );

  // Failures are taken at the end of their look-up, so that ready comes from a register.
  assign fail_sq_ready_o = state_q == StDecide && grant_q[0];
  assign fail_rq_ready_o = state_q == StDecide && grant_q[1];
  assign fail_cq_ready_o = state_q == StDecide && grant_q[2];
  assign by_firmware     = grant_q[3];
  assign req_done_o      = state_q == StDecide && by_firmware;
  assign req_state_o     = now_state;

  roci_ram #(.Width(3), .Depth(NumQps), .Clear(1)) u_states (
    .clk_i, .rst_ni,
    .write_i     (change_valid_o),
    .write_row_i (qpn_q[QpBits-1:0]),
    .write_data_i(next),
    .read_i      (state_q == StRead),
    .read_row_i  (qpn_q[QpBits-1:0]),
    .read_data_o (now_state),
    .ready_o     (ram_ready)
  );

  assign sends_only = kind_q == roci_pkg::FailSends;
  always_comb begin
    if (by_firmware) begin
      next = next_q;
      acts = write_q && (now_state != roci_pkg::QpErr || next_q == roci_pkg::QpReset);
    end else if (sends_only) begin
      next = roci_pkg::QpSqe;
      acts = now_state == roci_pkg::QpRts || now_state == roci_pkg::QpSqd;
    end else begin
      next = roci_pkg::QpErr;
      acts = now_state != roci_pkg::QpReset && now_state != roci_pkg::QpErr;
    end
  end

  assign change_valid_o = state_q == StDecide && acts;
  assign change_qpn_o   = qpn_q;
  assign change_state_o = next;

  logic [1:0] tell_kind_q;
  logic       report_sq_q, report_rq_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StPick;
      grant_q <= '0;
    end else begin
      unique case (state_q)
        StPick: begin
          if (take) begin
            state_q <= StRead;
            grant_q <= grant;
          end
        end
        StRead:   state_q <= StDecide;
        StDecide: state_q <= acts ? StReport : StPick;
        StReport:   state_q <= fails_q && !sends_only ? StEvent : StPick;
        StEvent:  if (event_ready_i) state_q <= StPick;
        default:  state_q <= StPick;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      unique case (index)
        2'd0: begin
          qpn_q  <= fail_sq_i.number;
          kind_q <= fail_sq_i.kind;
        end
        2'd1: begin
          qpn_q  <= fail_rq_i.number;
          kind_q <= fail_rq_i.kind;
        end
        2'd2: begin
          qpn_q  <= fail_cq_i.number;
          kind_q <= fail_cq_i.kind;
        end
        default: qpn_q <= req_qpn_i;
      endcase
      write_q <= req_write_i;
      next_q  <= req_state_i;
      fails_q <= !grant[3];
    end
    if (state_q == StDecide) begin
      report_sq_q <= 1'b0;
      report_rq_q <= 1'b0;
      tell_kind_q <= roci_pkg::QpEventFlush;
      if (next == roci_pkg::QpRtr && now_state == roci_pkg::QpInit) begin
        report_rq_q <= 1'b1;
        tell_kind_q <= roci_pkg::QpEventInitResponder;
      end else if (next == roci_pkg::QpRts && now_state == roci_pkg::QpRtr) begin
        report_sq_q <= 1'b1;
        tell_kind_q <= roci_pkg::QpEventInitRequester;
      end else if (next == roci_pkg::QpRts && now_state == roci_pkg::QpSqe) begin
        report_sq_q <= 1'b1;
        tell_kind_q <= roci_pkg::QpEventResume;
      end else if (next == roci_pkg::QpSqe && !by_firmware) begin
        report_sq_q <= 1'b1;
      end else if (next == roci_pkg::QpErr && now_state != roci_pkg::QpErr &&
                   now_state != roci_pkg::QpReset) begin
        report_sq_q <= now_state != roci_pkg::QpSqe;  // its sends were flushed
        report_rq_q <= 1'b1;
      end
    end
  end

  assign event_valid_o  = state_q == StEvent;
  assign event_o.kind   = kind_q;
  assign event_o.number = qpn_q;

  // Commands to the engines; a queue pair is named by its row.
  localparam int unsigned QueueBits = QpBits + 2;
  logic                 sq_room, rq_room;
  logic [QueueBits-1:0] sq_word, rq_word;

  roci_fifo #(.Width(QueueBits), .Depth(2 * NumQps)) u_to_sq (
    .clk_i, .rst_ni,
    .in_data_i  ({tell_kind_q, qpn_q[QpBits-1:0]}),
    .in_valid_i (state_q == StReport && report_sq_q),
    .in_ready_o (sq_room),
    .out_data_o (sq_word),
    .out_valid_o(event_sq_valid_o),
    .out_ready_i(event_sq_ready_i),
    .level_o    ()
  );
  roci_fifo #(.Width(QueueBits), .Depth(2 * NumQps)) u_to_rq (
    .clk_i, .rst_ni,
    .in_data_i  ({tell_kind_q, qpn_q[QpBits-1:0]}),
    .in_valid_i (state_q == StReport && report_rq_q),
    .in_ready_o (rq_room),
    .out_data_o (rq_word),
    .out_valid_o(event_rq_valid_o),
    .out_ready_i(event_rq_ready_i),
    .level_o    ()
  );
  assign event_sq_o.kind = sq_word[QueueBits-1:QpBits];
  assign event_sq_o.qpn  = 24'(sq_word[QpBits-1:0]);
  assign event_rq_o.kind = rq_word[QueueBits-1:QpBits];
  assign event_rq_o.qpn  = 24'(rq_word[QpBits-1:0]);
  // Both were empty in the clock before, and nothing came since: the choice follows a register.
  always_ff @(posedge clk_i) begin
    settled_q <= rst_ni && !event_sq_valid_o && !event_rq_valid_o && state_q != StReport;
  end

  assign idle_o = state_q == StPick && !req_valid_i && !(|request[2:0]) && settled_q && ram_ready;

  `ASSERT(SettledIsEmpty, `IMPLIES(settled_q, !event_sq_valid_o && !event_rq_valid_o))
  `ASSERT(RequestStands, `IMPLIES(req_q, req_valid_i))
  `ASSERT(QueueHasRoom, `IMPLIES(state_q == StReport, sq_room && rq_room))

endmodule
