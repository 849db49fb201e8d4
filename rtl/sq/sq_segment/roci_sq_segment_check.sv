// SPDX-License-Identifier: Apache-2.0
// Is this work request well formed? Combinational. F-85, RQ-44.

module roci_sq_segment_check #(
  parameter int unsigned Atomics = 1,  // 0: a work request for an atomic is not well formed
  parameter int unsigned KeyOps  = 1   // 0: nor is one for an operation on keys
) (
  input  roci_pkg::wqe_t wqe_i,
  input  logic           fetch_error_i,
  input  logic [1:0]     stride_log_i,   // log2 of blocks in an entry
  input  logic [31:0]    offset_i,       // bytes of it that were segmented before
  output logic [7:0]     status_o,
  output logic           one_plan_o,     // one plan for all of it: its data come later, if at all
  output logic           is_atomic_o,
  output logic           is_local_o      // local invalidate, bind, registration: no packet
);

  localparam logic [31:0] MaxMessage = 32'h8000_0000;

  logic       is_read, is_data;
  logic       inline_long;  // more than the blocks after the first hold: none, one or three
  logic [3:0] max_sge;
  assign is_read     = wqe_i.opcode == roci_pkg::WrOpRead;
  assign is_data     = wqe_i.opcode <= roci_pkg::WrOpWriteImm
                       || wqe_i.opcode == roci_pkg::WrOpSendInv;
  if (Atomics != 0) begin : gen_atomics
    assign is_atomic_o = wqe_i.opcode == roci_pkg::WrOpCmpSwap
                         || wqe_i.opcode == roci_pkg::WrOpFetchAdd;
  end else begin : gen_no_atomics
    assign is_atomic_o = 1'b0;
  end
  if (KeyOps != 0) begin : gen_local
    assign is_local_o = wqe_i.opcode == roci_pkg::WrOpLocalInv
                        || wqe_i.opcode == roci_pkg::WrOpBindMw
                        || wqe_i.opcode == roci_pkg::WrOpRegMr;
  end else begin : gen_no_local
    assign is_local_o = 1'b0;
  end
  assign one_plan_o  = is_read || is_atomic_o;
  assign max_sge     = stride_log_i == 2'd0 ? 4'd1 : stride_log_i == 2'd1 ? 4'd5 : 4'd13;

  // Without a comparator, whose carry chain would stand in the middle of the longest path.
  always_comb begin
    unique case (stride_log_i)
      2'd0:    inline_long = wqe_i.length != '0;
      2'd1:    inline_long = wqe_i.length[31:7] != '0
                             || (wqe_i.length[6] && wqe_i.length[5:0] != '0);
      default: inline_long = wqe_i.length[31:8] != '0
                             || (wqe_i.length[7:6] == 2'd3 && wqe_i.length[5:0] != '0);
    endcase
  end

  always_comb begin
    status_o = roci_pkg::StatusSuccess;
    if (fetch_error_i) begin
      status_o = roci_pkg::StatusFatalErr;
    end else if (!is_data && !is_read && !is_atomic_o && !is_local_o) begin
      status_o = roci_pkg::StatusLocQpOpErr;
    end else if (is_local_o) begin
      if (wqe_i.inline_data || wqe_i.num_sge != '0 || wqe_i.length != '0) begin
        status_o = roci_pkg::StatusLocQpOpErr;
      end
    end else if (wqe_i.inline_data) begin
      if (!is_data || inline_long) begin
        status_o = roci_pkg::StatusLocQpOpErr;
      end
    end else if (wqe_i.num_sge > 8'(max_sge)) begin
      status_o = roci_pkg::StatusLocQpOpErr;
    end else if (wqe_i.length > MaxMessage || (is_atomic_o && wqe_i.length != 32'd8)
                 || (wqe_i.num_sge == '0 && wqe_i.length != '0)
                 || ((wqe_i.num_sge == 8'd1 || is_atomic_o)
                     && wqe_i.sge0_length < wqe_i.length)) begin
      status_o = roci_pkg::StatusLocLenErr;
    end
    // Changed since it was begun
    if (offset_i > wqe_i.length) status_o = roci_pkg::StatusLocQpOpErr;
  end

  logic unused;
  assign unused = &{1'b0, wqe_i};

endmodule
