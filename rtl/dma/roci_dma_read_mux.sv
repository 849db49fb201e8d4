// SPDX-License-Identifier: Apache-2.0
// The read side of the AXI master: payload and block reads take turns.
//
// Throughput: one request a clock. Latency: one clock; responses pass at once.

`include "assert.svh"

module roci_dma_read_mux #(
  parameter int unsigned DataWidth = 512
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // payload
  input  logic [6:0]  p_tag_i,
  input  logic [63:0] p_addr_i,
  input  logic [19:0] p_pasid_i,
  input  logic [8:0]  p_beats_i,
  input  logic        p_valid_i,
  output logic        p_ready_o,
  // blocks
  input  logic [6:0]  b_tag_i,
  input  logic [63:0] b_addr_i,
  input  logic [19:0] b_pasid_i,
  input  logic [8:0]  b_beats_i,
  input  logic        b_valid_i,
  output logic        b_ready_o,

  // AXI
  output logic [7:0]  m_axi_arid_o,
  output logic [63:0] m_axi_araddr_o,
  output logic [7:0]  m_axi_arlen_o,
  output logic [2:0]  m_axi_arsize_o,
  output logic [1:0]  m_axi_arburst_o,
  output logic [19:0] m_axi_aruser_o,
  output logic        m_axi_arvalid_o,
  input  logic        m_axi_arready_i
);

  logic [1:0] grant;
  logic       index, free;  // index 1: payload
  assign free = !m_axi_arvalid_o || m_axi_arready_i;
  roci_arbiter #(.Clients(2)) u_turn (
    .clk_i, .rst_ni, .request_i({p_valid_i, b_valid_i}), .grant_o(grant), .index_o(index),
    .taken_i(free));
  assign b_ready_o = grant[0] && free;
  assign p_ready_o = grant[1] && free;

  assign m_axi_arsize_o  = 3'($clog2(DataWidth / 8));
  assign m_axi_arburst_o = 2'b01;  // INCR

  always_ff @(posedge clk_i) begin
    if (!rst_ni) m_axi_arvalid_o <= 1'b0;
    else if (free) m_axi_arvalid_o <= p_valid_i || b_valid_i;
    if (free && grant != '0) begin
      m_axi_arid_o   <= index ? {1'b0, p_tag_i} : {1'b1, b_tag_i};
      m_axi_araddr_o <= index ? p_addr_i : b_addr_i;
      m_axi_aruser_o <= index ? p_pasid_i : b_pasid_i;
      m_axi_arlen_o  <= 8'((index ? p_beats_i : b_beats_i) - 9'd1);
    end
  end

`ifdef FORMAL
  // Each request taken is on the bus once, as it was; ids tell the two apart.
  logic [7:0]   f_in_q, f_out_q;
  logic [100:0] f_newest_q, f_newest;
  logic         f_p, f_b;
  assign f_p      = p_valid_i && p_ready_o;
  assign f_b      = b_valid_i && b_ready_o;
  assign f_newest = f_p ? {1'b0, p_tag_i, p_addr_i, p_pasid_i, p_beats_i}
                        : {1'b1, b_tag_i, b_addr_i, b_pasid_i, b_beats_i};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in_q  <= '0;
      f_out_q <= '0;
    end else begin
      f_in_q  <= f_in_q + 8'(f_p) + 8'(f_b);
      f_out_q <= f_out_q + 8'(m_axi_arvalid_o && m_axi_arready_i);
    end
    if (f_p || f_b) f_newest_q <= f_newest;
  end
  `ASSERT(NoRequestLostOrMade, f_in_q - f_out_q == 8'(m_axi_arvalid_o) && !(f_p && f_b))
  `ASSERT(RequestIsKept, `IMPLIES(m_axi_arvalid_o,
                                  {m_axi_arid_o, m_axi_araddr_o, m_axi_aruser_o}
                                  == f_newest_q[100:9]
                                  && m_axi_arlen_o == 8'(f_newest_q[8:0] - 9'd1)))

  // On the bus, the rules of AXI4. Payload bursts are those of dma_split, which proves what is
  // assumed of them; a client of block reads names blocks within 4 KiB.
  localparam int unsigned FormalOffBits = $clog2(DataWidth / 8);
  roci_axi_read_check #(.DataWidth(DataWidth)) u_check (
    .clk_i, .rst_ni, .arid_i(m_axi_arid_o), .araddr_i(m_axi_araddr_o), .arlen_i(m_axi_arlen_o),
    .arsize_i(m_axi_arsize_o), .arburst_i(m_axi_arburst_o), .aruser_i(m_axi_aruser_o),
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .rid_i(8'd0), .rlast_i(1'b0),
    .rvalid_i(1'b0), .rready_i(1'b1));
  logic [15:0] f_p_end, f_b_end;  // bytes of the page up to the end of the burst
  assign f_p_end = 16'(p_addr_i[11:0]) + (16'(p_beats_i) << FormalOffBits);
  assign f_b_end = 16'(b_addr_i[11:0]) + (16'(b_beats_i) << FormalOffBits);
  `ASSUME(PayloadBurst, `IMPLIES(p_valid_i, p_addr_i[FormalOffBits-1:0] == '0 && p_beats_i != '0 &&
                                            p_beats_i <= 9'd256 && f_p_end <= 16'd4096))
  `ASSUME(BlockBurst, `IMPLIES(b_valid_i, b_addr_i[FormalOffBits-1:0] == '0 && b_beats_i != '0 &&
                                          b_beats_i <= 9'd256 && f_b_end <= 16'd4096))
  `COVER(LongestBurst, m_axi_arvalid_o && m_axi_arlen_o == 8'd63 && m_axi_arready_i)
  `COVER(BurstStalled, m_axi_arvalid_o && !m_axi_arready_i && p_valid_i && b_valid_i)
  `COVER(TurnsOfBoth, f_in_q == 8'd3 && m_axi_arvalid_o && m_axi_arid_o[7] && f_p)
  initial assume (!rst_ni);
`endif

endmodule
