// SPDX-License-Identifier: Apache-2.0
// The write side of the AXI master: scatter and block writes take turns, burst by burst.
//
// Throughput: one burst and one beat a clock. Latency: one clock. Data follow their address by at
// most two bursts, so that a block write never waits for more than two others.

`include "assert.svh"

module roci_dma_write_mux #(
  parameter int unsigned DataWidth = 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // scatter
  input  logic [63:0]            s_addr_i,
  input  logic [19:0]            s_pasid_i,
  input  logic [8:0]             s_beats_i,
  input  logic                   s_aw_valid_i,
  output logic                   s_aw_ready_o,
  input  logic [DataWidth-1:0]   s_data_i,
  input  logic [DataWidth/8-1:0] s_strb_i,
  input  logic                   s_last_i,
  input  logic                   s_w_valid_i,
  output logic                   s_w_ready_o,
  output logic                   s_b_o,        // a response
  // block writes
  input  logic [1:0]             b_client_i,
  input  logic [63:0]            b_addr_i,
  input  logic [19:0]            b_pasid_i,
  input  logic [8:0]             b_beats_i,
  input  logic                   b_aw_valid_i,
  output logic                   b_aw_ready_o,
  input  logic [DataWidth-1:0]   b_data_i,
  input  logic [DataWidth/8-1:0] b_strb_i,
  input  logic                   b_last_i,
  input  logic                   b_w_valid_i,
  output logic                   b_w_ready_o,
  output logic [3:0]             b_b_o,

  // AXI
  output logic [7:0]             m_axi_awid_o,
  output logic [63:0]            m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [2:0]             m_axi_awsize_o,
  output logic [1:0]             m_axi_awburst_o,
  output logic [19:0]            m_axi_awuser_o,
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [DataWidth-1:0]   m_axi_wdata_o,
  output logic [DataWidth/8-1:0] m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  input  logic [7:0]             m_axi_bid_i,
  input  logic                   m_axi_bvalid_i
);

  // Addresses. The order of the grants is the order of the data.
  logic [1:0] grant, queued;
  logic       index, take, room, owner, owned, w_take, w_free, w_valid, w_last;  // 1: block write
  roci_arbiter #(.Clients(2)) u_turn (
    .clk_i, .rst_ni, .request_i({b_aw_valid_i, s_aw_valid_i}), .grant_o(grant), .index_o(index),
    .taken_i(take));
  assign take         = room && (!m_axi_awvalid_o || m_axi_awready_i);
  assign s_aw_ready_o = grant[0] && take;
  assign b_aw_ready_o = grant[1] && take;

  roci_fifo #(.Width(1), .Depth(2)) u_order (
    .clk_i, .rst_ni,
    .in_data_i(index), .in_valid_i(take && grant != '0), .in_ready_o(room),
    .out_data_o(owner), .out_valid_o(owned), .out_ready_i(w_take && w_last), .level_o(queued));

  assign m_axi_awsize_o  = 3'($clog2(DataWidth / 8));
  assign m_axi_awburst_o = 2'b01;  // INCR

  always_ff @(posedge clk_i) begin
    if (!rst_ni) m_axi_awvalid_o <= 1'b0;
    else if (take && grant != '0) m_axi_awvalid_o <= 1'b1;
    else if (m_axi_awready_i) m_axi_awvalid_o <= 1'b0;
    if (take && grant != '0) begin
      m_axi_awid_o   <= index ? 8'(b_client_i) + 8'd1 : 8'd0;
      m_axi_awaddr_o <= index ? b_addr_i : s_addr_i;
      m_axi_awuser_o <= index ? b_pasid_i : s_pasid_i;
      m_axi_awlen_o  <= 8'((index ? b_beats_i : s_beats_i) - 9'd1);
    end
  end

  logic unused;
  assign unused = &{1'b0, queued};

  // Data.
  assign w_free      = !m_axi_wvalid_o || m_axi_wready_i;
  assign w_valid     = owner ? b_w_valid_i : s_w_valid_i;
  assign w_last      = owner ? b_last_i : s_last_i;
  assign w_take      = owned && w_free && w_valid;
  assign s_w_ready_o = owned && w_free && !owner;
  assign b_w_ready_o = owned && w_free && owner;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) m_axi_wvalid_o <= 1'b0;
    else if (w_free) m_axi_wvalid_o <= w_take;
    if (w_take) begin
      m_axi_wdata_o <= owner ? b_data_i : s_data_i;
      m_axi_wstrb_o <= owner ? b_strb_i : s_strb_i;
      m_axi_wlast_o <= w_last;
    end
  end

  // Responses.
  assign s_b_o = m_axi_bvalid_i && m_axi_bid_i == 8'd0;
  always_comb begin
    for (int c = 0; c < 4; c++) b_b_o[c] = m_axi_bvalid_i && m_axi_bid_i == 8'(c + 1);
  end

  `ASSERT(ResponseHasOwner, `IMPLIES(m_axi_bvalid_i, m_axi_bid_i <= 8'd4))

`ifdef FORMAL
  // Addresses and beats of both sources: what was taken is on the bus once, as it was. Data follow
  // in the order of the addresses, burst by burst, at most two bursts late.
  `ASSUME(OwnersOnly, `IMPLIES(m_axi_bvalid_i, m_axi_bid_i <= 8'd4))
  logic [7:0]           f_aw_in_q, f_aw_out_q, f_w_in_q, f_w_out_q, f_ended_q, f_queued;
  logic [DataWidth-1:0] f_beat_q;
  logic                 f_s, f_b, f_sw, f_bw;
  assign f_s      = s_aw_valid_i && s_aw_ready_o;
  assign f_b      = b_aw_valid_i && b_aw_ready_o;
  assign f_sw     = s_w_valid_i && s_w_ready_o;
  assign f_bw     = b_w_valid_i && b_w_ready_o;
  assign f_queued = f_aw_in_q - f_ended_q;  // bursts whose data are not all taken
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_aw_in_q  <= '0;
      f_aw_out_q <= '0;
      f_w_in_q   <= '0;
      f_w_out_q  <= '0;
      f_ended_q  <= '0;
    end else begin
      f_aw_in_q  <= f_aw_in_q + 8'(f_s) + 8'(f_b);
      f_aw_out_q <= f_aw_out_q + 8'(m_axi_awvalid_o && m_axi_awready_i);
      f_w_in_q   <= f_w_in_q + 8'(f_sw) + 8'(f_bw);
      f_w_out_q  <= f_w_out_q + 8'(m_axi_wvalid_o && m_axi_wready_i);
      f_ended_q  <= f_ended_q + 8'((f_sw && s_last_i) || (f_bw && b_last_i));
    end
    if (f_sw || f_bw) f_beat_q <= f_sw ? s_data_i : b_data_i;
  end
  `ASSERT(NoAddressLostOrMade, f_aw_in_q - f_aw_out_q == 8'(m_axi_awvalid_o) && !(f_s && f_b))
  `ASSERT(NoBeatLostOrMade, f_w_in_q - f_w_out_q == 8'(m_axi_wvalid_o) && !(f_sw && f_bw))
  `ASSERT(BeatIsKept, `IMPLIES(m_axi_wvalid_o, m_axi_wdata_o == f_beat_q))
  `ASSERT(BurstsInOrder, f_queued == 8'(queued) && f_queued <= 8'd2 && owned == (f_queued != '0)
                         && `IMPLIES(f_sw, owned && !owner) && `IMPLIES(f_bw, owned && owner))

  // On the bus, the rules of AXI4. The bursts of both sources are those of dma_split, which proves
  // what is assumed of them, with data whose last beat is where their address says.
  localparam int unsigned FormalOffBits = $clog2(DataWidth / 8);
  logic [2:0]  f_level;
  logic [23:0] f_lengths;
  logic [7:0]  f_beats;
  roci_axi_write_check #(.DataWidth(DataWidth)) u_check (
    .clk_i, .rst_ni, .awid_i(m_axi_awid_o), .awaddr_i(m_axi_awaddr_o), .awlen_i(m_axi_awlen_o),
    .awsize_i(m_axi_awsize_o), .awburst_i(m_axi_awburst_o), .awuser_i(m_axi_awuser_o),
    .awvalid_i(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .wdata_i(m_axi_wdata_o),
    .wstrb_i(m_axi_wstrb_o), .wlast_i(m_axi_wlast_o), .wvalid_i(m_axi_wvalid_o),
    .wready_i(m_axi_wready_i), .bid_i(8'd0), .bvalid_i(1'b0), .bready_i(1'b1),
    .level_o(f_level), .lengths_o(f_lengths), .beats_o(f_beats));
  logic [15:0] f_s_end, f_b_end;  // bytes of the page up to the end of the burst
  assign f_s_end = 16'(s_addr_i[11:0]) + (16'(s_beats_i) << FormalOffBits);
  assign f_b_end = 16'(b_addr_i[11:0]) + (16'(b_beats_i) << FormalOffBits);
  `ASSUME(ScatterBurst, `IMPLIES(s_aw_valid_i, s_addr_i[FormalOffBits-1:0] == '0 &&
                                 s_beats_i != '0 && s_beats_i <= 9'd256 && f_s_end <= 16'd4096))
  `ASSUME(BlockBurst, `IMPLIES(b_aw_valid_i, b_addr_i[FormalOffBits-1:0] == '0 &&
                               b_beats_i != '0 && b_beats_i <= 9'd256 && f_b_end <= 16'd4096))

  // Lengths of the bursts whose data are not all taken, at most two, and beats of the oldest.
  logic [7:0] f_length0_q, f_length1_q, f_beats_q, f_new;
  logic [1:0] f_open_q;
  logic       f_aw, f_w, f_last;
  assign f_aw   = f_s || f_b;
  assign f_new  = 8'((f_s ? s_beats_i : b_beats_i) - 9'd1);
  assign f_w    = f_sw || f_bw;
  assign f_last = f_sw ? s_last_i : b_last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_open_q  <= '0;
      f_beats_q <= '0;
    end else begin
      f_open_q <= f_open_q + 2'(f_aw) - 2'(f_w && f_last);
      if (f_w) f_beats_q <= f_last ? '0 : f_beats_q + 8'd1;
    end
    if (f_w && f_last) f_length0_q <= f_length1_q;
    if (f_aw && f_open_q - 2'(f_w && f_last) == '0) f_length0_q <= f_new;
    else if (f_aw) f_length1_q <= f_new;
  end
  `ASSUME(LastIsLast, `IMPLIES(f_w, f_last == (f_beats_q == f_length0_q)))

  // How the mux's bursts relate to those on the bus, where the last beat of one may still be.
  logic f_ending;
  assign f_ending = m_axi_wvalid_o && m_axi_wlast_o;
  `ASSERT(BurstsRelate, f_open_q == queued && f_level == 3'(f_open_q) + 3'(f_ending))
  `ASSERT(BeatsRelate, f_beats_q == (f_ending ? 8'd0 : f_beats + 8'(m_axi_wvalid_o)))
  `ASSERT(LengthsRelate, `IMPLIES(f_open_q != '0,
                                  f_length0_q == (f_ending ? f_lengths[15:8] : f_lengths[7:0])) &&
                         `IMPLIES(f_open_q == 2'd2,
                                  f_length1_q == (f_ending ? f_lengths[23:16] : f_lengths[15:8])))
  `COVER(LongBurst, m_axi_wvalid_o && m_axi_wlast_o && m_axi_wready_i && f_open_q == 2'd2)
  `COVER(BurstStalled, m_axi_awvalid_o && !m_axi_awready_i && m_axi_wvalid_o
                       && !m_axi_wready_i)
  `COVER(BurstsOfBoth, f_ended_q == 8'd2 && f_aw_in_q == 8'd3 && owner && f_w_out_q == 8'd3)
  initial assume (!rst_ni);
`endif

endmodule
