// Where a packet sequence number lies relative to the packets in flight (9.7.1): numbers wrap at
// 2^24, so all comparisons are differences. Combinational.
//
//        una              next
//  ...----|================|----...      inside: unacknowledged

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

endmodule
