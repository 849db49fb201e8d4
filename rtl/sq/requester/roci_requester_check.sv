// SPDX-License-Identifier: Apache-2.0
// Is this READ response the one that may come at its sequence number? Combinational. RQ-38, F-62.
//
//  request:   first ............................ last
//  response:  FIRST  MIDDLE  MIDDLE  ...  MIDDLE LAST     or ONLY when first = last
// At the start of a repeated request in the middle, the responses of both requests fit.

module roci_requester_check (
  input  logic [7:0]  opcode_i,
  input  logic [2:0]  aeth_kind_i,
  input  logic [12:0] payload_len_i,
  input  logic        at_first_i,    // it has the first PSN of the request as it was first sent,
  input  logic        at_end_i,      // or the last
  input  logic [31:0] msg_len_i,
  input  logic [2:0]  pmtu_i,
  input  logic        restart_i,     // a repeated request begins at its PSN
  input  logic [31:0] offset_i,      // bytes of the message before this response
  output logic        kind_ok_o,
  output logic        length_ok_o,
  output logic        syndrome_ok_o
);

  logic at_start, fresh, further;
  logic [12:0] mtu, want;

  assign at_start = at_first_i || restart_i;
  assign mtu      = 13'd128 << pmtu_i;
  assign want     = at_end_i ? 13'(msg_len_i - offset_i) : mtu;

  assign fresh     = opcode_i == (at_end_i ? roci_pkg::OpRcReadRespOnly
                                           : roci_pkg::OpRcReadRespFirst);
  assign further   = opcode_i == (at_end_i ? roci_pkg::OpRcReadRespLast
                                           : roci_pkg::OpRcReadRespMiddle);
  assign kind_ok_o = (at_start && fresh) || (!at_first_i && further);
  assign length_ok_o   = payload_len_i == want;
  assign syndrome_ok_o = opcode_i == roci_pkg::OpRcReadRespMiddle
                         || aeth_kind_i == roci_pkg::AethAck;

endmodule
