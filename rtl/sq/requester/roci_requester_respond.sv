// SPDX-License-Identifier: Apache-2.0
// What a response does: completes what it acknowledges, then what it requests. Combinational.
//
//  Compare --> Retire (a message a step) --> Act --> Place --> Placed --> End
//        |       |                            |      +--> the event ends
//        |       +--> the event ends          +--> Recover, Fail
//        +--> Act: data of the oldest message
//
// An acknowledge of whole messages ends its event with the last of them, and READ data with the
// result of their key, unless completions are held up, or the queue pair is blocked: End looks
// whether it has room then, which is known in Place too. What ends an event chooses the next one,
// so it does not follow cqe_room_i, which many steps follow.

module roci_requester_respond (
  input  logic [3:0]                 state_i,
  input  roci_pkg::rx_meta_t         rsp_i,
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_run_t   run_i,
  input  roci_pkg::requester_entry_t entry_i,       // oldest in the ring: what is acknowledged
  input  logic                       part_i,        // ends within it,
  input  logic                       whole_i,       // or with it;
  input  logic                       all_i,         // it is all that is in flight
  input  logic                       at_first_i,    // the response has its first PSN,
  input  logic                       at_last_i,     // or the last
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       cqe_room_i,    // for a completion,
  input  logic                       cqe_calm_i,    // and for many
  input  logic                       timer_calm_i,  // the timer keeps up
  input  logic                       place_done_i,  // not in the first clock of Place
  input  logic                       place_quick_i, // with it: of READ data, and allowed
  input  logic                       goes_on_i,     // a blocked queue pair has room after it
  input  logic [7:0]                 place_status_i,
  input  logic [7:0]                 place_vendor_i,

  output roci_pkg::requester_qp_t    qp_o,
  output roci_pkg::requester_run_t   run_o,
  output roci_pkg::requester_step_t  step_o,
  output logic                       ends_o,        // in Retire, the event ends;
  output logic                       quick_o,       // in Place
  input  logic [31:0]                offset_i,      // offset of READ data in its message
  input  logic                       bad_i          // `bad_psn` is of the oldest message, found a
                                                    // clock after it came
);

  logic [7:0]  syndrome;
  roci_pkg::ext_aeth_t aeth;
  logic        have, bad, nak_error, fits, kind_ok, length_ok, syndrome_ok;
  logic        ends;      // the event ends with the message,
  logic        quick;     // or with the place of READ data
  logic        placed;    // the packet is done with
  logic        finish;    // the event ends
  logic        recovers;  // the next step is Recover; apart from the state, which comes later

  assign aeth       = rsp_i.ext;
  assign syndrome   = {aeth.kind, aeth.code};
  assign have   = qp_i.count != '0;
  assign nak_error  = run_i.ask == roci_pkg::AskFatal || run_i.ask == roci_pkg::AskSyndrome;
  assign bad        = qp_i.bad && bad_i;

  roci_requester_check u_check (
    .opcode_i(rsp_i.opcode), .aeth_kind_i(aeth.kind), .payload_len_i(rsp_i.payload_len),
    .at_first_i, .at_end_i(at_last_i), .msg_len_i(entry_i.msg_len),
    .pmtu_i(attr_i.pmtu), .restart_i(qp_i.restart), .offset_i, .kind_ok_o(kind_ok),
    .length_ok_o(length_ok), .syndrome_ok_o(syndrome_ok));
  assign fits = have && (run_i.ask == roci_pkg::AskData
                         ? entry_i.kind == roci_pkg::MessageRead && kind_ok
                         : entry_i.kind == roci_pkg::MessageAtomic);

  // A packet that could not be read stops the queue pair.
  assign ends = whole_i && have && !part_i && entry_i.kind == roci_pkg::MessageData
                && run_i.ask == roci_pkg::AskNone && !qp_i.stopped && !qp_i.bad && !qp_i.blocked
                && (cqe_calm_i || !entry_i.signaled);

  assign quick  = place_quick_i && !qp_i.stopped && !(qp_i.blocked && goes_on_i)
                  && (cqe_calm_i || !entry_i.signaled || !at_last_i);
  assign placed = state_i == roci_pkg::RequesterPlace ? quick
                  : state_i == roci_pkg::RequesterPlaced
                    && (!at_last_i || !entry_i.signaled || cqe_room_i);

  assign finish = (state_i == roci_pkg::RequesterRetire && ends)
                  || (state_i == roci_pkg::RequesterPlace && quick);

  assign ends_o  = ends;
  assign quick_o = quick;
  always_comb begin
    qp_o              = qp_i;
    run_o             = run_i;
    step_o            = '0;
    step_o.state      = state_i;
    step_o.ptr_go     = 1'b1;
    step_o.counter    = roci_pkg::QpCounterNaksReceived;
    step_o.timer_op   = roci_pkg::TimerOpRestart;
    step_o.timer_code = attr_i.timeout;
    recovers          = 1'b0;

    unique case (state_i)
      roci_pkg::RequesterCompare: begin
        // Data of the oldest message completes nothing before it, unless the message is an error.
        step_o.state = run_i.ask == roci_pkg::AskData && run_i.upto == qp_i.una && !qp_i.stopped
                       ? roci_pkg::RequesterAct : roci_pkg::RequesterRetire;
      end

      roci_pkg::RequesterRetire: begin
        step_o.count   = run_i.arrived;
        step_o.counter = roci_pkg::QpCounterRxPackets;
        run_o.arrived  = 1'b0;
        run_o.compared = 1'b1;
        if (qp_i.bad && !run_i.compared) begin
          // Rare, so the comparison takes a clock of its own.
        end else if (have && entry_i.kind == roci_pkg::MessageError) begin
          run_o.status = entry_i.status;
          run_o.vendor = entry_i.vendor;
          step_o.state = roci_pkg::RequesterFail;
        end else if (have && bad && part_i) begin
          run_o.status = roci_pkg::StatusLocProtErr;
          run_o.vendor = roci_pkg::VendorErrPayload;
          step_o.state = roci_pkg::RequesterFail;
        end else if (run_i.upto == qp_i.una || !have) begin
          run_o.compared = 1'b0;
          step_o.state = run_i.ask == roci_pkg::AskNone ? roci_pkg::RequesterEnd
                                                        : roci_pkg::RequesterAct;
        end else if (nak_error && part_i) begin
          // The message itself, whatever part of its response is missing.
          step_o.state = roci_pkg::RequesterAct;
        end else if (entry_i.kind != roci_pkg::MessageData) begin
          // A READ or atomic was skipped: its responses are missing (RQ-13).
          if (qp_i.implied && !run_i.late) begin
            run_o.compared = 1'b0;
            step_o.state   = roci_pkg::RequesterEnd;
          end else begin
            qp_o.implied  = 1'b1;
            run_o.counted = !qp_i.implied;
            run_o.status  = roci_pkg::StatusRetryExcErr;
            run_o.vendor  = roci_pkg::VendorErrRetryImplied;
            step_o.state  = roci_pkg::RequesterRecover;
            recovers      = 1'b1;
          end
        end else if (part_i) begin
          qp_o.una       = run_i.upto;
          run_o.progress = 1'b1;
        end else if (cqe_room_i || !entry_i.signaled) begin
          step_o.retire    = 1'b1;
          step_o.cqe       = entry_i.signaled;
          step_o.next_entry = 1'b1;
          qp_o.una         = entry_i.last + 24'd1;
          run_o.progress   = 1'b1;
          if (whole_i && run_i.ask == roci_pkg::AskNone && !qp_i.stopped) begin
            step_o.state = roci_pkg::RequesterEnd;
          end
          if (bad) begin
            // The peer acknowledged an earlier copy of it: go on after it.
            qp_o.bad      = 1'b0;
            run_o.status  = roci_pkg::StatusLocProtErr;
            step_o.state  = roci_pkg::RequesterRecover;
            recovers      = 1'b1;
          end
        end
      end

      roci_pkg::RequesterAct: begin
        step_o.state = roci_pkg::RequesterFail;
        unique case (run_i.ask)
          roci_pkg::AskRecover: begin
            step_o.count  = 1'b1;
            run_o.counted = 1'b1;
            run_o.status  = roci_pkg::StatusRetryExcErr;
            run_o.vendor  = roci_pkg::VendorErrRetrySequence;
            // A gap is NAKed once (RSP-04): the next one at this PSN is a copy that comes late.
            step_o.state  = qp_i.naked ? roci_pkg::RequesterEnd : roci_pkg::RequesterRecover;
            recovers      = !qp_i.naked;
          end
          roci_pkg::AskRnr: begin
            step_o.count = 1'b1;
            run_o.rnr    = 1'b1;
            run_o.status = roci_pkg::StatusRnrRetryExcErr;
            run_o.vendor = roci_pkg::VendorErrRetryRnr;
            step_o.state = roci_pkg::RequesterRecover;
            recovers     = 1'b1;
          end
          roci_pkg::AskFatal: begin
            step_o.count = 1'b1;
            run_o.vendor = roci_pkg::VendorErrPeerNak;
            run_o.status = syndrome == roci_pkg::SynNakInvalid ? roci_pkg::StatusRemInvReqErr
                           : syndrome == roci_pkg::SynNakAccess ? roci_pkg::StatusRemAccessErr
                           : roci_pkg::StatusRemOpErr;
          end
          roci_pkg::AskSyndrome: begin
            run_o.status = roci_pkg::StatusBadRespErr;
            run_o.vendor = roci_pkg::VendorErrResponseSyndrome;
          end
          default: begin  // AskData, AskAtomic
            run_o.status = roci_pkg::StatusBadRespErr;
            if (!fits) begin
              run_o.vendor = roci_pkg::VendorErrResponseKind;
            end else if (run_i.ask == roci_pkg::AskData ? !syndrome_ok
                                                        : aeth.kind != roci_pkg::AethAck) begin
              run_o.vendor = roci_pkg::VendorErrResponseSyndrome;
            end else if (run_i.ask == roci_pkg::AskData && !length_ok) begin
              run_o.status = roci_pkg::StatusLocLenErr;
              run_o.vendor = roci_pkg::VendorErrResponseLength;
            end else begin
              run_o.upto   = rsp_i.psn + 24'd1;
              step_o.state = run_i.ask == roci_pkg::AskData && rsp_i.payload_len == '0
                             ? roci_pkg::RequesterPlaced : roci_pkg::RequesterPlace;
            end
          end
        endcase
      end

      roci_pkg::RequesterPlace: if (place_done_i) begin
        if (place_status_i != roci_pkg::StatusSuccess) begin
          run_o.status = place_status_i;
          run_o.vendor = place_vendor_i;
          step_o.state = roci_pkg::RequesterFail;
        end else begin
          run_o.placed = run_i.ask == roci_pkg::AskData;
          step_o.job   = run_i.ask == roci_pkg::AskAtomic;
          step_o.state = roci_pkg::RequesterPlaced;
        end
      end

      default: run_o.ask = roci_pkg::AskNone;  // Placed
    endcase

    if (placed) begin
      qp_o.una       = qp_i.una + 24'd1;
      qp_o.restart   = 1'b0;
      run_o.progress = 1'b1;
      step_o.count   = rsp_i.opcode != roci_pkg::OpRcAtomicAck;
      step_o.data    = 1'b1;
      step_o.counter = roci_pkg::QpCounterRxPackets;
      step_o.state   = roci_pkg::RequesterEnd;
      run_o.compared = 1'b1;  // the room, as it is from now on
      if (at_last_i) begin
        qp_o.rd_head  = qp_i.rd_head + 4'd1;
        qp_o.rd_count = qp_i.rd_count - 5'd1;
        step_o.retire = 1'b1;
        step_o.cqe    = entry_i.signaled;
        // Look at the next entry: it may be an error.
        if (qp_i.stopped) begin
          step_o.state   = roci_pkg::RequesterCompare;
          run_o.compared = 1'b0;
        end
      end
    end
    step_o.finish = finish;
    if (finish) begin
      // An expiry with nothing in flight has no effect, so a busy timer gets no command.
      step_o.timer = !all_i || timer_calm_i;
      if (all_i) begin
        step_o.timer_op = roci_pkg::TimerOpStop;
        qp_o.unstopped  = !timer_calm_i;
      end
    end

    // Progress found by an event that recovers restores the retries first.
    if (run_o.progress) begin
      qp_o.retry_left = attr_i.retry_cnt;
      qp_o.rnr_left   = attr_i.rnr_retry;
      qp_o.naked      = 1'b0;
      if (!recovers) qp_o.implied = 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, rsp_i, aeth, entry_i, attr_i};

endmodule
