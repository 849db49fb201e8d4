// SPDX-License-Identifier: Apache-2.0
// Posted receives and their lists: roci_rq_fetch, the walker of lists, and what they share.
//
// Throughput: one read of a list per clock. Latency: as in roci_rq_fetch and roci_sge_walker.
//
//   doorbells --> rq_fetch --- entry ---> sge_walker --> segments
//                  ^   ^                   |
//   ahead, list ---+   +-- order, seen     +--> key table <-- the responder's second lookups

module roci_rq_receives #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned NumSrqs = 64,   // power of two
  parameter int unsigned Srq     = 1     // 0: no SRQs
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      pause_i,  // stops doorbells
  output logic                      idle_o,

  // from control
  input  roci_pkg::doorbell_t       doorbell_i,
  input  logic                      doorbell_valid_i,
  output logic                      doorbell_ready_o,
  input  roci_pkg::doorbell_t       srq_doorbell_i,
  input  logic                      srq_doorbell_valid_i,
  output logic                      srq_doorbell_ready_o,
  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,
  input  logic [23:0]               live_srqn_i,
  input  logic                      live_valid_i,
  output logic                      live_ready_o,
  output roci_pkg::srq_live_t       live_o,
  output roci_pkg::event_req_t      fail_o,
  output logic                      fail_valid_o,
  input  logic                      fail_ready_i,
  output roci_pkg::event_req_t      event_o,
  output logic                      event_valid_o,
  input  logic                      event_ready_i,

  // from the responder: orders, and the receive that it looks up ahead
  input  roci_pkg::receive_cmd_t    cmd_i,
  input  logic                      cmd_valid_i,
  output logic                      cmd_ready_o,
  output roci_pkg::receive_rsp_t    rsp_o,
  input  logic                      seen_read_i,
  input  logic [$clog2(NumQps)-1:0] seen_row_i,
  input  logic [15:0]               seen_base_i,
  input  logic [2:0]                seen_ahead_i,
  output logic                      seen_posted_o,
  output logic                      seen_fetched_o,
  output logic                      index_write_o,
  output logic [$clog2(NumQps)-1:0] index_row_o,
  output logic [15:0]               index_o,
  output logic                      fetched_o,
  output logic [$clog2(NumQps)-1:0] posted_row_o,
  output logic                      posted_valid_o,
  input  logic                      posted_ready_i,

  // reads of lists: entry 0 ahead of the request, entry 0 of its turn, and a walk from then on. One
  // is read in each clock, as whether it is needed is known late.
  input  logic [23:0]               ahead_qpn_i,
  input  logic [3:0]                ahead_block_i,
  input  logic                      list_busy_i,     // a turn or a walk: nothing is read ahead
  input  logic [23:0]               list_qpn_i,
  input  logic [3:0]                list_block_i,
  output roci_pkg::sge_t            list_sge_o,
  output logic [7:0]                list_num_sge_o,
  output logic [15:0]               list_pd_o,
  output logic [1:0]                list_stride_o,

  // walks
  input  logic                      walk_valid_i,
  output logic                      walk_ready_o,
  input  logic [7:0]                walk_num_sge_i,
  input  logic [31:0]               walk_offset_i,
  input  logic [31:0]               walk_len_i,
  input  logic [15:0]               walk_pd_i,
  output roci_pkg::seg_t            walk_seg_o,
  output logic                      walk_seg_valid_o,
  input  logic                      walk_seg_ready_i,
  output logic                      walk_done_o,
  output logic [7:0]                walk_status_o,

  // key table, for walks and for the responder while no list is walked
  input  roci_pkg::key_req_t        again_req_i,
  input  logic                      again_req_valid_i,
  input  logic                      again_waits_i,   // the next result belongs to the responder
  output roci_pkg::key_req_t        key_req_o,
  output logic                      key_req_valid_o,
  input  logic                      key_req_ready_i,
  input  roci_pkg::key_rsp_t        key_rsp_i,
  input  logic                      key_rsp_valid_i,

  // block reads
  output logic                      br_req_valid_o,
  input  logic                      br_req_ready_i,
  output roci_pkg::block_read_req_t br_req_o,
  input  logic [DataWidth:0]        br_rsp_i,  // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o
);

  logic [3:0] walk_sge;
  logic       fetch_idle, walk_idle;
  assign idle_o = fetch_idle && walk_idle;

  roci_rq_fetch #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumSrqs(NumSrqs), .Srq(Srq)
  ) u_fetch (
    .clk_i, .rst_ni, .pause_i, .idle_o(fetch_idle),
    .doorbell_i, .doorbell_valid_i, .doorbell_ready_o,
    .srq_doorbell_i, .srq_doorbell_valid_i, .srq_doorbell_ready_o,
    .row_write_valid_i, .row_write_i, .live_srqn_i, .live_valid_i, .live_ready_o, .live_o,
    .cmd_i, .cmd_valid_i, .cmd_ready_o, .rsp_o,
    .seen_read_i, .seen_row_i, .seen_base_i, .seen_ahead_i, .seen_posted_o, .seen_fetched_o,
    .list_read_i(1'b1),
    .list_qpn_i(list_busy_i ? list_qpn_i : ahead_qpn_i),
    .list_block_i(list_busy_i ? list_block_i : ahead_block_i),
    .list_sge_i(walk_sge),  // 0 when none is walked
    .list_sge_o, .list_num_sge_o, .list_pd_o, .list_stride_o,
    .index_write_o, .index_row_o, .index_o, .fetched_o,
    .posted_row_o, .posted_valid_o, .posted_ready_i,
    .fail_o, .fail_valid_o, .fail_ready_i, .event_o, .event_valid_o, .event_ready_i,
    .br_req_valid_o, .br_req_ready_i, .br_req_o, .br_rsp_i, .br_rsp_valid_i, .br_rsp_ready_o
  );

  roci_pkg::key_req_t walk_key;
  logic               walk_key_valid;
  assign key_req_o       = again_req_valid_i ? again_req_i : walk_key;
  assign key_req_valid_o = again_req_valid_i || walk_key_valid;
  roci_sge_walker u_walker (
    .clk_i, .rst_ni,
    .start_num_sge_i(walk_num_sge_i), .start_offset_i(walk_offset_i), .start_len_i(walk_len_i),
    .start_pd_i(walk_pd_i), .start_access_i(4'd1 << roci_pkg::AccessLocalWrite),
    .start_check_only_i(1'b0), .start_valid_i(walk_valid_i), .start_ready_o(walk_ready_o),
    .sge_index_o(walk_sge), .sge_i(list_sge_o),
    .key_req_o(walk_key), .key_req_valid_o(walk_key_valid),
    .key_req_ready_i(key_req_ready_i && !again_req_valid_i),
    .key_rsp_i, .key_rsp_valid_i(key_rsp_valid_i && !again_waits_i),
    .seg_o(walk_seg_o), .seg_valid_o(walk_seg_valid_o), .seg_ready_i(walk_seg_ready_i),
    .done_valid_o(walk_done_o), .done_status_o(walk_status_o), .idle_o(walk_idle)
  );

endmodule
