// SPDX-License-Identifier: Apache-2.0
// Keeps the last two work requests of each queue pair that were segmented, so that going on with
// one, or returning to it, needs no read of host memory.
//
// Throughput: one look, one read, one write per clock. Latency: one clock. Only work requests that
// stand in block 0 are kept. A longer list or inline data takes the place all the same, so that an
// index found is never that of an earlier round of the 16-bit counter. RESET forgets.

module roci_sq_keep #(
  parameter int unsigned NumQps  = 256,  // queue pairs, a power of two
  parameter int unsigned Compact = 0,    // 1: none is kept, all are read
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // row bus
  input  logic                 row_write_valid_i,
  input  roci_pkg::row_write_t row_write_i,

  // is this one kept
  input  logic                 look_i,
  input  logic [QpBits-1:0]    look_row_i,
  input  logic [15:0]          look_index_i,  // stays one clock more
  output logic                 kept_o,        // one clock after look_i

  // the kept one
  input  logic                 read_i,
  input  logic [QpBits-1:0]    read_row_i,
  input  logic [15:0]          read_index_i,
  output logic [511:0]         block_o,  // one clock after read_i

  // a work request that is segmented
  input  logic                 write_i,
  input  logic [QpBits-1:0]    write_row_i,
  input  logic [15:0]          write_index_i,
  input  logic [511:0]         write_block_i
);

  roci_pkg::wqe_t      wqe;
  roci_pkg::qp_state_t state_row;
  logic           whole, forget, write;
  assign wqe       = write_block_i;
  assign state_row = row_write_i.data[roci_pkg::QpStateBits-1:0];
  assign whole  = !wqe.inline_data && wqe.num_sge <= 8'd1;
  assign forget = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState
                  && state_row.state == roci_pkg::QpReset;
  assign write  = write_i && !forget;

  // What is kept of even and of odd indices
  logic [1:0]  tag_valid, unused_ready;
  logic [15:0] even, odd;
  for (genvar p = 0; p < 2; p++) begin : gen_tag
    logic [16:0] tag;
    roci_ram #(.Width(17), .Depth(NumQps), .Clear(1), .Forward(1)) u_tag (
      .clk_i, .rst_ni,
      .write_i      (forget || (write && write_index_i[0] == 1'(p))),
      .write_row_i  (forget ? row_write_i.index[QpBits-1:0] : write_row_i),
      .write_data_i ({whole && !forget, write_index_i}),
      .read_i(look_i), .read_row_i(look_row_i), .read_data_o(tag), .ready_o(unused_ready[p]));
    assign tag_valid[p] = tag[16];
    if (p == 0) begin : gen_even
      assign even = tag[15:0];
    end else begin : gen_odd
      assign odd = tag[15:0];
    end
  end

  logic unused_block_ready;
  if (Compact != 0) begin : gen_none
    assign kept_o             = 1'b0;
    assign block_o            = '0;
    assign unused_block_ready = ^{tag_valid, even, odd, look_index_i};
  end else begin : gen_blocks
    assign kept_o = look_index_i[0] ? tag_valid[1] && odd == look_index_i
                                    : tag_valid[0] && even == look_index_i;
    roci_ram #(.Width(512), .Depth(2 * NumQps)) u_block (
      .clk_i, .rst_ni,
      .write_i(write), .write_row_i({write_row_i, write_index_i[0]}),
      .write_data_i(write_block_i),
      .read_i, .read_row_i({read_row_i, read_index_i[0]}), .read_data_o(block_o),
      .ready_o(unused_block_ready));
  end

  logic unused;
  assign unused = &{1'b0, wqe, write, read_i, read_row_i, read_index_i, unused_ready,
                    unused_block_ready};

endmodule
