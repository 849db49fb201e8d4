// SPDX-License-Identifier: Apache-2.0
// First step of an event, on the word as it is read: what the word and the event say of each other,
// kept for the next step, and which step that is. Combinational.
//
//  plan                                     Plan
//  response in the window                   Compare
//  UC: a packet that left, in the window    Compare
//  everything else                          Handle
//
// The word passes unchanged and no event ends here, so that the memory of the words is followed by
// these comparisons alone.

module roci_requester_dispatch (
  input  logic                      is_plan_i,
  input  logic                      is_rsp_i,
  input  logic                      is_fault_i,   // payload of fault_psn_i could not be read,
  input  logic                      left_i,       // or with UC: that packet left
  input  roci_pkg::rx_meta_t        rsp_i,
  input  logic [23:0]               fault_psn_i,
  input  roci_pkg::requester_qp_t   qp_i,         // the word: written_i with fresh_i,
  input  roci_pkg::requester_qp_t   stored_i,     // else stored_i
  input  roci_pkg::requester_qp_t   written_i,
  input  logic                      fresh_i,
  input  logic                      alive_i,      // in RTS or SQD, generation begun

  output roci_pkg::requester_run_t  run_o,
  output logic [3:0]                state_o,      // next step,
  output logic [15:0]               at_o          // and its bit
);

  // Response: window, what it requests
  logic        in_window, with_aeth, acknowledges, live;
  logic [2:0]  ask;
  logic [7:0]  syndrome;
  roci_pkg::ext_aeth_t aeth;
  // Both words are compared, so that the memory is not followed by the choice between them.
  logic [23:0] psn;
  logic        in_stored, in_written;
  assign psn = is_fault_i ? fault_psn_i : rsp_i.psn;
  roci_psn_window u_stored (
    .una_i(stored_i.una), .next_i(stored_i.psn_next), .psn_i(psn), .inside_o(in_stored));
  roci_psn_window u_written (
    .una_i(written_i.una), .next_i(written_i.psn_next), .psn_i(psn), .inside_o(in_written));
  assign in_window    = fresh_i ? in_written : in_stored;
  assign live         = alive_i && !qp_i.failed;
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
  logic in_sent, late;
  roci_psn_window u_sent (
    .una_i(qp_i.una), .next_i(qp_i.psn_max), .psn_i(rsp_i.psn), .inside_o(in_sent));
  assign late = in_sent && !in_window && (!qp_i.rnr_wait || rsp_i.psn == qp_i.una)
                && (ask == roci_pkg::AskFatal || ask == roci_pkg::AskSyndrome);

  // Credits may also come by repeating the newest acknowledgement.
  logic credit;
  assign credit = acknowledges
                  && (in_window || (rsp_i.opcode == roci_pkg::OpRcAck
                                    && rsp_i.psn + 24'd1 == qp_i.una
                                    && (aeth.code != 5'(roci_pkg::SynAckNoCredits)
                                        || qp_i.limited)));

  always_comb begin
    run_o           = '0;
    run_o.ask       = ask;
    run_o.upto      = rsp_i.psn + 24'(ask == roci_pkg::AskNone);
    run_o.live      = live;
    run_o.in_window = in_window;
    run_o.late      = is_rsp_i && late;
    run_o.credit    = is_rsp_i && live && credit;
    run_o.begins    = is_rsp_i && (rsp_i.opcode == roci_pkg::OpRcReadRespFirst
                                   || rsp_i.opcode == roci_pkg::OpRcReadRespOnly);
    run_o.arrived   = is_rsp_i && ask != roci_pkg::AskData;  // data count when they are placed
    if (is_fault_i) begin
      run_o.ask  = roci_pkg::AskNone;
      run_o.upto = fault_psn_i + 24'd1;
    end
  end

  // Its bit is not decoded from the code, as both follow the window.
  logic compares;
  assign compares = live && in_window && (is_rsp_i || (is_fault_i && left_i));
  always_comb begin
    state_o = roci_pkg::RequesterHandle;
    if (is_plan_i) state_o = roci_pkg::RequesterPlan;
    else if (compares) state_o = roci_pkg::RequesterCompare;
    at_o                             = '0;
    at_o[roci_pkg::RequesterPlan]    = is_plan_i;
    at_o[roci_pkg::RequesterCompare] = !is_plan_i && compares;
    at_o[roci_pkg::RequesterHandle]  = !is_plan_i && !compares;
  end

  logic unused;
  assign unused = &{1'b0, rsp_i, aeth, qp_i, stored_i, written_i};

endmodule
