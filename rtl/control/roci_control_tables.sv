// SPDX-License-Identifier: Apache-2.0
// Tables as firmware and the host reach them: the table port, which owns the row bus, the states of
// the queue pairs, and their counters. Wires only.
//
//   TableCommand --> table_port --+--> row bus                  live <-- sq, rq, cq
//                      |     ^    +--> rows of completion queues
//   fail of sq, rq, cq |     | change of state
//                      v     |
//                     qp_state --> qp_event to sq and rq, event
//   count of sq, rq --> qp_counters --> table_port

`include "assert.svh"

module roci_control_tables #(
  parameter int unsigned NumQps  = 256,   // power of two
  parameter int unsigned NumKeys = 1024,  // power of two
  parameter int unsigned NumCqs  = 256,   // power of two
  parameter int unsigned NumSrqs = 64,    // power of two
  parameter int unsigned QpCounters = 1,  // 0: no counters of queue pairs, which read as 0
  parameter int unsigned Attachments = 256  // to multicast groups; 0: none
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // registers TableCommand and TableData
  input  logic                 command_write_i,
  input  logic                 data_write_i,
  input  logic [3:0]           data_word_i,
  input  logic [31:0]          word_i,
  output logic [31:0]          command_o,
  input  logic                 read_i,       // read of TableData
  input  logic [3:0]           read_word_i,
  output logic [31:0]          read_data_o,  // a clock later

  // row bus, and the row of the command
  output logic                 row_write_valid_o,
  output roci_pkg::row_write_t row_write_o,
  output logic [23:0]          row_o,
  input  logic                 key_busy_i,
  input  roci_pkg::key_t       key_row_i,
  input  logic [23:0]          key_row_index_i,
  input  logic                 key_row_valid_i,
  output logic                 key_row_ready_o,
  output logic                 cq_row_valid_o,  // completion queue row_o restarts
  output logic [roci_pkg::CqBits-1:0] cq_row_o,
  input  logic                 cq_row_ready_i,

  // failures of queue pairs, their changes of state and events
  input  roci_pkg::event_req_t fail_sq_i,
  input  logic                 fail_sq_valid_i,
  output logic                 fail_sq_ready_o,
  input  roci_pkg::event_req_t fail_rq_i,
  input  logic                 fail_rq_valid_i,
  output logic                 fail_rq_ready_o,
  input  roci_pkg::event_req_t fail_cq_i,
  input  logic                 fail_cq_valid_i,
  output logic                 fail_cq_ready_o,
  output logic                 begin_valid_o,  // pulse: queue pair begin_qpn_o enters INIT
  output logic [23:0]          begin_qpn_o,
  output roci_pkg::qp_event_t  qp_event_sq_o,
  output logic                 qp_event_sq_valid_o,
  input  logic                 qp_event_sq_ready_i,
  output roci_pkg::qp_event_t  qp_event_rq_o,
  output logic                 qp_event_rq_valid_o,
  input  logic                 qp_event_rq_ready_i,
  output roci_pkg::event_req_t event_o,
  output logic                 event_valid_o,
  input  logic                 event_ready_i,

  // live state of row_o
  output logic                 live_sq_valid_o,
  input  logic                 live_sq_ready_i,
  input  roci_pkg::qp_live_t   live_sq_i,
  output logic                 live_rq_valid_o,
  input  logic                 live_rq_ready_i,
  input  roci_pkg::qp_live_t   live_rq_i,
  output logic                 live_srq_valid_o,
  input  logic                 live_srq_ready_i,
  input  roci_pkg::srq_live_t  live_srq_i,
  output logic                 live_cq_valid_o,
  input  logic                 live_cq_ready_i,
  input  roci_pkg::cq_live_t   live_cq_i,

  // counters of queue pairs
  input  roci_pkg::count_t     count_sq_i,
  input  logic                 count_sq_valid_i,
  output logic                 count_sq_ready_o,
  input  roci_pkg::count_t     count_rq_i,
  input  logic                 count_rq_valid_i,
  output logic                 count_rq_ready_o,

  output logic                 idle_o
);

  logic         state_valid, state_write, state_done, change_valid, state_idle;
  logic         clear_valid, clear_done, count_valid, count_done, pair_valid;
  logic         table_idle, counters_idle;
  logic [23:0]  state_qpn, change_qpn;
  logic [2:0]   state_new, state_old, change_state;
  logic [1:0]   pair_index;
  logic [127:0] pair;

  roci_table_port #(
    .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .QpCounters(QpCounters), .Attachments(Attachments)
  ) u_table_port (
    .clk_i, .rst_ni,
    .command_i(command_write_i), .data_i(data_write_i), .data_word_i, .word_i,
    .command_o, .read_i, .read_word_i, .read_data_o,
    .state_valid_o(state_valid), .state_write_o(state_write), .state_qpn_o(state_qpn),
    .state_o(state_new), .state_done_i(state_done), .state_i(state_old),
    .change_valid_i(change_valid), .change_qpn_i(change_qpn), .change_state_i(change_state),
    .cq_o(cq_row_o), .cq_valid_o(cq_row_valid_o), .cq_ready_i(cq_row_ready_i),
    .key_busy_i, .key_valid_i(key_row_valid_i), .key_ready_o(key_row_ready_o),
    .key_index_i(key_row_index_i), .key_i(key_row_i),
    .clear_valid_o(clear_valid), .clear_done_i(clear_done),
    .count_valid_o(count_valid), .count_done_i(count_done),
    .count_pair_i(pair_valid), .count_index_i(pair_index), .count_data_i(pair),
    .row_o,
    .live_sq_valid_o, .live_sq_ready_i, .live_sq_i,
    .live_rq_valid_o, .live_rq_ready_i, .live_rq_i,
    .live_srq_valid_o, .live_srq_ready_i, .live_srq_i,
    .live_cq_valid_o, .live_cq_ready_i, .live_cq_i,
    .row_write_valid_o, .row_write_o,
    .idle_o(table_idle)
  );

  roci_qp_state #(.NumQps(NumQps)) u_qp_state (
    .clk_i, .rst_ni,
    .req_valid_i(state_valid), .req_write_i(state_write), .req_qpn_i(state_qpn),
    .req_state_i(state_new), .req_done_o(state_done), .req_state_o(state_old),
    .fail_sq_i, .fail_sq_valid_i, .fail_sq_ready_o,
    .fail_rq_i, .fail_rq_valid_i, .fail_rq_ready_o,
    .fail_cq_i, .fail_cq_valid_i, .fail_cq_ready_o,
    .change_valid_o(change_valid), .change_qpn_o(change_qpn), .change_state_o(change_state),
    .event_sq_o(qp_event_sq_o), .event_sq_valid_o(qp_event_sq_valid_o),
    .event_sq_ready_i(qp_event_sq_ready_i),
    .event_rq_o(qp_event_rq_o), .event_rq_valid_o(qp_event_rq_valid_o),
    .event_rq_ready_i(qp_event_rq_ready_i),
    .event_o, .event_valid_o, .event_ready_i,
    .idle_o(state_idle)
  );

  // INIT and not RESET: faults of the generation before may come until the fence after its RESET.
  assign begin_valid_o = change_valid && change_state == roci_pkg::QpInit;
  assign begin_qpn_o   = change_qpn;

  if (QpCounters != 0) begin : gen_qp_counters
    roci_qp_counters #(.NumQps(NumQps)) u_qp_counters (
      .clk_i, .rst_ni,
      .count_sq_i, .count_sq_valid_i, .count_sq_ready_o,
      .count_rq_i, .count_rq_valid_i, .count_rq_ready_o,
      .qpn_i(row_o), .clear_valid_i(clear_valid), .clear_done_o(clear_done),
      .read_valid_i(count_valid), .read_done_o(count_done),
      .pair_valid_o(pair_valid), .pair_index_o(pair_index), .pair_o(pair),
      .idle_o(counters_idle)
    );
  end else begin : gen_none
    // TableData is 0 when a read begins, and stays so.
    logic unused_counts;
    assign unused_counts    = &{1'b0, count_sq_i, count_sq_valid_i, count_rq_i, count_rq_valid_i};
    assign count_sq_ready_o = 1'b1;
    assign count_rq_ready_o = 1'b1;
    assign clear_done       = clear_valid;
    assign count_done       = count_valid;
    assign pair_valid       = 1'b0;
    assign pair_index       = '0;
    assign pair             = '0;
    assign counters_idle    = 1'b1;
  end

  assign idle_o = table_idle && state_idle && counters_idle;

endmodule
