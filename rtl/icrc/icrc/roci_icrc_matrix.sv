// SPDX-License-Identifier: Apache-2.0
// Product of a constant matrix over GF(2) and a vector: each bit of the result is the sum of some
// bits of the data.
//
// Throughput: combinational. Latency: none.
//
// Each row alone has about half of the bits. In synthesis, groups of rows share sums: those of the
// bits that a group has in the same of its rows, of which five rows have 31. At 512 bits this takes
// half of the LUTs; in simulation the rows are faster.

module roci_icrc_matrix #(
  parameter int unsigned           Columns = 32,  // bits of the data
  parameter logic [32*Columns-1:0] Rows = '0      // row i lies at Columns * i
) (
  input  logic [Columns-1:0] data_i,
  output logic [31:0]        sum_o
);

`ifdef YOSYS
  localparam int unsigned PerGroup = Columns <= 64 ? 3 : Columns == 128 ? 4 : 5;
  localparam int unsigned Groups   = (32 + PerGroup - 1) / PerGroup;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    localparam int unsigned First = PerGroup * g;
    localparam int unsigned Size  = 32 - First < PerGroup ? 32 - First : PerGroup;
    logic [(1<<Size)-1:0] shared;  // sums, by the rows of the group that have their bits
    assign shared[0] = 1'b0;
    for (genvar s = 1; s < (1 << Size); s++) begin : gen_shared
      logic [Columns-1:0] chosen;
      always_comb begin
        chosen = '1;
        for (int r = 0; r < Size; r++) begin
          chosen = chosen & (((s >> r) & 1) != 0 ? Rows[Columns*(First+r) +: Columns]
                                                 : ~Rows[Columns*(First+r) +: Columns]);
        end
      end
      assign shared[s] = ^(data_i & chosen);
    end
    for (genvar r = 0; r < Size; r++) begin : gen_row
      logic [(1<<Size)-1:0] mine;
      for (genvar s = 0; s < (1 << Size); s++) begin : gen_mine
        assign mine[s] = shared[s] && ((s >> r) & 1) != 0;
      end
      assign sum_o[First+r] = ^mine;
    end
  end
`else
  always_comb begin
    for (int row = 0; row < 32; row++) sum_o[row] = ^(data_i & Rows[Columns*row +: Columns]);
  end
`endif

endmodule
