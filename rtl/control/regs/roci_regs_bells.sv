// SPDX-License-Identifier: Apache-2.0
// Doorbells among the writes to the registers, and work requests that come with one. Combinational.
//
// A doorbell of a queue pair or SRQ out of range is taken and dropped here.

module roci_regs_bells #(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned NumSrqs = 64
) (
  input  logic [roci_pkg::RegisterAddressBits-1:0] wr_addr_i,
  input  logic [31:0]            wr_data_i,
  input  logic                   wr_valid_i,
  output logic                   is_bell_o,  // the address is that of a doorbell
  output logic                   ready_o,    // its receiver takes it, or it has none

  output roci_pkg::doorbell_t    sq_doorbell_o,
  output logic                   sq_doorbell_valid_o,
  input  logic                   sq_doorbell_ready_i,
  output roci_pkg::doorbell_t    rq_doorbell_o,
  output logic                   rq_doorbell_valid_o,
  input  logic                   rq_doorbell_ready_i,
  output roci_pkg::doorbell_t    srq_doorbell_o,  // the SRQ in place of the queue pair
  output logic                   srq_doorbell_valid_o,
  input  logic                   srq_doorbell_ready_i,
  output roci_pkg::cq_doorbell_t cq_doorbell_o,
  output logic                   cq_doorbell_valid_o,
  input  logic                   cq_doorbell_ready_i,
  output roci_pkg::post_word_t   post_word_o,
  output logic                   post_word_valid_o
);

  localparam int unsigned QpBits   = $clog2(NumQps);
  localparam int unsigned SrqBits  = $clog2(NumSrqs);
  localparam int unsigned AddrBits = roci_pkg::RegisterAddressBits;
  localparam int unsigned BellBits = $clog2(roci_pkg::WinCqDoorbell - roci_pkg::WinQpDoorbell);

  logic [BellBits-5:0] row;
  logic [1:0]          word;  // which word of the 16 bytes of a number
  roci_pkg::cq_arm_reg_t arm_word;  // a consumer index has its place
  logic                is_qp, is_cq, is_sq, is_rq, is_srq;
  assign row    = wr_addr_i[BellBits-1:4];
  assign word   = wr_addr_i[3:2];
  assign is_qp  = wr_addr_i[AddrBits-1:BellBits] == roci_pkg::WinQpDoorbell[AddrBits-1:BellBits];
  assign is_cq  = wr_addr_i[AddrBits-1:BellBits] == roci_pkg::WinCqDoorbell[AddrBits-1:BellBits];
  assign is_sq  = is_qp && (row >> QpBits) == '0 && word == 2'd0;
  assign is_rq  = is_qp && (row >> QpBits) == '0 && word == 2'd1;
  assign is_srq = is_qp && (row >> SrqBits) == '0 && word == 2'd2;

  // Work requests have the upper half of all addresses, 128 bytes a queue pair, and no register.
  logic is_post;
  assign is_post           = wr_addr_i[AddrBits-1];
  assign post_word_o.qpn   = 24'(wr_addr_i[AddrBits-2:7]);
  assign post_word_o.place = wr_addr_i[6:2];
  assign post_word_o.data  = wr_data_i;
  assign post_word_valid_o = wr_valid_i && is_post;

  assign is_bell_o            = is_qp || is_cq;
  assign sq_doorbell_valid_o  = wr_valid_i && is_sq;
  assign rq_doorbell_valid_o  = wr_valid_i && is_rq;
  assign srq_doorbell_valid_o = wr_valid_i && is_srq;
  assign cq_doorbell_valid_o  = wr_valid_i && is_cq && !word[1];
  always_comb begin
    ready_o = 1'b1;
    if (is_cq)       ready_o = cq_doorbell_ready_i || word[1];
    else if (is_sq)  ready_o = sq_doorbell_ready_i;
    else if (is_rq)  ready_o = rq_doorbell_ready_i;
    else if (is_srq) ready_o = srq_doorbell_ready_i;
  end

  always_comb begin
    sq_doorbell_o.qpn   = 24'(row);
    sq_doorbell_o.index = wr_data_i[15:0];
    rq_doorbell_o       = sq_doorbell_o;
    srq_doorbell_o      = sq_doorbell_o;
  end
  assign cq_doorbell_o.cqn       = 16'(row);
  assign cq_doorbell_o.arm       = word[0];
  assign arm_word                = wr_data_i;
  assign cq_doorbell_o.solicited = arm_word.solicited;
  assign cq_doorbell_o.index     = arm_word.index;

  logic unused;
  assign unused = ^wr_addr_i[1:0];

endmodule
