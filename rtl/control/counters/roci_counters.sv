// SPDX-License-Identifier: Apache-2.0
// Counters of the port: drop causes, frames and bytes both ways. 48 bits each.
//
// Throughput: any number of events per clock. A selected counter is latched one clock after the
// write to CounterSelect.
//
// The low bits count in registers; the upper ones stand in a memory, whose rows are visited in turn
// for the carries.
//
//   events --> low bits (8, of bytes 20) --carry--> upper bits, one row a clock

`include "assert.svh"

module roci_counters (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // registers
  input  logic                   select_write_i,
  input  logic [4:0]             select_i,
  output logic [4:0]             select_o,
  output logic [63:0]            value_o,

  // pulses
  input  logic [10:0]            drop_rx_i,  // by DropCause; top bit: a wrong Q_Key
  input  logic [10:0]            drop_rq_i,  // top bit: discarded
  input  logic                   drop_ghost_i,
  input  logic                   rx_ok_i,
  input  logic                   rx_ethernet_i,
  input  roci_pkg::frame_stat_t  rx_stat_i,
  input  roci_pkg::frame_stat_t  tx_stat_i
);

  localparam int unsigned Counters = 32;  // the numbers that are no PortCounter count nothing
  localparam int unsigned Bits     = 48;
  localparam int unsigned Causes   = 10;
  // A carry is taken out within 32 clocks, in which no counter wraps twice: a drop cause counts by
  // two a clock, bytes by less than 2^14.
  localparam int unsigned LowBits   = 8;
  localparam int unsigned ByteLow   = 20;
  localparam int unsigned UpperBits = Bits - LowBits;
  localparam int unsigned RxBytes   = 32'(roci_pkg::PortCounterRxBytes);
  localparam int unsigned TxBytes   = 32'(roci_pkg::PortCounterTxBytes);

  // Drops: a cause may come from rx and from an engine in the same clock.
  logic [9:0] drop_engine;
  always_comb begin
    drop_engine = drop_rq_i[9:0];
    drop_engine[roci_pkg::DropGhost] = drop_rq_i[roci_pkg::DropGhost] || drop_ghost_i;
  end
  logic [2*Counters-1:0] steps;  // added to each counter, except those of bytes
  always_comb begin
    steps = '0;
    for (int i = 0; i < Causes; i++) steps[2*i +: 2] = 2'(drop_rx_i[i]) + 2'(drop_engine[i]);
    steps[2*roci_pkg::PortCounterRxFrames]   = rx_stat_i.ended;
    steps[2*roci_pkg::PortCounterTxFrames]   = tx_stat_i.ended;
    steps[2*roci_pkg::PortCounterRxRoce]     = rx_ok_i;
    steps[2*roci_pkg::PortCounterRxEthernet] = rx_ethernet_i;
    steps[2*roci_pkg::PortCounterQkeyViolations] = drop_rx_i[10];
    steps[2*roci_pkg::PortCounterDiscards]   = drop_rq_i[10];
  end
  logic unused;
  assign unused = ^{steps[2*RxBytes +: 2], steps[2*TxBytes +: 2]};

  // Low bits
  logic [LowBits*Counters-1:0] lows;
  logic [Counters-1:0]         carry, carry_q, visited;
  for (genvar i = 0; i < Counters; i++) begin : gen_low
    if (i != RxBytes && i != TxBytes) begin : gen_count
      logic [LowBits-1:0] low_q, low_d;
      assign {carry[i], low_d} = {1'b0, low_q} + (LowBits + 1)'(steps[2*i +: 2]);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) low_q <= '0;
        else low_q <= low_d;
      end
      assign lows[LowBits*i +: LowBits] = low_q;
    end else begin : gen_none
      assign lows[LowBits*i +: LowBits] = '0;
    end
  end
  logic [ByteLow-1:0] rx_bytes_q, tx_bytes_q, rx_bytes, tx_bytes;
  assign {carry[RxBytes], rx_bytes} =
      {1'b0, rx_bytes_q} + (rx_stat_i.ended ? (ByteLow + 1)'(rx_stat_i.bytes) : '0);
  assign {carry[TxBytes], tx_bytes} =
      {1'b0, tx_bytes_q} + (tx_stat_i.ended ? (ByteLow + 1)'(tx_stat_i.bytes) : '0);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_bytes_q <= '0;
      tx_bytes_q <= '0;
      carry_q    <= '0;
    end else begin
      rx_bytes_q <= rx_bytes;
      tx_bytes_q <= tx_bytes;
      carry_q    <= carry | (carry_q & ~visited);
    end
  end

  // Upper bits: cleared row by row after reset, when no carry can have come yet
  logic [UpperBits-1:0] upper [Counters];
  logic [5:0]           row_q;    // top bit: all rows are cleared
  logic [UpperBits-1:0] visit;
  assign visited = row_q[5] ? Counters'(1) << row_q[4:0] : '0;
  assign visit   = upper[row_q[4:0]] + UpperBits'(carry_q[row_q[4:0]]);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) row_q <= '0;
    else row_q <= {row_q[5] || (&row_q[4:0]), row_q[4:0] + 5'd1};
  end
  always_ff @(posedge clk_i) begin
    upper[row_q[4:0]] <= row_q[5] ? visit : '0;
  end

  // Reading
  logic [4:0]           select_q;
  logic                 latch_q;
  logic [UpperBits-1:0] selected;
  logic [LowBits-1:0]   low;
  logic [Bits-1:0]      value_q;
  assign selected = (row_q[5] ? upper[select_q] : '0) + UpperBits'(carry_q[select_q]);
  always_comb begin
    low = '0;
    for (int i = 0; i < Counters; i++) if (select_q == 5'(i)) low = lows[LowBits*i +: LowBits];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      select_q <= '0;
      latch_q  <= 1'b0;
      value_q  <= '0;
    end else begin
      latch_q <= select_write_i;
      if (select_write_i) select_q <= select_i;
      if (latch_q) begin
        if (select_q == 5'(RxBytes)) begin
          value_q <= {selected[Bits-ByteLow-1:0], rx_bytes_q};
        end else if (select_q == 5'(TxBytes)) begin
          value_q <= {selected[Bits-ByteLow-1:0], tx_bytes_q};
        end else value_q <= {selected, low};
      end
    end
  end
  assign select_o = select_q;
  assign value_o  = 64'(value_q);

endmodule
