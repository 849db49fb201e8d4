// SPDX-License-Identifier: Apache-2.0
// The choice of roci_arbiter by pairs of clients: a request is granted when none is there that goes
// before it. Fewer levels from a request to its grant, and only the grant is kept.
//
// Combinational from request_i to grant_o; grant_o is one-hot or zero, and stays with a request
// that is not taken yet and still there.

`include "assert.svh"

module roci_arbiter_pairs #(
  parameter int unsigned Clients = 4  // 2 to 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [Clients-1:0]         request_i,
  output logic [Clients-1:0]         grant_o,
  input  logic                       taken_i     // the grant is used up
);

  `PARAM_CHECK(ClientsInRange, Clients >= 2 && Clients <= 8)

  logic [Clients-2:0] last_q;  // the client granted last; 0: the highest, or none yet

  for (genvar i = 0; i < Clients; i++) begin : gen_client
    // Going round from the last one, a lower client comes first unless the last one is it or stands
    // between the two; a higher one only then.
    logic [Clients-1:0] ahead;
    for (genvar j = 0; j < Clients; j++) begin : gen_other
      if (j < i) begin : gen_lower
        assign ahead[j] = last_q[i-1:j] == '0;
      end else if (j > i) begin : gen_higher
        assign ahead[j] = last_q[j-1:i] != '0;
      end else begin : gen_self
        assign ahead[j] = 1'b0;
      end
    end
    assign grant_o[i] = request_i[i] && (request_i & ahead) == '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) last_q <= '0;
    else if (taken_i && request_i != '0) last_q <= grant_o[Clients-2:0];
  end

  `ASSERT(AtMostOne, (grant_o & (grant_o - 1'b1)) == '0)
  `ASSERT(OnlyRequests, (grant_o & ~request_i) == '0)
  `ASSERT(NoneIdle, `IMPLIES(|request_i, |grant_o))

`ifdef FORMAL
  // The grants are those of roci_arbiter, whose fairness is proved there.
  logic [Clients-1:0] f_after_q, f_preferred, f_pool, f_grant;
  assign f_preferred = request_i & f_after_q;
  assign f_pool      = |f_preferred ? f_preferred : request_i;
  assign f_grant     = f_pool & (~f_pool + 1'b1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_after_q <= '0;
    else if (taken_i && |f_grant) f_after_q <= ~(f_grant | (f_grant - 1'b1));
  end
  `ASSERT(LastIsOne, (last_q & (last_q - 1'b1)) == '0)
  `ASSERT(SameOrder, f_after_q == (last_q == '0 ? '0 : {1'b1, ~(last_q | (last_q - 1'b1))}))
  `ASSERT(SameGrant, grant_o == f_grant)
  `COVER(GoesRound, last_q[Clients-2] && grant_o[0] && request_i[Clients-2])
  `COVER(LowerWaits, request_i[0] && grant_o[Clients-1])
  initial assume (!rst_ni);
`endif

endmodule
