// SPDX-License-Identifier: Apache-2.0
// Earliest of many times: a tournament tree in one memory.
//
// Throughput: one change per log2(Leaves) + 1 clocks. The winner stands in a register, from the
// clock after the change on.
//
// Node 1 is the root, node n has the children 2n and 2n + 1, leaf i is node Leaves + i. On its way
// up a change reads the sibling of the next node in the clock in which it writes the present one.
// Times are stored inverted, so that a cleared memory holds no deadline.

`include "assert.svh"

module roci_timer_tree #(
  parameter int unsigned Leaves = 1024  // a power of two, at least 2
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      set_i,         // only with ready_o
  input  logic [$clog2(Leaves)-1:0] set_leaf_i,
  input  logic [63:0]               set_time_i,    // all ones: never
  output logic                      ready_o,       // low while a change goes up, and after reset

  output logic [63:0]               first_time_o,
  output logic [$clog2(Leaves)-1:0] first_leaf_o
);

  localparam int unsigned LeafBits = $clog2(Leaves);
  localparam int unsigned NodeBits = LeafBits + 1;
  localparam int unsigned EntryBits = 64 + LeafBits;

  logic                 climb_q, cleared, write;
  logic [NodeBits-1:0]  node_q, node;  // node to write
  logic [EntryBits-1:0] entry_q, entry, sibling, winner_q;

  assign ready_o = cleared && !climb_q;
  assign write   = (set_i && ready_o) || climb_q;

  // The child that came up, or its sibling, whichever is earlier: inverted times, so larger.
  assign node  = climb_q ? node_q : {1'b1, set_leaf_i};
  assign entry = !climb_q ? {~set_time_i, set_leaf_i}
               : sibling[EntryBits-1:LeafBits] > entry_q[EntryBits-1:LeafBits] ? sibling : entry_q;

  roci_deep_ram #(.Width(EntryBits), .Depth(2 * Leaves)) u_nodes (
    .clk_i, .rst_ni,
    .write_i(write),
    .write_row_i(node),
    .write_data_i(entry),
    .read_i(write),
    .read_row_i(node ^ NodeBits'(1)),
    .read_data_o(sibling),
    .ready_o(cleared)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      climb_q  <= 1'b0;
      winner_q <= '0;
    end else if (write) begin
      climb_q <= node != NodeBits'(1);
      if (node == NodeBits'(1)) winner_q <= entry;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      node_q  <= node >> 1;
      entry_q <= entry;
    end
  end

  assign first_time_o = ~winner_q[EntryBits-1:LeafBits];
  assign first_leaf_o = winner_q[LeafBits-1:0];

  `ASSERT(SetWhenReady, `IMPLIES(set_i, ready_o))

endmodule
