// SPDX-License-Identifier: Apache-2.0
// Transmit path: headers, payload, ICRC, and the merge of all that leaves for the MAC.
//
// Throughput: one beat a clock, no bubble between packets. Latency: see README.md.
//
//  desc --+--> header --+--> gather_start          pay --+
//  ack ---+   (Av rows) +--> desc headers --> mux <------+
//                       +--> ack headers ---> mux --> icrc --> m_axis
//                     s_axis_eth, s_axis_fw --^

`include "assert.svh"

module roci_tx #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  parameter int unsigned NumQps = 256,     // queue pairs, a power of two
  parameter int unsigned Compact = 0,      // 1: shorter queues, for a small engine
  parameter int unsigned Networks = 1      // 0: RoCE v2 over IPv4 without a VLAN tag alone
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   idle_o,

  // row bus
  input  logic                   row_write_valid_i,
  input  roci_pkg::row_write_t   row_write_i,

  // packets in order, with payload or without
  input  roci_pkg::tx_desc_t     desc_i,
  input  logic                   desc_valid_i,
  output logic                   desc_ready_o,

  // acknowledgements: no payload, leave first
  input  roci_pkg::tx_desc_t     ack_i,
  input  logic                   ack_valid_i,
  output logic                   ack_ready_o,

  // payload from gather: where it starts in its first beat, and the beats
  output logic                   gather_start_valid_o,
  input  logic                   gather_start_ready_i,
  output logic [5:0]             gather_pos_o,
  output logic [12:0]            gather_len_o,
  input  logic [DataWidth-1:0]   pay_tdata_i,   // bytes outside the payload are 0
  input  logic                   pay_terror_i,  // with the last beat: poison the ICRC
  input  logic                   pay_tlast_i,
  input  logic                   pay_tvalid_i,
  output logic                   pay_tready_o,

  // frames of the Ethernet path and of firmware
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

  // frames to the MAC
  output logic [DataWidth-1:0]   m_axis_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_roce_o,  // a packet of desc_i or ack_i
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  // counters
  output logic                   sent_o,        // a desc_i packet ended in the clock before
  output logic                   sent_error_o,  // with it: its ICRC is poisoned
  output roci_pkg::frame_stat_t  tx_stat_o      // frames that ended on m_axis
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned HeaderBits = 848;  // tagged IPv6 with an AtomicETH

  // headers
  logic [HeaderBits-1:0] header;
  logic [6:0]            header_len;
  logic [12:0]           frame_len;
  logic                  header_ack, header_short, ipv6, roce_v1, vlan, desc_payload,
                         desc_header_valid, desc_header_ready, ack_header_valid, ack_header_ready,
                         header_idle;
  roci_pkg::row_write_t row_write;
  roci_row_networks #(.Networks(Networks)) u_networks (.row_write_i, .row_write_o(row_write));
  roci_tx_header #(
    .DataWidth(DataWidth), .NumQps(NumQps), .HeaderBits(HeaderBits), .Compact(Compact)
  ) u_header (
    .clk_i, .rst_ni, .idle_o(header_idle), .row_write_valid_i, .row_write_i(row_write),
    .desc_i, .desc_valid_i, .desc_ready_o, .ack_i, .ack_valid_i, .ack_ready_o,
    .gather_start_valid_o, .gather_start_ready_i, .gather_pos_o, .gather_len_o,
    .header_ack_i(header_ack), .header_o(header), .header_len_o(header_len),
    .frame_len_o(frame_len), .short_o(header_short), .ipv6_o(ipv6), .roce_v1_o(roce_v1),
    .vlan_o(vlan), .desc_payload_o(desc_payload), .desc_header_valid_o(desc_header_valid),
    .desc_header_ready_i(desc_header_ready), .ack_header_valid_o(ack_header_valid),
    .ack_header_ready_i(ack_header_ready));

  // merge
  logic [DataWidth-1:0] mux_data;
  logic [Bytes-1:0]     mux_keep;
  logic                 mux_last, mux_roce, mux_ipv6, mux_roce_v1, mux_vlan, mux_poison, mux_valid,
                        mux_ready, mux_idle;
  roci_tx_mux #(.DataWidth(DataWidth), .HeaderBits(HeaderBits)) u_mux (
    .clk_i, .rst_ni, .idle_o(mux_idle),
    .header_ack_o(header_ack), .header_i(header), .header_len_i(header_len),
    .frame_len_i(frame_len), .short_i(header_short), .ipv6_i(ipv6), .roce_v1_i(roce_v1),
    .vlan_i(vlan), .desc_payload_i(desc_payload), .desc_header_valid_i(desc_header_valid),
    .desc_header_ready_o(desc_header_ready), .ack_header_valid_i(ack_header_valid),
    .ack_header_ready_o(ack_header_ready), .pay_tdata_i, .pay_terror_i, .pay_tlast_i,
    .pay_tvalid_i, .pay_tready_o, .s_axis_eth_tdata_i, .s_axis_eth_tkeep_i, .s_axis_eth_tlast_i,
    .s_axis_eth_tvalid_i, .s_axis_eth_tready_o, .s_axis_fw_tdata_i, .s_axis_fw_tkeep_i,
    .s_axis_fw_tlast_i, .s_axis_fw_tvalid_i, .s_axis_fw_tready_o, .m_axis_tdata_o(mux_data),
    .m_axis_tkeep_o(mux_keep), .m_axis_tlast_o(mux_last), .m_axis_roce_o(mux_roce),
    .m_axis_ipv6_o(mux_ipv6), .m_axis_roce_v1_o(mux_roce_v1), .m_axis_vlan_o(mux_vlan),
    .m_axis_poison_o(mux_poison),
    .m_axis_tvalid_o(mux_valid), .m_axis_tready_i(mux_ready), .sent_o, .sent_error_o);

  logic icrc_idle;
  roci_icrc_tx #(.DataWidth(DataWidth)) u_icrc (
    .clk_i, .rst_ni, .s_axis_tdata_i(mux_data), .s_axis_tkeep_i(mux_keep),
    .s_axis_tlast_i(mux_last), .s_axis_roce_i(mux_roce), .s_axis_ipv6_i(mux_ipv6),
    .s_axis_roce_v1_i(mux_roce_v1),
    .s_axis_vlan_i(mux_vlan), .s_axis_poison_i(mux_poison), .s_axis_tvalid_i(mux_valid),
    .s_axis_tready_o(mux_ready), .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o,
    .m_axis_roce_o, .m_axis_tvalid_o, .m_axis_tready_i, .idle_o(icrc_idle));

  // counters of the port
  logic meter_idle;
  roci_frame_meter #(.DataWidth(DataWidth)) u_meter (
    .clk_i, .rst_ni, .tkeep_i(m_axis_tkeep_o), .tlast_i(m_axis_tlast_o),
    .beat_i(m_axis_tvalid_o && m_axis_tready_i), .stat_o(tx_stat_o), .idle_o(meter_idle));

  assign idle_o = header_idle && mux_idle && icrc_idle && meter_idle;

endmodule
