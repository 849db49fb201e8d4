// SPDX-License-Identifier: Apache-2.0
// What to do with a request: one verdict from the packet, the state of its queue pair, the result
// of the key table, and whether a receive is posted. Combinational.
//
// The order of the checks of an expected packet is that of 9.7.4.1: opcode sequence, opcode
// allowed, resources, length, remote key. A packet that takes a receive gets Peek first, before its
// length and key are looked at, and its verdict when `peeked_i` reports what was found. Of the
// resources, the replay slot of a READ or atomic is left to the caller.
//
// UC (9.8.2.2): a first packet is the expected one whatever its PSN and ends the message before it;
// what RC would NAK or repeat is discarded.

`include "assert.svh"

module roci_responder_decide (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // packet
  input  logic                     uc_i,          // the connection is unreliable
  input  logic                     send_i,        // its opcode is of a SEND,
  input  logic                     write_i,       // or of a WRITE,
  input  logic                     read_i,        // a READ
  input  logic                     atomic_i,      // or an atomic; else it is reserved
  input  logic                     first_i,       // it begins a SEND or WRITE,
  input  logic                     last_i,        // ends one,
  input  logic                     imm_write_i,   // ends a WRITE with immediate data
  input  logic [23:0]              psn_i,
  input  logic [12:0]              payload_len_i,
  input  logic                     filled_i,      // it is not 0,
  input  logic [5:1]               is_mtu_i,      // it is the MTU of this code,
  input  logic [5:1]               fits_mtu_i,    // or at most that
  input  logic [31:0]              most_i,        // 2^31 less payload_len_i
  input  logic [31:0]              dma_length_i,  // length in the RETH, if there is one,
  input  logic                     dma_fits_i,    // it is at most 2^31,
  input  logic                     dma_same_i,    // it is payload_len_i,
  input  logic [5:1]               dma_on_i,      // it is more than the MTU of this code
  input  logic [2:0]               va_i,          // lowest bits of the address, if there is one
  input  logic                     key_ok_i,

  // queue pair
  input  logic                     dead_i,
  input  logic [23:0]              epsn_i,
  input  logic                     nak_sent_i,
  input  logic [1:0]               message_i,
  input  logic [31:0]              write_left_i,
  input  logic [31:0]              bytes_i,
  input  logic [3:0]               access_i,
  input  logic [2:0]               pmtu_i,
  input  logic [4:0]               max_dest_rd_atomic_i,
  input  logic                     peeked_i,
  input  logic                     posted_i,

  input  logic                     judge_i,       // else the verdict is this one, and the other
  input  logic [3:0]               kept_i,        // outputs do not count

  output logic [3:0]               verdict_o,
  output logic [7:0]               syndrome_o,    // syndrome of a Nak
  output logic [7:0]               status_o,      // status of the receive that a Nak ends
  output logic                     access_event_o,  // a Nak is an access error, not a bad request
  output logic                     takes_o        // the packet takes a receive
);

  logic middle, takes;
  assign middle = !first_i && !last_i;
  assign takes  = (send_i && first_i) || imm_write_i;

  // The checks.
  logic [31:0] length;
  logic        is_duplicate;   // top bit of the difference modulo 2^24
  logic [22:0] unused_ahead;
  logic        begins;         // a first packet of UC
  logic        sequence_ok, allowed, length_ok, aligned, may_write, may_read, may_atomic, unused;
  assign {may_atomic, may_read, may_write, unused} = access_i;  // bits as Access
  assign {is_duplicate, unused_ahead} = psn_i - epsn_i;
  assign length = 32'(payload_len_i);

  // What does not depend on the path MTU: the length of a last packet and of others.
  logic last_ok, rest_ok;
  always_comb begin
    if (send_i) begin  // a last packet is not empty unless it is the only one
      last_ok = first_i || filled_i;
      rest_ok = 1'b1;
    end else if (first_i) begin
      last_ok = dma_fits_i && dma_same_i;
      rest_ok = dma_fits_i;
    end else begin
      last_ok = length == write_left_i && filled_i;
      rest_ok = 1'b1;
    end
  end

  // The length of a SEND or WRITE is judged for each path MTU, and one result taken: code and
  // word come out of memories. More than the MTU: a bit above its bit, or its bit and one
  // below it.
  logic [5:1] left_on, ok_mtu;
  logic       packet_ok;
  always_comb begin
    for (int k = 1; k <= 5; k++) begin
      left_on[k] = (write_left_i >> (8 + k)) != '0
                   || (write_left_i[7 + k] && (write_left_i << (25 - k)) != '0);
      ok_mtu[k]  = last_i ? fits_mtu_i[k] && last_ok
                          : is_mtu_i[k] && rest_ok
                            && (send_i || (first_i ? dma_on_i[k] : left_on[k]));
    end
    packet_ok = ok_mtu[5];
    for (int k = 1; k <= 4; k++) begin
      if (pmtu_i == 3'(k)) packet_ok = ok_mtu[k];
    end
  end

  assign begins = uc_i && first_i;
  always_comb begin
    unique case (message_i)
      roci_pkg::ResponderInNothing: sequence_ok = read_i || atomic_i
                                                  || ((send_i || write_i) && first_i);
      roci_pkg::ResponderInSend:    sequence_ok = send_i && !first_i;
      roci_pkg::ResponderInWrite:   sequence_ok = write_i && !first_i;
      default:                      sequence_ok = 1'b0;
    endcase
    if (begins) sequence_ok = 1'b1;
    // A reserved opcode fails the sequence check with the same verdict.
    allowed = send_i || (write_i && may_write)
           || (read_i && may_read && max_dest_rd_atomic_i != '0)
           || (atomic_i && may_atomic && max_dest_rd_atomic_i != '0);

    aligned   = !atomic_i || va_i == '0;
    length_ok = send_i || write_i ? packet_ok
              : !filled_i && (atomic_i || dma_fits_i);
  end

  logic expected;
  assign expected = psn_i == epsn_i || begins;

  // The verdict for each place of the PSN, and with a length that is not good; which of them is the
  // packet's is known last, as the expected PSN and what a length depends on come out of memories.
  logic       too_long;  // a SEND of more than 2^31 bytes in all
  logic       may_run;   // nothing but PSN, length, alignment and key is against the packet
  logic       runs;
  logic [3:0] in_turn, rejected, repeated, early;
  assign may_run = sequence_ok && allowed && (!takes || (peeked_i && posted_i))
                && (!uc_i || send_i || write_i);
  assign runs    = may_run && !dead_i && expected && !too_long;
  assign too_long = send_i && !first_i && bytes_i > most_i;
  always_comb begin
    in_turn = uc_i ? roci_pkg::VerdictDiscard : roci_pkg::VerdictNak;
    if (sequence_ok && allowed && takes) begin
      if (!peeked_i) in_turn = roci_pkg::VerdictPeek;
      else if (!posted_i && !uc_i) in_turn = roci_pkg::VerdictRnr;
    end
    rejected = in_turn;
    if (may_run && aligned && key_ok_i) begin
      in_turn = send_i ? roci_pkg::VerdictSend : write_i ? roci_pkg::VerdictWrite
              : read_i ? roci_pkg::VerdictRead : roci_pkg::VerdictAtomic;
    end
    repeated = read_i || atomic_i ? roci_pkg::VerdictReplay
             : send_i || write_i  ? roci_pkg::VerdictReack : roci_pkg::VerdictAhead;
    early    = nak_sent_i ? roci_pkg::VerdictAhead : roci_pkg::VerdictGap;
    if (uc_i) {repeated, early} = {roci_pkg::VerdictDiscard, roci_pkg::VerdictDiscard};
    if (dead_i) {in_turn, rejected, repeated, early} = {4{roci_pkg::VerdictIgnore}};
  end
  logic [3:0] elsewhere;  // beside the choice: the expected place comes last
  assign elsewhere = !judge_i ? kept_i : is_duplicate ? repeated : early;
  assign verdict_o = judge_i && expected ? (length_ok && !too_long ? in_turn : rejected)
                                         : elsewhere;
  always_comb begin
    syndrome_o     = roci_pkg::SynNakInvalid;
    status_o       = roci_pkg::StatusRemInvReqErr;
    access_event_o = 1'b0;
    if (runs && length_ok) begin
      access_event_o = !aligned || !key_ok_i;
      if (aligned && !key_ok_i) begin
        syndrome_o = roci_pkg::SynNakAccess;
        status_o   = roci_pkg::StatusLocAccessErr;
      end
    end
  end

  assign takes_o = takes && !dead_i && expected && sequence_ok && allowed;

  logic [12:0] mtu;
  assign mtu = 13'd128 << pmtu_i;
  `ASSUME(MostIsRoom, most_i == 32'h8000_0000 - length)
  logic [5:1] is_mtu, fits_mtu, dma_on;
  always_comb for (int k = 1; k <= 5; k++) begin
    is_mtu[k]   = payload_len_i == 13'd128 << k;
    fits_mtu[k] = payload_len_i <= 13'd128 << k;
    dma_on[k]   = dma_length_i > 32'd128 << k;
  end
  `ASSUME(PayloadIsJudged, filled_i == (payload_len_i != '0) && is_mtu_i == is_mtu
                           && fits_mtu_i == fits_mtu)
  `ASSUME(KindIsOne, 3'(send_i) + 3'(write_i) + 3'(read_i) + 3'(atomic_i) <= 3'd1
                     && (!(first_i || last_i) || send_i || write_i)
                     && (!imm_write_i || (write_i && last_i)))
  `ASSUME(LengthIsJudged, dma_fits_i == (dma_length_i <= 32'h8000_0000)
                          && dma_same_i == (length == dma_length_i) && dma_on_i == dma_on)

  // Properties.
  logic executes, duplicate, future;
  assign executes  = judge_i && verdict_o >= roci_pkg::VerdictSend;
  assign duplicate = (epsn_i - psn_i) >= 24'd1 && (epsn_i - psn_i) <= 24'h80_0000;  // RSP-08
  assign future    = (psn_i - epsn_i) >= 24'd1 && (psn_i - epsn_i) <= 24'h7F_FFFF;
  logic responds_dup;
  assign responds_dup = verdict_o == roci_pkg::VerdictReack || verdict_o == roci_pkg::VerdictReplay;
  `ASSERT(ClassesCoverAll, 2'(psn_i == epsn_i) + 2'(duplicate) + 2'(future) == 2'd1)
  `ASSERT(VerdictIsOne, `IMPLIES(judge_i, verdict_o <= roci_pkg::VerdictAtomic))
  `ASSERT(OtherIsKept, `IMPLIES(!judge_i, verdict_o == kept_i))
  `ASSERT(DeadIsSilent, `IMPLIES(judge_i, dead_i == (verdict_o == roci_pkg::VerdictIgnore)))
  `ASSERT(OnlyExpectedExecutes, `IMPLIES(executes || (judge_i && verdict_o == roci_pkg::VerdictNak),
                                         expected))
  `ASSERT(DuplicateGetsResponse,
          `IMPLIES(judge_i && !dead_i && !uc_i && (send_i || write_i || read_i || atomic_i),
                   duplicate == responds_dup))
  `ASSERT(OneNakPerGap, `IMPLIES(judge_i, (!dead_i && !uc_i && future && !nak_sent_i)
                                          == (verdict_o == roci_pkg::VerdictGap)))
  `ASSERT(RightsAreChecked, `IMPLIES(executes && write_i, may_write))
  `ASSERT(KeyIsChecked, `IMPLIES(executes, key_ok_i))
  `ASSERT(WriteStaysInside, `IMPLIES(executes && write_i,
                                     length <= (first_i ? dma_length_i : write_left_i)))
  `ASSERT(WriteEndsExactly, `IMPLIES(executes && write_i && last_i,
                                     length == (first_i ? dma_length_i : write_left_i)))
  `ASSERT(WriteGoesOn, `IMPLIES(executes && write_i && !last_i,
                                length < (first_i ? dma_length_i : write_left_i)))
  `ASSERT(MiddlesAreFull, `IMPLIES(executes && (send_i || write_i) && middle, payload_len_i == mtu))
  `ASSERT(NoReceiveNoExecution, `IMPLIES(executes && takes, peeked_i && posted_i))
  `ASSERT(NoDepthNoRead, `IMPLIES(executes && (read_i || atomic_i),
                                  max_dest_rd_atomic_i != '0 && payload_len_i == '0))
  `ASSERT(UcIsSilent, `IMPLIES(judge_i && uc_i, verdict_o == roci_pkg::VerdictIgnore
                                     || verdict_o == roci_pkg::VerdictPeek
                                     || verdict_o == roci_pkg::VerdictDiscard
                                     || (executes && (send_i || write_i))))
  `ASSERT(OnlyUcDiscards, `IMPLIES(judge_i && verdict_o == roci_pkg::VerdictDiscard, uc_i))
  `ASSERT(MessagesDoNotMix, `IMPLIES(executes && message_i != roci_pkg::ResponderInNothing,
                                     (!first_i || uc_i) && (send_i || write_i)))
  `COVER(AtomicRuns, judge_i && verdict_o == roci_pkg::VerdictAtomic)
  `COVER(UcResumes, judge_i && uc_i && verdict_o == roci_pkg::VerdictSend && psn_i != epsn_i)
  `COVER(LastWriteRuns, judge_i && verdict_o == roci_pkg::VerdictWrite && last_i && !first_i)
`ifdef FORMAL
  initial assume (!rst_ni);
  `ASSUME(PmtuIsCode, pmtu_i >= 3'd1 && pmtu_i <= 3'd5)
`endif

endmodule
