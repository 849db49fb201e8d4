// SPDX-License-Identifier: Apache-2.0
// For Yosys's techmap: a cover becomes an assertion that its condition never holds.
(* techmap_celltype = "$cover" *)
module cover_as_assert (input A, input EN);
  \$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
