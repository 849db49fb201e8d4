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
  output logic [(Clients > 1 ? $clog2(Clients) : 1)-1:0] index_o,  // of the grant, 0 without one
  input  logic                                         taken_i     // the grant is used up
);

  `PARAM_CHECK(ClientsInRange, Clients >= 1 && Clients <= 32)

  localparam int unsigned IndexBits = Clients > 1 ? $clog2(Clients) : 1;

  logic [Clients-1:0] after_q;  // clients behind the last one granted, served first
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
  // A request that stays is granted after at most Clients - 1 grants to others.
  (* anyconst *) logic [IndexBits-1:0] f_one;
  logic [IndexBits:0] f_waited_q;
  `ASSUME(OneIsClient, f_one < Clients)
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !request_i[f_one]) f_waited_q <= '0;
    else if (taken_i) f_waited_q <= grant_o[f_one] ? '0 : f_waited_q + 1'b1;
  end
  `ASSERT(Fair, f_waited_q < Clients)
  `COVER(Waited, f_waited_q == Clients - 1)
  initial assume (!rst_ni);
`endif

endmodule
