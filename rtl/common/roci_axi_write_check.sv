// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4 for the write channels of a master, as IHI 0022 states them, checked on one port.
//
// Address and data, once valid, stay unchanged until they are taken. A write is an incrementing
// burst of whole beats that starts at a beat and stays within 4 KiB. Its data come after its
// address was shown, in the order of the addresses, and wlast is up with the last beat alone.
// Responses are the slave's: each has a write whose data are taken.

`include "assert.svh"

module roci_axi_write_check #(
  parameter int unsigned DataWidth = 64,  // bits
  parameter int unsigned Ahead     = 4    // addresses shown before their data, at most
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [7:0]             awid_i,
  input logic [63:0]            awaddr_i,
  input logic [7:0]             awlen_i,
  input logic [2:0]             awsize_i,
  input logic [1:0]             awburst_i,
  input logic [19:0]            awuser_i,
  input logic                   awvalid_i,
  input logic                   awready_i,
  input logic [DataWidth-1:0]   wdata_i,
  input logic [DataWidth/8-1:0] wstrb_i,
  input logic                   wlast_i,
  input logic                   wvalid_i,
  input logic                   wready_i,
  input logic [7:0]             bid_i,
  input logic                   bvalid_i,
  input logic                   bready_i,
  // for a proof: bursts shown whose last beat was not taken, awlen of the three oldest, and the
  // beats taken of the oldest
  output logic [$clog2(Ahead):0] level_o,
  output logic [23:0]            lengths_o,
  output logic [7:0]             beats_o
);

  localparam int unsigned OffBits  = $clog2(DataWidth / 8);
  localparam int unsigned Bits     = $clog2(Ahead);

  // Addresses
  logic         stalled_q, held, burst, shown_q, show;
  logic [104:0] request, request_q;
  logic [15:0]  last_beat;
  assign request   = {awid_i, awaddr_i, awlen_i, awsize_i, awburst_i, awuser_i};
  assign held      = !stalled_q || (awvalid_i && request == request_q);
  assign last_beat = 16'(awaddr_i[11:0]) + (16'(awlen_i) << OffBits);
  assign burst     = !awvalid_i || (awburst_i == 2'b01 && awsize_i == 3'(OffBits) &&
                                    awaddr_i[OffBits-1:0] == '0 && last_beat[15:12] == '0);
  assign show      = awvalid_i && !shown_q;  // first clock of this address

  // Data: the burst to which a beat belongs is the oldest whose last beat was not taken.
  logic                   beat_stalled_q, beat_held, take;
  logic [DataWidth-1:0]   data_q;
  logic [DataWidth/8-1:0] strb_q;
  logic                   last_q;
  logic [7:0]             length [Ahead];
  logic [Bits:0]          shown_count_q, ended_q, level;
  logic [7:0]             beats_q, length_now;  // beats taken of the oldest burst, and its awlen
  assign take       = wvalid_i && wready_i;
  assign beat_held  = !beat_stalled_q || (wvalid_i && wdata_i == data_q && wstrb_i == strb_q &&
                                          wlast_i == last_q);
  assign level      = shown_count_q - ended_q;
  assign length_now = level == '0 ? awlen_i : length[ended_q[Bits-1:0]];
  logic [Bits-1:0] second, third;
  assign second     = ended_q[Bits-1:0] + 1'b1;
  assign third      = ended_q[Bits-1:0] + Bits'(2);
  assign level_o    = level + (Bits + 1)'(show);
  assign beats_o    = beats_q;
  assign lengths_o  = {level <= (Bits + 1)'(2) ? awlen_i : length[third],
                       level <= (Bits + 1)'(1) ? awlen_i : length[second], length_now};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stalled_q      <= 1'b0;
      shown_q        <= 1'b0;
      beat_stalled_q <= 1'b0;
      shown_count_q  <= '0;
      ended_q        <= '0;
      beats_q        <= '0;
    end else begin
      stalled_q      <= awvalid_i && !awready_i;
      shown_q        <= awvalid_i && !awready_i;
      beat_stalled_q <= wvalid_i && !wready_i;
      if (show) shown_count_q <= shown_count_q + 1'b1;
      if (take) beats_q <= wlast_i ? '0 : beats_q + 8'd1;
      if (take && wlast_i) ended_q <= ended_q + 1'b1;
    end
    if (awvalid_i && !awready_i) request_q <= request;
    if (wvalid_i && !wready_i) begin
      data_q <= wdata_i;
      strb_q <= wstrb_i;
      last_q <= wlast_i;
    end
    if (show) length[shown_count_q[Bits-1:0]] <= awlen_i;
  end

  `ASSERT(AddressHeld, held)
  `ASSERT(WriteBurst, burst)
  `ASSERT(BeatHeld, beat_held)
  `ASSERT(DataHaveAddress, `IMPLIES(wvalid_i, level != '0 || show))
  `ASSERT(FewAhead, `IMPLIES(show, level < (Bits + 1)'(Ahead)))
  `ASSERT(LastWhereItBelongs, `IMPLIES(wvalid_i && (level != '0 || show),
                                       wlast_i == (beats_q == length_now)))

  // Responses: as many as bursts whose data and address were taken, and no more.
  logic [15:0] addresses_q, ends_q, responses_q;
  logic [15:0] open_addresses, open_ends;
  assign open_addresses = addresses_q - responses_q;
  assign open_ends      = ends_q - responses_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      addresses_q <= '0;
      ends_q      <= '0;
      responses_q <= '0;
    end else begin
      addresses_q <= addresses_q + 16'(awvalid_i && awready_i);
      ends_q      <= ends_q + 16'(take && wlast_i);
      responses_q <= responses_q + 16'(bvalid_i && bready_i);
    end
  end
  `ASSUME(ResponseHasWrite, `IMPLIES(bvalid_i, open_addresses != '0 && open_ends != '0 &&
                                               !open_addresses[15] && !open_ends[15]))

  logic unused;
  assign unused = &{1'b0, last_beat, bid_i};

endmodule
