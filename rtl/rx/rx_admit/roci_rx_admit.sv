// SPDX-License-Identifier: Apache-2.0
// Decides whether a packet that is whole and correct may go to an engine: queue pair and its state
// (WIRE-25, 26, 47), RoCE version, addresses and VLAN (WIRE-01, 02, 27), P_Key (WIRE-23, 24),
// transport service (WIRE-28), Q_Key of a datagram (UD-03). A datagram to a multicast group comes
// once for each attached queue pair, and once more as it was (UD-10).
//
// Throughput: one packet a clock, with Compact one in two, a datagram in three or more. Latency:
// two clocks to the meta queues, of a datagram four when it goes to the same address as the one
// before.
//
//  record --> read the rows          --> compare --+--> req_meta, rsp_meta
//             (clock 1)                   (clock 2) +--> payload: give out or drop
//                                 GIDs, one a clock +--> pay_hdr, GRH

`include "assert.svh"

module roci_rx_admit #(
  parameter int unsigned DataWidth = 512,  // 64, 128, 256 or 512
  parameter int unsigned NumQps = 256,     // a power of two
  parameter int unsigned Compact = 0,      // 1: one meta of each kind waits
  parameter logic [15:0] FirstTicket = '0  // count of payloads at reset, as in scatter
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 pause_i,  // takes no more records
  output logic                 ready_o,  // tables are cleared
  output logic                 idle_o,   // no record inside

  // row bus
  input  logic                 row_write_valid_i,
  input  roci_pkg::row_write_t row_write_i,

  // records in order of arrival
  input  roci_pkg::rx_frame_t  frame_i,
  input  logic [9:0]           frame_rows_i,  // beats of payload in the buffer
  input  logic                 frame_copy_i,  // the record comes again
  input  logic                 frame_valid_i,
  output logic                 frame_ready_o,

  // to the buffer
  output logic                 command_valid_o,
  input  logic                 command_ready_i,
  output logic                 command_drop_o,
  output logic                 command_keep_o,
  output logic [9:0]           command_rows_o,

  // to the engines and to scatter
  output roci_pkg::rx_meta_t   req_meta_o,
  output logic                 req_meta_valid_o,
  input  logic                 req_meta_ready_i,
  output roci_pkg::rx_meta_t   rsp_meta_o,
  output logic                 rsp_meta_valid_o,
  input  logic                 rsp_meta_ready_i,
  output roci_pkg::pay_hdr_t   pay_hdr_o,
  output logic                 pay_hdr_valid_o,
  input  logic                 pay_hdr_ready_i,
  output roci_pkg::grh_t       grh_o,          // a datagram is admitted
  output logic                 grh_valid_o,
  input  logic                 grh_ready_i,

  output logic [10:0]          drop_o,         // by DropCause; top bit: a wrong Q_Key, not a drop
  output logic                 rx_ok_o
);

  localparam int unsigned QpBits     = $clog2(NumQps);
  localparam int unsigned OffsetBits = $clog2(DataWidth / 8);

  // clock 1: the rows
  logic                taken, advance, valid_q, in_range_q, copy_q;
  roci_pkg::rx_frame_t frame_q;
  logic [9:0]          rows_q;
  assign frame_ready_o = ready_o && !pause_i && (!valid_q || advance);
  assign taken         = frame_valid_i && frame_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= taken || (valid_q && !advance);
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      frame_q    <= frame_i;
      rows_q     <= frame_rows_i;
      copy_q     <= frame_copy_i;
      in_range_q <= frame_i.qpn < 24'(NumQps);
    end
  end

  logic in_range_row;
  assign in_range_row = (row_write_i.index >> QpBits) == '0;
  roci_pkg::av_t av;
  logic [2:0]    state;
  logic          unused_av_ready;
  roci_ram #(.Width(roci_pkg::AvBits), .Depth(NumQps)) u_av (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableAv && in_range_row),
    .write_row_i(row_write_i.index[QpBits-1:0]),
    .write_data_i(row_write_i.data[roci_pkg::AvBits-1:0]),
    .read_i(taken), .read_row_i(frame_i.qpn[QpBits-1:0]), .read_data_o(av),
    .ready_o(unused_av_ready));
  roci_ram #(.Width(3), .Depth(NumQps), .Clear(1), .Forward(1)) u_state (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState && in_range_row),
    .write_row_i(row_write_i.index[QpBits-1:0]), .write_data_i(row_write_i.data[2:0]),
    .read_i(taken), .read_row_i(frame_i.qpn[QpBits-1:0]), .read_data_o(state), .ready_o);

  roci_pkg::qp_service_t service_row;
  logic                  service_write, ud, unreliable, unused_service_ready, unused_qkey_ready;
  logic [31:0]           qkey;
  assign service_row   = row_write_i.data[roci_pkg::QpServiceBits-1:0];
  assign service_write = row_write_valid_i && in_range_row
                         && row_write_i.table_id == roci_pkg::TableQpService;
  roci_ram #(.Width(2), .Depth(NumQps), .Clear(1)) u_service (
    .clk_i, .rst_ni, .write_i(service_write), .write_row_i(row_write_i.index[QpBits-1:0]),
    .write_data_i({service_row.service == roci_pkg::ServiceUd,
                   service_row.service != roci_pkg::ServiceRc}),
    .read_i(taken), .read_row_i(frame_i.qpn[QpBits-1:0]), .read_data_o({ud, unreliable}),
    .ready_o(unused_service_ready));
  roci_ram #(.Width(32), .Depth(NumQps)) u_qkey (
    .clk_i, .rst_ni, .write_i(service_write), .write_row_i(row_write_i.index[QpBits-1:0]),
    .write_data_i(service_row.qkey),
    .read_i(taken), .read_row_i(frame_i.qpn[QpBits-1:0]), .read_data_o(qkey),
    .ready_o(unused_qkey_ready));

  // Datagrams wait for their destination to be found, and meanwhile their Q_Key is compared.
  roci_pkg::ext_deth_t deth;
  logic                look, looked, own_gid, qkey_bad, qkey_bad_q;
  assign deth = frame_q.ext;
  assign look = valid_q && ud && !frame_q.bad;
  roci_rx_gids u_gids (
    .clk_i, .rst_ni, .row_write_valid_i, .row_write_i, .frame_i(frame_q), .group_i(copy_q),
    .look_i(look), .next_i(advance), .done_o(looked), .found_o(own_gid));
  always_ff @(posedge clk_i) qkey_bad_q <= deth.qkey != qkey;
  assign qkey_bad = ud && qkey_bad_q;

  // clock 2: compare
  logic is_response, state_good, service_good, address_good, pkey_good, drop, violation;
  logic [3:0] cause;
  always_comb begin
    case (frame_q.opcode)
      roci_pkg::OpRcReadRespFirst, roci_pkg::OpRcReadRespMiddle, roci_pkg::OpRcReadRespLast,
      roci_pkg::OpRcReadRespOnly, roci_pkg::OpRcAck, roci_pkg::OpRcAtomicAck: is_response = 1'b1;
      default:                                                                is_response = 1'b0;
    endcase
    case (state)
      roci_pkg::QpRtr, roci_pkg::QpSqe: state_good = !is_response;
      roci_pkg::QpRts, roci_pkg::QpSqd: state_good = 1'b1;
      default:                          state_good = 1'b0;
    endcase
    if (!in_range_q) state_good = 1'b0;
    address_good = (!ud && frame_q.ipv6 == av.ipv6 && frame_q.roce_v1 == av.roce_v1 &&
                    frame_q.src_ip == av.dst_ip &&
                    frame_q.dst_ip == av.src_ip && frame_q.vlan == av.vlan &&
                    (!av.vlan || frame_q.vid == av.vlan_tci[11:0])) || own_gid;
    pkey_good    = frame_q.pkey[14:0] == av.pkey[14:0] && frame_q.pkey[14:0] != '0 &&
                   (frame_q.pkey[15] || av.pkey[15]);
    // What is known last comes last: the cause is chosen beside it.
    service_good = frame_q.opcode[6:5] == {ud, unreliable};
    drop  = (frame_q.bad || !state_good || !service_good || qkey_bad)
            || !(address_good && pkey_good);
    violation = qkey_bad && !frame_q.bad && state_good && service_good && own_gid && pkey_good;
    cause = frame_q.cause;
    if (frame_q.bad) cause = frame_q.cause;
    else if (!state_good) cause = roci_pkg::DropUnknownQp;
    else if (!address_good) cause = roci_pkg::DropAddress;
    else if (!pkey_good) cause = roci_pkg::DropPkey;
    else cause = roci_pkg::DropOpcode;
  end
  logic unused_fields;
  assign unused_fields = ^{av.dst_mac, av.src_mac, av.vlan_tci[15:12], av.traffic_class,
                           av.hop_limit, av.flow_label, av.src_port, av.dest_qpn, frame_q.roce,
                           service_row, unused_service_ready, unused_qkey_ready,
                           frame_q.opcode[7], frame_q.ecn, frame_q.payload_offset, deth};

  // A packet moves on when all that it needs has room, and without room in the clock after that in
  // which it is known to be dropped: so the comparison of addresses does not reach the next record.
  logic req_ready, rsp_ready, hdr_ready, has_rows, has_payload, room, may, accept, lost_q;
  assign has_rows    = rows_q != '0;
  assign has_payload = has_rows || ud;
  assign room     = (is_response ? rsp_ready : req_ready) &&
                    (ud ? hdr_ready && grh_ready_i : !has_rows || hdr_ready);
  assign may      = valid_q && (!has_rows || command_ready_i) && (!ud || frame_q.bad || looked);
  assign advance  = may && (room || lost_q);
  assign accept   = advance && !drop;
  always_ff @(posedge clk_i) lost_q <= rst_ni && may && !advance && drop;
  `ASSERT(LostStaysLost, `IMPLIES(lost_q, drop))

  // Counted a clock later. The datagram of a group counts once: as taken if any queue pair took it,
  // else as dropped for what was wrong at the last one. One that this adapter sent is no drop where
  // none is attached.
  logic       over_q, over_copy_q, good_q, violation_q, looped_q, took_q, tried_q, counts;
  logic [3:0] cause_q, last_cause_q;
  assign counts = over_q && !good_q && !over_copy_q && !took_q && (tried_q || !looped_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      over_q  <= 1'b0;
      took_q  <= 1'b0;
      tried_q <= 1'b0;
    end else begin
      over_q <= advance;
      if (over_q) begin
        took_q  <= over_copy_q && (took_q || good_q);
        tried_q <= over_copy_q;
      end
    end
    over_copy_q <= copy_q;
    good_q      <= !drop || violation;
    violation_q <= violation;
    looped_q    <= frame_q.looped;
    cause_q     <= cause;
    if (over_q) last_cause_q <= cause_q;
  end

  logic [15:0] ticket_q, ticket_d;
  assign ticket_d = ticket_q + 16'(has_payload);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ticket_q <= FirstTicket;
    else if (accept) ticket_q <= ticket_d;
  end

  localparam logic [12:0] GrhBytes = 13'(roci_pkg::Ipv6Bits / 8);
  roci_pkg::rx_meta_t      meta;
  roci_pkg::ext_datagram_t datagram;
  logic [12:0]             payload_len;
  assign payload_len = frame_q.payload_len + (ud ? GrhBytes : '0);
  always_comb begin
    datagram           = frame_q.ext;
    datagram.immediate = deth.immediate;
    datagram.src_qp    = deth.src_qp;
    meta.qpn         = frame_q.qpn;
    meta.uc          = unreliable;
    meta.ud          = ud;
    meta.opcode      = {3'd0, frame_q.opcode[4:0]};
    meta.psn         = frame_q.psn;
    meta.solicited   = frame_q.solicited;
    meta.ack_req     = frame_q.ack_req;
    meta.payload_len = payload_len;
    meta.ticket      = ticket_d;
    meta.ext         = ud ? datagram : frame_q.ext;
    grh_o.dst_ip     = frame_q.dst_ip;
    grh_o.src_ip     = frame_q.src_ip;
    grh_o.ip_head    = frame_q.ip_head;
    grh_o.ipv6       = frame_q.ipv6;
    grh_o.offset     = frame_q.payload_offset;
    grh_o.empty      = !has_rows;
  end
  assign grh_valid_o = accept && ud;

  localparam int unsigned MetaDepth = Compact != 0 ? 1 : 4;
  logic [$clog2(MetaDepth):0] unused_req_level, unused_rsp_level;
  logic [4:0] unused_hdr_level;
  roci_records #(.Width(roci_pkg::RxMetaBits), .Depth(MetaDepth)) u_req (
    .clk_i, .rst_ni, .in_data_i(meta), .in_valid_i(accept && !is_response), .in_ready_o(req_ready),
    .out_data_o(req_meta_o), .out_valid_o(req_meta_valid_o), .out_ready_i(req_meta_ready_i),
    .level_o(unused_req_level));
  roci_records #(.Width(roci_pkg::RxMetaBits), .Depth(MetaDepth)) u_rsp (
    .clk_i, .rst_ni, .in_data_i(meta), .in_valid_i(accept && is_response), .in_ready_o(rsp_ready),
    .out_data_o(rsp_meta_o), .out_valid_o(rsp_meta_valid_o), .out_ready_i(rsp_meta_ready_i),
    .level_o(unused_rsp_level));
  // A GRH ends where the payload begins.
  logic [OffsetBits-1:0] offset;
  assign offset = frame_q.payload_offset[OffsetBits-1:0] - (ud ? GrhBytes[OffsetBits-1:0] : '0);
  roci_fifo #(.Width(68), .Depth(16)) u_hdr (
    .clk_i, .rst_ni,
    .in_data_i({is_response, 6'(offset), payload_len, frame_q.qpn, frame_q.psn}),
    .in_valid_i(accept && has_payload), .in_ready_o(hdr_ready),
    .out_data_o(pay_hdr_o), .out_valid_o(pay_hdr_valid_o),
    .out_ready_i(pay_hdr_ready_i), .level_o(unused_hdr_level));

  assign command_valid_o = advance && has_rows;
  assign command_drop_o  = drop;
  assign command_keep_o  = copy_q;
  assign command_rows_o  = rows_q;
  assign rx_ok_o         = over_q && good_q && !took_q;
  assign drop_o[10]      = over_q && violation_q;
  assign drop_o[9:0]     = counts ? 10'(10'd1 << (tried_q ? last_cause_q : cause_q)) : '0;
  assign idle_o          = !valid_q && !over_q && !req_meta_valid_o && !rsp_meta_valid_o
                           && !pay_hdr_valid_o;

endmodule
