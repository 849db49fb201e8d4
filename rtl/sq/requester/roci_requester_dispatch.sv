// SPDX-License-Identifier: Apache-2.0
// First step of an event: is it of this generation, and which step follows. Combinational.
//
//  live state      reply                         timer     recover, end an RNR wait, or nothing
//  plan            Plan                          control   begin a generation, or flush
//  response        Retire, or unsolicited (RQ-16 to RQ-18, RQ-22)
//  payload that could not be read                       its message ends in an error, in its turn
//  UC: a packet that left                               what precedes it is complete (UC-01)

module roci_requester_dispatch (
  input  logic                      is_live_i,
  input  logic                      is_plan_i,
  input  logic                      is_rsp_i,
  input  logic                      is_timer_i,
  input  logic                      is_fault_i,   // payload of fault_psn_i could not be read,
  input  logic                      left_i,       // or with UC: that packet left
  input  logic                      is_again_i,   // the rest of a flush
  input  roci_pkg::rx_meta_t        rsp_i,
  input  roci_pkg::timer_event_t    timer_i,
  input  logic [23:0]               fault_psn_i,
  input  roci_pkg::sq_control_t     control_i,
  input  roci_pkg::requester_qp_t   qp_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic                      uc_i,         // UC or UD
  input  logic                      alive_i,      // in RTS or SQD, generation begun
  input  logic                      in_err_i,

  output roci_pkg::requester_qp_t   qp_o,
  output roci_pkg::requester_qp_t   qp_end_o,   // the same when the event ends
  output roci_pkg::requester_run_t  run_o,
  output roci_pkg::requester_step_t step_o
);

  // Response: window, what it requests
  logic        in_window, with_aeth, acknowledges, credit;
  logic [2:0]  ask;
  logic [23:0] unused_flight, limit;
  logic        limited;
  logic [7:0]  syndrome;
  roci_pkg::ext_aeth_t aeth;
  roci_psn_window u_inside (
    .una_i(qp_i.una), .next_i(qp_i.psn_next), .psn_i(is_fault_i ? fault_psn_i : rsp_i.psn),
    .inside_o(in_window), .in_flight_o(unused_flight));
  assign aeth         = rsp_i.ext;
  assign syndrome     = {aeth.kind, aeth.code};
  assign with_aeth    = rsp_i.opcode != roci_pkg::OpRcReadRespMiddle;
  assign acknowledges = with_aeth && aeth.kind == roci_pkg::AethAck;

  always_comb begin
    ask = roci_pkg::AskSyndrome;
    unique case (rsp_i.opcode)
      roci_pkg::OpRcAck: begin
        if (aeth.kind == roci_pkg::AethAck) begin
          ask = roci_pkg::AskNone;
        end else if (aeth.kind == roci_pkg::AethRnr) begin
          ask = roci_pkg::AskRnr;
        end else if (syndrome == roci_pkg::SynNakSequence) begin
          ask = roci_pkg::AskRecover;
        end else if (syndrome == roci_pkg::SynNakInvalid || syndrome == roci_pkg::SynNakAccess
                     || syndrome == roci_pkg::SynNakOperational) begin
          ask = roci_pkg::AskFatal;
        end
      end
      roci_pkg::OpRcAtomicAck: ask = roci_pkg::AskAtomic;
      default:                 ask = roci_pkg::AskData;
    endcase
  end

  // A responder that NAKs a packet as fatal sends its NAK once and is silent then, so its NAK
  // counts as long as the packet was ever sent, also between a recovery and its retransmission.
  logic        in_sent, late;
  logic [23:0] unused_sent;
  roci_psn_window u_sent (
    .una_i(qp_i.una), .next_i(qp_i.psn_max), .psn_i(rsp_i.psn), .inside_o(in_sent),
    .in_flight_o(unused_sent));
  assign late = in_sent && !in_window && (!qp_i.rnr_wait || rsp_i.psn == qp_i.una)
                && (ask == roci_pkg::AskFatal || ask == roci_pkg::AskSyndrome);

  // Credits may also come by repeating the newest acknowledgement.
  logic unused_beyond;
  roci_requester_credit u_credit (
    .code_i(aeth.code), .msn_i(aeth.msn), .limited_o(limited), .limit_o(limit),
    .known_limited_i(1'b0), .known_limit_i('0), .ssn_i('0), .beyond_o(unused_beyond));
  assign credit = acknowledges
                  && (in_window || (rsp_i.opcode == roci_pkg::OpRcAck
                                    && rsp_i.psn + 24'd1 == qp_i.una
                                    && (limited || qp_i.limited)));

  logic flush, begin_generation;
  assign flush      = control_i.flush && in_err_i;
  assign begin_generation = !control_i.flush;

  always_comb begin
    qp_end_o         = qp_i;
    run_o            = '0;
    run_o.ask        = ask;
    run_o.upto       = rsp_i.psn + 24'(ask == roci_pkg::AskNone);
    step_o           = '0;
    step_o.state     = roci_pkg::RequesterDispatch;
    step_o.ptr_go    = 1'b1;
    step_o.counter   = roci_pkg::QpCounterRxPackets;
    step_o.timer_op  = roci_pkg::TimerOpStop;
    step_o.timer_code = attr_i.timeout;

    if (is_live_i) begin
      step_o.finish = 1'b1;
    end else if (is_plan_i) begin
      step_o.state = roci_pkg::RequesterPlan;
    end else if (is_rsp_i) begin
      if (alive_i && !qp_i.failed && (in_window || late)) begin
        run_o.late   = late;
        step_o.state = roci_pkg::RequesterRetire;
        step_o.count = run_o.ask != roci_pkg::AskData;  // data count when they are placed
      end else begin
        step_o.ghost  = 1'b1;
        step_o.state  = roci_pkg::RequesterEnd;
        // Whether an event ends chooses the next one, so it does not wait for the window.
        step_o.finish = !(alive_i && !qp_i.failed);
      end
    end else if (is_fault_i) begin
      // Nothing is sent after it, and when it is the oldest message it fails. Acknowledged, or not
      // retransmitted since the recovery: it is not needed, or will be read again.
      if (alive_i && !qp_i.failed && in_window) begin
        run_o.ask    = roci_pkg::AskNone;
        run_o.upto   = qp_i.una;
        if (left_i) run_o.upto = fault_psn_i + 24'd1;
        step_o.state = roci_pkg::RequesterRetire;
      end else begin
        step_o.state  = roci_pkg::RequesterEnd;
        step_o.finish = !(alive_i && !qp_i.failed);
      end
    end else if (is_timer_i) begin
      step_o.timer   = 1'b1;
      step_o.finish  = 1'b1;
      qp_end_o.unstopped = 1'b0;
      if (alive_i && !qp_i.failed) begin
        if (qp_i.rnr_wait) begin
          // Only the RNR timer counts; the other may have expired just before (RQ-26).
          step_o.timer = timer_i.rnr;
          if (timer_i.rnr) begin
            qp_end_o.rnr_wait = 1'b0;
            step_o.ptr    = 1'b1;
          end
        end else if (qp_i.psn_next != qp_i.una) begin
          if (timer_i.rnr || qp_i.unstopped) begin
            // Maybe of packets before those in flight: give them a whole time more.
            step_o.timer_op = roci_pkg::TimerOpRestart;
          end else begin
            step_o.timer   = 1'b0;
            step_o.finish  = 1'b0;
            step_o.count   = 1'b1;
            step_o.counter = roci_pkg::QpCounterTimeouts;
            run_o.counted  = 1'b1;
            run_o.status   = roci_pkg::StatusRetryExcErr;
            run_o.vendor   = roci_pkg::VendorErrRetryTimeout;
            step_o.state   = roci_pkg::RequesterRecover;
          end
        end
      end
    end else if (flush || begin_generation) begin  // control, or the rest of a flush
      step_o.timer     = !is_again_i;
      step_o.kill      = 1'b1;
      qp_end_o.count       = '0;
      qp_end_o.rd_count    = '0;
      qp_end_o.blocked     = 1'b0;
      qp_end_o.rnr_wait    = 1'b0;
      qp_end_o.stopped     = 1'b0;
      qp_end_o.restart     = 1'b0;
      qp_end_o.bad         = 1'b0;
      qp_end_o.implied     = 1'b0;
      qp_end_o.naked       = 1'b0;
      qp_end_o.owe_data    = 1'b0;
      qp_end_o.owe_store   = 1'b0;
      qp_end_o.unstopped   = 1'b0;
      if (flush) begin
        if (control_i.clear) qp_end_o.done = '0;
        qp_end_o.failed   = 1'b1;
        // No PSN of UC is used twice: the receiver takes the next message at any PSN.
        if (uc_i) qp_end_o.una = qp_i.psn_next;
        else qp_end_o.psn_next = qp_i.una;
        step_o.state  = roci_pkg::RequesterFlush;
      end else if (control_i.resume) begin
        qp_end_o.psn_next      = qp_i.una;
        qp_end_o.psn_max       = qp_i.una;
        qp_end_o.count_max     = '0;
        qp_end_o.begun         = qp_i.done;
        qp_end_o.epoch         = qp_i.epoch + 4'd1;
        qp_end_o.failed        = 1'b0;
        qp_end_o.resume_index  = qp_i.done;
        qp_end_o.resume_offset = '0;
        step_o.ptr         = 1'b1;
        step_o.finish      = 1'b1;
      end else begin
        qp_end_o.psn_next      = attr_i.sq_psn;
        qp_end_o.una           = attr_i.sq_psn;
        qp_end_o.psn_max       = attr_i.sq_psn;
        qp_end_o.count_max     = '0;
        qp_end_o.done          = '0;
        qp_end_o.begun         = '0;
        qp_end_o.messages      = '0;
        qp_end_o.epoch         = qp_i.epoch + 4'd1;
        qp_end_o.retry_left    = attr_i.retry_cnt;
        qp_end_o.rnr_left      = attr_i.rnr_retry;
        qp_end_o.failed        = 1'b0;
        qp_end_o.limited       = 1'b0;
        qp_end_o.resume_index  = '0;
        qp_end_o.resume_offset = '0;
        step_o.ptr         = 1'b1;
        step_o.finish      = 1'b1;
      end
    end else begin
      step_o.finish = 1'b1;  // a flush of a generation that is over
    end
  end

  // What depends on the window: no event ends in this clock that needs it.
  always_comb begin
    qp_o = qp_end_o;
    if (alive_i && !qp_i.failed) begin
      if (is_rsp_i && credit) begin
        qp_o.limited = limited;
        qp_o.limit   = limit;
      end
      if (is_rsp_i && late) begin
        // The window as it was: the ring still holds those messages.
        qp_o.psn_next = qp_i.psn_max;
        qp_o.count    = qp_i.count_max;
      end
      if (is_fault_i && !left_i && in_window) begin
        qp_o.bad     = 1'b1;
        qp_o.stopped = 1'b1;
        if (!qp_i.bad) qp_o.bad_psn = fault_psn_i;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, rsp_i, aeth, timer_i, control_i, attr_i, unused_beyond, unused_sent,
                    unused_flight};

endmodule
