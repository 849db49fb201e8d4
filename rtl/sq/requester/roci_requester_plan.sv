// SPDX-License-Identifier: Apache-2.0
// Plans: a packet is sent, a local operation executed, or neither. Combinational.
//
//  old epoch, stopped, failed   dropped
//  no room, fence, credits      blocked: fetched again when there is room
//  bad                          an error entry ends the ring, and completes when it is the oldest
//  packet                       sent; its first one enters the ring
//  local operation              alone: nothing is in flight before it, nothing was segmented after
//                               it; what may end accesses comes again, late, when those are done

module roci_requester_plan (
  input  logic [3:0]                 state_i,
  input  roci_pkg::plan_t            plan_i,
  input  logic [23:0]                span_i,         // sequence numbers of the packet
  input  logic [23:0]                message_less_i, // and of its message, less one
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_run_t   run_i,
  input  roci_pkg::qp_attr_t         attr_i,
  input  logic                       uc_i,           // UC or UD
  input  logic                       ud_i,
  input  logic [31:0]                qkey_i,         // own Q_Key
  input  logic                       ud_fails_i,      // UD: the request fails,
  input  logic [7:0]                 ud_status_i,      // with this status,
  input  logic [7:0]                 ud_vendor_i,        // and with this vendor_err
  input  roci_pkg::requester_look_t  look_i,         // what the word says of the plan
  input  logic                       cqe_room_i,
  input  logic                       op_taken_i,     // the key operation was taken
  input  logic                       op_done_i,      // its response came
  input  logic                       op_ok_i,
  input  logic                       late_i,         // a local operation that was executed before

  output roci_pkg::requester_qp_t    qp_o,
  output roci_pkg::requester_run_t   run_o,
  output roci_pkg::requester_step_t  step_o,
  output roci_pkg::tx_desc_t         desc_o,
  output roci_pkg::requester_entry_t entry_o,        // entry of the message in the ring
  output logic                       ends_o,         // in Plan, the event ends
  output logic                       late_o          // executed: to be completed when accesses of
                                                     // before are done
);

  logic        is_read, is_rd, is_local, is_revoked, takes_receive, beyond, bad, wait_credit;
  logic        long_read, blocks;
  logic [7:0]  status, vendor;

  assign is_read  = plan_i.opcode == roci_pkg::WrOpRead;
  assign is_rd    = is_read || plan_i.opcode == roci_pkg::WrOpCmpSwap
                    || plan_i.opcode == roci_pkg::WrOpFetchAdd;
  assign is_local = plan_i.opcode == roci_pkg::WrOpLocalInv
                    || plan_i.opcode == roci_pkg::WrOpBindMw
                    || plan_i.opcode == roci_pkg::WrOpRegMr;
  // A registration begins a key; the others may end accesses.
  assign is_revoked = plan_i.opcode != roci_pkg::WrOpRegMr;
  assign takes_receive = plan_i.opcode == roci_pkg::WrOpSend
                         || plan_i.opcode == roci_pkg::WrOpSendImm
                         || plan_i.opcode == roci_pkg::WrOpSendInv
                         || plan_i.opcode == roci_pkg::WrOpWriteImm;

  // A packet beyond the credits goes out alone and requests an acknowledge.
  assign beyond = look_i.over && takes_receive;
  roci_requester_build u_build (
    .plan_i, .psn_i(qp_i.psn_next), .ask_i(beyond), .uc_i, .ud_i, .qkey_i, .desc_o);

  // With what is in flight, which is less than the largest window there is, a READ must not take
  // more than 2^23 sequence numbers.
  localparam int unsigned WindowBits = 12;
  assign long_read = span_i[23] || (&span_i[22:WindowBits]);
  assign bad       = look_i.bad || ud_fails_i;
  // A retransmission had its credit: one ACK may cover all that was ever sent.
  assign wait_credit = beyond && look_i.all && look_i.some;
  assign blocks      = look_i.ring || (!bad && (look_i.full || look_i.window || wait_credit
                                                || (look_i.some && long_read)));

  // Whether the plan ends here chooses the next event, so it must not wait for `blocks`. A packet
  // ends, sent or not. A bad plan goes on when it is the only one in the ring, which is not full
  // then; a local operation goes on unless it waits for others, and it waits for nothing else.
  logic       ends;
  logic [7:0] count_next;
  assign ends_o     = ends;
  assign count_next = qp_i.count + 8'(plan_i.first);
  always_comb begin
    ends = 1'b1;
    if (look_i.old)         ends = 1'b1;
    else if (late_i)   ends = 1'b0;
    else if (bad)      ends = !look_i.alone;
    else if (is_local) ends = look_i.drain || look_i.fence;
  end

  always_comb begin
    status = plan_i.status;
    unique case (plan_i.status)
      roci_pkg::StatusLocProtErr: vendor = roci_pkg::VendorErrLocalKey;
      roci_pkg::StatusLocLenErr:  vendor = roci_pkg::VendorErrLocalLength;
      roci_pkg::StatusFatalErr:   vendor = roci_pkg::VendorErrLocalFetch;
      default:                    vendor = roci_pkg::VendorErrLocalFormat;
    endcase
    if (plan_i.status == roci_pkg::StatusSuccess) begin
      status = roci_pkg::StatusLocQpOpErr;
      vendor = roci_pkg::VendorErrNoDepth;
    end
    if (look_i.not_there && plan_i.status != roci_pkg::StatusFatalErr) begin
      status = roci_pkg::StatusLocQpOpErr;
      vendor = roci_pkg::VendorErrLocalFormat;
    end
    if (ud_fails_i) begin
      status = ud_status_i;
      vendor = ud_vendor_i;
    end
  end

  always_comb begin
    entry_o          = '0;
    entry_o.first    = qp_i.psn_next;
    entry_o.last     = qp_i.psn_next + message_less_i;
    entry_o.kind     = is_read ? roci_pkg::MessageRead
                       : is_rd ? roci_pkg::MessageAtomic : roci_pkg::MessageData;
    entry_o.opcode   = plan_i.opcode[2:0];
    entry_o.signaled = plan_i.signaled;
    entry_o.msg_len  = plan_i.msg_len;
    if (bad) begin
      entry_o.kind   = roci_pkg::MessageError;
      entry_o.status = status;
      entry_o.vendor = vendor;
    end
  end

  always_comb begin
    qp_o              = qp_i;
    run_o             = run_i;
    step_o            = '0;
    step_o.state      = state_i;
    step_o.ptr_go     = 1'b1;
    step_o.timer_op   = roci_pkg::TimerOpRestart;
    step_o.timer_code = attr_i.timeout;
    late_o            = 1'b0;

    unique case (state_i)
      roci_pkg::RequesterOperate: if (op_taken_i) step_o.state = roci_pkg::RequesterOperating;

      roci_pkg::RequesterOperating: if (op_done_i) begin
        if (!op_ok_i)        step_o.state = roci_pkg::RequesterFail;
        else if (is_revoked) begin
          late_o       = 1'b1;
          step_o.state = roci_pkg::RequesterDone;
        end else             step_o.state = roci_pkg::RequesterOperated;
      end

      roci_pkg::RequesterOperated: if (cqe_room_i || !plan_i.signaled) begin
        step_o.cqe         = plan_i.signaled;
        step_o.ptr         = 1'b1;
        step_o.state       = roci_pkg::RequesterDone;
        qp_o.done          = qp_i.done + 16'd1;
        qp_o.epoch         = qp_i.epoch + 4'd1;
        qp_o.resume_index  = plan_i.wqe_index + 16'd1;
        qp_o.resume_offset = '0;
        if (plan_i.signaled) begin
          qp_o.owe_data  = 1'b0;
          qp_o.owe_store = 1'b0;
        end
      end

      default: begin  // Plan
        step_o.finish  = ends;
        step_o.verdict = plan_i.has_segs;
        // What is dropped now counts too: it was segmented, so it will be sent even in SQD.
        if (look_i.fresh) qp_o.begun = plan_i.wqe_index + 16'd1;
        if (look_i.old) begin
          // Segmented before a recovery, or after an error; executed, and flushed since.
        end else if (late_i) begin
          step_o.state = roci_pkg::RequesterOperated;
        end else if (blocks) begin
          qp_o.blocked       = 1'b1;
          qp_o.fence_wait    = look_i.fence;
          qp_o.drain_wait    = look_i.drain;
          qp_o.credit_wait   = wait_credit;
          qp_o.epoch         = qp_i.epoch + 4'd1;
          qp_o.resume_index  = plan_i.wqe_index;
          qp_o.resume_offset = plan_i.offset;
          step_o.ptr         = 1'b1;
          step_o.ptr_go      = 1'b0;
        end else if (bad) begin
          step_o.enter      = 1'b1;
          step_o.enter_last = !plan_i.first;
          qp_o.stopped      = 1'b1;
          qp_o.count        = count_next;
          // It takes the place of a message that may have been sent before a recovery.
          qp_o.psn_max      = qp_i.psn_next;
          qp_o.count_max    = qp_i.count;
          if (!ends) begin
            run_o.status = status;
            run_o.vendor = vendor;
            step_o.state = roci_pkg::RequesterFail;
          end
        end else if (is_local) begin
          run_o.status  = plan_i.opcode == roci_pkg::WrOpBindMw ? roci_pkg::StatusMwBindErr
                                                                : roci_pkg::StatusLocQpOpErr;
          run_o.vendor  = roci_pkg::VendorErrKeyOperation;
          step_o.state  = roci_pkg::RequesterOperate;
        end else begin
          step_o.enter  = plan_i.first;
          step_o.desc   = 1'b1;
          step_o.timer  = !look_i.some;
          qp_o.psn_next = qp_i.psn_next + span_i;
          qp_o.count    = count_next;
          if (span_i > look_i.ahead) begin
            qp_o.psn_max   = qp_o.psn_next;
            qp_o.count_max = qp_o.count;
          end
          if (is_rd) begin
            step_o.slot = plan_i.first;
            if (plan_i.first) qp_o.rd_count = qp_i.rd_count + 5'd1;
            else qp_o.restart = 1'b1;
          end
        end
      end
    endcase
  end

  logic unused;
  assign unused = &{1'b0, plan_i, attr_i, look_i};

endmodule
