// SPDX-License-Identifier: Apache-2.0
// Puts the GRH of a datagram in front of its payload (UD-06): the IPv6 header or GRH, or 20 zeros
// and the IPv4 header. Payload of other packets passes.
//
// Throughput: one beat a clock; a datagram every two clocks over IPv4 and every three over IPv6,
// one or two more with a VLAN tag and an immediate. Latency: none for what passes; a GRH waits
// until what was admitted before it has passed, and up to `Waiting` more wait after it.
//
//   grh --> FIFO --> register, shifted to its place --+
//                                                     +--> GRH alone, a beat of both, payload
//   payload ------------------------------------------+
//
// Payload keeps the place in its beats that it has in the frame, so the GRH ends where the payload
// begins: 62 bytes from the start of the frame over IPv4, 74 in RoCE v1, and words of 4 bytes later
// with IPv6, a VLAN tag or an immediate.

`include "assert.svh"

module roci_rx_grh #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  // A datagram waits for the engine's decision where it goes, about 17 clocks; the next one is
  // admitted three clocks after it.
  parameter int unsigned Waiting = 8       // a power of two
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

  // Words of 4 bytes by which what is optional moves the GRH. Two of them over IPv6 are taken with
  // the load, and the rest is shifted.
  logic [4:0] words;
  logic [1:0] rest, rest_in;
  logic       two, two_in;
  assign words   = grh_i.offset[6:2] - (grh_i.ipv6 ? 5'(Ipv6End / 4) : 5'(Ipv4End / 4));
  assign two_in  = grh_i.ipv6 && words[2:1] != '0;
  assign rest_in = {words[1] != two_in, words[0]};

  // Datagrams wait, each with the number of packets that were admitted before it.
  roci_pkg::grh_t           grh;
  logic [CountBits-1:0]     admitted_q, earlier;
  logic                     waits, valid_q, take;
  logic [$clog2(Waiting):0] unused_level;
  roci_records #(.Width(3 + CountBits + roci_pkg::GrhBits), .Depth(Waiting)) u_waiting (
    .clk_i, .rst_ni, .in_data_i({two_in, rest_in, admitted_q, grh_i}), .in_valid_i(grh_valid_i),
    .in_ready_o(grh_ready_o), .out_data_o({two, rest, earlier, grh}), .out_valid_o(waits),
    .out_ready_i(!valid_q), .level_o(unused_level));
  assign take = waits && !valid_q;

  // The 40 bytes, the first one on top, then lowest.
  logic [GrhBits-1:0] ipv4_bytes, ipv6_bytes, ipv4_lowest, ipv6_lowest;
  assign ipv4_bytes = {160'd0, grh.ip_head, grh.src_ip[31:0], grh.dst_ip[31:0]};
  assign ipv6_bytes = {grh.ip_head[95:32], grh.src_ip, grh.dst_ip};
  for (genvar i = 0; i < GrhBits / 8; i++) begin : gen_swap
    assign ipv4_lowest[8*i +: 8] = ipv4_bytes[GrhBits-1-8*i -: 8];
    assign ipv6_lowest[8*i +: 8] = ipv6_bytes[GrhBits-1-8*i -: 8];
  end

  // The register holds the frame from FirstByte on. A GRH comes in where it stands without what is
  // optional before the payload, over IPv6 up to two words later, and is shifted by a word a clock.
  logic                 turn_q, shifts, ends, empty_q;
  logic [ImageBits-1:0] image_q, ipv6_image;
  logic [1:0]           words_q;  // to be shifted by
  assign ipv6_image = ImageBits'(ipv6_lowest) << (8 * (Ipv6End - Ipv4End));
  assign shifts     = words_q != '0;
  always_ff @(posedge clk_i) begin
    if (!valid_q) begin
      image_q <= !grh.ipv6 ? ImageBits'(ipv4_lowest) : two ? ipv6_image << 64 : ipv6_image;
      words_q <= rest;
    end else if (shifts) begin
      image_q <= image_q << 32;
      words_q <= words_q - 2'd1;
    end
  end

  // Whose turn it is: packets that were admitted before the datagram pass first. When the payload
  // of a datagram ends with its GRH, nothing passes in the next clock, in which the register is
  // empty: it may belong to the datagram that comes into it.
  logic [CountBits-1:0] passed_q, more_q, earlier_q;  // more_q: one more than passed
  logic                 passes, due, still_due, stop_q;
  assign passes    = in_tvalid_i && in_tready_o && in_tlast_i;
  assign due       = passes ? earlier == more_q : earlier == passed_q;
  assign still_due = turn_q || (passes ? earlier_q == more_q : earlier_q == passed_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      admitted_q <= '0;
      passed_q   <= '0;
      more_q     <= CountBits'(1);
      valid_q    <= 1'b0;
      turn_q     <= 1'b0;
      stop_q     <= 1'b0;
    end else begin
      if (next_i) admitted_q <= admitted_q + 1'b1;
      if (passes) {passed_q, more_q} <= {more_q, more_q + 1'b1};
      valid_q <= take || (valid_q && !ends);
      stop_q  <= ends && (passes || empty_q);
      turn_q  <= (take && due) || (valid_q && !ends && still_due);
    end
    if (take) earlier_q <= earlier;
  end

  // Beats as the frame has them: those of the GRH alone, then the one in which the payload begins.
  logic [BeatBits-1:0]  beat_q, final_q;
  logic [7:0]           start;
  logic [Bytes-1:0]     below_q, chosen;  // bytes before the payload; bytes of the GRH's beat
  logic                 alone_q, shown;
  logic [8*Bytes*Beats-1:0] whole;
  logic [DataWidth-1:0] beat;
  assign start = grh.offset - 8'(GrhBits / 8);
  assign whole = (8 * Bytes * Beats)'(image_q) << (8 * FirstByte);
  assign shown = turn_q && !shifts;
  always_ff @(posedge clk_i) begin
    if (!valid_q) begin
      beat_q  <= start[6:OffsetBits];
      final_q <= grh.offset[6:OffsetBits];
      empty_q <= grh.empty;
      alone_q <= start[6:OffsetBits] != grh.offset[6:OffsetBits] || grh.empty;
      below_q <= ~({Bytes{1'b1}} << grh.offset[OffsetBits-1:0]);
    end else if (out_tvalid_o && out_tready_i && shown) begin
      beat_q  <= beat_q + 1'b1;
      alone_q <= beat_q + 1'b1 != final_q || empty_q;
    end
  end
  always_comb begin
    beat = '0;
    for (int i = 0; i < Beats; i++) begin
      if (beat_q == BeatBits'(i)) beat = whole[DataWidth*i +: DataWidth];
    end
    for (int i = 0; i < Bytes; i++) begin
      chosen[i] = turn_q && (alone_q || below_q[i]);
      out_tdata_o[8*i +: 8] = chosen[i] ? beat[8*i +: 8] : in_tdata_i[8*i +: 8];
    end
  end
  assign out_tvalid_o = turn_q ? shown && (alone_q || in_tvalid_i) : in_tvalid_i && !stop_q;
  assign in_tready_o  = out_tready_i && !stop_q && (!turn_q || (shown && !alone_q));
  assign out_tlast_o  = turn_q && alone_q ? beat_q == final_q : in_tlast_i;
  assign ends         = shown && beat_q == final_q && out_tvalid_o && out_tready_i;

  assign idle_o = !valid_q && !waits;

  logic unused;
  assign unused = ^{grh.offset[7], grh.offset[1:0], words[4:3], start[7], start[OffsetBits-1:0],
                    unused_level};

  `ASSUME(OffsetIsOfADatagram, `IMPLIES(grh_valid_i,
                                        grh_i.offset[1:0] == 2'd2 && grh_i.offset <= 8'(EndByte)
                                        && grh_i.offset >= (grh_i.ipv6 ? 8'(Ipv6End)
                                                                       : 8'(Ipv4End))))
  logic [CountBits-1:0] held, ahead;  // admitted and not passed; of these, before the datagram
  assign held  = admitted_q - passed_q;
  assign ahead = earlier_q - passed_q;
  `ASSERT(CountIsKept, `IMPLIES(passes, held != '0) && more_q == passed_q + 1'b1)
  `ASSERT(FewAreInside, held < CountBits'(48))
  `ASSERT(AheadIsInside, `IMPLIES(valid_q && !turn_q, ahead <= held))
  `ASSERT(AloneIsKnown, `IMPLIES(valid_q, alone_q == (beat_q != final_q || empty_q)))

endmodule
