// SPDX-License-Identifier: Apache-2.0
// Which of the requests inside roci_responder_front have all that is looked up for them, in a
// register for each: the responder's choice follows the oldest one's.
//
// Throughput: one request in, one finding, one key and one request out per clock. Latency: one
// clock. Keys come in order of the findings that await them, not in the clock of theirs.

`include "assert.svh"

module roci_responder_whole (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       take_i,      // a request comes, number at_i,
  input  logic [1:0] at_i,
  input  logic       looks_up_i,  // and something is looked up for it
  input  logic       found_i,     // what is found for request found_at_i is known,
  input  logic [1:0] found_at_i,
  input  logic       awaits_i,    // and a key is awaited
  input  logic       list_i,      // the list of list_at_i is known, and its key is awaited,
  input  logic [1:0] list_at_i,
  input  logic       none_i,      // a clock later: it is not, for this
  input  logic [1:0] none_at_i,   // request
  input  logic       key_i,       // the oldest key that is awaited comes

  input  logic [1:0] oldest_i,    // number of the oldest request
  output logic       whole_o,     // it is inside, and complete
  input  logic       pop_i        // it leaves
);

  logic [3:0] whole_q, awaits_q;
  logic [1:0] key_at;  // the oldest request whose key is awaited
  assign whole_o = whole_q[oldest_i];
  always_comb begin
    key_at = oldest_i;
    for (int i = 3; i >= 0; i--) begin
      if (awaits_q[oldest_i + 2'(i)]) key_at = oldest_i + 2'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      whole_q  <= '0;
      awaits_q <= '0;
    end else begin
      if (pop_i) whole_q[oldest_i] <= 1'b0;
      if (take_i) whole_q[at_i] <= !looks_up_i;
      if (found_i) begin
        whole_q[found_at_i]  <= !awaits_i;
        awaits_q[found_at_i] <= awaits_i;
      end
      if (list_i) awaits_q[list_at_i] <= 1'b1;
      if (key_i) begin
        whole_q[key_at]  <= 1'b1;
        awaits_q[key_at] <= 1'b0;
      end
      if (none_i) begin
        whole_q[none_at_i]  <= 1'b1;
        awaits_q[none_at_i] <= 1'b0;
      end
    end
  end

  `ASSERT(KeyIsAwaited, `IMPLIES(key_i, awaits_q[key_at] && !(none_i && none_at_i == key_at)))
  `ASSERT(NoneWasAwaited, `IMPLIES(none_i, awaits_q[none_at_i]))
  `ASSERT(NoneIsBoth, (whole_q & awaits_q) == '0)

endmodule
