// The read side of the AXI master: payload and block reads take turns.
//
// Throughput: one request a clock. Latency: one clock; responses pass at once.

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

endmodule
