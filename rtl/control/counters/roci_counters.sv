// SPDX-License-Identifier: Apache-2.0
// Counters of the port: drop causes, frames and bytes both ways. 48 bits each.
//
// Throughput: any number of events per clock. A selected counter is latched one clock after the
// write to CounterSelect.

`include "assert.svh"

module roci_counters (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // registers
  input  logic                   select_write_i,
  input  logic [3:0]             select_i,
  output logic [3:0]             select_o,
  output logic [63:0]            value_o,

  // pulses
  input  logic [9:0]             drop_rx_i,  // by DropCause
  input  logic [9:0]             drop_rq_i,
  input  logic                   drop_ghost_i,
  input  logic                   rx_ok_i,
  input  logic                   rx_ethernet_i,
  input  roci_pkg::frame_stat_t  rx_stat_i,
  input  roci_pkg::frame_stat_t  tx_stat_i
);

  localparam int unsigned Counters = 16;
  localparam int unsigned Bits     = 48;
  localparam int unsigned Causes   = 10;

  logic [Bits*Counters-1:0] values;

  // Drops: a cause may come from rx and from an engine in the same clock.
  logic [9:0] drop_engine;
  always_comb begin
    drop_engine = drop_rq_i;
    drop_engine[roci_pkg::DropGhost] = drop_rq_i[roci_pkg::DropGhost] || drop_ghost_i;
  end
  for (genvar i = 0; i < Causes; i++) begin : gen_drop
    logic [Bits-1:0] count_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= '0;
      else if (drop_rx_i[i] || drop_engine[i])
        count_q <= count_q + Bits'(drop_rx_i[i]) + Bits'(drop_engine[i]);
    end
    assign values[Bits*i +: Bits] = count_q;
  end

  logic [Bits-1:0] rx_frames_q, rx_bytes_q, tx_frames_q, tx_bytes_q, rx_roce_q, rx_ethernet_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_frames_q   <= '0;
      rx_bytes_q    <= '0;
      tx_frames_q   <= '0;
      tx_bytes_q    <= '0;
      rx_roce_q     <= '0;
      rx_ethernet_q <= '0;
    end else begin
      if (rx_stat_i.ended) begin
        rx_frames_q <= rx_frames_q + 1'b1;
        rx_bytes_q  <= rx_bytes_q + Bits'(rx_stat_i.bytes);
      end
      if (tx_stat_i.ended) begin
        tx_frames_q <= tx_frames_q + 1'b1;
        tx_bytes_q  <= tx_bytes_q + Bits'(tx_stat_i.bytes);
      end
      if (rx_ok_i) rx_roce_q <= rx_roce_q + 1'b1;
      if (rx_ethernet_i) rx_ethernet_q <= rx_ethernet_q + 1'b1;
    end
  end
  assign values[Bits*roci_pkg::PortCounterRxFrames +: Bits]   = rx_frames_q;
  assign values[Bits*roci_pkg::PortCounterRxBytes +: Bits]    = rx_bytes_q;
  assign values[Bits*roci_pkg::PortCounterTxFrames +: Bits]   = tx_frames_q;
  assign values[Bits*roci_pkg::PortCounterTxBytes +: Bits]    = tx_bytes_q;
  assign values[Bits*roci_pkg::PortCounterRxRoce +: Bits]     = rx_roce_q;
  assign values[Bits*roci_pkg::PortCounterRxEthernet +: Bits] = rx_ethernet_q;

  logic [3:0]      select_q;
  logic            latch_q;
  logic [Bits-1:0] value_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      select_q <= '0;
      latch_q  <= 1'b0;
      value_q  <= '0;
    end else begin
      latch_q <= select_write_i;
      if (select_write_i) select_q <= select_i;
      // Compared one by one: a part at 48 times an index becomes a multiplier and a shifter.
      for (int i = 0; i < Counters; i++) begin
        if (latch_q && select_q == 4'(i)) value_q <= values[Bits*i +: Bits];
      end
    end
  end
  assign select_o = select_q;
  assign value_o  = 64'(value_q);

endmodule
