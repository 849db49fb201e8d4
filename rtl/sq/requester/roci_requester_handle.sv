// SPDX-License-Identifier: Apache-2.0
// Events that are no plan and no response in the window. Combinational.
//
//  live state      reply
//  response        unsolicited (RQ-16 to RQ-18, RQ-22), or a late NAK: Compare
//  payload that could not be read                       its message ends in an error, in its turn
//  timer           recover, end an RNR wait, or nothing
//  control         begin a generation, or flush

module roci_requester_handle (
  input  logic                      is_live_i,
  input  logic                      is_rsp_i,
  input  logic                      is_timer_i,
  input  logic                      is_fault_i,   // payload of fault_psn_i could not be read,
  input  logic                      left_i,       // or with UC: that packet left
  input  logic                      is_again_i,   // the rest of a flush
  input  roci_pkg::timer_event_t    timer_i,
  input  logic [23:0]               fault_psn_i,
  input  roci_pkg::sq_control_t     control_i,
  input  roci_pkg::requester_qp_t   qp_i,
  input  logic                      in_flight_i,  // something is, as the word was read
  input  roci_pkg::requester_run_t  run_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic                      uc_i,         // UC or UD
  input  logic                      in_err_i,

  output roci_pkg::requester_qp_t   qp_o,
  output roci_pkg::requester_run_t  run_o,
  output roci_pkg::requester_step_t step_o
);

  logic flush, begin_generation;
  assign flush            = control_i.flush && in_err_i;
  assign begin_generation = !control_i.flush;

  always_comb begin
    qp_o              = qp_i;
    run_o             = run_i;
    step_o            = '0;
    step_o.state      = roci_pkg::RequesterEnd;
    step_o.ptr_go     = 1'b1;
    step_o.counter    = roci_pkg::QpCounterTimeouts;
    step_o.timer_op   = roci_pkg::TimerOpStop;
    step_o.timer_code = attr_i.timeout;

    if (is_live_i) begin
      step_o.finish = 1'b1;
    end else if (is_rsp_i) begin
      if (run_i.live && run_i.late) begin
        // The window as it was: the ring still holds those messages.
        qp_o.psn_next = qp_i.psn_max;
        qp_o.count    = qp_i.count_max;
        step_o.state  = roci_pkg::RequesterCompare;
      end else begin
        step_o.ghost  = 1'b1;
        step_o.finish = !run_i.live;
      end
    end else if (is_fault_i) begin
      // Nothing is sent after it, and when it is the oldest message it fails. Acknowledged, or not
      // retransmitted since the recovery: it is not needed, or will be read again.
      if (run_i.live && run_i.in_window && !left_i) begin
        qp_o.bad     = 1'b1;
        qp_o.stopped = 1'b1;
        if (!qp_i.bad) qp_o.bad_psn = fault_psn_i;
        run_o.upto   = qp_i.una;
        step_o.state = roci_pkg::RequesterCompare;
      end else begin
        step_o.finish = !run_i.live;
      end
    end else if (is_timer_i) begin
      step_o.timer   = 1'b1;
      step_o.finish  = 1'b1;
      qp_o.unstopped = 1'b0;
      if (run_i.live) begin
        if (qp_i.rnr_wait) begin
          // Only the RNR timer counts; the other may have expired just before (RQ-26).
          step_o.timer = timer_i.rnr;
          if (timer_i.rnr) begin
            qp_o.rnr_wait = 1'b0;
            step_o.ptr    = 1'b1;
          end
        end else if (in_flight_i) begin
          if (timer_i.rnr || qp_i.unstopped) begin
            // Maybe of packets before those in flight: give them a whole time more.
            step_o.timer_op = roci_pkg::TimerOpRestart;
          end else begin
            step_o.timer  = 1'b0;
            step_o.finish = 1'b0;
            step_o.count  = 1'b1;
            run_o.counted = 1'b1;
            run_o.status  = roci_pkg::StatusRetryExcErr;
            run_o.vendor  = roci_pkg::VendorErrRetryTimeout;
            step_o.state  = roci_pkg::RequesterRecover;
          end
        end
      end
    end else if (flush || begin_generation) begin  // control, or the rest of a flush
      step_o.timer   = !is_again_i;
      step_o.kill    = 1'b1;
      qp_o.count     = '0;
      qp_o.rd_count  = '0;
      qp_o.blocked   = 1'b0;
      qp_o.rnr_wait  = 1'b0;
      qp_o.stopped   = 1'b0;
      qp_o.restart   = 1'b0;
      qp_o.bad       = 1'b0;
      qp_o.implied   = 1'b0;
      qp_o.naked     = 1'b0;
      qp_o.owe_data  = 1'b0;
      qp_o.owe_store = 1'b0;
      qp_o.unstopped = 1'b0;
      if (flush) begin
        if (control_i.clear) qp_o.done = '0;
        qp_o.failed   = 1'b1;
        // No PSN of UC is used twice: the receiver takes the next message at any PSN.
        if (uc_i) qp_o.una = qp_i.psn_next;
        else qp_o.psn_next = qp_i.una;
        step_o.state = roci_pkg::RequesterFlush;
      end else begin
        qp_o.count_max     = '0;
        qp_o.epoch         = qp_i.epoch + 4'd1;
        qp_o.failed        = 1'b0;
        qp_o.resume_offset = '0;
        step_o.ptr         = 1'b1;
        step_o.finish      = 1'b1;
        if (control_i.resume) begin
          qp_o.psn_next     = qp_i.una;
          qp_o.psn_max      = qp_i.una;
          qp_o.begun        = qp_i.done;
          qp_o.resume_index = qp_i.done;
        end else begin
          qp_o.psn_next     = attr_i.sq_psn;
          qp_o.una          = attr_i.sq_psn;
          qp_o.psn_max      = attr_i.sq_psn;
          qp_o.done         = '0;
          qp_o.begun        = '0;
          qp_o.messages     = '0;
          qp_o.retry_left   = attr_i.retry_cnt;
          qp_o.rnr_left     = attr_i.rnr_retry;
          qp_o.limited      = 1'b0;
          qp_o.resume_index = '0;
        end
      end
    end else begin
      step_o.finish = 1'b1;  // a flush of a generation that is over
    end
  end

  logic unused;
  assign unused = &{1'b0, timer_i, control_i, attr_i, run_i};

endmodule
