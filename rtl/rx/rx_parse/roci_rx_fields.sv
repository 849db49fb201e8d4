// SPDX-License-Identifier: Apache-2.0
// Fields of a frame from its first 128 bytes, for the shapes that RoCE has: tagged or not, IPv4,
// IPv6 or the GRH of RoCE v1, and the extension headers of the opcode.
//
// Throughput: combinational. Latency: none.
//
//   Ethernet 14 | tag 0/4 | IPv4 20, IPv6 40 | UDP 8 | BTH 12 | ext 0..28 | payload | pad | ICRC 4
//                         | GRH 40                   |
//
// Lengths and BTH are checked here (WIRE-05, 17, 20, 33, 34, 35). Checksums and the length of the
// frame need more than the header; roci_rx_parse and roci_rx_sums check them.

`include "assert.svh"

module roci_rx_fields (
  input  logic [1023:0]        header_i,       // first byte of the frame in bits 7:0
  input  logic                 enable_i,

  output roci_pkg::rx_frame_t  frame_o,        // cause is Malformed or Opcode when bad
  output logic [6:0]           l3_offset_o,    // IP header, bytes from the start of the frame
  output logic [6:0]           bth_offset_o,   // BTH, likewise
  output logic [16:0]          end_o,          // first byte after the ICRC, likewise
  output logic [15:0]          udp_length_o,
  output logic                 no_udp_sum_o,   // UDP checksum is 0, not used, or not there
  output roci_pkg::ipv4_t      ipv4_o
);

  localparam int unsigned ExtBits = 8 * 28;
  localparam int unsigned BthExtBits = roci_pkg::BthBits + ExtBits;
  localparam int unsigned L4Bits  = roci_pkg::UdpBits + BthExtBits;
  localparam int unsigned L3Bits  = roci_pkg::Ipv6Bits + L4Bits;
  localparam int unsigned WireBits = roci_pkg::EthernetBits + roci_pkg::VlanBits + L3Bits;

  localparam logic [6:0] EthernetBytes = 7'(roci_pkg::EthernetBits / 8);
  localparam logic [6:0] TaggedBytes   = 7'((roci_pkg::EthernetBits + roci_pkg::VlanBits) / 8);
  localparam logic [6:0] Ipv4Bytes     = 7'(roci_pkg::Ipv4Bits / 8);
  localparam logic [6:0] Ipv6Bytes     = 7'(roci_pkg::Ipv6Bits / 8);
  localparam logic [6:0] UdpBytes      = 7'(roci_pkg::UdpBits / 8);
  localparam logic [6:0] BthBytes      = 7'(roci_pkg::BthBits / 8);
  localparam logic [16:0] IcrcBytes    = 17'd4;
  localparam logic signed [17:0] MaxPayload = 18'sd4096;

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
  assign vlan      = ethernet.ethertype == roci_pkg::EtherTypeVlan;
  assign ethertype = vlan ? tag.ethertype : ethernet.ethertype;

  logic [L3Bits-1:0] l3;
  roci_pkg::ipv4_t   ip4;
  roci_pkg::ipv6_t   ip6;
  logic              grh, ipv6, is_udp4, is_udp6;
  assign l3 = vlan ? on_wire[L3Bits-1:0] : on_wire[L3Bits-1+roci_pkg::VlanBits -: L3Bits];
  assign ip4  = l3[L3Bits-1 -: roci_pkg::Ipv4Bits];
  assign ip6  = l3[L3Bits-1 -: roci_pkg::Ipv6Bits];
  assign grh  = ethertype == roci_pkg::EtherTypeRoceV1;
  assign ipv6 = ethertype == roci_pkg::EtherTypeIpv6 || grh;
  // A later fragment has no UDP header, and with options it stands elsewhere.
  assign is_udp4 = ethertype == roci_pkg::EtherTypeIpv4 && ip4.version == 4'd4 && ip4.ihl == 4'd5 &&
                   ip4.fragment_offset == '0 && ip4.protocol == roci_pkg::IpUdp[7:0];
  assign is_udp6 = ipv6 && !grh && ip6.version == 4'd6 &&
                   ip6.next_header == roci_pkg::IpUdp[7:0];

  // The frame from the UDP header on; in RoCE v1, from 8 bytes before the BTH.
  logic [L4Bits-1:0]  l4;
  logic [BthExtBits-1:0] bth_ext;
  roci_pkg::udp_t     udp;
  roci_pkg::bth_t     bth;
  assign l4  = ipv6 ? l3[L4Bits-1:0]
                    : l3[L4Bits-1+roci_pkg::Ipv6Bits-roci_pkg::Ipv4Bits -: L4Bits];
  assign udp = l4[L4Bits-1 -: roci_pkg::UdpBits];
  assign bth_ext = grh ? l4[L4Bits-1 -: BthExtBits] : l4[BthExtBits-1:0];
  assign bth = bth_ext[BthExtBits-1 -: roci_pkg::BthBits];

  logic unused_fields;
  assign unused_fields = ^{ethernet.dst_mac, ethernet.src_mac, tag.pcp, tag.dei, ip4, ip6,
                           udp.src_port, bth.mig_req, bth.fecn, bth.becn, bth.reserved6,
                           bth.reserved7};

  // positions
  logic [6:0]  ip_bytes, udp_offset, udp_bytes;
  logic [15:0] length;  // from the UDP header on; in RoCE v1, from the BTH on
  assign l3_offset_o  = vlan ? TaggedBytes : EthernetBytes;
  assign ip_bytes     = ipv6 ? Ipv6Bytes : Ipv4Bytes;
  assign udp_offset   = l3_offset_o + ip_bytes;
  assign udp_bytes    = grh ? '0 : UdpBytes;
  assign length       = grh ? ip6.payload_length : udp.length;
  assign bth_offset_o = udp_offset + udp_bytes;
  assign end_o        = 17'(udp_offset) + 17'(length);
  assign udp_length_o = length;
  assign no_udp_sum_o = grh || udp.checksum == '0;
  assign ipv4_o       = ip4;

  // opcode
  logic       known;       // an opcode of the RC class, not reserved
  logic       no_payload;
  logic [4:0] table_bytes, ext_bytes;
  assign table_bytes = roci_pkg::ext_bytes(bth.opcode[4:0]);
  assign known       = bth.opcode[7:5] == '0 && table_bytes != 5'd31;
  assign ext_bytes   = known ? table_bytes : '0;
  always_comb begin
    case (bth.opcode)
      roci_pkg::OpRcReadRequest, roci_pkg::OpRcAck, roci_pkg::OpRcAtomicAck,
      roci_pkg::OpRcCmpSwap, roci_pkg::OpRcFetchAdd: no_payload = 1'b1;
      default:                                       no_payload = 1'b0;
    endcase
  end

  // lengths
  logic [16:0]        around;  // bytes of `length` that are not payload
  logic signed [17:0] payload_len;
  logic               length_bad, grh_bad, malformed;
  assign around      = 17'(udp_bytes) + 17'(BthBytes) + 17'(ext_bytes) +
                       17'(bth.pad_count) + IcrcBytes;
  assign payload_len = signed'(18'(length)) - signed'(18'(around));
  assign length_bad  = ipv6 ? ip6.payload_length != length
                            : 17'(ip4.total_length) != 17'(length) + 17'(Ipv4Bytes);
  assign grh_bad     = grh && (ip6.version != 4'd6 ||
                               ip6.next_header != roci_pkg::GrhBth[7:0]);
  assign malformed   = length_bad || grh_bad || length[1:0] != '0 || payload_len < 0 ||
                       (known && payload_len > MaxPayload) ||
                       (no_payload && payload_len != 0) ||
                       bth.version != '0 || (!ipv6 && ip4.flags[0]);

  always_comb begin
    frame_o                = '0;
    frame_o.roce           = enable_i && (grh || ((is_udp4 || is_udp6) &&
                                                  udp.dst_port == roci_pkg::RoceUdpPort));
    frame_o.bad            = malformed || !known;
    frame_o.cause          = malformed ? roci_pkg::DropMalformed : roci_pkg::DropOpcode;
    frame_o.dst_ip         = ipv6 ? ip6.dst_ip : 128'(ip4.dst_ip);
    frame_o.src_ip         = ipv6 ? ip6.src_ip : 128'(ip4.src_ip);
    frame_o.ipv6           = ipv6;
    frame_o.roce_v1        = grh;
    frame_o.vlan           = vlan;
    frame_o.vid            = tag.vid;
    frame_o.ecn            = ipv6 ? ip6.traffic_class[1:0] : ip4.tos[1:0];
    frame_o.pkey           = bth.pkey;
    frame_o.qpn            = bth.dest_qp;
    frame_o.opcode         = bth.opcode;
    frame_o.psn            = bth.psn;
    frame_o.solicited      = bth.solicited;
    frame_o.ack_req        = bth.ack_req;
    frame_o.payload_offset = 8'(bth_offset_o) + 8'(BthBytes) + 8'(ext_bytes);
    frame_o.payload_len    = known ? payload_len[12:0] : '0;
    frame_o.ext            = bth_ext[ExtBits-1:0];
  end

endmodule
