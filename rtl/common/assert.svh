// SPDX-License-Identifier: Apache-2.0
// One spelling of assertions for three tools.
//
//   `ASSERT(Name, condition)      holds at each clock edge out of reset
//   `ASSUME(Name, condition)      promised by the environment; checked in simulation
//   `COVER(Name, condition)       can be reached, so a proof is not vacuous
//   `IMPLIES(a, b)                a -> b; Yosys 0.23 has no |->
//   `PARAM_CHECK(Name, condition) an illegal parameter does not elaborate
//
// Simulation gets concurrent assertions, formal runs immediate ones, synthesis nothing. Verilator
// gets a comparison at the clock edge that prints the same message: of a concurrent assertion it
// copies each signal in each clock, and it marks the failure as the likely branch, which together
// cost a quarter of the simulation's speed. The module has clk_i and rst_ni.

`ifndef ROCI_ASSERT_SVH
`define ROCI_ASSERT_SVH

`define IMPLIES(a, b) (!(a) || (b))

`define PARAM_CHECK(Name, cond) \
  if (!(cond)) begin : gen_illegal_``Name \
    $error(`"illegal parameter: Name`"); \
  end

`ifdef FORMAL
  `define ASSERT(Name, cond) always_ff @(posedge clk_i) if (rst_ni) Name : assert (cond);
  `define ASSUME(Name, cond) always_ff @(posedge clk_i) if (rst_ni) Name : assume (cond);
  `define COVER(Name, cond) always_ff @(posedge clk_i) if (rst_ni) Name : cover (cond);
`elsif YOSYS
  `define ASSERT(Name, cond)
  `define ASSUME(Name, cond)
  `define COVER(Name, cond)
`else
  `ifdef VERILATOR
    `define ASSERT(Name, cond) \
      always_ff @(posedge clk_i) if (rst_ni && !(cond)) begin : Name $error(`"Name`"); end
  `else
    `define ASSERT(Name, cond) \
      Name : assert property (@(posedge clk_i) disable iff (!rst_ni) (cond)) \
        else $error(`"Name`");
  `endif
  `define ASSUME(Name, cond) `ASSERT(Name, cond)
  `define COVER(Name, cond)
`endif

`endif
