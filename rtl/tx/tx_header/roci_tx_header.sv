// SPDX-License-Identifier: Apache-2.0
// Builds the headers of packets, from the Ethernet header to the last extension header, out of a
// descriptor and the address vector of its queue pair, or for a datagram of its address handle.
//
// Throughput: one packet a clock, with Compact a descriptor in five clocks and an acknowledgement
// in four. Latency: three clocks to the header queues, two to gather_start.
//
//  desc --+--> lengths, read Av --> IPv4 sum --> fold, assemble --> headers of desc (8 or 1)
//  ack ---+    (clock 1)            (clock 2)    (clock 3)          and of ack (4 or 1)
//                                       +--> gather_start
//
// A place in the output queue is taken before a descriptor comes in, so the pipeline never stalls,
// and acknowledgements pass payload packets that wait.

`include "assert.svh"

module roci_tx_header #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned NumQps = 256,     // a power of two
  parameter int unsigned HeaderBits = 848,  // longest: tagged IPv6 with 28 bytes after BTH
  parameter int unsigned Compact = 0        // 1: one header of each source waits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output logic                  idle_o,

  // row bus
  input  logic                  row_write_valid_i,
  input  roci_pkg::row_write_t  row_write_i,

  // in
  input  roci_pkg::tx_desc_t    desc_i,
  input  logic                  desc_valid_i,
  output logic                  desc_ready_o,
  input  roci_pkg::tx_desc_t    ack_i,
  input  logic                  ack_valid_i,
  output logic                  ack_ready_o,

  // where payload starts
  output logic                  gather_start_valid_o,
  input  logic                  gather_start_ready_i,
  output logic [5:0]            gather_pos_o,
  output logic [12:0]           gather_len_o,

  // out: of the headers that wait, the oldest of a descriptor or of an acknowledgement; first byte
  // in the lowest bits, 0 after
  input  logic                  header_ack_i,     // which of the two
  output logic [HeaderBits-1:0] header_o,
  output logic [6:0]            header_len_o,
  output logic [12:0]           frame_len_o,      // without ICRC
  output logic                  short_o,          // the frame, without ICRC, is at most a beat
  output logic                  ipv6_o,
  output logic                  roce_v1_o,
  output logic                  vlan_o,
  output logic                  desc_payload_o,   // payload follows the oldest of a descriptor
  output logic                  desc_header_valid_o,
  input  logic                  desc_header_ready_i,
  output logic                  ack_header_valid_o,
  input  logic                  ack_header_ready_i
);

  localparam int unsigned DescDepth = Compact != 0 ? 1 : 8;
  localparam int unsigned AckDepth  = Compact != 0 ? 1 : 4;
  localparam int unsigned ExtBits   = 224;
  localparam int unsigned L4Bits    = roci_pkg::UdpBits + roci_pkg::BthBits + ExtBits;
  localparam int unsigned L3Bits    = roci_pkg::Ipv6Bits + L4Bits;
  `PARAM_CHECK(HeaderBitsMatch,
               HeaderBits == roci_pkg::EthernetBits + roci_pkg::VlanBits + L3Bits)

  localparam logic [6:0]  EthernetBytes = 7'(roci_pkg::EthernetBits / 8);
  localparam logic [6:0]  VlanBytes     = 7'(roci_pkg::VlanBits / 8);
  localparam logic [6:0]  Ipv4Bytes     = 7'(roci_pkg::Ipv4Bits / 8);
  localparam logic [6:0]  Ipv6Bytes     = 7'(roci_pkg::Ipv6Bits / 8);
  localparam logic [6:0]  UdpBytes      = 7'(roci_pkg::UdpBits / 8);
  localparam logic [6:0]  BthBytes      = 7'(roci_pkg::BthBits / 8);
  localparam logic [15:0] IcrcBytes     = 16'd4;
  // In the length of an IPv4 packet beside what follows from the BTH on.
  localparam logic [15:0] FixedBytes    = 16'(Ipv4Bytes) + 16'(UdpBytes) + IcrcBytes;

  // Places in the queues. One for a descriptor is free a clock after its header left, for whether
  // that leaves is known late.
  logic [$clog2(DescDepth):0] desc_used_q;
  logic [$clog2(AckDepth):0]  ack_used_q;
  logic                       take_desc, take_ack, pop_desc_q, pop_ack, ack_turn_q,
                              desc_place, ack_place, av_write, ack_may;
  assign desc_place   = desc_used_q != ($clog2(DescDepth) + 1)'(DescDepth);
  assign ack_place    = ack_used_q != ($clog2(AckDepth) + 1)'(AckDepth);
  assign ack_may      = ack_place && !(!ack_turn_q && desc_valid_i && desc_place);
  assign ack_ready_o  = ack_may && !av_write;
  assign desc_ready_o = desc_place && !av_write && !(ack_turn_q && ack_valid_i && ack_place);
  assign take_ack     = ack_valid_i && ack_ready_o;
  assign take_desc    = desc_valid_i && desc_ready_o;
  assign pop_ack      = ack_header_valid_o && ack_header_ready_i;
  always_ff @(posedge clk_i) begin
    pop_desc_q <= rst_ni && desc_header_valid_o && desc_header_ready_i;
    if (!rst_ni) begin
      desc_used_q <= '0;
      ack_used_q  <= '0;
      ack_turn_q  <= 1'b1;
    end else begin
      desc_used_q <= desc_used_q + ($clog2(DescDepth) + 1)'(take_desc)
                                 - ($clog2(DescDepth) + 1)'(pop_desc_q);
      ack_used_q  <= ack_used_q + ($clog2(AckDepth) + 1)'(take_ack)
                                - ($clog2(AckDepth) + 1)'(pop_ack);
      if (take_ack) ack_turn_q <= 1'b0;
      else if (take_desc) ack_turn_q <= 1'b1;
    end
  end
  assign idle_o = desc_used_q == '0 && ack_used_q == '0 && !desc_valid_i && !ack_valid_i &&
                  !gather_start_valid_o;

  // clock 1: lengths that need no address vector; the row
  roci_pkg::tx_desc_t chosen, desc1_q;
  logic               valid1_q, is_ack1_q;
  logic [1:0]         pad;
  logic [12:0]        bth_len1_q;      // bytes from BTH to pad
  logic [15:0]        id1_q;
  localparam int unsigned AckExtBits = 96;  // AETH and AtomicAckETH; more has no acknowledgement
  always_comb begin
    chosen = ack_valid_i && ack_may ? ack_i : desc_i;  // whether or not a row is written
    chosen.ext[ExtBits-AckExtBits-1:0] = desc_i.ext[ExtBits-AckExtBits-1:0];
  end
  assign pad    = 2'd0 - chosen.payload_len[1:0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      id1_q    <= '0;
    end else begin
      valid1_q <= take_ack || take_desc;
      if (take_ack || take_desc) id1_q <= id1_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_ack || take_desc) begin
      desc1_q    <= chosen;
      is_ack1_q  <= ack_valid_i && ack_may;
      bth_len1_q <= 13'(BthBytes) + 13'(chosen.ext_len) + chosen.payload_len + 13'(pad);
    end
  end

  roci_pkg::av_t av;
  logic [18:0]   av_sum;
  roci_tx_header_rows #(.NumQps(NumQps)) u_rows (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .write_o(av_write),
    .read_i(take_ack || take_desc), .desc_i(chosen), .av_o(av), .sum_o(av_sum));

  // clock 2: position of the payload; sum of the IPv4 header
  logic [6:0]      ip_end;  // bytes before the UDP header, or of v1 the BTH
  logic [6:0]      udp_bytes, header_len;
  logic [12:0]     inner_len;  // bytes after the IP header or GRH, up to pad
  roci_pkg::ipv4_t ip4;
  logic [19:0]     ip4_sum;
  assign ip_end     = EthernetBytes + (av.vlan ? VlanBytes : '0) +
                      (av.ipv6 ? Ipv6Bytes : Ipv4Bytes);
  assign udp_bytes  = av.roce_v1 ? '0 : UdpBytes;
  assign header_len = ip_end + udp_bytes + BthBytes + 7'(desc1_q.ext_len);
  assign inner_len  = bth_len1_q + 13'(udp_bytes);
  assign ip4_sum    = 20'(av_sum) + 20'(id1_q) + 20'(bth_len1_q) + 20'(FixedBytes);
  always_comb begin
    ip4.version         = 4'd4;
    ip4.ihl             = 4'd5;
    ip4.tos             = av.traffic_class;
    ip4.total_length    = 16'(Ipv4Bytes) + 16'(inner_len) + IcrcBytes;
    ip4.identification  = id1_q;
    ip4.flags           = 3'b010;
    ip4.fragment_offset = '0;
    ip4.ttl             = av.hop_limit;
    ip4.protocol        = roci_pkg::IpUdp[7:0];
    ip4.checksum        = '0;
    ip4.src_ip          = av.src_ip[31:0];
    ip4.dst_ip          = av.dst_ip[31:0];
  end
  logic       start_room;
  roci_fifo #(.Width(19), .Depth(8)) u_start (
    .clk_i, .rst_ni,
    .in_data_i({6'(header_len[$clog2(DataWidth/8)-1:0]), desc1_q.payload_len}),
    .in_valid_i(valid1_q && desc1_q.payload_len != '0), .in_ready_o(start_room),
    .out_data_o({gather_pos_o, gather_len_o}), .out_valid_o(gather_start_valid_o),
    .out_ready_i(gather_start_ready_i), .level_o());

  // what follows the IP header or GRH
  roci_pkg::udp_t     udp;
  roci_pkg::bth_t     bth;
  logic [ExtBits-1:0] ext;
  logic [L4Bits-1:0]  l4;
  for (genvar i = 0; i < ExtBits / 8; i++) begin : gen_ext
    assign ext[ExtBits-1-8*i -: 8] = desc1_q.ext_len > 5'(i) ? desc1_q.ext[ExtBits-1-8*i -: 8] : '0;
  end
  always_comb begin
    udp.src_port  = av.src_port;
    udp.dst_port  = roci_pkg::RoceUdpPort;
    udp.length    = 16'(bth_len1_q) + 16'(UdpBytes) + IcrcBytes;
    udp.checksum  = '0;
    bth           = '0;
    bth.opcode    = desc1_q.opcode;
    bth.solicited = desc1_q.solicited;
    bth.mig_req   = 1'b1;
    bth.pad_count = 2'd0 - desc1_q.payload_len[1:0];
    bth.pkey      = av.pkey;
    bth.dest_qp   = av.dest_qpn;
    bth.ack_req   = desc1_q.ack_req;
    bth.psn       = desc1_q.psn;
  end
  assign l4 = av.roce_v1 ? {bth, ext, {roci_pkg::UdpBits{1'b0}}} : {udp, bth, ext};

  // clock 3: assemble
  logic [L4Bits-1:0]  l4_q;
  roci_pkg::av_t      av2_q;
  roci_pkg::ipv4_t    ip4_q;
  logic               valid2_q, is_ack2_q, payload2_q;
  logic [19:0]        ip4_sum_q;
  logic [12:0]        inner_len2_q, frame_len_q;
  logic [6:0]         header_len_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid2_q <= 1'b0;
    else valid2_q <= valid1_q;
  end
  always_ff @(posedge clk_i) begin
    if (valid1_q) begin
      l4_q         <= l4;
      av2_q        <= av;
      is_ack2_q    <= is_ack1_q;
      payload2_q   <= desc1_q.payload_len != '0;
      ip4_q        <= ip4;
      ip4_sum_q    <= ip4_sum;
      inner_len2_q <= inner_len;
      frame_len_q  <= 13'(ip_end) + inner_len;
      header_len_q <= header_len;
    end
  end

  logic unused;
  assign unused = ^{desc1_q.qpn, av2_q.src_port, av2_q.pkey, av2_q.dest_qpn};

  roci_pkg::ethernet_t ethernet;
  roci_pkg::vlan_t     tag;
  roci_pkg::ipv4_t     ip4_done;
  roci_pkg::ipv6_t     ip6;
  logic [16:0]         ip4_fold;
  logic [15:0]         ethertype;
  assign ip4_fold  = 17'(ip4_sum_q[15:0]) + 17'(ip4_sum_q[19:16]);
  assign ethertype = av2_q.roce_v1 ? roci_pkg::EtherTypeRoceV1
                   : av2_q.ipv6 ? roci_pkg::EtherTypeIpv6 : roci_pkg::EtherTypeIpv4;
  always_comb begin
    ethernet.dst_mac   = av2_q.dst_mac;
    ethernet.src_mac   = av2_q.src_mac;
    ethernet.ethertype = av2_q.vlan ? roci_pkg::EtherTypeVlan : ethertype;
    tag                = {av2_q.vlan_tci, ethertype};
    ip4_done           = ip4_q;
    ip4_done.checksum  = ~(ip4_fold[15:0] + 16'(ip4_fold[16]));
    ip6.version        = 4'd6;
    ip6.traffic_class  = av2_q.traffic_class;
    ip6.flow_label     = av2_q.flow_label;
    ip6.payload_length = 16'(inner_len2_q) + IcrcBytes;
    ip6.next_header    = av2_q.roce_v1 ? roci_pkg::GrhBth[7:0] : roci_pkg::IpUdp[7:0];
    ip6.hop_limit      = av2_q.hop_limit;
    ip6.src_ip         = av2_q.src_ip;
    ip6.dst_ip         = av2_q.dst_ip;
  end

  logic [L3Bits-1:0]     l3;
  logic [HeaderBits-1:0] on_wire, header;  // first byte on top; first byte lowest
  assign l3 = av2_q.ipv6 ? {ip6, l4_q}
                         : {ip4_done, l4_q, {roci_pkg::Ipv6Bits - roci_pkg::Ipv4Bits{1'b0}}};
  assign on_wire = av2_q.vlan ? {ethernet, tag, l3} : {ethernet, l3, {roci_pkg::VlanBits{1'b0}}};
  for (genvar i = 0; i < HeaderBits / 8; i++) begin : gen_swap
    assign header[8*i +: 8] = on_wire[HeaderBits-1-8*i -: 8];
  end

  roci_tx_header_queues #(.Width(HeaderBits + 24), .Compact(Compact)) u_queues (
    .clk_i, .rst_ni,
    .in_data_i({av2_q.vlan, av2_q.roce_v1, av2_q.ipv6, frame_len_q <= 13'(DataWidth / 8),
                frame_len_q, header_len_q, header}),
    .in_payload_i(payload2_q), .in_ack_i(is_ack2_q), .in_valid_i(valid2_q),
    .desc_valid_o(desc_header_valid_o), .desc_payload_o, .desc_ready_i(desc_header_ready_i),
    .ack_valid_o(ack_header_valid_o), .ack_ready_i(ack_header_ready_i),
    .out_ack_i(header_ack_i),
    .out_data_o({vlan_o, roce_v1_o, ipv6_o, short_o, frame_len_o, header_len_o, header_o}));

  `ASSUME(AckIsShort, `IMPLIES(ack_valid_i, ack_i.payload_len == '0 &&
                               ack_i.ext_len <= 5'(AckExtBits / 8)))
  `ASSERT(StartHasRoom, `IMPLIES(valid1_q && desc1_q.payload_len != '0, start_room))

endmodule
