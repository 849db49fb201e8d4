// SPDX-License-Identifier: Apache-2.0
// Steps that end an event: recovery, failure, flush, and the end of most responses. Combinational.

module roci_requester_recover (
  input  logic [3:0]                 state_i,
  input  logic [4:0]                 rnr_code_i,
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_run_t   run_i,
  input  roci_pkg::requester_entry_t entry_i,       // oldest in the ring
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       uc_i,          // UC or UD
  input  logic                       cqe_room_i,
  input  logic                       timer_calm_i,  // the timer keeps up
  // found in the clock before
  input  logic                       goes_on_i,     // there is room for one that is blocked
  input  logic                       flushes_i,     // there is more to flush

  output roci_pkg::requester_qp_t    qp_o,
  output roci_pkg::requester_run_t   run_o,
  output roci_pkg::requester_step_t  step_o
);

  localparam int unsigned FlushRun = 4;  // flushes in one event; then others have their turn

  // A recovery keeps a message acknowledged in part.
  logic [23:0] back_packets;
  logic [31:0] back_offset;
  logic        keep, exhausted, in_flight, unblock;
  assign in_flight    = qp_i.psn_next != qp_i.una;
  assign unblock      = qp_i.blocked && goes_on_i;
  assign keep         = qp_i.count != '0 && qp_i.una != entry_i.first
                        && entry_i.kind != roci_pkg::MessageError;
  assign back_packets = qp_i.una - entry_i.first;
  assign back_offset  = 32'(back_packets) << (3'd7 + 4'(attr_i.pmtu));
  assign exhausted    = (run_i.counted && qp_i.retry_left == '0)
                        || (run_i.rnr && attr_i.rnr_retry != 3'd7 && qp_i.rnr_left == '0);

  always_comb begin
    qp_o              = qp_i;
    run_o             = run_i;
    step_o            = '0;
    step_o.state      = state_i;
    step_o.ptr_go     = 1'b1;
    step_o.counter    = roci_pkg::QpCounterRetries;
    step_o.timer_op   = roci_pkg::TimerOpStop;
    step_o.timer_code = attr_i.timeout;

    unique case (state_i)
      roci_pkg::RequesterRecover: begin
        if (exhausted) begin
          step_o.state = roci_pkg::RequesterFail;
        end else begin
          if (run_i.counted) qp_o.retry_left = qp_i.retry_left - 3'd1;
          if (run_i.rnr && attr_i.rnr_retry != 3'd7) qp_o.rnr_left = qp_i.rnr_left - 3'd1;
          qp_o.naked         = run_i.vendor == roci_pkg::VendorErrRetrySequence;
          qp_o.psn_next      = qp_i.una;
          qp_o.count         = 8'(keep);
          qp_o.rd_count      = 5'(keep && entry_i.kind == roci_pkg::MessageRead);
          qp_o.epoch         = qp_i.epoch + 4'd1;
          qp_o.blocked       = 1'b0;
          qp_o.stopped       = 1'b0;
          qp_o.bad           = 1'b0;
          qp_o.restart       = 1'b0;
          qp_o.rnr_wait      = run_i.rnr;
          qp_o.resume_index  = qp_i.done;
          qp_o.resume_offset = keep ? back_offset : '0;
          step_o.kill        = 1'b1;
          step_o.ptr         = 1'b1;
          step_o.ptr_go      = !run_i.rnr;
          step_o.count       = 1'b1;
          step_o.timer       = 1'b1;
          if (run_i.rnr) begin
            step_o.timer_op   = roci_pkg::TimerOpRnr;
            step_o.timer_code = rnr_code_i;
          end
          step_o.state       = roci_pkg::RequesterDone;
        end
      end

      roci_pkg::RequesterFail: if (cqe_room_i) begin
        step_o.cqe        = 1'b1;
        step_o.cqe_status = run_i.status;
        step_o.cqe_vendor = run_i.vendor;
        step_o.fail       = 1'b1;
        step_o.kill       = 1'b1;
        step_o.timer      = 1'b1;
        step_o.state      = roci_pkg::RequesterDone;
        qp_o.done         = qp_i.done + 16'd1;
        qp_o.count        = '0;
        qp_o.rd_count     = '0;
        if (!uc_i) qp_o.psn_next = qp_i.una;
        qp_o.blocked      = 1'b0;
        qp_o.rnr_wait     = 1'b0;
        qp_o.failed       = 1'b1;
        qp_o.bad          = 1'b0;
      end

      roci_pkg::RequesterFlush: begin
        run_o.compared = 1'b1;
        if (!run_i.compared) begin
          // What is left is counted in this clock.
        end else if (!flushes_i) begin
          step_o.state = roci_pkg::RequesterDone;
        end else if (run_i.flushed == 5'(FlushRun)) begin
          step_o.again = 1'b1;
          step_o.state = roci_pkg::RequesterDone;
        end else if (cqe_room_i) begin
          step_o.cqe        = 1'b1;
          step_o.cqe_status = roci_pkg::StatusWrFlushErr;
          qp_o.done         = qp_i.done + 16'd1;
          run_o.flushed     = run_i.flushed + 5'd1;
          run_o.compared    = 1'b0;
        end
      end

      default: if (qp_i.blocked && !run_i.compared) begin  // End
        run_o.compared = 1'b1;  // its room and its credits are compared in this clock
      end else begin
        step_o.finish = 1'b1;
        if (run_i.progress) begin
          // An expiry with nothing in flight has no effect, so a busy timer gets no command.
          step_o.timer   = in_flight || timer_calm_i;
          if (in_flight) step_o.timer_op = roci_pkg::TimerOpRestart;
          else qp_o.unstopped = !timer_calm_i;
        end
        if (unblock) begin
          qp_o.blocked = 1'b0;
          step_o.ptr   = 1'b1;
        end
      end
    endcase
  end

  logic unused;
  assign unused = &{1'b0, run_i, entry_i, attr_i};

endmodule
