// SPDX-License-Identifier: Apache-2.0
// Where a packet sequence number lies relative to the packets in flight (9.7.1): numbers wrap at
// 2^24, so all comparisons are differences. Combinational.
//
//        una              next
//  ...----|================|----...      inside: sent and not acknowledged
//
// No more than 2^23 numbers are in flight, so the signs of two differences tell.

module roci_psn_window (
  input  logic [23:0] una_i,       // oldest number not acknowledged
  input  logic [23:0] next_i,      // next number to send
  input  logic [23:0] psn_i,
  output logic        inside_o
);

  logic [23:0] distance, left;
  logic        unused;
  assign distance = psn_i - una_i;
  assign left     = next_i + ~psn_i;  // next - psn - 1
  assign inside_o = !distance[23] && !left[23];
  assign unused   = &{1'b0, distance, left};

`ifdef FORMAL
  // The same by cases of the order of plain numbers
  logic        f_inside;
  logic [23:0] f_flight;
  assign f_flight = next_i - una_i;
  always_comb begin
    if (una_i <= next_i) f_inside = una_i <= psn_i && psn_i < next_i;
    else f_inside = una_i <= psn_i || psn_i < next_i;
    InsideIsBetween : assert (f_flight > 24'h80_0000 || inside_o == f_inside);
    NextIsOutside   : assert (psn_i != next_i || !inside_o);
    EmptyHoldsNone  : assert (una_i != next_i || !inside_o);
    OldestIsInside  : assert (psn_i != una_i || una_i == next_i || inside_o
                              || f_flight > 24'h80_0000);
    WrappedInside   : cover (next_i < una_i && inside_o && psn_i < next_i);
  end
`endif

endmodule
