// SPDX-License-Identifier: Apache-2.0
// Where a packet sequence number lies relative to the packets in flight (9.7.1): numbers wrap at
// 2^24, so all comparisons are differences. Combinational.
//
//        una              next
//  ...----|================|----...      inside: sent and not acknowledged

module roci_psn_window (
  input  logic [23:0] una_i,       // oldest number not acknowledged
  input  logic [23:0] next_i,      // next number to send
  input  logic [23:0] psn_i,
  output logic        inside_o,
  output logic [23:0] in_flight_o  // next - una
);

  logic [23:0] distance;
  assign distance    = psn_i - una_i;
  assign in_flight_o = next_i - una_i;
  assign inside_o    = distance < in_flight_o;

`ifdef FORMAL
  // The same by cases of the order of plain numbers
  logic f_inside;
  always_comb begin
    if (una_i <= next_i) f_inside = una_i <= psn_i && psn_i < next_i;
    else f_inside = una_i <= psn_i || psn_i < next_i;
    InsideIsBetween : assert (inside_o == f_inside);
    NextIsOutside   : assert (psn_i != next_i || !inside_o);
    EmptyHoldsNone  : assert (una_i != next_i || !inside_o);
    OldestIsInside  : assert (psn_i != una_i || una_i == next_i || inside_o);
    WrappedInside   : cover (next_i < una_i && inside_o && psn_i < next_i);
  end
`endif

endmodule
