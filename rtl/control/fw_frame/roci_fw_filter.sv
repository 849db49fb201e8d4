// SPDX-License-Identifier: Apache-2.0
// Distinguishes firmware's frames from the host's: ARP, and neighbour solicitation and
// advertisement, with or without a VLAN tag. A frame is kept back until its decision is known and
// then leaves at once.
//
// Throughput: one beat per clock. Latency: two clocks, or as many beats as hold the first 59 bytes;
// one clock when the first beat holds them.
//
//   s_axis --+--> FIFO --------------> m_axis, with m_to_firmware for the whole frame
//            \--> look at 8 bytes --> decision FIFO --^
//
// When the first beat decides, both FIFOs are one register.

`include "assert.svh"

module roci_fw_filter #(
  parameter int unsigned DataWidth = 512  // 64 to 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   enable_i,  // 0: all frames go to the host

  // in
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  // out
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  output logic                   m_to_firmware_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned BeatBytes = DataWidth / 8;

  // Byte offsets in the frame, without a tag; a tag moves all but the first two by VlanBytes.
  localparam int unsigned EtherTypeAt  = 12;
  localparam int unsigned NextHeaderAt = 20;
  localparam int unsigned IcmpTypeAt   = 54;
  localparam int unsigned VlanBytes    = roci_pkg::VlanBits / 8;
  localparam int unsigned LastByte     = IcmpTypeAt + VlanBytes;
  localparam int unsigned LastBeat     = LastByte / BeatBytes;
  localparam int unsigned Beats        = LastBeat < 2 ? 4 : 16;  // FIFO

  localparam logic [7:0] Icmpv6        = 8'd58;   // RFC 4443
  localparam logic [7:0] Solicitation  = 8'd135;  // RFC 4861
  localparam logic [7:0] Advertisement = 8'd136;

  localparam int unsigned Looks = 8;
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic int unsigned look_at(input int unsigned i);
    case (i)
      0: look_at = EtherTypeAt;
      1: look_at = EtherTypeAt + 1;
      2: look_at = EtherTypeAt + VlanBytes;
      3: look_at = EtherTypeAt + VlanBytes + 1;
      4: look_at = NextHeaderAt;
      5: look_at = NextHeaderAt + VlanBytes;
      6: look_at = IcmpTypeAt;
      default: look_at = IcmpTypeAt + VlanBytes;
    endcase
  endfunction
  // verilator coverage_on

  // Bytes looked at; 0 where the frame is shorter.
  logic [3:0]         beat_q;
  logic [8*Looks-1:0] look;
  logic               accept, decided_q, decide;
  assign accept = s_axis_tvalid_i && s_axis_tready_o;
  assign decide = accept && !decided_q && (s_axis_tlast_i || beat_q == 4'(LastBeat));

  for (genvar i = 0; i < Looks; i++) begin : gen_look
    localparam int unsigned Beat = look_at(i) / BeatBytes;
    localparam int unsigned Lane = look_at(i) % BeatBytes;
    logic [7:0] byte_q, byte_now;
    assign byte_now = s_axis_tkeep_i[Lane] ? s_axis_tdata_i[8*Lane +: 8] : 8'd0;
    assign look[8*i +: 8] = beat_q == 4'(Beat) ? byte_now : byte_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || (accept && s_axis_tlast_i)) byte_q <= '0;
      else if (accept && beat_q == 4'(Beat)) byte_q <= byte_now;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q    <= '0;
      decided_q <= 1'b0;
    end else if (accept) begin
      decided_q <= !s_axis_tlast_i && (decided_q || decide);
      if (s_axis_tlast_i) beat_q <= '0;
      else if (beat_q != 4'(LastBeat)) beat_q <= beat_q + 1'b1;
    end
  end

  logic [15:0] type0, type1, ether_type;
  logic [7:0]  next_header, icmp_type;
  logic        has_tag, to_firmware;
  assign type0       = {look[7:0], look[15:8]};
  assign type1       = {look[23:16], look[31:24]};
  assign has_tag      = type0 == roci_pkg::EtherTypeVlan;
  assign ether_type  = has_tag ? type1 : type0;
  assign next_header = has_tag ? look[47:40] : look[39:32];
  assign icmp_type   = has_tag ? look[63:56] : look[55:48];
  assign to_firmware = enable_i &&
                       (ether_type == roci_pkg::EtherTypeArp ||
                        (ether_type == roci_pkg::EtherTypeIpv6 && next_header == Icmpv6 &&
                         (icmp_type == Solicitation || icmp_type == Advertisement)));

  // Beats and decisions
  localparam int unsigned WordBits = DataWidth + DataWidth / 8 + 1;
  logic [4:0] beats;      // inside
  logic [2:0] decisions;  // known, their frames did not leave whole
  if (LastBeat == 0) begin : gen_register
    assign s_axis_tready_o = !m_axis_tvalid_o || m_axis_tready_i;
    assign beats           = 5'(m_axis_tvalid_o);
    assign decisions       = 3'(m_axis_tvalid_o || decided_q);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) m_axis_tvalid_o <= 1'b0;
      else if (s_axis_tready_o) m_axis_tvalid_o <= s_axis_tvalid_i;
    end
    always_ff @(posedge clk_i) begin
      if (s_axis_tready_o) begin
        {m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o} <= {s_axis_tlast_i, s_axis_tkeep_i,
                                                             s_axis_tdata_i};
      end
      if (decide) m_to_firmware_o <= to_firmware;
    end
  end else begin : gen_fifo
    logic room, decision_room, beat_valid, decision_valid, pop;
    logic [$clog2(Beats):0] level;
    assign s_axis_tready_o = room && decision_room;
    assign m_axis_tvalid_o = beat_valid && decision_valid;
    assign pop             = decision_valid && m_axis_tready_i;
    assign beats           = 5'(level);
    roci_fifo #(.Width(WordBits), .Depth(Beats)) u_beats (
      .clk_i, .rst_ni,
      .in_data_i  ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
      .in_valid_i (s_axis_tvalid_i && decision_room),
      .in_ready_o (room),
      .out_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o}),
      .out_valid_o(beat_valid),
      .out_ready_i(pop),
      .level_o    (level)
    );
    roci_fifo #(.Width(1), .Depth(4)) u_decisions (
      .clk_i, .rst_ni,
      .in_data_i  (to_firmware),
      .in_valid_i (decide),
      .in_ready_o (decision_room),
      .out_data_o (m_to_firmware_o),
      .out_valid_o(decision_valid),
      .out_ready_i(beat_valid && m_axis_tready_i && m_axis_tlast_o),
      .level_o    (decisions)
    );
  end

`ifdef FORMAL
  // Beats that came in and did not leave are in the queue; each frame gets one decision.
  logic       f_out;
  logic [4:0] f_beats_q;
  logic [2:0] f_decided_q;  // decisions of frames that did not end on the way out
  assign f_out = m_axis_tvalid_o && m_axis_tready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_beats_q   <= '0;
      f_decided_q <= '0;
    end else begin
      f_beats_q   <= f_beats_q + 5'(accept) - 5'(f_out);
      f_decided_q <= f_decided_q + 3'(decide) - 3'(f_out && m_axis_tlast_o);
    end
  end
  `ASSERT(NoBeatLostOrMade, f_beats_q == beats)
  `ASSERT(NoDecisionLostOrMade, f_decided_q == decisions)
  `ASSERT(BeatInRange, beat_q <= 4'(LastBeat))
  `ASSERT(EndIsKnown, LastBeat != 0 || !m_axis_tvalid_o || decided_q != m_axis_tlast_o)
  `COVER(QueueFull, !s_axis_tready_o)
  `COVER(ToFirmware, f_out && m_axis_tlast_o && m_to_firmware_o)
  `COVER(ToHostAfterIt, f_out && m_axis_tlast_o && !m_to_firmware_o
                        && (LastBeat == 0 || f_decided_q == 3'd2))
  initial assume (!rst_ni);
`endif

  roci_axis_check #(.DataWidth(DataWidth), .Assume(1)) u_in_check (
    .clk_i, .rst_ni, .tdata_i(s_axis_tdata_i), .tkeep_i(s_axis_tkeep_i),
    .tlast_i(s_axis_tlast_i), .tvalid_i(s_axis_tvalid_i), .tready_i(s_axis_tready_o));
  logic unused;
  assign unused = ^{beats, decisions};

`ifndef FORMAL  // which cannot see that the queue holds only such beats
  roci_axis_check #(.DataWidth(DataWidth)) u_out_check (
    .clk_i, .rst_ni, .tdata_i(m_axis_tdata_o), .tkeep_i(m_axis_tkeep_o),
    .tlast_i(m_axis_tlast_o), .tvalid_i(m_axis_tvalid_o), .tready_i(m_axis_tready_i));
`endif

endmodule
