// SPDX-License-Identifier: Apache-2.0
// Appends the invariant CRC to RoCE frames; other frames pass untouched, in order.
//
// Throughput: one beat out per clock; a frame whose ICRC does not fit into its last beat gets one
// more beat. Latency: six clocks. All registers hold while the output is not taken.
//
//   in --+--> ring of 5 beats ----------------------------> merge --> out
//        +--> roci_icrc (3 clocks) --> unwind (2 clocks) ---^
//
// A RoCE frame is padded to a multiple of four from the BTH on, and 14 or 18 bytes of Ethernet
// lie before it: without its ICRC it is 2 modulo 4 bytes long. So the ICRC always starts in byte 2
// of a word, and to place it needs no shifter.

`include "assert.svh"

module roci_icrc_tx #(
  parameter int unsigned DataWidth = 512  // bits of a beat: 64, 128, 256 or 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // in: frames without ICRC; roce, ipv6, roce_v1 and vlan are held during the frame
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_roce_i,
  input  logic                   s_axis_ipv6_i,
  input  logic                   s_axis_roce_v1_i,
  input  logic                   s_axis_vlan_i,
  input  logic                   s_axis_poison_i,  // with the last beat: invert the ICRC
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  // out
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_roce_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic                   idle_o
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned GapBits = $clog2(Bytes);
  localparam int unsigned BeatBits = DataWidth + Bytes + 3;

  logic out_valid_q, out_last_q, out_roce_q;
  logic extra_q;  // the ICRC's second half is still to come
  logic enable;

  assign enable          = (!out_valid_q || m_axis_tready_i) && !extra_q;
  assign s_axis_tready_o = enable;

  // Beats on their way: a slot is read five clocks after it was written.
  localparam int unsigned Slots = 5;
  logic [BeatBits-1:0] ring [8];
  logic [2:0]          slot_q, read_q;
  logic [Slots-1:0]    valid_q;  // top bit: the slot about to be read
  logic                take;

  assign take = enable && s_axis_tvalid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slot_q  <= 3'(Slots);
      read_q  <= '0;
      valid_q <= '0;
    end else if (enable) begin
      slot_q  <= slot_q + 1'b1;
      read_q  <= read_q + 1'b1;
      valid_q <= {valid_q[Slots-2:0], s_axis_tvalid_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      ring[slot_q] <= {s_axis_poison_i, s_axis_roce_i, s_axis_tlast_i, s_axis_tkeep_i,
                       s_axis_tdata_i};
    end
  end

`ifdef FORMAL
  // The ICRC itself is proved in roci_icrc. Its value does not matter where beats are counted.
  (* anyseq *) logic [31:0] icrc;
`else
  logic [31:0]        state, icrc;
  logic [GapBits-1:0] gap;
  logic               state_valid, unused_gap;
  assign unused_gap = ^gap[1:0];

  roci_icrc #(.DataWidth(DataWidth)) u_icrc (
    .clk_i, .rst_ni,
    .enable_i(enable),
    .data_i(s_axis_tdata_i),
    .keep_i(s_axis_tkeep_i),
    .last_i(s_axis_tlast_i),
    .ipv6_i(s_axis_ipv6_i),
    .roce_v1_i(s_axis_roce_v1_i),
    .vlan_i(s_axis_vlan_i),
    .valid_i(s_axis_tvalid_i && s_axis_roce_i),
    .state_o(state),
    .gap_o(gap),
    .valid_o(state_valid)
  );

  roci_icrc_unwind #(.GapBits(GapBits)) u_unwind (
    .clk_i,
    .enable_i(enable),
    .valid_i(state_valid),
    .state_i(state),
    .gap_i({gap[GapBits-1:2], 2'd2}),  // as the length is 2 modulo 4
    .state_o(icrc)
  );
`endif

  logic [BeatBits-1:0]  beat;
  logic [DataWidth-1:0] data;
  logic [Bytes-1:0]     keep;
  logic                 last, roce, poison, append, overflow;
  logic [31:0]          trailer;

  assign beat = ring[read_q];
  assign {poison, roce, last, keep, data} = beat;
  assign append   = roce && last;
  assign overflow = append && keep[Bytes-3];
  assign trailer = poison ? icrc : ~icrc;

  // The bytes after the frame all show the ICRC, of which byte i goes to byte (i + 2) mod 4.
  function automatic logic [DataWidth-1:0] fill(input logic [DataWidth-1:0] frame,
                                                input logic [Bytes-1:0]     frame_keep,
                                                input logic [31:0]          crc);
    for (int i = 0; i < Bytes; i++) begin
      fill[8*i +: 8] = frame_keep[i] ? frame[8*i +: 8] : crc[8*((i+2)%4) +: 8];
    end
  endfunction

  logic [DataWidth-1:0] out_data_q;
  logic [Bytes-1:0]     out_keep_q;
  logic [15:0]          rest_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      extra_q     <= 1'b0;
    end else if (!out_valid_q || m_axis_tready_i) begin
      out_valid_q <= extra_q || valid_q[Slots-1];
      extra_q     <= !extra_q && valid_q[Slots-1] && overflow;
    end
  end

  always_ff @(posedge clk_i) begin
    if (extra_q && m_axis_tready_i) begin
      out_data_q[15:0] <= rest_q;
      out_keep_q       <= Bytes'(3);
      out_last_q       <= 1'b1;
    end else if (enable && valid_q[Slots-1]) begin
      out_last_q <= last && !overflow;
      out_roce_q <= roce;
      rest_q     <= trailer[31:16];
      if (append) begin
        out_data_q <= fill(data, keep, trailer);
        out_keep_q <= {keep[Bytes-5:0], 4'hF};
      end else begin
        out_data_q <= data;
        out_keep_q <= keep;
      end
    end
  end

  assign m_axis_tdata_o  = out_data_q;
  assign m_axis_tkeep_o  = out_keep_q;
  assign m_axis_tlast_o  = out_last_q;
  assign m_axis_roce_o   = out_roce_q;
  assign m_axis_tvalid_o = out_valid_q;
  assign idle_o          = !s_axis_tvalid_i && valid_q == '0 && !out_valid_q;

  `ASSUME(FrameIsPadded, `IMPLIES(s_axis_tvalid_i && s_axis_tlast_i && s_axis_roce_i,
          $countones(s_axis_tkeep_i) % 4 == 2))

`ifdef FORMAL
  // Beats that came in and did not leave are in the ring or in the output register, which may also
  // hold a beat that was made for the rest of an ICRC; so are frames.
  logic       f_extra_q;  // the output register holds such a beat
  logic       f_in, f_out;
  logic [3:0] f_beats_q, f_frames_q, f_ends;
  assign f_in  = s_axis_tvalid_i && s_axis_tready_o;
  assign f_out = m_axis_tvalid_o && m_axis_tready_i;
  always_comb begin
    f_ends = '0;
    for (int i = 0; i < Slots; i++) begin
      f_ends = f_ends + 4'(valid_q[i] && ring[slot_q - 3'(1 + i)][DataWidth + Bytes]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_extra_q  <= 1'b0;
      f_beats_q  <= '0;
      f_frames_q <= '0;
    end else begin
      if (!out_valid_q || m_axis_tready_i) f_extra_q <= extra_q;
      f_beats_q  <= f_beats_q + 4'(f_in) - 4'(f_out && !f_extra_q);
      f_frames_q <= f_frames_q + 4'(f_in && s_axis_tlast_i) - 4'(f_out && m_axis_tlast_o);
    end
  end
  `ASSERT(NoBeatLostOrMade, f_beats_q == 4'($countones(valid_q)) + 4'(out_valid_q && !f_extra_q))
  `ASSERT(ReadFollows, slot_q - read_q == 3'(Slots))
  `ASSERT(NoFrameLostOrMade, f_frames_q == f_ends + 4'(out_valid_q && out_last_q) + 4'(extra_q))
  // Beats in the ring are as they came: without gaps, all full except for the last, which is padded
  // in a RoCE frame.
  logic [Bytes-1:0]    f_keep;
  logic [BeatBits-1:0] f_beat;
  logic                f_formed;
  always_comb begin
    f_formed = 1'b1;
    for (int i = 0; i < Slots; i++) begin
      f_beat = ring[slot_q - 3'(1 + i)];
      f_keep = f_beat[DataWidth +: Bytes];
      if (valid_q[i] && ((f_keep & (f_keep + 1'b1)) != '0 || !f_keep[0] ||
          (!f_beat[DataWidth + Bytes] && !(&f_keep)) ||
          (f_beat[DataWidth + Bytes] && f_beat[DataWidth + Bytes + 1] &&
           $countones(f_keep) % 4 != 2))) f_formed = 1'b0;
    end
  end
  `ASSERT(RingIsFormed, f_formed)
  `ASSERT(ExtraIsOfAFrame, `IMPLIES(extra_q, out_valid_q && !out_last_q))
  `ASSERT(ExtraEndsIt, `IMPLIES(f_extra_q && out_valid_q, out_last_q))
  `COVER(ExtraOut, f_out && f_extra_q)
  `COVER(Filled, f_beats_q == 4'd6)
  initial assume (!rst_ni);
`endif

  roci_axis_check #(.DataWidth(DataWidth), .Assume(1)) u_in_check (
    .clk_i, .rst_ni,
    .tdata_i(s_axis_tdata_i),
    .tkeep_i(s_axis_tkeep_i),
    .tlast_i(s_axis_tlast_i),
    .tvalid_i(s_axis_tvalid_i),
    .tready_i(s_axis_tready_o)
  );
  roci_axis_check #(.DataWidth(DataWidth)) u_out_check (
    .clk_i, .rst_ni,
    .tdata_i(m_axis_tdata_o),
    .tkeep_i(m_axis_tkeep_o),
    .tlast_i(m_axis_tlast_o),
    .tvalid_i(m_axis_tvalid_o),
    .tready_i(m_axis_tready_i)
  );

endmodule
