// SPDX-License-Identifier: Apache-2.0
// Does a grant end with this packet, and how many work requests may the next one have?
// Combinational.
//
// A grant ends after a quantum of payload, unless little is left of the message, and after eight
// READs or atomics: the requester seldom has room for more. The next grant has few work requests
// when this one ended before those that were fetched for it.

module roci_sq_segment_grant #(
  parameter int unsigned Quantum = 16384  // payload bytes of a grant
) (
  // the grant before this packet
  input  logic [14:0] spent_i,      // payload bytes
  input  logic [5:0]  left_i,       // work requests, with that of the packet
  input  logic [2:0]  reads_i,      // READs and atomics

  // the packet
  input  logic [12:0] counted_i,    // bytes that the grant is spent by when it is the last one
  input  logic [12:0] mtu_i,        // and when it is not
  input  logic [31:0] remaining_i,  // bytes of its message from it on
  input  logic        one_plan_i,   // READ, atomic or local operation
  input  logic        is_local_i,
  input  logic        last_i,
  input  logic        failed_i,

  output logic [15:0] spent_o,
  output logic        next_wqe_o,   // the work request ends
  output logic        end_grant_o,
  output logic [1:0]  less_o        // size of the next grant, as in fetch_ptr_t
);

  localparam int unsigned Reads = 8;

  // Both cases are prepared: it is the last packet of its message, or it is not.
  logic [15:0] spent_last, spent_mtu;
  logic        long_rest;
  assign spent_last  = 16'(spent_i) + 16'(counted_i);
  assign spent_mtu   = 16'(spent_i) + 16'(mtu_i);
  assign long_rest   = remaining_i > 32'(Quantum / 2) + 32'(mtu_i);
  assign spent_o     = last_i ? spent_last : spent_mtu;
  assign next_wqe_o  = last_i || failed_i;
  assign end_grant_o = failed_i || is_local_i || (one_plan_i && reads_i == 3'(Reads - 1))
                       || (last_i ? left_i == 6'd1 || spent_last >= 16'(Quantum)
                                  : spent_mtu >= 16'(Quantum) && long_rest);
  always_comb begin
    less_o = '0;
    if (one_plan_i && !is_local_i) less_o = 2'd2;
    else if (failed_i || is_local_i || !last_i || left_i != 6'd1) less_o = 2'd3;
  end

endmodule
