// SPDX-License-Identifier: Apache-2.0
// The packet of a plan: opcode and extension headers. Combinational. RQ-02, RQ-03, RQ-05, RQ-06,
// RQ-08, RQ-35, WIRE-43, UD-01, UD-04. With UC and UD, `ack_req` says that the packet is reported
// when it has left. A datagram takes its destination along in bytes of `ext` that are not sent.

module roci_requester_build (
  input  roci_pkg::plan_t     plan_i,
  input  logic [23:0]         psn_i,
  input  logic                ask_i,     // request an acknowledge in any case
  input  logic                uc_i,
  input  logic                ud_i,
  input  logic [31:0]         qkey_i,    // own Q_Key
  output roci_pkg::tx_desc_t  desc_o
);

  localparam int unsigned AckEvery = 8;  // so that a sender with a full window is informed

  logic         write, with_imm, with_inv;
  logic [7:0]   opcode;
  roci_pkg::ext_reth_t   reth;
  roci_pkg::ext_imm_dt_t imm_dt;
  roci_pkg::ud_wqe_t     wqe;   // the request of a datagram, as far as its fields are others
  roci_pkg::ext_deth_t   deth;

  assign write    = plan_i.opcode == roci_pkg::WrOpWrite || plan_i.opcode == roci_pkg::WrOpWriteImm;
  assign with_imm = plan_i.last && (plan_i.opcode == roci_pkg::WrOpSendImm
                                    || plan_i.opcode == roci_pkg::WrOpWriteImm);
  assign with_inv = plan_i.last && plan_i.opcode == roci_pkg::WrOpSendInv;

  always_comb begin
    imm_dt           = '0;
    imm_dt.immediate = plan_i.imm;
    reth             = '0;
    reth.va          = plan_i.remote_addr;
    reth.rkey        = plan_i.rkey;
    if (plan_i.opcode == roci_pkg::WrOpRead) begin
      // A READ requests what is missing of it; the RETH of a WRITE carries the whole length.
      reth.va         = plan_i.remote_addr + 64'(plan_i.offset);
      reth.dma_length = plan_i.len;
    end else begin
      reth.dma_length = plan_i.msg_len;
      if (with_imm) reth.immediate = plan_i.imm;
    end
  end

  localparam int unsigned OwnQkey = 31;  // this bit of a request's Q_Key selects (10.2.5)
  always_comb begin
    wqe = '0;
    {wqe.reserved1, wqe.ah, wqe.reserved0, wqe.dest_qpn, wqe.qkey} = {plan_i.remote_addr,
                                                                      plan_i.rkey};
    deth           = '0;
    deth.qkey      = wqe.qkey[OwnQkey] ? qkey_i : wqe.qkey;
    deth.src_qp    = plan_i.qpn;
    deth.immediate = with_imm ? plan_i.imm : '0;
    deth.ah        = wqe.ah;
    deth.dest_qpn  = wqe.dest_qpn;
  end

  always_comb begin
    unique case ({write, plan_i.first, plan_i.last})
      3'b000:  opcode = roci_pkg::OpRcSendMiddle;
      3'b001:  opcode = with_imm ? roci_pkg::OpRcSendLastImm
                        : with_inv ? roci_pkg::OpRcSendLastInv : roci_pkg::OpRcSendLast;
      3'b010:  opcode = roci_pkg::OpRcSendFirst;
      3'b011:  opcode = with_imm ? roci_pkg::OpRcSendOnlyImm
                        : with_inv ? roci_pkg::OpRcSendOnlyInv : roci_pkg::OpRcSendOnly;
      3'b100:  opcode = roci_pkg::OpRcWriteMiddle;
      3'b101:  opcode = with_imm ? roci_pkg::OpRcWriteLastImm : roci_pkg::OpRcWriteLast;
      3'b110:  opcode = roci_pkg::OpRcWriteFirst;
      default: opcode = with_imm ? roci_pkg::OpRcWriteOnlyImm : roci_pkg::OpRcWriteOnly;
    endcase
  end

  always_comb begin
    desc_o             = '0;
    desc_o.qpn         = plan_i.qpn;
    desc_o.opcode      = uc_i ? opcode | roci_pkg::OpUcSendFirst : opcode;
    desc_o.psn         = psn_i;
    desc_o.solicited   = plan_i.solicited && plan_i.last
                         && (plan_i.opcode == roci_pkg::WrOpSend || with_imm || with_inv);
    desc_o.ack_req     = ask_i || plan_i.last || psn_i % 24'(AckEvery) == 24'(AckEvery - 1);
    desc_o.payload_len = plan_i.len[12:0];
    unique case (plan_i.opcode)
      roci_pkg::WrOpRead: begin
        desc_o.opcode      = roci_pkg::OpRcReadRequest;
        desc_o.ack_req     = 1'b1;
        desc_o.payload_len = '0;
        desc_o.ext_len     = 5'd16;
        desc_o.ext         = reth;
      end
      roci_pkg::WrOpCmpSwap, roci_pkg::WrOpFetchAdd: begin
        desc_o.opcode      = plan_i.opcode == roci_pkg::WrOpCmpSwap ? roci_pkg::OpRcCmpSwap
                                                                    : roci_pkg::OpRcFetchAdd;
        desc_o.ack_req     = 1'b1;
        desc_o.payload_len = '0;
        desc_o.ext_len     = 5'd28;
        desc_o.ext         = {plan_i.remote_addr, plan_i.rkey, plan_i.swap_add, plan_i.compare};
      end
      default: begin
        if (ud_i) begin
          desc_o.opcode  = with_imm ? roci_pkg::OpUdSendOnlyImm : roci_pkg::OpUdSendOnly;
          desc_o.ext_len = with_imm ? 5'd12 : 5'd8;
          desc_o.ext     = deth;
        end else if (write && plan_i.first) begin
          desc_o.ext_len = with_imm ? 5'd20 : 5'd16;
          desc_o.ext     = reth;
        end else if (with_imm || with_inv) begin
          desc_o.ext_len = 5'd4;
          desc_o.ext     = imm_dt;
        end
      end
    endcase
  end

  logic unused;
  assign unused = &{1'b0, plan_i, wqe};

endmodule
