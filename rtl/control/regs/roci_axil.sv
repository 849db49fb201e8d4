// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave in front of the registers: turns the five channels into a stream of writes and
// one read at a time. All responses are OKAY.
//
// Throughput: a write per clock, a read per four clocks. Latency: one clock from AW and W to
// wr_valid_o, three from AR to R. The response of a write comes when
// the write was taken, so that a master that waits for it sees its effect.

`include "assert.svh"

module roci_axil #(
  parameter int unsigned AddrBits = 22
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [AddrBits-1:0] awaddr_i,
  input  logic                awvalid_i,
  output logic                awready_o,
  input  logic [31:0]         wdata_i,
  input  logic [3:0]          wstrb_i,
  input  logic                wvalid_i,
  output logic                wready_o,
  output logic                bvalid_o,
  input  logic                bready_i,
  input  logic [AddrBits-1:0] araddr_i,
  input  logic                arvalid_i,
  output logic                arready_o,
  output logic [31:0]         rdata_o,
  output logic                rvalid_o,
  input  logic                rready_i,

  // out: whole-word writes, in order
  output logic [AddrBits-1:0] wr_addr_o,
  output logic [31:0]         wr_data_o,
  output logic                wr_valid_o,
  input  logic                wr_ready_i,

  // out: one read; the address stays until done
  output logic [AddrBits-1:0] rd_addr_o,
  output logic                rd_valid_o,
  input  logic                rd_done_i,
  input  logic [31:0]         rd_data_i,

  output logic                idle_o
);

  // Writes
  localparam int unsigned WriteBits = AddrBits + 32 + 1;
  localparam logic [2:0]  MaxResponses = 3'd7;

  logic       in_ready, out_valid, out_ready, whole;
  logic [2:0] responses_q;  // writes done whose response is due
  logic       response_room;

  assign awready_o = in_ready && wvalid_i;
  assign wready_o  = in_ready && awvalid_i;

  roci_fifo #(.Width(WriteBits), .Depth(4)) u_writes (
    .clk_i, .rst_ni,
    .in_data_i  ({&wstrb_i, awaddr_i, wdata_i}),
    .in_valid_i (awvalid_i && wvalid_i),
    .in_ready_o (in_ready),
    .out_data_o ({whole, wr_addr_o, wr_data_o}),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .level_o    ()
  );

  assign response_room = responses_q != MaxResponses;
  assign wr_valid_o    = out_valid && whole && response_room;
  assign out_ready     = response_room && (wr_ready_i || !whole);
  assign bvalid_o      = responses_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) responses_q <= '0;
    else responses_q <= responses_q + 3'(out_valid && out_ready) - 3'(bvalid_o && bready_i);
  end

  // Reads
  logic                reading_q, rvalid_q;
  logic [AddrBits-1:0] addr_q;
  logic [31:0]         data_q;

  assign arready_o  = !reading_q && !rvalid_q;
  assign rd_valid_o = reading_q;
  assign rd_addr_o  = addr_q;
  assign rvalid_o   = rvalid_q;
  assign rdata_o    = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      rvalid_q  <= 1'b0;
    end else begin
      if (arvalid_i && arready_o) reading_q <= 1'b1;
      else if (rd_done_i) reading_q <= 1'b0;
      if (rd_done_i) rvalid_q <= 1'b1;
      else if (rready_i) rvalid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (arvalid_i && arready_o) addr_q <= araddr_i;
    if (rd_done_i) data_q <= rd_data_i;
  end

  assign idle_o = !out_valid && !bvalid_o && !reading_q && !rvalid_q;

  `ASSERT(DoneOnlyWhileReading, `IMPLIES(rd_done_i, reading_q))

`ifdef FORMAL
  // On the bus, the rules of AXI4-Lite, whatever the registers do. Four writes wait in the queue,
  // and seven responses after them.
  logic [3:0] f_addresses, f_data, f_reads;
  roci_axil_check #(.AddrBits(AddrBits), .MaxOpen(12)) u_check (
    .clk_i, .rst_ni, .awaddr_i, .awvalid_i, .awready_i(awready_o), .wdata_i, .wstrb_i, .wvalid_i,
    .wready_i(wready_o), .bresp_i(2'b00), .bvalid_i(bvalid_o), .bready_i, .araddr_i, .arvalid_i,
    .arready_i(arready_o), .rdata_i(rdata_o), .rresp_i(2'b00), .rvalid_i(rvalid_o), .rready_i,
    .addresses_o(f_addresses), .data_o(f_data), .reads_o(f_reads));
  `ASSUME(DoneWhileReading, `IMPLIES(rd_done_i, reading_q))
  logic [3:0] f_waiting;  // writes in the queue
  assign f_waiting = f_addresses - 4'(responses_q);
  `ASSERT(WritesCounted, f_addresses == f_data && f_waiting <= 4'd4 &&
                         in_ready == (f_waiting != 4'd4) && out_valid == (f_waiting != 4'd0))
  `ASSERT(ReadsCounted, f_reads == 4'(reading_q) + 4'(rvalid_q) && !(reading_q && rvalid_q))
  `COVER(ResponsesStalled, responses_q == MaxResponses && rvalid_o && !rready_i)
  `COVER(WritesStalled, awvalid_i && !in_ready)
  initial assume (!rst_ni);
`endif

endmodule
