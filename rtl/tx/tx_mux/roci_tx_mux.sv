// SPDX-License-Identifier: Apache-2.0
// Puts packets and frames on the way out, one after the other, and payload after its header.
//
// Throughput: one beat a clock, no bubble between packets. Latency: one clock from a header;
// m_axis_* follow registers, memories and the frames, and what is taken follows m_axis_tready_i.
//
//  headers that wait --+--> choice --> header, shifted a beat a clock --OR--> out
//  eth, fw ------------+                                      payload --^
//
// At a packet boundary acknowledgements go first, but after one of them a packet or frame of
// another source that waits; those take turns. A packet with payload waits until its
// first beat is here. When nothing can start, the Ethernet source is chosen and may send at once:
// whether its next frame follows is not known while its last beat leaves.

`include "assert.svh"

module roci_tx_mux #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned HeaderBits = 848
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   idle_o,

  // headers that wait: the oldest of a descriptor, or of an acknowledgement
  output logic                   header_ack_o,  // which of the two
  input  logic [HeaderBits-1:0]  header_i,
  input  logic [6:0]             header_len_i,
  input  logic [12:0]            frame_len_i,   // without ICRC
  input  logic                   short_i,       // the frame, without ICRC, is at most a beat
  input  logic                   ipv6_i,
  input  logic                   roce_v1_i,
  input  logic                   vlan_i,
  input  logic                   desc_payload_i,  // payload follows that of the descriptor
  input  logic                   desc_header_valid_i,
  output logic                   desc_header_ready_o,
  input  logic                   ack_header_valid_i,
  output logic                   ack_header_ready_o,

  // payload in its place
  input  logic [DataWidth-1:0]   pay_tdata_i,
  input  logic                   pay_terror_i,
  input  logic                   pay_tlast_i,
  input  logic                   pay_tvalid_i,
  output logic                   pay_tready_o,

  // frames
  input  logic [DataWidth-1:0]   s_axis_eth_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_eth_tkeep_i,
  input  logic                   s_axis_eth_tlast_i,
  input  logic                   s_axis_eth_tvalid_i,
  output logic                   s_axis_eth_tready_o,
  input  logic [DataWidth-1:0]   s_axis_fw_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_fw_tkeep_i,
  input  logic                   s_axis_fw_tlast_i,
  input  logic                   s_axis_fw_tvalid_i,
  output logic                   s_axis_fw_tready_o,

  // out, without ICRC
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_roce_o,
  output logic                   m_axis_ipv6_o,
  output logic                   m_axis_roce_v1_o,
  output logic                   m_axis_vlan_o,
  output logic                   m_axis_poison_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  output logic                   sent_o,       // a packet of a descriptor ended a clock before
  output logic                   sent_error_o  // with sent_o: poisoned
);

  localparam int unsigned Bytes    = DataWidth / 8;
  localparam int unsigned ByteBits = $clog2(Bytes);

  typedef enum logic [1:0] {SrcAck, SrcDesc, SrcEth, SrcFw} source_e;

  // What waits shows whether something follows the beat being taken.
  logic [DataWidth-1:0] pay_data;
  logic                 pay_error, pay_last, pay_valid, pay_take, pay_more;
  logic [2:0]           pay_level;
  roci_tx_ahead #(.Width(DataWidth + 2)) u_pay (
    .clk_i, .rst_ni, .in_data_i({pay_terror_i, pay_tlast_i, pay_tdata_i}),
    .in_valid_i(pay_tvalid_i), .in_ready_o(pay_tready_o),
    .out_data_o({pay_error, pay_last, pay_data}), .out_valid_o(pay_valid), .out_ready_i(pay_take),
    .level_o(pay_level), .more_o(pay_more));

  // the packet in flight
  logic                  parked_q;  // Ethernet is chosen, no frame of it has begun
  logic                  active_q, payload_q, ipv6_q, roce_v1_q, vlan_q, poison_q, short_q;
  source_e               source_q;
  logic                  roce_q;    // source_q has headers; a register, as much follows source_q
  logic [HeaderBits-1:0] header_q;
  logic [12:0]           left_q;    // bytes; short_q: at most a beat of them
  logic [6:0]            before_q;  // beats before the first one with payload; started_q: none
  logic                  with_payload;  // payload_q && started_q
  logic                  place, is_roce, there, last, boundary, started_q, none_before;
  logic                  move;      // a beat leaves
  assign {place, is_roce} = {m_axis_tready_i, roce_q};
  always_comb begin
    unique case (source_q)
      SrcEth:  begin there = s_axis_eth_tvalid_i; last = s_axis_eth_tlast_i; end
      SrcFw:   begin there = s_axis_fw_tvalid_i;  last = s_axis_fw_tlast_i; end
      default: begin
        there = !with_payload || pay_valid;
        last  = short_q;
      end
    endcase
  end
  assign m_axis_tvalid_o    = active_q && there;
  assign move               = m_axis_tvalid_o && place;
  assign boundary           = !active_q || (move && last) || (parked_q && !s_axis_eth_tvalid_i);
  assign pay_take           = active_q && place && is_roce && with_payload;
  assign s_axis_eth_tready_o = active_q && place && source_q == SrcEth;
  assign s_axis_fw_tready_o = active_q && place && source_q == SrcFw;

  logic [2:0] can, grant;  // choice of the next one
  logic       other, choose_ack, choose, after_ack_q;
  logic       pay_ends_q, eth_ends_q, fw_ends_q;  // what is in flight is of this source
  // Matters at a boundary only: there the source of the packet that ends gives its beat away.
  // (A packet may end after its payload; then a beat more is waited for.)
  assign can[0] = desc_header_valid_i &&
                  (!desc_payload_i || pay_more || (pay_valid && !pay_ends_q));
  assign can[1] = s_axis_eth_tvalid_i && !eth_ends_q;
  assign can[2] = s_axis_fw_tvalid_i && !fw_ends_q;
  assign other      = |can;
  assign choose_ack = ack_header_valid_i && !(after_ack_q && other);
  assign header_ack_o = choose_ack;
  assign choose     = boundary && (other || ack_header_valid_i);
  roci_arbiter #(.Clients(3)) u_turns (
    .clk_i, .rst_ni, .request_i(can), .grant_o(grant), .index_o(),
    .taken_i(boundary && !choose_ack));
  assign ack_header_ready_o  = boundary && choose_ack;
  assign desc_header_ready_o = boundary && !choose_ack && grant[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      parked_q    <= 1'b0;
      after_ack_q <= 1'b0;
      source_q    <= SrcAck;
      roce_q      <= 1'b1;
      {pay_ends_q, eth_ends_q, fw_ends_q} <= '0;
    end else if (boundary) begin
      active_q   <= 1'b1;
      parked_q   <= !choose;
      fw_ends_q  <= !choose_ack && grant[2];
      eth_ends_q <= !choose_ack && !grant[2] && !grant[0];
      pay_ends_q <= !choose_ack && grant[0] && desc_payload_i;
      if (choose) after_ack_q <= choose_ack;
      roce_q <= choose_ack || grant[0];
      if (choose_ack)    source_q <= SrcAck;
      else if (grant[2]) source_q <= SrcFw;
      else if (grant[0]) source_q <= SrcDesc;
      else               source_q <= SrcEth;
    end else if (move) parked_q <= 1'b0;
  end
  // Between packets, and while frames of the others leave, the registers load a header whether or
  // not a packet begins: what selects their data waits neither for the choice nor for those frames.
  assign none_before = (header_len_i >> ByteBits) == '0;
  always_ff @(posedge clk_i) begin
    if (!active_q || !is_roce || (place && (!with_payload || pay_valid))) begin
      if (!active_q || !is_roce || short_q) begin
        header_q     <= header_i;
        left_q       <= frame_len_i;
        short_q      <= short_i;
        payload_q    <= !choose_ack && desc_payload_i;
        before_q     <= header_len_i >> ByteBits;
        started_q    <= none_before;
        with_payload <= !choose_ack && desc_payload_i && none_before;
        {ipv6_q, roce_v1_q, vlan_q} <= {ipv6_i, roce_v1_i, vlan_i};
      end else begin
        header_q  <= header_q >> DataWidth;
        left_q    <= left_q - 13'(Bytes);
        short_q   <= left_q <= 13'(2 * Bytes);
        started_q <= started_q || before_q <= 7'd1;
        if (!started_q) before_q <= before_q - 1'b1;
        else if (pay_last) payload_q <= 1'b0;  // only pad can follow
        with_payload <= payload_q && (started_q ? !pay_last : before_q <= 7'd1);
      end
    end
  end

  logic poison;
  assign poison = poison_q || (is_roce && with_payload && pay_last && pay_error);
  // What left is reported a clock later: the counters of packets are far from here.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) poison_q <= 1'b0;
    else if (move) poison_q <= !last && poison;
    {sent_error_o, sent_o} <= {poison, rst_ni && move && last && source_q == SrcDesc};
  end
  // Two bits choose the data, so that a bit of them takes one LUT.
  logic [1:0] shown;
  assign shown = {!is_roce, is_roce ? with_payload : source_q == SrcFw};
  always_comb begin
    unique case (shown)
      2'b00: m_axis_tdata_o = header_q[DataWidth-1:0];
      2'b01: m_axis_tdata_o = header_q[DataWidth-1:0] | pay_data;
      2'b10: m_axis_tdata_o = s_axis_eth_tdata_i;
      2'b11: m_axis_tdata_o = s_axis_fw_tdata_i;
    endcase
    unique case (source_q)
      SrcEth:  m_axis_tkeep_o = s_axis_eth_tkeep_i;
      SrcFw:   m_axis_tkeep_o = s_axis_fw_tkeep_i;
      default: m_axis_tkeep_o = last ? {Bytes{1'b1}} >> (13'(Bytes) - left_q) : '1;
    endcase
  end
  assign m_axis_tlast_o   = last;
  assign m_axis_roce_o    = is_roce;
  assign m_axis_ipv6_o    = ipv6_q;
  assign m_axis_roce_v1_o = roce_v1_q;
  assign m_axis_vlan_o    = vlan_q;
  assign m_axis_poison_o  = poison;
  assign idle_o           = (!active_q || parked_q) && !pay_valid && !sent_o &&
                            !s_axis_eth_tvalid_i && !s_axis_fw_tvalid_i;
  // Payload is as long as its header says.
  `ASSUME(PayloadEndsWithPacket, `IMPLIES(pay_take && pay_valid && last, pay_last))
  `ASSUME(HeaderHasBytes, `IMPLIES(header_ack_o ? ack_header_valid_i : desc_header_valid_i,
                                   frame_len_i != '0 && short_i == (frame_len_i <= 13'(Bytes))))

  logic unused;  // Ethernet is chosen when no other is
  assign unused = ^{pay_level, grant[1]};

`ifdef FORMAL
  // What came in and did not leave stands in a queue or is the packet in flight; frames pass.
  logic [3:0] f_pay_q, f_roce_q;
  logic       f_out, f_takes_pay, f_roce_ends;
  assign f_out       = m_axis_tvalid_o && m_axis_tready_i;
  assign f_takes_pay = pay_take && pay_valid;
  assign f_roce_ends = f_out && m_axis_roce_o && m_axis_tlast_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {f_pay_q, f_roce_q} <= '0;
    end else begin
      f_pay_q  <= f_pay_q + 4'(pay_tvalid_i && pay_tready_o) - 4'(f_takes_pay);
      f_roce_q <= f_roce_q + 4'(ack_header_ready_o && ack_header_valid_i)
                           + 4'(desc_header_ready_o && desc_header_valid_i) - 4'(f_roce_ends);
    end
  end
  `ASSERT(NoPayloadLostOrMade, f_pay_q == 4'(pay_level))
  `ASSERT(PayloadGoesOut, `IMPLIES(f_takes_pay, move))
  `ASSERT(NoEthernetLostOrMade, (s_axis_eth_tvalid_i && s_axis_eth_tready_o)
                                == (f_out && source_q == SrcEth))
  `ASSERT(NoFirmwareLostOrMade, (s_axis_fw_tvalid_i && s_axis_fw_tready_o)
                                == (f_out && source_q == SrcFw))
  `ASSERT(NoPacketLostOrMade, f_roce_q == 4'(active_q && is_roce))
  `ASSERT(SourceIsReported, m_axis_roce_o == (source_q == SrcAck || source_q == SrcDesc))
  // What is offered stays until it is taken.
  logic                 f_stalled_q;
  logic [DataWidth-1:0] f_data_q;
  logic [Bytes+2:0]     f_rest_q, f_rest;
  assign f_rest = {m_axis_tkeep_o, m_axis_tlast_o, m_axis_roce_o, m_axis_poison_o};
  always_ff @(posedge clk_i) begin
    f_stalled_q <= rst_ni && m_axis_tvalid_o && !m_axis_tready_i;
    f_data_q    <= m_axis_tdata_o;
    f_rest_q    <= f_rest;
  end
  `ASSERT(OfferStays, `IMPLIES(f_stalled_q, m_axis_tvalid_o && m_axis_tdata_o == f_data_q
                                            && f_rest == f_rest_q))
  `ASSERT(PacketHasBytes, `IMPLIES(active_q && is_roce,
                                   left_q != '0 && short_q == (left_q <= 13'(Bytes))
                                   && started_q == (before_q == '0)
                                   && with_payload == (payload_q && started_q)))
  `ASSERT(EndsAreOfTheSource, eth_ends_q == (active_q && source_q == SrcEth) &&
                              fw_ends_q == (active_q && source_q == SrcFw) &&
                              `IMPLIES(active_q && is_roce && payload_q, pay_ends_q))
  `ASSERT(OneIsChosen, 2'(ack_header_ready_o) + 2'(desc_header_ready_o) <= 2'd1)
  // A frame is whole before the next one begins.
  logic    f_open_q;
  source_e f_open_source_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_open_q <= 1'b0;
    else if (move) f_open_q <= !last;
    if (move) f_open_source_q <= source_q;
  end
  `ASSERT(FramesDoNotInterleave, `IMPLIES(f_open_q, active_q && source_q == f_open_source_q))
  `ASSERT(ParkedHasNotBegun, `IMPLIES(parked_q, active_q && source_q == SrcEth && !f_open_q))
  // What waits alone is chosen at the next boundary, also when Ethernet was chosen for nothing.
  `ASSERT(ParkedHoldsUpNothing, `IMPLIES(parked_q && !s_axis_eth_tvalid_i && ack_header_valid_i
                                         && !other, ack_header_ready_o))
  logic f_eth_before_q;  // the frame before was of Ethernet, and left in the clock before
  always_ff @(posedge clk_i) f_eth_before_q <= f_out && source_q == SrcEth && m_axis_tlast_o;
  `COVER(PayloadOut, f_out && m_axis_roce_o && m_axis_tlast_o && f_takes_pay)
  `COVER(BackToBack, move && last && boundary && choose_ack && f_open_q)
  `COVER(FirmwareOut, f_out && source_q == SrcFw && m_axis_tlast_o)
  `COVER(EthernetBackToBack, f_out && source_q == SrcEth && m_axis_tlast_o && f_eth_before_q)
  initial assume (!rst_ni);
`endif

  roci_axis_check #(.DataWidth(DataWidth), .Assume(1)) u_eth_check (
    .clk_i, .rst_ni, .tdata_i(s_axis_eth_tdata_i), .tkeep_i(s_axis_eth_tkeep_i),
    .tlast_i(s_axis_eth_tlast_i), .tvalid_i(s_axis_eth_tvalid_i),
    .tready_i(s_axis_eth_tready_o));
  roci_axis_check #(.DataWidth(DataWidth), .Assume(1)) u_fw_check (
    .clk_i, .rst_ni, .tdata_i(s_axis_fw_tdata_i), .tkeep_i(s_axis_fw_tkeep_i),
    .tlast_i(s_axis_fw_tlast_i), .tvalid_i(s_axis_fw_tvalid_i), .tready_i(s_axis_fw_tready_o));

endmodule
