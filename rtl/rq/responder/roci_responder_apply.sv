// SPDX-License-Identifier: Apache-2.0
// Effects of a verdict: the state word after a request, and what leaves for other blocks.
//
// Throughput: combinational. Latency: none; the caller uses the outputs in the clock in which it
// commits.

module roci_responder_apply (
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::key_rsp_t        key_i,
  input  roci_pkg::responder_qp_t   qp_i,
  input  roci_pkg::qp_attr_t        attr_i,
  input  logic [23:0]               packets_i,     // PSNs of the request: packets of its response
  input  logic                      in_rtr_i,      // the queue pair is in RTR
  input  logic [31:0]               ticket_i,      // meta_i.ticket, extended
  input  logic                      walked_i,      // the segments came from the walker
  input  logic [15:0]               index_i,       // the receive that was taken from an SRQ
  input  logic [63:0]               addr_i,        // where its payload goes
  input  logic [19:0]               pasid_i,
  input  logic [63:0]               va_i,          // as the peer names it
  input  logic [31:0]               left_i,        // bytes of a WRITE from this packet on
  input  logic [31:0]               bytes_i,       // bytes of the message before it
  input  logic [3:0]                verdict_i,
  input  logic [7:0]                syndrome_i,
  input  logic [7:0]                status_i,
  input  logic                      access_event_i,
  input  logic                      takes_i,
  input  logic                      first_i,
  input  logic                      last_i,

  output roci_pkg::responder_qp_t   qp_o,
  output roci_pkg::responder_slot_t slot_o,        // content for slot qp_i.slot_next
  output logic                      slot_write_o,
  output roci_pkg::atomic_job_t     job_o,
  output logic                      job_valid_o,
  output roci_pkg::seg_t            seg_o,
  output logic                      seg_valid_o,
  output roci_pkg::cqe_req_t        cqe_o,
  output logic                      cqe_valid_o,  // and the oldest receive is used up
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  output logic                      established_o,  // this is the first request in RTR
  output logic                      count_o,       // the packet was accepted
  output logic [10:0]               drop_o,        // by DropCause; top bit: discarded (UC)
  output logic                      responds_o     // a response is due
);

  roci_pkg::ext_reth_t   reth;
  roci_pkg::ext_imm_dt_t imm_dt;
  roci_pkg::atomic_eth_t eth;
  roci_pkg::ext_datagram_t datagram;
  logic [31:0] length, total;
  logic        send, write, read, atomic, executes, nak, discard, with_imm, with_inv, ends,
               continues;  // the packet belongs to the SEND in progress
  logic [15:0] receive;      // index of the receive whose turn it is
  logic [4:0]  slot_after;
  logic [15:0] taken;        // bit of the slot that a READ or atomic takes
  logic        unused;

  assign unused   = &{key_i, attr_i, eth, reth, imm_dt, datagram};
  assign reth     = meta_i.ext;
  assign imm_dt   = meta_i.ext;
  assign datagram = meta_i.ext;
  assign eth      = meta_i.ext;
  assign length   = 32'(meta_i.payload_len);
  assign send     = verdict_i == roci_pkg::VerdictSend;
  assign write    = verdict_i == roci_pkg::VerdictWrite;
  assign read     = verdict_i == roci_pkg::VerdictRead;
  assign atomic   = verdict_i == roci_pkg::VerdictAtomic;
  assign nak      = verdict_i == roci_pkg::VerdictNak;
  assign executes = send || write || read || atomic;
  assign discard  = verdict_i == roci_pkg::VerdictDiscard;
  assign total    = bytes_i + length;
  assign with_imm = meta_i.opcode == roci_pkg::OpRcSendLastImm
                 || meta_i.opcode == roci_pkg::OpRcSendOnlyImm
                 || meta_i.opcode == roci_pkg::OpRcWriteLastImm
                 || meta_i.opcode == roci_pkg::OpRcWriteOnlyImm;
  assign with_inv = meta_i.opcode == roci_pkg::OpRcSendLastInv
                 || meta_i.opcode == roci_pkg::OpRcSendOnlyInv;
  assign receive  = attr_i.srq ? index_i : qp_i.recv_next;
  // A SEND fills a receive from its first packet on; a WRITE with immediate takes one when it ends.
  assign continues  = qp_i.message == roci_pkg::ResponderInSend && !(meta_i.uc && first_i);
  assign ends       = continues || takes_i;
  assign slot_after = 5'(qp_i.slot_next) + 5'd1;
  assign taken      = 16'd1 << qp_i.slot_next;

  // Without a NAK the connection ends with an ACK of what was received before, if one was due.
  logic        ack, silent;
  logic [23:0] ack_psn, msn, next_msn;
  assign silent  = !syndrome_i[5];  // the syndrome of an ACK
  assign ack     = ((send || write) && meta_i.ack_req && !meta_i.uc)
                || verdict_i == roci_pkg::VerdictReack;
  assign ack_psn = executes ? meta_i.psn : qp_i.last_psn;
  assign msn     = read || atomic || ((send || write) && last_i) ? next_msn : qp_i.msn;
  assign next_msn = qp_i.msn + 24'd1;

  always_comb begin
    qp_o = qp_i;
    if (qp_i.epsn == meta_i.psn && verdict_i != roci_pkg::VerdictIgnore) qp_o.nak_sent = 1'b0;
    if (executes) begin
      qp_o.uc          = meta_i.uc;
      qp_o.msn         = msn;
      qp_o.established = 1'b1;
    end
    if (discard) qp_o.message = roci_pkg::ResponderInNothing;
    // A first packet of UC is the expected one, whether it is delivered or not. UD expects none.
    if (!meta_i.ud && (executes || (discard && first_i))) qp_o.epsn = meta_i.psn + packets_i;
    if (send || write) begin
      qp_o.last_psn = meta_i.psn;
      qp_o.bytes    = total;
      qp_o.message  = last_i ? roci_pkg::ResponderInNothing
                    : send   ? roci_pkg::ResponderInSend : roci_pkg::ResponderInWrite;
    end
    if (send && first_i) qp_o.recv_index = receive;
    if (cqe_valid_o) qp_o.recv_next = qp_i.recv_next + 1'b1;
    if (write) begin
      qp_o.write_addr  = addr_i + 64'(length);
      qp_o.write_pasid = pasid_i;
      qp_o.write_va    = va_i + 64'(length);
      qp_o.write_rkey  = first_i ? reth.rkey : qp_i.write_rkey;
      qp_o.write_left  = left_i - length;
    end
    if (read || atomic) begin
      // A replay may end early: a peer that requests more than all slots hold has its response.
      qp_o.pending  = qp_i.pending | taken;
      qp_o.replayed = qp_i.replayed & ~taken;
      qp_o.slot_next = slot_after == attr_i.max_dest_rd_atomic ? '0 : slot_after[3:0];
      if (qp_i.slot_count < attr_i.max_dest_rd_atomic) qp_o.slot_count = qp_i.slot_count + 1'b1;
      if (atomic) qp_o.atomics = qp_i.atomics + 1'b1;
    end
    // One record leaves next; what comes after it gathers in a second, so that a steady stream
    // cannot keep the first from ever being in memory.
    if (ack) begin
      if (qp_i.ack == roci_pkg::ResponderAckNone) begin
        qp_o.ack          = roci_pkg::ResponderAckAck;
        qp_o.ack_psn      = ack_psn;
        qp_o.ack_msn      = msn;
        qp_o.ack_syndrome = roci_pkg::SynAckNoCredits;
        qp_o.ack_ticket   = ticket_i;
      end else begin
        qp_o.next        = 1'b1;
        qp_o.next_psn    = ack_psn;
        qp_o.next_msn    = msn;
        qp_o.next_ticket = ticket_i;
      end
    end
    if (nak || verdict_i == roci_pkg::VerdictGap || verdict_i == roci_pkg::VerdictRnr) begin
      qp_o.ack          = nak ? roci_pkg::ResponderAckFatal : roci_pkg::ResponderAckNak;
      qp_o.ack_psn      = qp_i.epsn;
      qp_o.ack_msn      = qp_i.msn;
      qp_o.ack_syndrome = nak ? syndrome_i
                        : verdict_i == roci_pkg::VerdictGap
                          ? roci_pkg::SynNakSequence
                          : roci_pkg::SynRnrNak | 8'(attr_i.min_rnr_timer);
      qp_o.ack_ticket   = ticket_i;
      qp_o.next         = 1'b0;
      qp_o.nak_sent     = 1'b1;
      if (nak) begin
        qp_o.dead    = 1'b1;
        qp_o.message = roci_pkg::ResponderInNothing;
        if (silent) qp_o.ack_psn = qp_i.last_psn;
        if (meta_i.uc || (silent && qp_i.ack == roci_pkg::ResponderAckNone)) begin
          qp_o.ack = roci_pkg::ResponderAckNone;
        end
      end
    end
  end
  assign responds_o = ack || read || (nak && !meta_i.uc) || verdict_i == roci_pkg::VerdictGap
                 || verdict_i == roci_pkg::VerdictRnr;

  always_comb begin
    slot_o              = '0;
    slot_o.psn          = meta_i.psn;
    slot_o.last_psn     = meta_i.psn + packets_i - 24'd1;
    slot_o.opcode       = meta_i.opcode;
    slot_o.va           = reth.va;
    slot_o.rkey         = reth.rkey;
    slot_o.msn          = msn;
    slot_o.ticket       = ticket_i;
    slot_o.first        = 1'b1;
    slot_o.next_psn     = meta_i.psn;
    slot_o.pasid        = key_i.pasid;
    slot_o.addr_operand = read ? key_i.addr : eth.swap_add;
    {slot_o.left, slot_o.length} = read ? {reth.dma_length, reth.dma_length} : eth.compare;
  end
  assign slot_write_o = read || atomic;

  assign job_o.qpn     = meta_i.qpn;
  assign job_o.op      = meta_i.opcode == roci_pkg::OpRcCmpSwap ? 2'd1 : 2'd2;
  assign job_o.slot    = qp_i.slot_next;
  assign job_o.addr    = key_i.addr;
  assign job_o.pasid   = key_i.pasid;
  assign job_o.operand = eth.swap_add;
  assign job_o.compare = eth.compare;
  assign job_o.ticket  = meta_i.ticket;
  assign job_valid_o   = atomic;

  assign seg_o.addr  = addr_i;
  assign seg_o.pasid = pasid_i;
  assign seg_o.len   = meta_i.payload_len;
  assign seg_o.last  = 1'b1;
  assign seg_o.drop  = !write && !send;
  assign seg_o.fetched = 1'b0;
  assign seg_valid_o = meta_i.payload_len != '0 && !walked_i;

  always_comb begin
    cqe_o           = '0;
    cqe_o.cqn       = attr_i.recv_cqn;
    cqe_o.qpn       = meta_i.qpn;
    cqe_o.wqe_index = continues ? qp_i.recv_index : receive;
    cqe_o.status    = nak ? status_i : roci_pkg::StatusSuccess;
    cqe_o.opcode    = write ? roci_pkg::WcOpRecvWriteImm : roci_pkg::WcOpRecv;
    cqe_o.wait_data = 1'b1;
    cqe_o.ticket    = meta_i.ticket;
    if (!nak) begin
      cqe_o.byte_len  = total;
      cqe_o.with_grh  = meta_i.ud;
      if (meta_i.ud) cqe_o.src_qp = datagram.src_qp;
      cqe_o.with_imm  = with_imm;
      cqe_o.with_inv  = with_inv;
      cqe_o.imm       = meta_i.opcode == roci_pkg::OpRcWriteOnlyImm ? reth.immediate
                                                                    : imm_dt.immediate;
      cqe_o.solicited = meta_i.solicited;
    end
  end
  assign cqe_valid_o = (nak && ends) || (send && last_i) || (write && takes_i);

  assign fail_o.kind   = syndrome_i == roci_pkg::SynNakOperational ? roci_pkg::EventQpFatal
                       : access_event_i ? roci_pkg::EventQpAccess : roci_pkg::EventQpRequest;
  assign fail_o.number = meta_i.qpn;
  assign fail_valid_o  = nak;
  assign established_o = executes && !qp_i.established && in_rtr_i && !meta_i.ud;
  assign count_o       = executes;

  always_comb begin
    drop_o = '0;
    drop_o[roci_pkg::DropUnknownQp]     = verdict_i == roci_pkg::VerdictIgnore;
    drop_o[roci_pkg::DropOutOfSequence] = verdict_i == roci_pkg::VerdictAhead;
    drop_o[10]                          = discard;
  end

endmodule
