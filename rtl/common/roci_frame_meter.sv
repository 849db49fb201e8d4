// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of the frames on an AXI stream, which it only watches.
//
// Throughput: a beat per clock. Latency: stat_o.ended is up for one clock, two clocks after the
// last beat of a frame, with the bytes of that frame.

module roci_frame_meter #(
  parameter int unsigned DataWidth = 64  // bits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [DataWidth/8-1:0] tkeep_i,
  input  logic                   tlast_i,
  input  logic                   beat_i,  // valid and ready

  output roci_pkg::frame_stat_t  stat_o,
  output logic                   idle_o   // no frame is to be reported
);

  localparam int unsigned CountBits = $clog2(DataWidth / 8) + 1;

  logic                 beat_q, last_q;
  logic [CountBits-1:0] count_q;  // bytes of the beat before
  logic [13:0]          bytes_q, bytes;
  assign bytes  = bytes_q + 14'(count_q);
  assign idle_o = !beat_q && !stat_o.ended;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q  <= 1'b0;
      bytes_q <= '0;
      stat_o  <= '0;
    end else begin
      beat_q       <= beat_i;
      stat_o.ended <= beat_q && last_q;
      stat_o.bytes <= bytes;
      if (beat_q) bytes_q <= last_q ? '0 : bytes;
    end
  end
  always_ff @(posedge clk_i) begin
    last_q  <= tlast_i;
    count_q <= CountBits'($countones(tkeep_i));
  end

endmodule
