// SPDX-License-Identifier: Apache-2.0
// The completion of a step: of the oldest message, of a local operation, or of an error.
// Combinational.

module roci_requester_cqe (
  input  logic [23:0]                qpn_i,
  input  roci_pkg::requester_step_t  step_i,
  input  roci_pkg::requester_qp_t    qp_i,
  input  roci_pkg::requester_entry_t entry_i,   // oldest in the ring
  input  roci_pkg::qp_attr_t         attr_i,
  input  roci_pkg::plan_t            plan_i,    // local operation to be completed
  input  logic [15:0]                ticket_i,  // ticket of the newest response, or later
  input  logic [7:0]                 store_i,   // stores of atomic results so far
  output roci_pkg::cqe_req_t         cqe_o
);

  logic good, is_read, is_atomic;
  assign good      = step_i.cqe_status == roci_pkg::StatusSuccess;
  assign is_read   = step_i.retire && entry_i.kind == roci_pkg::MessageRead;
  assign is_atomic = step_i.retire && entry_i.kind == roci_pkg::MessageAtomic;

  always_comb begin
    cqe_o            = '0;
    cqe_o.cqn        = attr_i.send_cqn;
    cqe_o.qpn        = qpn_i;
    cqe_o.wqe_index  = qp_i.done;
    cqe_o.status     = step_i.cqe_status;
    cqe_o.vendor_err = step_i.cqe_vendor;
    if (step_i.retire) begin
      unique case (8'(entry_i.opcode))
        roci_pkg::WrOpWrite, roci_pkg::WrOpWriteImm: cqe_o.opcode = roci_pkg::WcOpWrite;
        roci_pkg::WrOpRead:     cqe_o.opcode = roci_pkg::WcOpRead;
        roci_pkg::WrOpCmpSwap:  cqe_o.opcode = roci_pkg::WcOpCmpSwap;
        roci_pkg::WrOpFetchAdd: cqe_o.opcode = roci_pkg::WcOpFetchAdd;
        default:                cqe_o.opcode = roci_pkg::WcOpSend;
      endcase
    end else if (good) begin
      unique case (plan_i.opcode)
        roci_pkg::WrOpBindMw: cqe_o.opcode = roci_pkg::WcOpBindMw;
        roci_pkg::WrOpRegMr:  cqe_o.opcode = roci_pkg::WcOpRegMr;
        default:              cqe_o.opcode = roci_pkg::WcOpLocalInv;
      endcase
    end
    if (good && is_read) cqe_o.byte_len = entry_i.msg_len;
    if (good && is_atomic) cqe_o.byte_len = 32'd8;
    // Data of unsignaled READs and atomics before it must be in memory too (RQ-36, RQ-41). After an
    // error they were good, and nothing of what failed may be written any more.
    cqe_o.wait_data    = !good || qp_i.owe_data || (is_read && entry_i.msg_len != '0);
    cqe_o.ticket       = ticket_i;
    cqe_o.wait_store   = !good || qp_i.owe_store || is_atomic;
    cqe_o.store_ticket = store_i;
  end

  logic unused;
  assign unused = &{1'b0, step_i, qp_i, entry_i, attr_i, plan_i};

endmodule
