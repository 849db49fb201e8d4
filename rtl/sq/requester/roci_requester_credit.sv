// SPDX-License-Identifier: Apache-2.0
// Credits of the peer: how many messages that take a receive may be sent (9.7.7.2, RQ-50).
// Combinational.
//
// A message's SSN counts messages from 1. The limit is the peer's MSN plus its credits; code 31
// lifts it.

module roci_requester_credit (
  // an acknowledgement
  input  logic [4:0]  code_i,
  input  logic [23:0] msn_i,
  output logic        limited_o,
  output logic [23:0] limit_o,

  // may a message be sent
  input  logic        known_limited_i,
  input  logic [23:0] known_limit_i,
  input  logic [23:0] ssn_i,
  output logic        beyond_o
);

  logic [3:0]  shift;
  logic [23:0] credits, over;

  // 0, 1, 2, 3, 4, 6, 8, 12, ...: two steps for each power of two
  assign shift = code_i[4:1] - 4'd1;
  always_comb begin
    credits = (code_i[0] ? 24'd3 : 24'd2) << shift;
    if (code_i <= 5'd1) credits = 24'(code_i);
    else if (code_i == 5'd3) credits = 24'd3;
  end
  assign limited_o = code_i != 5'd31;
  assign limit_o   = msn_i + credits;

  assign over     = ssn_i + ~known_limit_i;  // one less, so that the sign alone decides
  assign beyond_o = known_limited_i && !over[23];

  logic unused;
  assign unused = &{1'b0, over};

endmodule
