// SPDX-License-Identifier: Apache-2.0
// The next response of a queue pair: which one it is, its packet, and what remains.
//
// Throughput: combinational, except for the credits. Latency: none; one clock for the credits.
//
// Candidates are the oldest pending replay slot and the ACK or NAK record; the one with the lower
// PSN goes first (a NAK before a slot of its PSN), so that responses leave in order of the
// requests. They wait until the payload they acknowledge is in memory, a NAK too, except for a NAK
// of a sequence error, since it begins a retransmission. No response follows a fatal NAK.

module roci_responder_response (
  input  logic                      clk_i,
  input  logic [23:0]               qpn_i,
  input  roci_pkg::responder_qp_t   read_i,       // the word for the choice,
  input  roci_pkg::responder_qp_t   qp_i,         // and for what was picked
  input  logic [2:0]                pmtu_i,
  input  logic                      has_slot_i,   // slot_i is the oldest pending one
  input  logic [3:0]                slot_index_i,
  input  roci_pkg::responder_slot_t slot_i,
  input  logic [31:0]               done_i,       // payload packets in memory
  input  logic                      credits_i,    // AETHs carry credits
  input  logic [15:0]               posted_i,     // receives posted and not used up

  output logic                      slot_ready_o,   // the slot can leave, unless the record does
  output logic                      pick_record_o,  // with neither, nothing can leave now
  output logic [12:0]               len_o,          // payload of the slot's next packet,
  output logic                      last_o,         // which is its last

  // the response that was picked; the caller registers the outputs above
  input  logic                      slot_picked_i,
  input  logic                      read_picked_i,  // the slot is of a READ
  input  logic [12:0]               len_i,
  input  logic                      last_i,
  input  logic [63:0]               addr_i,         // address and bytes left of the slot
  input  logic [31:0]               left_i,
  output roci_pkg::tx_desc_t        desc_o,
  output roci_pkg::seg_t            seg_o,
  output logic                      nak_o,
  output roci_pkg::responder_qp_t   qp_o,
  output roci_pkg::responder_slot_t slot_o
);

  // Choice.
  logic [31:0] record_age, slot_age;
  logic [23:0] lead;
  logic        record, record_ready, record_first, urgent, read;
  assign record        = read_i.ack != roci_pkg::ResponderAckNone;
  assign record_age    = done_i - read_i.ack_ticket;
  assign urgent        = read_i.ack == roci_pkg::ResponderAckNak
                      && read_i.ack_syndrome == roci_pkg::SynNakSequence;
  assign record_ready  = record && (urgent || !record_age[31]);
  assign lead          = slot_i.next_psn - read_i.ack_psn;
  assign record_first  = !has_slot_i || !lead[23];
  assign read          = slot_i.opcode == roci_pkg::OpRcReadRequest;
  assign slot_age      = done_i - slot_i.ticket;
  assign slot_ready_o  = has_slot_i && (read ? !slot_age[31] : slot_i.done);
  assign pick_record_o = record_ready && record_first;

  // Packet.
  logic [12:0] mtu;
  logic [31:0] left;
  logic        single, middle;
  roci_pkg::ext_aeth_t aeth;
  assign mtu         = 13'd128 << pmtu_i;
  assign left        = slot_i.left;
  assign last_o      = left <= 32'(mtu);
  assign len_o       = last_o ? left[12:0] : mtu;
  assign single      = slot_i.first && last_i;
  assign middle      = !slot_i.first && !last_i;

  // Credits: twice the logarithm, and the bit below the leading one (9.7.7.2).
  logic [7:0]  good;
  logic [15:0] posted_q;
  logic        credits_q;
  always_ff @(posedge clk_i) {credits_q, posted_q} <= {credits_i, posted_i};
  always_comb begin
    good = '0;
    for (int i = 1; i < 16; i++) begin
      if (posted_q[i]) good = 8'({4'(i), posted_q[i-1]});
    end
    if (posted_q == 16'd1) good = 8'd1;
    if (!credits_q) good = roci_pkg::SynAckNoCredits;
  end

  always_comb begin
    desc_o        = '0;
    desc_o.qpn    = qpn_i;
    desc_o.psn    = slot_picked_i ? slot_i.next_psn : qp_i.ack_psn;
    desc_o.opcode = roci_pkg::OpRcAck;
    desc_o.ext_len = 5'd4;
    aeth           = '0;
    aeth.msn       = slot_picked_i ? slot_i.msn : qp_i.ack_msn;
    {aeth.kind, aeth.code} = slot_picked_i || qp_i.ack == roci_pkg::ResponderAckAck
                             ? good : qp_i.ack_syndrome;
    if (slot_picked_i && read_picked_i) begin
      desc_o.opcode      = single       ? roci_pkg::OpRcReadRespOnly
                         : slot_i.first ? roci_pkg::OpRcReadRespFirst
                         : last_i       ? roci_pkg::OpRcReadRespLast : roci_pkg::OpRcReadRespMiddle;
      desc_o.payload_len = len_i;
      if (middle) begin
        desc_o.ext_len = 5'd0;
        aeth           = '0;
      end
    end else if (slot_picked_i) begin
      desc_o.opcode  = roci_pkg::OpRcAtomicAck;
      desc_o.ext_len = 5'd12;
      aeth.original  = slot_i.original;
    end
    desc_o.ext = aeth;
  end

  assign seg_o.addr  = addr_i;
  assign seg_o.pasid = slot_i.pasid;
  assign seg_o.len   = len_i;
  assign seg_o.last  = 1'b1;
  assign seg_o.drop  = 1'b0;
  assign seg_o.fetched = 1'b0;
  assign nak_o       = !slot_picked_i && qp_i.ack != roci_pkg::ResponderAckAck
                    && qp_i.ack_syndrome[5];  // not the last ACK of a connection

  // What remains.
  always_comb begin
    qp_o   = qp_i;
    slot_o = slot_i;
    if (slot_picked_i) begin
      if (read_picked_i) begin
        slot_o.addr_operand = addr_i + 64'(len_i);
        slot_o.left         = left_i - 32'(len_i);
        slot_o.next_psn     = slot_i.next_psn + 1'b1;
        slot_o.first        = 1'b0;
      end
      if (!read_picked_i || last_i) qp_o.pending = qp_i.pending & ~(16'd1 << slot_index_i);
    end else begin
      qp_o.ack          = qp_i.next ? roci_pkg::ResponderAckAck : roci_pkg::ResponderAckNone;
      qp_o.ack_psn      = qp_i.next_psn;
      qp_o.ack_msn      = qp_i.next_msn;
      qp_o.ack_syndrome = roci_pkg::SynAckNoCredits;
      qp_o.ack_ticket   = qp_i.next_ticket;
      qp_o.next         = 1'b0;
      if (qp_i.ack == roci_pkg::ResponderAckFatal) qp_o.pending = '0;
    end
  end

  logic unused;
  assign unused = &{read_i, record_age, slot_age, lead};

endmodule
