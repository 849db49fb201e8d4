// SPDX-License-Identifier: Apache-2.0
// Puts the GRH of a datagram in front of its payload (UD-06): the IPv6 header or GRH, or 20 zeros
// and the IPv4 header. Payload of other packets passes.
//
// Throughput: one beat a clock; a datagram every four clocks, over IPv6 with a VLAN tag and an
// immediate every six. Latency: none for what passes; a GRH waits until what was admitted before
// it has passed.
//
//   grh --> register, shifted to its place --+
//                                            +--> GRH alone, the beat that has both, payload
//   payload ---------------------------------+
//
// Payload keeps the place in its beats that it has in the frame, so the GRH ends where the payload
// begins: 62 bytes from the start of the frame over IPv4, 74 in RoCE v1, and words of 4 bytes later
// with IPv6, a VLAN tag or an immediate.

`include "assert.svh"

module roci_rx_grh #(
  parameter int unsigned DataWidth = 512  // 64, 128, 256 or 512
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // datagrams, and the order of all payload
  input  roci_pkg::grh_t       grh_i,
  input  logic                 grh_valid_i,
  output logic                 grh_ready_o,
  input  logic                 next_i,  // pulse: a packet with payload follows on pay_*; with grh_i
                                        // its own

  // payload
  input  logic [DataWidth-1:0] in_tdata_i,
  input  logic                 in_tlast_i,
  input  logic                 in_tvalid_i,
  output logic                 in_tready_o,
  output logic [DataWidth-1:0] out_tdata_o,
  output logic                 out_tlast_o,
  output logic                 out_tvalid_o,
  input  logic                 out_tready_i,

  output logic                 idle_o
);

  localparam int unsigned Bytes      = DataWidth / 8;
  localparam int unsigned OffsetBits = $clog2(Bytes);
  localparam int unsigned GrhBits    = roci_pkg::Ipv6Bits;
  localparam int unsigned FirstByte  = 22;  // where a GRH that ends nearest to the start begins
  localparam int unsigned EndByte    = 90;  // after one that ends farthest from it
  localparam int unsigned Ipv4End    = 62;
  localparam int unsigned Ipv6End    = 74;  // in RoCE v1
  localparam int unsigned Beats      = (EndByte + Bytes - 1) / Bytes;
  localparam int unsigned BeatBits   = 7 - OffsetBits;
  localparam int unsigned ImageBits  = 8 * (EndByte - FirstByte);
  localparam int unsigned CountBits  = 6;   // packets between admission and this block

  // The 40 bytes, the first one on top, then lowest.
  logic [GrhBits-1:0] ipv4_bytes, ipv6_bytes, ipv4_lowest, ipv6_lowest;
  assign ipv4_bytes = {160'd0, grh_i.ip_head, grh_i.src_ip[31:0], grh_i.dst_ip[31:0]};
  assign ipv6_bytes = {grh_i.ip_head[95:32], grh_i.src_ip, grh_i.dst_ip};
  for (genvar i = 0; i < GrhBits / 8; i++) begin : gen_swap
    assign ipv4_lowest[8*i +: 8] = ipv4_bytes[GrhBits-1-8*i -: 8];
    assign ipv6_lowest[8*i +: 8] = ipv6_bytes[GrhBits-1-8*i -: 8];
  end

  // The register holds the frame from FirstByte on. A GRH comes in where it stands without what is
  // optional before the payload, and is shifted by a word a clock.
  logic                  take, valid_q, turn_q, shifts, ends;
  logic [ImageBits-1:0]  image_q;
  logic [2:0]            words_q;  // to be shifted by
  logic [4:0]            words;
  assign grh_ready_o = !valid_q;
  assign take        = grh_valid_i && grh_ready_o;
  assign words       = grh_i.offset[6:2] - (grh_i.ipv6 ? 5'(Ipv6End / 4) : 5'(Ipv4End / 4));
  assign shifts      = words_q != '0;
  always_ff @(posedge clk_i) begin
    if (!valid_q) begin
      image_q <= grh_i.ipv6 ? ImageBits'(ipv6_lowest) << (8 * (Ipv6End - Ipv4End))
                            : ImageBits'(ipv4_lowest);
      words_q <= words[2:0];
    end else if (shifts) begin
      image_q <= image_q << 32;
      words_q <= words_q - 3'd1;
    end
  end

  // Whose turn it is: packets that were admitted before the datagram pass first.
  logic [CountBits-1:0] inside_q, ahead_q, ahead;
  logic                 passes;
  assign passes = in_tvalid_i && in_tready_o && in_tlast_i;
  assign ahead  = (valid_q ? ahead_q : inside_q) - CountBits'(passes);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= '0;
      valid_q  <= 1'b0;
      turn_q   <= 1'b0;
    end else begin
      inside_q <= inside_q + CountBits'(next_i) - CountBits'(passes);
      valid_q  <= take || (valid_q && !ends);
      turn_q   <= (take || (valid_q && !ends)) && ahead == '0;
    end
    if (!turn_q) ahead_q <= ahead;
  end

  // Beats as the frame has them: those of the GRH alone, then the one in which the payload begins.
  logic [BeatBits-1:0]  beat_q, final_q;
  logic [7:0]           start;
  logic [Bytes-1:0]     below_q, chosen;  // bytes before the payload; bytes of the GRH's beat
  logic                 empty_q, alone, shown;
  logic [8*Bytes*Beats-1:0] whole;
  logic [DataWidth-1:0] beat;
  assign start = grh_i.offset - 8'(GrhBits / 8);
  assign whole = (8 * Bytes * Beats)'(image_q) << (8 * FirstByte);
  assign alone = beat_q != final_q || empty_q;
  assign shown = turn_q && !shifts;
  always_ff @(posedge clk_i) begin
    if (!valid_q) begin
      beat_q  <= start[6:OffsetBits];
      final_q <= grh_i.offset[6:OffsetBits];
      empty_q <= grh_i.empty;
      below_q <= ~({Bytes{1'b1}} << grh_i.offset[OffsetBits-1:0]);
    end else if (out_tvalid_o && out_tready_i && shown) begin
      beat_q <= beat_q + 1'b1;
    end
  end
  always_comb begin
    beat = '0;
    for (int i = 0; i < Beats; i++) begin
      if (beat_q == BeatBits'(i)) beat = whole[DataWidth*i +: DataWidth];
    end
    for (int i = 0; i < Bytes; i++) begin
      chosen[i] = turn_q && (alone || below_q[i]);
      out_tdata_o[8*i +: 8] = chosen[i] ? beat[8*i +: 8] : in_tdata_i[8*i +: 8];
    end
  end
  assign out_tvalid_o = turn_q ? shown && (alone || in_tvalid_i) : in_tvalid_i;
  assign in_tready_o  = out_tready_i && (!turn_q || (shown && !alone));
  assign out_tlast_o  = turn_q && alone ? beat_q == final_q : in_tlast_i;
  assign ends         = shown && beat_q == final_q && out_tvalid_o && out_tready_i;

  assign idle_o = !valid_q;

  logic unused;
  assign unused = ^{grh_i.offset[7], grh_i.offset[1:0], words[4:3], start[7],
                    start[OffsetBits-1:0]};

  `ASSUME(OffsetIsOfADatagram, `IMPLIES(grh_valid_i,
                                        grh_i.offset[1:0] == 2'd2 && grh_i.offset <= 8'(EndByte)
                                        && grh_i.offset >= (grh_i.ipv6 ? 8'(Ipv6End)
                                                                       : 8'(Ipv4End))))
  `ASSERT(CountIsKept, `IMPLIES(passes, inside_q != '0))
  `ASSERT(FewAreInside, inside_q < CountBits'(48))
  `ASSERT(AheadIsInside, `IMPLIES(valid_q, ahead_q <= inside_q))

endmodule
