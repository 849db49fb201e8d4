// SPDX-License-Identifier: Apache-2.0
// Round-robin choice among requests: after a grant is taken, the granted one comes last.
//
// Combinational from request_i to grant_o; grant_o is one-hot or zero, and stays with a request
// that is not taken yet and still there.

`include "assert.svh"

module roci_arbiter #(
  parameter int unsigned Clients = 4  // 1 to 32
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,

  input  logic [Clients-1:0]                           request_i,
  output logic [Clients-1:0]                           grant_o,
  output logic [(Clients > 1 ? $clog2(Clients) : 1)-1:0] index_o,  // client granted, or 0
  input  logic                                         taken_i     // the grant is used up
);

  `PARAM_CHECK(ClientsInRange, Clients >= 1 && Clients <= 32)

  localparam int unsigned IndexBits = Clients > 1 ? $clog2(Clients) : 1;

  logic [Clients-1:0] after_q;  // clients after the last one granted, served first
  logic [Clients-1:0] preferred, pool;

  assign preferred = request_i & after_q;
  assign pool      = |preferred ? preferred : request_i;
  assign grant_o   = pool & (~pool + 1'b1);

  always_comb begin
    index_o = '0;
    for (int i = 0; i < Clients; i++) begin
      if (grant_o[i]) index_o = IndexBits'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) after_q <= '0;
    else if (taken_i && |grant_o) after_q <= ~(grant_o | (grant_o - 1'b1));
  end

  `ASSERT(AtMostOne, (grant_o & (grant_o - 1'b1)) == '0)
  `ASSERT(OnlyRequests, (grant_o & ~request_i) == '0)
  `ASSERT(NoneIdle, `IMPLIES(|request_i, |grant_o))

`ifdef FORMAL
  // after_q holds all clients from some number on, and no other.
  `ASSERT(OrderIsSuffix, (~after_q & (~after_q + 1'b1)) == '0)

  // A client that keeps its request is granted after at most Clients - 1 grants to others: each of
  // these takes at least one client out of those that come before it.
  (* anyconst *) logic [IndexBits-1:0] f_one;
  logic [Clients-1:0] f_one_hot, f_lower, f_before;
  logic [IndexBits:0] f_waited_q;
  `ASSUME(OneIsClient, 32'(f_one) < Clients)
  assign f_one_hot = Clients'(1) << f_one;
  assign f_lower   = f_one_hot - 1'b1;
  assign f_before  = |(after_q & f_one_hot) ? after_q & f_lower : (after_q | f_lower) & ~f_one_hot;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !request_i[f_one] || (taken_i && grant_o[f_one])) f_waited_q <= '0;
    else if (taken_i) f_waited_q <= f_waited_q + 1'b1;
  end
  `ASSERT(Fair, 32'(f_waited_q) + $countones(f_before) < Clients)
  `COVER(Waited, f_waited_q == (IndexBits + 1)'(Clients - 1))
  initial assume (!rst_ni);
`endif

endmodule
