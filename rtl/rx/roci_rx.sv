// SPDX-License-Identifier: Apache-2.0
// Receive path: from the MAC to the two engines and to the Ethernet path.
//
// Throughput: one beat a clock for any length of frame, one packet a clock; never stalls the MAC.
// Latency: store and forward; README.md has the clocks from the last beat to req_meta_o.
//
//  s_axis --loop--+--> parse --beats--+--> buffer --payload--------------grh---> pay
//            ^    |      |            +--> icrc    ^ read, skip, read again
//  sent -----+    |      |                  | ok   |                    | GRH
//                 |      +----record--------+--> groups --> admit --> req_meta, rsp_meta, pay_hdr
//                 +------------------> Ethernet buffer ---------------> m_axis_eth

`include "assert.svh"

module roci_rx #(
  parameter int unsigned DataWidth = 512,       // 64, 128, 256 or 512
  parameter int unsigned NumQps = 256,          // queue pairs, a power of two
  parameter int unsigned Compact = 0,           // 1: shorter queues, for a small engine
  parameter int unsigned BufferBytes = 65536,   // payload waiting for the engines, a power of two
  parameter int unsigned EthBytes = 16384,      // frames waiting for the Ethernet path, likewise
  parameter logic [15:0] FirstTicket = '0,      // count of payloads at reset, as in scatter
  parameter int unsigned Networks = 1,          // 0: RoCE v2 over IPv4 without a VLAN tag alone
  parameter int unsigned Attachments = 256      // to multicast groups, a power of two; 0: none
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   enable_i,  // Control bit 0; without it every frame is Ethernet
  input  logic                   pause_i,   // admits nothing new; Ethernet goes on
  output logic                   idle_o,

  // row bus
  input  logic                   row_write_valid_i,
  input  roci_pkg::row_write_t   row_write_i,

  // frames from the MAC
  input  logic [DataWidth-1:0]   s_axis_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_tkeep_i,   // all ones but in the last beat
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,  // always 1

  // beats that leave for the MAC: datagrams to groups are received too
  input  logic [DataWidth-1:0]   sent_tdata_i,
  input  logic [DataWidth/8-1:0] sent_tkeep_i,
  input  logic                   sent_tlast_i,
  input  logic                   sent_roce_i,        // an engine's packet
  input  logic                   sent_beat_i,        // the MAC takes one

  // frames that are not RoCE
  output logic [DataWidth-1:0]   m_axis_eth_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_eth_tkeep_o,
  output logic                   m_axis_eth_tlast_o,
  output logic                   m_axis_eth_tvalid_o,
  input  logic                   m_axis_eth_tready_i,

  // requests to the responder, responses to the requester
  output roci_pkg::rx_meta_t     req_meta_o,
  output logic                   req_meta_valid_o,
  input  logic                   req_meta_ready_i,
  output roci_pkg::rx_meta_t     rsp_meta_o,
  output logic                   rsp_meta_valid_o,
  input  logic                   rsp_meta_ready_i,

  // payload to scatter
  output roci_pkg::pay_hdr_t     pay_hdr_o,
  output logic                   pay_hdr_valid_o,
  input  logic                   pay_hdr_ready_i,
  output logic [DataWidth-1:0]   pay_tdata_o,
  output logic                   pay_tlast_o,
  output logic                   pay_tvalid_o,
  input  logic                   pay_tready_i,

  // counters
  output logic [10:0]            drop_o,      // pulses by DropCause; top bit: a wrong Q_Key
  output logic                   rx_ok_o,     // a RoCE packet went to an engine
  output logic                   rx_eth_o,    // a frame went to the Ethernet path
  output logic                   rx_frame_o,  // a frame ended on s_axis ...
  output logic [13:0]            rx_bytes_o   // ... and had so many bytes
);

  `PARAM_CHECK(BufferHoldsPackets, BufferBytes >= 32768)
  `PARAM_CHECK(EthHoldsFrames, EthBytes >= 4096)

  localparam int unsigned Bytes    = DataWidth / 8;
  localparam int unsigned EndBits  = $clog2(Bytes);
  localparam int unsigned Records  = 256;  // packets waiting for the engines
  localparam int unsigned Verdicts = 16;   // frames whose ICRC is still being computed

  assign s_axis_tready_o = 1'b1;

  // frames from the MAC, and those that this adapter sent to a group
  logic [DataWidth-1:0] in_data;
  logic [Bytes-1:0]     in_keep;
  logic                 in_last, in_looped, in_valid, loop_lost, loop_idle;
  if (Attachments != 0) begin : gen_loop
    roci_rx_loop #(.DataWidth(DataWidth)) u_loop (
      .clk_i, .rst_ni, .s_axis_tdata_i, .s_axis_tkeep_i, .s_axis_tlast_i, .s_axis_tvalid_i,
      .sent_tdata_i, .sent_tkeep_i, .sent_tlast_i, .sent_roce_i, .sent_beat_i,
      .m_axis_tdata_o(in_data), .m_axis_tkeep_o(in_keep), .m_axis_tlast_o(in_last),
      .m_axis_looped_o(in_looped), .m_axis_tvalid_o(in_valid), .lost_o(loop_lost),
      .idle_o(loop_idle));
  end else begin : gen_no_loop
    assign {in_data, in_keep}  = {s_axis_tdata_i, s_axis_tkeep_i};
    assign {in_last, in_valid} = {s_axis_tlast_i, s_axis_tvalid_i};
    assign {in_looped, loop_lost, loop_idle} = 3'b001;
    logic unused_sent;
    assign unused_sent = ^{sent_tdata_i, sent_tkeep_i, sent_tlast_i, sent_roce_i, sent_beat_i};
  end

  // parse
  logic [DataWidth-1:0] beat_data;
  logic [EndBits-1:0]   beat_end;
  logic                 beat_valid, beat_last, eth, pay;
  logic [9:0]           pay_row, frame_rows;
  roci_pkg::rx_frame_t  parsed, frame;
  logic [16:0]          frame_bytes;
  logic [3:0]           looped_q;  // as long as a beat takes through the parser
  logic                 looped;
  always_ff @(posedge clk_i) looped_q <= {looped_q[2:0], in_looped};
  assign looped = looped_q[3];
  always_comb begin
    frame        = parsed;
    frame.looped = looped;
  end
  logic                 icrc_valid, icrc_last, icrc_ipv6, icrc_roce_v1, icrc_vlan;
  logic [Bytes-1:0]     icrc_keep;
  logic                 sums_valid, sums_ok, parse_idle;
  roci_rx_parse #(.DataWidth(DataWidth), .Networks(Networks)) u_parse (
    .clk_i, .rst_ni, .enable_i, .s_axis_tdata_i(in_data), .s_axis_tkeep_i(in_keep),
    .s_axis_tlast_i(in_last), .s_axis_tvalid_i(in_valid), .beat_data_o(beat_data),
    .beat_end_o(beat_end), .beat_valid_o(beat_valid),
    .beat_last_o(beat_last), .eth_o(eth), .pay_o(pay), .pay_row_o(pay_row), .frame_o(parsed),
    .frame_rows_o(frame_rows), .frame_bytes_o(frame_bytes), .icrc_valid_o(icrc_valid),
    .icrc_last_o(icrc_last), .icrc_keep_o(icrc_keep), .icrc_ipv6_o(icrc_ipv6),
    .icrc_roce_v1_o(icrc_roce_v1), .icrc_vlan_o(icrc_vlan), .sums_valid_o(sums_valid),
    .sums_ok_o(sums_ok), .idle_o(parse_idle));

  logic icrc_done, icrc_ok;
  roci_icrc_rx #(.DataWidth(DataWidth)) u_icrc (
    .clk_i, .rst_ni, .data_i(beat_data), .keep_i(icrc_keep), .last_i(icrc_last),
    .ipv6_i(icrc_ipv6), .roce_v1_i(icrc_roce_v1), .vlan_i(icrc_vlan), .valid_i(icrc_valid),
    .done_o(icrc_done), .ok_o(icrc_ok));

  // end of a frame: keep or drop it; ICRC and checksums follow later
  logic        frame_end, malformed, records_full, kept, overflow;
  logic        eth_overflow, pay_overflow, eth_idle;
  logic [9:0]  rows;
  assign frame_end = beat_valid && beat_last;
  assign malformed = frame.roce && frame.bad && frame.cause == roci_pkg::DropMalformed;
  assign overflow  = !frame.roce ? eth_overflow : records_full || (!malformed && pay_overflow);
  assign kept      = frame.roce && !overflow;
  assign rows      = malformed ? '0 : frame_rows;

  roci_rx_ethernet #(.DataWidth(DataWidth), .Rows(EthBytes / Bytes)) u_ethernet (
    .clk_i, .rst_ni, .write_i(beat_valid && eth && !looped), .write_data_i(beat_data),
    .write_end_i(beat_end), .last_i(frame_end), .commit_i(!frame.roce && !looped),
    .overflow_o(eth_overflow), .m_axis_tdata_o(m_axis_eth_tdata_o),
    .m_axis_tkeep_o(m_axis_eth_tkeep_o), .m_axis_tlast_o(m_axis_eth_tlast_o),
    .m_axis_tvalid_o(m_axis_eth_tvalid_o), .m_axis_tready_i(m_axis_eth_tready_i),
    .idle_o(eth_idle));

  logic        command_valid, command_ready, command_drop, command_keep, buffer_idle, buffer_done;
  logic [9:0]  command_rows;
  logic [DataWidth-1:0] buffer_data;
  logic        buffer_last, buffer_valid, buffer_ready;
  roci_rx_buffer #(.DataWidth(DataWidth), .Rows(BufferBytes / Bytes)) u_buffer (
    .clk_i, .rst_ni, .write_i(beat_valid && pay), .write_data_i(beat_data),
    .write_row_i(pay_row), .last_i(frame_end), .commit_i(kept), .rows_i(rows),
    .overflow_o(pay_overflow), .command_valid_i(command_valid), .command_ready_o(command_ready),
    .command_drop_i(command_drop), .command_keep_i(command_keep), .command_rows_i(command_rows),
    .pay_tdata_o(buffer_data), .pay_tlast_o(buffer_last), .pay_tvalid_o(buffer_valid),
    .pay_tready_i(buffer_ready),
    .idle_o(buffer_idle), .done_o(buffer_done));

  // Records of frames that are kept go into the queue and wait there for the verdicts on ICRC and
  // checksums; of the others only these verdicts are taken. That on the ICRC may come before the
  // frame ends, when bytes follow the datagram.
  roci_pkg::rx_frame_t queued, record;
  logic [9:0]          record_rows;
  logic                joined_overflow, joined_kept, pending, meet, icrc_there, icrc_good,
                       sums_there, sums_good, record_valid, record_ready, to_all, whole, sums_right;
  logic [3:0]          unused_ready;
  logic [4:0]          unused_pending, unused_icrc, unused_sums;
  roci_fifo #(.Width(2), .Depth(Verdicts)) u_pending (
    .clk_i, .rst_ni, .in_data_i({overflow, kept}),
    .in_valid_i(frame_end), .in_ready_o(unused_ready[0]),
    .out_data_o({joined_overflow, joined_kept}),
    .out_valid_o(pending), .out_ready_i(meet), .level_o(unused_pending));
  roci_fifo #(.Width(1), .Depth(Verdicts)) u_icrc_verdicts (
    .clk_i, .rst_ni, .in_data_i(icrc_ok), .in_valid_i(icrc_done), .in_ready_o(unused_ready[1]),
    .out_data_o(icrc_good), .out_valid_o(icrc_there), .out_ready_i(meet), .level_o(unused_icrc));
  roci_fifo #(.Width(1), .Depth(Verdicts)) u_sums_verdicts (
    .clk_i, .rst_ni, .in_data_i(sums_ok), .in_valid_i(sums_valid), .in_ready_o(unused_ready[2]),
    .out_data_o(sums_good), .out_valid_o(sums_there), .out_ready_i(meet), .level_o(unused_sums));
  assign meet = pending && icrc_there && sums_there;

  roci_rx_queue #(.Width(roci_pkg::RxFrameBits + 11), .Depth(Records)) u_queue (
    .clk_i, .rst_ni, .in_data_i({frame.qpn == '1, rows, frame}),
    .in_valid_i(frame_end && kept), .in_ready_o(unused_ready[3]),
    .verdict_i({sums_good, icrc_good}), .verdict_valid_i(meet && joined_kept),
    .out_data_o({to_all, record_rows, queued}), .out_verdict_o({sums_right, whole}),
    .out_valid_o(record_valid), .out_ready_i(record_ready));

  logic record_group;  // for all queue pairs that are attached to its address
  assign record_group = Attachments != 0 && to_all && !record.bad;
  always_comb begin
    record = queued;
    if (queued.bad && queued.cause == roci_pkg::DropMalformed) begin
      record.cause = roci_pkg::DropMalformed;
    end else if (!sums_right) begin
      record.bad   = 1'b1;
      record.cause = roci_pkg::DropMalformed;
    end else if (!whole) begin
      record.bad   = 1'b1;
      record.cause = roci_pkg::DropIcrc;
    end
  end
  roci_pkg::rx_frame_t admit_frame;
  logic                admit_copy, admit_valid, admit_takes;

  // Places in the queue are reserved at the end of the frame, so that a join never waits. The count
  // follows a clock later.
  localparam int unsigned RecordBits = $clog2(Records) + 1;
  logic [RecordBits-1:0] records_q;
  logic                  reserved_q, freed_q;
  assign records_full = records_q == RecordBits'(Records)
                        || (reserved_q && records_q == RecordBits'(Records - 1));
  always_ff @(posedge clk_i) begin
    reserved_q <= rst_ni && frame_end && kept;
    freed_q    <= rst_ni && record_valid && record_ready;
    if (!rst_ni) records_q <= '0;
    else records_q <= records_q + RecordBits'(reserved_q) - RecordBits'(freed_q);
  end

  logic groups_ready, groups_busy;
  if (Attachments != 0) begin : gen_groups
    roci_rx_groups #(.NumQps(NumQps), .Attachments(Attachments)) u_groups (
      .clk_i, .rst_ni, .pause_i, .ready_o(groups_ready), .busy_o(groups_busy), .row_write_valid_i,
      .row_write_i, .frame_i(record), .frame_group_i(record_group),
      .frame_valid_i(record_valid), .frame_ready_o(record_ready), .frame_o(admit_frame),
      .frame_copy_o(admit_copy), .frame_valid_o(admit_valid), .frame_ready_i(admit_takes));
  end else begin : gen_no_groups
    assign admit_frame = record;
    assign {admit_copy, admit_valid, record_ready} = {1'b0, record_valid, admit_takes};
    assign {groups_ready, groups_busy} = 2'b10;
    logic unused_group;
    assign unused_group = record_group;
  end

  logic           admit_ready, admit_idle, grh_valid, grh_ready, grh_idle;
  logic [10:0]    admit_drop;
  roci_pkg::grh_t grh;
  roci_pkg::row_write_t row_write;
  roci_row_networks #(.Networks(Networks)) u_networks (.row_write_i, .row_write_o(row_write));
  roci_rx_admit #(
    .DataWidth(DataWidth), .NumQps(NumQps), .Compact(Compact), .FirstTicket(FirstTicket)
  ) u_admit (
    .clk_i, .rst_ni, .pause_i(pause_i && !groups_busy), .ready_o(admit_ready),
    .idle_o(admit_idle), .row_write_valid_i, .row_write_i(row_write), .frame_i(admit_frame),
    .frame_rows_i(record_rows), .frame_copy_i(admit_copy), .frame_valid_i(admit_valid),
    .frame_ready_o(admit_takes), .command_valid_o(command_valid), .command_ready_i(command_ready),
    .command_drop_o(command_drop), .command_keep_o(command_keep), .command_rows_o(command_rows),
    .req_meta_o, .req_meta_valid_o, .req_meta_ready_i, .rsp_meta_o, .rsp_meta_valid_o,
    .rsp_meta_ready_i, .pay_hdr_o, .pay_hdr_valid_o, .pay_hdr_ready_i, .grh_o(grh),
    .grh_valid_o(grh_valid), .grh_ready_i(grh_ready), .drop_o(admit_drop), .rx_ok_o);

  roci_rx_grh #(.DataWidth(DataWidth), .Waiting(Compact != 0 ? 1 : 8)) u_grh (
    .clk_i, .rst_ni, .grh_i(grh), .grh_valid_i(grh_valid), .grh_ready_o(grh_ready),
    .next_i(command_valid && !command_drop), .in_tdata_i(buffer_data), .in_tlast_i(buffer_last),
    .in_tvalid_i(buffer_valid), .in_tready_o(buffer_ready), .out_tdata_o(pay_tdata_o),
    .out_tlast_o(pay_tlast_o), .out_tvalid_o(pay_tvalid_o), .out_tready_i(pay_tready_i),
    .idle_o(grh_idle));

  // counters; one looped frame that found no room may wait for a clock in which it is counted
  logic overflows, lost_q;
  assign overflows = meet && joined_overflow;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) lost_q <= 1'b0;
    else lost_q <= loop_lost || (lost_q && overflows);
  end
  always_comb begin
    drop_o = admit_drop;
    drop_o[roci_pkg::DropOverflow] = overflows || lost_q;  // never a cause in admit
  end
  assign rx_eth_o   = frame_end && !frame.roce && !looped && !eth_overflow;
  assign rx_frame_o = frame_end && !looped;
  assign rx_bytes_o = |frame_bytes[16:14] ? '1 : frame_bytes[13:0];

  assign idle_o = admit_ready && groups_ready && !groups_busy && admit_idle && buffer_done &&
                  grh_idle &&
                  (pause_i || (records_q == '0 && !reserved_q && buffer_idle && eth_idle &&
                               parse_idle && loop_idle && !lost_q && !s_axis_tvalid_i &&
                               !pending));

  `ASSERT(VerdictsHaveRoom, `IMPLIES(frame_end, unused_ready[0]) &&
          `IMPLIES(icrc_done, unused_ready[1]) && `IMPLIES(sums_valid, unused_ready[2]))
  `ASSERT(QueueHasRoom, `IMPLIES(frame_end && kept, unused_ready[3]))

endmodule
