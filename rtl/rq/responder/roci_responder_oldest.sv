// SPDX-License-Identifier: Apache-2.0
// The oldest replay slot whose response is pending: the first from slot_next_i on, as the ring is
// full once slot_next has wrapped, else the first of all.
//
// Throughput: combinational. Latency: none.
//
// Word and slot come out of memories. So the four groups of four slots are looked at side by side,
// and the group is chosen last.

`include "assert.svh"

module roci_responder_oldest (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [15:0] pending_i,
  input  logic [3:0]  slot_next_i,
  output logic [3:0]  oldest_o      // without meaning when none is pending
);

  logic [1:0] group, at;  // parts of slot_next_i
  assign {group, at} = slot_next_i;

  // In each group: one is pending, or one from `at` on; the first of them.
  logic [3:0] any, any_on;
  logic [7:0] first, first_on;
  always_comb begin
    for (int g = 0; g < 4; g++) begin
      any[g]    = pending_i[4*g +: 4] != '0;
      any_on[g] = (pending_i[4*g +: 4] >> at) != '0;
      first[2*g +: 2]    = pending_i[4*g] ? 2'd0 : pending_i[4*g+1] ? 2'd1
                         : pending_i[4*g+2] ? 2'd2 : 2'd3;
      first_on[2*g +: 2] = pending_i[4*g] && at == 2'd0 ? 2'd0
                         : pending_i[4*g+1] && at <= 2'd1 ? 2'd1
                         : pending_i[4*g+2] && at <= 2'd2 ? 2'd2 : 2'd3;
    end
  end

  // The group of slot_next_i from `at` on, else those after it, those before it, and all of it.
  logic       here;
  logic [1:0] later;
  assign here = any_on[group];
  always_comb begin
    unique case (group)
      2'd0: later = any[1] ? 2'd1 : any[2] ? 2'd2 : any[3] ? 2'd3 : 2'd0;
      2'd1: later = any[2] ? 2'd2 : any[3] ? 2'd3 : any[0] ? 2'd0 : 2'd1;
      2'd2: later = any[3] ? 2'd3 : any[0] ? 2'd0 : any[1] ? 2'd1 : 2'd2;
      2'd3: later = any[0] ? 2'd0 : any[1] ? 2'd1 : any[2] ? 2'd2 : 2'd3;
    endcase
  end
  assign oldest_o = here ? {group, first_on[2*group +: 2]} : {later, first[2*later +: 2]};

  // The definition.
  logic [15:0] from_next, chosen;
  logic [3:0]  lowest;
  assign from_next = pending_i >> slot_next_i << slot_next_i;
  assign chosen    = from_next != '0 ? from_next : pending_i;
  always_comb begin
    lowest = '0;
    for (int i = 15; i >= 0; i--) begin
      if (chosen[i]) lowest = 4'(i);
    end
  end
  `ASSERT(IsOldest, `IMPLIES(pending_i != '0, oldest_o == lowest))
  `COVER(Wraps, pending_i != '0 && from_next == '0)
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

endmodule
