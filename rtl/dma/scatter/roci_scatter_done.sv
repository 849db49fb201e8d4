// SPDX-License-Identifier: Apache-2.0
// Packets written to memory that wait for the responses of their bursts: counts those that are in
// memory, in order, and reports those of which a write failed. A packet that is reported, and those
// after it, count when the report is taken.
//
// Throughput: one packet and one response a clock; a report takes two. Latency: three clocks from
// the last response, four to a report.
//
//   bursts --+--> packets: with bursts or without ------------+--> head --> wr_done, fault
//            +--> awaited: number of the last burst --+       |
//   b ------------------------------------------------+--> results
//   first segments --> ids of packets ------------------------+

`include "assert.svh"

module roci_scatter_done #(
  parameter int unsigned Packets   = 128,  // in flight, a power of two
  parameter logic [15:0] FirstTicket = '0  // wr_done_o at reset
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // packets, as their first segment comes
  input  roci_pkg::fault_t         id_i,
  input  logic                     id_valid_i,
  output logic                     id_ready_o,

  // bursts issued
  input  logic                     take_i,
  input  logic                     last_i,  // last of its packet
  input  logic                     drop_i,  // a segment that is dropped: no burst
  output logic                     ready_o,

  // responses, in order of the bursts
  input  logic                     b_i,
  input  logic                     b_error_i,

  output logic [15:0]              wr_done_o,
  output roci_pkg::fault_t         fault_o,
  output logic                     fault_valid_o,
  input  logic                     fault_ready_i,

  output logic                     done_o,       // pulse: the oldest packet is counted
  output logic [$clog2(Packets):0] level_o,      // packets whose bursts are issued
  output logic [$clog2(Packets):0] ids_level_o,  // packets
  output logic                     empty_o
);

  // Packets with writes wait, by the number of their last burst, for its response, which may be
  // there before a last segment that is dropped.
  // It is seen a clock after it came: no burst of the packet after it has a response then.
  logic [15:0] issued_q, issued, confirmed_q, awaited, beyond;
  logic        bursts, bursts_q, awaited_valid, complete, bad, bad_q, result_valid, result_bad;
  logic        newest_bad_q;
  logic        head_written, head_valid, head_done, packets_ready, awaited_ready, results_ready;
  logic        written, id_there;
  logic [$clog2(Packets):0] packets_level, awaited_level, results_level, ids_level;
  assign issued    = issued_q + 16'(!drop_i);
  assign bursts    = bursts_q || !drop_i;   // the packet has one
  // Room for one, also when one came in the clock in which this is found.
  always_ff @(posedge clk_i) begin
    ready_o <= rst_ni && packets_level < ($clog2(Packets) + 1)'(Packets - 1)
               && awaited_level < ($clog2(Packets) + 1)'(Packets - 1);
  end
  assign beyond    = confirmed_q - awaited;
  assign complete  = awaited_valid && $signed(beyond) >= 16'sd0;
  assign bad       = bad_q || newest_bad_q;
  roci_fifo #(.Width(1), .Depth(Packets)) u_packets (
    .clk_i, .rst_ni,
    .in_data_i(bursts), .in_valid_i(take_i && last_i), .in_ready_o(packets_ready),
    .out_data_o(written), .out_valid_o(head_valid), .out_ready_i(head_done),
    .level_o(packets_level));
  roci_fifo #(.Width(16), .Depth(Packets)) u_awaited (
    .clk_i, .rst_ni,
    .in_data_i(issued), .in_valid_i(take_i && last_i && bursts), .in_ready_o(awaited_ready),
    .out_data_o(awaited), .out_valid_o(awaited_valid), .out_ready_i(complete),
    .level_o(awaited_level));
  roci_fifo #(.Width(1), .Depth(Packets)) u_results (
    .clk_i, .rst_ni,
    .in_data_i(bad), .in_valid_i(complete), .in_ready_o(results_ready),
    .out_data_o(result_bad), .out_valid_o(result_valid), .out_ready_i(head_done && head_written),
    .level_o(results_level));
  // Wide, so in block RAM: an identity is there two clocks after it came, no later than its packet.
  logic [roci_pkg::FaultBits-1:0] id;
  roci_deep_fifo #(.Width(roci_pkg::FaultBits), .Depth(Packets)) u_ids (
    .clk_i, .rst_ni,
    .in_data_i(id_i), .in_valid_i(id_valid_i), .in_ready_o(id_ready_o),
    .out_data_o(id), .out_valid_o(id_there), .out_ready_i(head_done), .level_o(ids_level));
`ifdef FORMAL
  // That words leave a queue as they came is proved in roci_fifo.
  logic [Packets-1:0] f_written_q, f_written;
  always_comb begin
    f_written = f_written_q;
    for (int i = 0; i < Packets; i++) begin
      if (packets_level == ($clog2(Packets) + 1)'(i)) f_written[i] = bursts;
    end
  end
  always_ff @(posedge clk_i) begin
    if (head_done) f_written_q <= f_written >> 1;
    else if (take_i && last_i) f_written_q <= f_written;
  end
  assign head_written = f_written_q[0];
`else
  assign head_written = written;
`endif
  // A report stands in a register, as block RAM is slow; its packet stays at the head meanwhile.
  // It ends a clock after the report was taken, as who takes it is far from here.
  logic head_bad, taken, taken_q;
  assign head_bad  = head_written && result_bad;
  assign taken     = fault_valid_o && fault_ready_i;
  assign head_done = head_valid && (!head_written || result_valid) && (!head_bad || taken_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {fault_valid_o, taken_q} <= '0;
    else begin
      fault_valid_o <= head_valid && head_bad && result_valid && !taken && !taken_q;
      taken_q       <= taken;
    end
    fault_o <= id;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      issued_q    <= '0;
      confirmed_q <= '0;
      bursts_q    <= 1'b0;
      bad_q        <= 1'b0;
      newest_bad_q <= 1'b0;
      wr_done_o   <= FirstTicket;
    end else begin
      if (take_i) begin
        issued_q <= issued;
        bursts_q <= bursts && !last_i;
      end
      confirmed_q  <= confirmed_q + 16'(b_i);
      newest_bad_q <= b_i && b_error_i;
      bad_q        <= bad && !complete;
      if (head_done) wr_done_o <= wr_done_o + 16'd1;
    end
  end

  assign done_o      = head_done;
  assign level_o     = packets_level;
  assign ids_level_o = ids_level;
  assign empty_o     = !head_valid;

  logic unused;
  assign unused = &{1'b0, results_level};

  // No packet counts before its bursts were issued.
  logic [15:0] unconfirmed;
  assign unconfirmed = issued_q - confirmed_q;
  `ASSERT(FewAreUnconfirmed, !unconfirmed[15])
  `ASSUME(ConfirmedWasIssued, `IMPLIES(b_i, unconfirmed != 16'd0))
  `ASSERT(QueuesHaveRoom, `IMPLIES(ready_o, packets_ready && awaited_ready))
  `ASSERT(ResultsHaveRoom, `IMPLIES(complete, results_ready))
  `ASSERT(IdIsThere, `IMPLIES(head_valid, id_there))

`ifdef FORMAL
  localparam int unsigned Few = 64;  // bursts without response
  logic [7:0] f_ones;
  always_comb begin
    f_ones = '0;
    for (int i = 0; i < Packets; i++) begin
      f_ones = f_ones + 8'(f_written_q[i] && packets_level > ($clog2(Packets) + 1)'(i));
    end
  end
  `ASSUME(ConfirmationsCome, unconfirmed < 16'(Few) || !(take_i && !drop_i))
  `ASSERT(UnconfirmedAreKnown, unconfirmed <= 16'(Few))
  `ASSERT(EachWaitsOnce, f_ones == 8'(awaited_level) + 8'(results_level))
  `COVER(FaultIsReported, fault_valid_o && fault_ready_i && packets_level > 1)
  `COVER(DroppedAfterWritten, head_done && !head_written && wr_done_o == FirstTicket + 16'd1)
`endif

endmodule
