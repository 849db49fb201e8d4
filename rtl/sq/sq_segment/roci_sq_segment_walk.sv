// SPDX-License-Identifier: Apache-2.0
// Walks the list of a work request whose blocks stand in the fetch buffer (sge_walker).
//
// Entry i > 0 lies in block 1 + (i - 1) / 4; the part of the block that holds it is there one clock
// after it was requested.

module roci_sq_segment_walk #(
  parameter int unsigned PartBits = 512  // bits of a part: 128, 256 or 512
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               start_i,
  output logic               start_ready_o,
  input  roci_pkg::wqe_t     wqe_i,
  input  logic [31:0]        offset_i,
  input  logic [31:0]        len_i,
  input  logic [15:0]        pd_i,
  input  logic [3:0]         access_i,
  input  logic               check_only_i,

  output logic [1:0]         block_index_o,   // block after the first
  output logic [1:0]         entry_o,         // 128 bits of it
  input  logic [PartBits-1:0] part_i,

  output roci_pkg::key_req_t key_req_o,
  output logic               key_req_valid_o,
  input  logic               key_req_ready_i,
  input  roci_pkg::key_rsp_t key_rsp_i,
  input  logic               key_rsp_valid_i,

  output roci_pkg::seg_t     seg_o,
  output logic               seg_valid_o,
  input  logic               seg_ready_i,
  output logic               done_valid_o,
  output logic [7:0]         done_status_o,
  output logic               idle_o
);

  logic [3:0]     sge_index, sge_row;
  logic [1:0]     sge_place_q;
  logic           sge_first_q;
  roci_pkg::sge_t sge;

  assign sge_row       = sge_index - 4'd1;
  assign block_index_o = sge_row[3:2];
  assign entry_o       = sge_row[1:0];
  always_ff @(posedge clk_i) begin
    sge_place_q <= sge_row[1:0] & 2'(PartBits / 128 - 1);
    sge_first_q <= sge_index == '0;
  end
  always_comb begin
    sge = part_i[128 * sge_place_q +: 128];
    if (sge_first_q) sge = {wqe_i.sge0_lkey, wqe_i.sge0_length, wqe_i.sge0_addr};
  end

  roci_sge_walker u_walker (
    .clk_i, .rst_ni,
    .start_valid_i(start_i), .start_ready_o, .start_num_sge_i(wqe_i.num_sge),
    .start_offset_i(offset_i), .start_len_i(len_i), .start_pd_i(pd_i), .start_access_i(access_i),
    .start_check_only_i(check_only_i), .sge_index_o(sge_index), .sge_i(sge),
    .key_req_o, .key_req_valid_o, .key_req_ready_i, .key_rsp_i, .key_rsp_valid_i,
    .seg_o, .seg_valid_o, .seg_ready_i, .done_valid_o, .done_status_o, .idle_o);

  logic unused;
  assign unused = &{1'b0, wqe_i};

endmodule
