// SPDX-License-Identifier: Apache-2.0
// Fields of a frame from its first 128 bytes, for the shapes that RoCE has: tagged or not, IPv4,
// IPv6 or the GRH of RoCE v1, and the extension headers of the opcode.
//
// Throughput: one header a clock. Latency: two clocks to the outputs `early_*`, three to the
// others.
//
//   Ethernet 14 | tag 0/4 | IPv4 20, IPv6 40 | UDP 8 | BTH 12 | ext 0..28 | payload | pad | ICRC 4
//                         | GRH 40                   |
//
//   header_i --> tagged or not --> IPv4, IPv6 or GRH --> lengths, verdict
//                (clock 1)         offsets (clock 2)     (clock 3)
//
// Lengths and BTH are checked here (WIRE-05, 17, 20, 33, 34, 35). Checksums and the length of the
// frame need more than the header; roci_rx_parse and roci_rx_sums check them.

`include "assert.svh"

module roci_rx_fields #(
  parameter int unsigned Networks = 1  // 0: only RoCE v2 over IPv4 without a VLAN tag is RoCE
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic [1023:0]        header_i,       // first byte of the frame in bits 7:0
  input  logic                 enable_i,
  input  logic [16:0]          final_i,        // newest byte of the frame in header_i

  // two clocks later
  output logic                 early_known_o,  // header_i held the first byte of the BTH
  output logic [3:0]           early_start_o,  // first 16-bit word of the UDP pseudo header
  output logic [16:0]          early_end_o,    // first byte after the ICRC
  output logic [15:0]          early_udp_length_o,
  output logic                 early_ipv6_o,   // IPv6 or RoCE v1
  output logic                 early_no_udp_sum_o,  // UDP checksum is 0, not used, or not there
  output roci_pkg::ipv4_t      early_ipv4_o,

  // three clocks later
  output logic                 known_o,
  output logic                 payload_o,      // there is payload,
  output logic [12:0]          final_o,        // and this is its last byte in the frame
  output roci_pkg::rx_frame_t  frame_o         // cause is Malformed or Opcode when bad
);

  localparam int unsigned ExtBits = 8 * 28;
  localparam int unsigned BthExtBits = roci_pkg::BthBits + ExtBits;
  localparam int unsigned L3Bits  = roci_pkg::Ipv6Bits + roci_pkg::UdpBits + BthExtBits;
  localparam int unsigned WireBits = roci_pkg::EthernetBits + roci_pkg::VlanBits + L3Bits;

  localparam logic [6:0] EthernetBytes = 7'(roci_pkg::EthernetBits / 8);
  localparam logic [6:0] TaggedBytes   = 7'((roci_pkg::EthernetBits + roci_pkg::VlanBits) / 8);
  localparam logic [6:0] Ipv4Bytes     = 7'(roci_pkg::Ipv4Bits / 8);
  localparam logic [6:0] Ipv6Bytes     = 7'(roci_pkg::Ipv6Bits / 8);
  localparam logic [6:0] UdpBytes      = 7'(roci_pkg::UdpBits / 8);
  localparam logic [6:0] BthBytes      = 7'(roci_pkg::BthBits / 8);
  localparam logic [6:0] IcrcBytes     = 7'd4;
  localparam logic [6:0] Ipv4Pseudo    = 7'd12;  // source address in the IP header
  localparam logic [6:0] Ipv6Pseudo    = 7'd8;
  localparam logic signed [17:0] MaxPayload = 18'sd4096;
  localparam logic [16:0] ShapeByte    = 17'd17;  // with it, tag and version of IP are known

  logic [WireBits-1:0] on_wire;  // first byte on top, as the header structs have it
  for (genvar i = 0; i < WireBits / 8; i++) begin : gen_swap
    assign on_wire[WireBits-1-8*i -: 8] = header_i[8*i +: 8];
  end
  logic unused_tail;
  assign unused_tail = ^header_i[1023:WireBits];

  roci_pkg::ethernet_t ethernet;
  roci_pkg::vlan_t     tag;
  logic                vlan;
  logic [15:0]         ethertype;
  assign ethernet  = on_wire[WireBits-1 -: roci_pkg::EthernetBits];
  assign tag       = on_wire[WireBits-1-roci_pkg::EthernetBits -: roci_pkg::VlanBits];
  assign vlan      = Networks != 0 && ethernet.ethertype == roci_pkg::EtherTypeVlan;
  assign ethertype = vlan ? tag.ethertype : ethernet.ethertype;

  // Clock 1: the IP header stands in one place.
  logic [L3Bits-1:0] l3;
  logic [16:0]       final1_q;
  logic [11:0]       vid1_q;
  logic              grh, vlan1_q, enable1_q, ipv4_type, ipv6;
  always_ff @(posedge clk_i) begin
    l3        <= vlan ? on_wire[L3Bits-1:0] : on_wire[L3Bits-1+roci_pkg::VlanBits -: L3Bits];
    vlan1_q   <= vlan;
    vid1_q    <= tag.vid;
    enable1_q <= enable_i;
    final1_q  <= final_i;
    grh       <= Networks != 0 && ethertype == roci_pkg::EtherTypeRoceV1;
    ipv4_type <= ethertype == roci_pkg::EtherTypeIpv4;
    ipv6      <= Networks != 0 && (ethertype == roci_pkg::EtherTypeIpv6
                                   || ethertype == roci_pkg::EtherTypeRoceV1);
  end

  roci_pkg::ipv4_t ip4;
  roci_pkg::ipv6_t ip6;
  roci_pkg::udp_t  udp4, udp6;  // where the UDP header of either version stands
  logic            is_udp4, is_udp6;
  assign ip4  = l3[L3Bits-1 -: roci_pkg::Ipv4Bits];
  assign ip6  = l3[L3Bits-1 -: roci_pkg::Ipv6Bits];
  assign udp4 = l3[L3Bits-1-roci_pkg::Ipv4Bits -: roci_pkg::UdpBits];
  assign udp6 = l3[L3Bits-1-roci_pkg::Ipv6Bits -: roci_pkg::UdpBits];
  // A later fragment has no UDP header, and with options it stands elsewhere.
  assign is_udp4 = ipv4_type && ip4.version == 4'd4 && ip4.ihl == 4'd5 &&
                   ip4.fragment_offset == '0 && ip4.protocol == roci_pkg::IpUdp[7:0] &&
                   udp4.dst_port == roci_pkg::RoceUdpPort;
  assign is_udp6 = ipv6 && !grh && ip6.version == 4'd6 &&
                   ip6.next_header == roci_pkg::IpUdp[7:0] &&
                   udp6.dst_port == roci_pkg::RoceUdpPort;

  // From the BTH on; in RoCE v1 it takes the place of the UDP header.
  logic [BthExtBits-1:0] bth_ext;
  roci_pkg::bth_t        bth;
  always_comb begin
    bth_ext = l3[L3Bits-1-roci_pkg::Ipv4Bits-roci_pkg::UdpBits -: BthExtBits];
    if (grh) bth_ext = l3[L3Bits-1-roci_pkg::Ipv6Bits -: BthExtBits];
    else if (ipv6) bth_ext = l3[BthExtBits-1:0];
  end
  assign bth = bth_ext[BthExtBits-1 -: roci_pkg::BthBits];

  logic unused_fields;
  assign unused_fields = ^{ethernet.dst_mac, ethernet.src_mac, tag.pcp, tag.dei, ip4, ip6, udp4,
                           udp6, bth.mig_req, bth.fecn, bth.becn, bth.reserved6, bth.reserved7};

  // positions
  logic [6:0]  l3_offset, ip_bytes, udp_offset, udp_bytes, bth_offset, pseudo;
  logic [15:0] length;  // from the UDP header on; in RoCE v1, from the BTH on
  assign l3_offset  = vlan1_q ? TaggedBytes : EthernetBytes;
  assign ip_bytes   = ipv6 ? Ipv6Bytes : Ipv4Bytes;
  assign udp_offset = l3_offset + ip_bytes;
  assign udp_bytes  = grh ? '0 : UdpBytes;
  assign bth_offset = udp_offset + udp_bytes;
  assign pseudo     = l3_offset + (ipv6 ? Ipv6Pseudo : Ipv4Pseudo);
  assign length     = grh ? ip6.payload_length : ipv6 ? udp6.length : udp4.length;

  // opcode
  logic       known_opcode;  // an opcode of the classes RC, UC and UD, not reserved
  logic       datagram;      // UD has two: those of SENDs of one packet
  logic       no_payload;
  logic [4:0] table_bytes;
  assign table_bytes  = roci_pkg::ext_bytes(bth.opcode[4:0]);
  assign datagram     = bth.opcode[7:1] == roci_pkg::OpUdSendOnly[7:1];
  // UC has the SENDs and WRITEs of RC, which come first.
  assign known_opcode = datagram
                        || (bth.opcode[7:6] == '0 && table_bytes != 5'd31
                            && (!bth.opcode[5]
                                || bth.opcode[4:0] <= roci_pkg::OpRcWriteOnlyImm[4:0]));
  always_comb begin
    case (bth.opcode)
      roci_pkg::OpRcReadRequest, roci_pkg::OpRcAck, roci_pkg::OpRcAtomicAck,
      roci_pkg::OpRcCmpSwap, roci_pkg::OpRcFetchAdd: no_payload = 1'b1;
      default:                                       no_payload = 1'b0;
    endcase
  end

  // Lengths that do not agree; `length` of RoCE v1 is that of the GRH itself.
  logic length_bad, grh_bad;
  assign length_bad = ipv6 ? !grh && ip6.payload_length != udp6.length
                           : 17'(ip4.total_length) != 17'(udp4.length) + 17'(Ipv4Bytes);
  assign grh_bad    = grh && (ip6.version != 4'd6 ||
                              ip6.next_header != roci_pkg::GrhBth[7:0]);

  // Clock 2: the fields, and what the verdict is made of.
  roci_pkg::rx_frame_t fields_d, fields_q;
  always_comb begin
    fields_d           = '0;
    fields_d.roce      = enable1_q && (grh || is_udp4 || is_udp6);
    fields_d.dst_ip    = ipv6 ? ip6.dst_ip : 128'(ip4.dst_ip);
    fields_d.src_ip    = ipv6 ? ip6.src_ip : 128'(ip4.src_ip);
    fields_d.ip_head   = l3[L3Bits-1 -: 96];
    fields_d.ipv6      = ipv6;
    fields_d.roce_v1   = grh;
    fields_d.vlan      = vlan1_q;
    fields_d.vid       = Networks != 0 ? vid1_q : '0;
    fields_d.ecn       = ipv6 ? ip6.traffic_class[1:0] : ip4.tos[1:0];
    fields_d.pkey      = bth.pkey;
    fields_d.qpn       = bth.dest_qp;
    fields_d.opcode    = bth.opcode;
    fields_d.psn       = bth.psn;
    fields_d.solicited = bth.solicited;
    fields_d.ack_req   = bth.ack_req;
    fields_d.ext       = bth_ext[ExtBits-1:0];
  end
  logic [6:0]  bth_offset_q;
  logic [16:0] around;  // bytes of `length` that are neither extension header, payload nor pad
  logic [17:0] inner_q;  // bytes of `length` without them
  logic [2:0]  ext_words_q;
  logic [1:0]  pad_q;
  logic        known_opcode_q, no_payload_q, disagrees_q;
  assign around = 17'(udp_bytes) + 17'(BthBytes) + 17'(IcrcBytes);
  always_ff @(posedge clk_i) begin
    early_known_o      <= final1_q >= ShapeByte && final1_q >= 17'(bth_offset);
    early_start_o      <= pseudo[4:1];
    early_end_o        <= 17'(udp_offset) + 17'(length);
    early_udp_length_o <= length;
    early_no_udp_sum_o <= grh || (ipv6 ? udp6.checksum == '0 : udp4.checksum == '0);
    early_ipv4_o       <= ip4;
    early_ipv6_o       <= ipv6;
    fields_q           <= fields_d;
    bth_offset_q       <= bth_offset;
    inner_q            <= 18'(length) - 18'(around);
    ext_words_q        <= known_opcode ? table_bytes[4:2] : '0;
    if (datagram) ext_words_q <= {2'b01, bth.opcode[0]};  // DETH, and ImmDt
    pad_q              <= bth.pad_count;
    known_opcode_q     <= known_opcode;
    no_payload_q       <= no_payload;
    disagrees_q        <= length_bad || grh_bad || length[1:0] != '0 || bth.version != '0 ||
                          (!ipv6 && ip4.flags[0]);
  end

  // Clock 3: length of the payload, and the verdict. Extension headers are whole words.
  logic signed [17:0]  payload_len;
  logic [12:0]         final_d;  // what the extension headers take from it they add to its place
  logic                malformed;
  roci_pkg::rx_frame_t frame_d;
  assign payload_len = signed'(inner_q - 18'({ext_words_q, pad_q}));
  assign final_d     = 13'(bth_offset_q) + 13'(BthBytes) + inner_q[12:0] - 13'(pad_q) - 13'd1;
  assign malformed   = disagrees_q || payload_len < 0 ||
                       (known_opcode_q && payload_len > MaxPayload) ||
                       (no_payload_q && payload_len != 0);
  always_comb begin
    frame_d                = fields_q;
    frame_d.bad            = malformed || !known_opcode_q;
    frame_d.cause          = malformed ? roci_pkg::DropMalformed : roci_pkg::DropOpcode;
    frame_d.payload_offset = 8'(bth_offset_q) + 8'(BthBytes) + 8'({ext_words_q, 2'd0});
    frame_d.payload_len    = known_opcode_q ? payload_len[12:0] : '0;
  end
  always_ff @(posedge clk_i) begin
    known_o   <= early_known_o;
    frame_o   <= frame_d;
    final_o   <= final_d;
    payload_o <= frame_d.payload_len != '0;
  end

  `ASSERT(PseudoIsNear, pseudo[6:5] == '0 && !pseudo[0])
  `ASSERT(ExtIsWords, `IMPLIES(known_opcode, table_bytes[1:0] == '0))

endmodule
