// Small queues behind the responder's outputs, so that it never waits in the middle of an event: it
// looks at the room before it begins.
//
// Latency: one clock. A push without room is not allowed.

`include "assert.svh"

module roci_responder_out (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   idle_o,

  // pushes, and room for one more (two more counts)
  input  roci_pkg::cqe_req_t     cqe_i,
  input  logic                   cqe_push_i,
  output logic                   cqe_room_o,
  input  roci_pkg::event_req_t   fail_i,
  input  logic                   fail_push_i,
  output logic                   fail_room_o,
  input  roci_pkg::event_req_t   event_i,
  input  logic                   event_push_i,
  output logic                   event_room_o,
  input  roci_pkg::count_t       count_i,
  input  logic                   count_push_i,
  output logic                   count_room_o,
  input  roci_pkg::seg_t         req_seg_i,
  input  logic                   req_seg_push_i,
  output logic                   req_seg_room_o,
  input  roci_pkg::tx_desc_t     desc_i,
  input  logic                   desc_push_i,
  output logic                   desc_room_o,
  input  roci_pkg::seg_t         seg_i,
  input  logic                   seg_push_i,
  output logic                   seg_room_o,
  input  roci_pkg::tx_desc_t     ack_i,
  input  logic                   ack_push_i,
  output logic                   ack_room_o,

  // out
  output roci_pkg::cqe_req_t     cqe_o,
  output logic                   cqe_valid_o,
  input  logic                   cqe_ready_i,
  output roci_pkg::event_req_t   fail_o,
  output logic                   fail_valid_o,
  input  logic                   fail_ready_i,
  output roci_pkg::event_req_t   event_o,
  output logic                   event_valid_o,
  input  logic                   event_ready_i,
  output roci_pkg::count_t       count_o,
  output logic                   count_valid_o,
  input  logic                   count_ready_i,
  output roci_pkg::seg_t         req_seg_o,
  output logic                   req_seg_valid_o,
  input  logic                   req_seg_ready_i,
  output roci_pkg::tx_desc_t     desc_o,
  output logic                   desc_valid_o,
  input  logic                   desc_ready_i,
  output roci_pkg::seg_t         seg_o,
  output logic                   seg_valid_o,
  input  logic                   seg_ready_i,
  output roci_pkg::tx_desc_t     ack_o,
  output logic                   ack_valid_o,
  input  logic                   ack_ready_i
);

  logic [1:0] cqe_level, fail_level, event_level, desc_level, seg_level, ack_level;
  logic [2:0] count_level, req_seg_level;
  logic       count_ready;

  roci_fifo #(.Width(roci_pkg::CqeReqBits), .Depth(2)) u_cqe (
    .clk_i, .rst_ni, .in_data_i(cqe_i), .in_valid_i(cqe_push_i), .in_ready_o(cqe_room_o),
    .out_data_o(cqe_o), .out_valid_o(cqe_valid_o), .out_ready_i(cqe_ready_i), .level_o(cqe_level)
  );
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(2)) u_fail (
    .clk_i, .rst_ni, .in_data_i(fail_i), .in_valid_i(fail_push_i), .in_ready_o(fail_room_o),
    .out_data_o(fail_o), .out_valid_o(fail_valid_o), .out_ready_i(fail_ready_i),
    .level_o(fail_level)
  );
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(2)) u_event (
    .clk_i, .rst_ni, .in_data_i(event_i), .in_valid_i(event_push_i), .in_ready_o(event_room_o),
    .out_data_o(event_o), .out_valid_o(event_valid_o), .out_ready_i(event_ready_i),
    .level_o(event_level)
  );
  roci_fifo #(.Width(roci_pkg::CountBits), .Depth(4)) u_count (
    .clk_i, .rst_ni, .in_data_i(count_i), .in_valid_i(count_push_i), .in_ready_o(count_ready),
    .out_data_o(count_o), .out_valid_o(count_valid_o), .out_ready_i(count_ready_i),
    .level_o(count_level)
  );
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(4)) u_req_seg (
    .clk_i, .rst_ni, .in_data_i(req_seg_i), .in_valid_i(req_seg_push_i), .in_ready_o(req_seg_room_o),
    .out_data_o(req_seg_o), .out_valid_o(req_seg_valid_o), .out_ready_i(req_seg_ready_i),
    .level_o(req_seg_level)
  );
  roci_fifo #(.Width(roci_pkg::TxDescBits), .Depth(2)) u_desc (
    .clk_i, .rst_ni, .in_data_i(desc_i), .in_valid_i(desc_push_i), .in_ready_o(desc_room_o),
    .out_data_o(desc_o), .out_valid_o(desc_valid_o), .out_ready_i(desc_ready_i),
    .level_o(desc_level)
  );
  roci_fifo #(.Width(roci_pkg::SegBits), .Depth(2)) u_seg (
    .clk_i, .rst_ni, .in_data_i(seg_i), .in_valid_i(seg_push_i), .in_ready_o(seg_room_o),
    .out_data_o(seg_o), .out_valid_o(seg_valid_o), .out_ready_i(seg_ready_i), .level_o(seg_level)
  );
  roci_fifo #(.Width(roci_pkg::TxDescBits), .Depth(2)) u_ack (
    .clk_i, .rst_ni, .in_data_i(ack_i), .in_valid_i(ack_push_i), .in_ready_o(ack_room_o),
    .out_data_o(ack_o), .out_valid_o(ack_valid_o), .out_ready_i(ack_ready_i), .level_o(ack_level)
  );

  assign count_room_o = count_level <= 3'd2;
  assign idle_o = {cqe_level, fail_level, event_level, desc_level, seg_level, ack_level} == '0
               && count_level == '0 && req_seg_level == '0;

  `ASSERT(CqeHasRoom, `IMPLIES(cqe_push_i, cqe_room_o))
  `ASSERT(FailHasRoom, `IMPLIES(fail_push_i, fail_room_o))
  `ASSERT(EventHasRoom, `IMPLIES(event_push_i, event_room_o))
  `ASSERT(CountHasRoom, `IMPLIES(count_push_i, count_ready))
  `ASSERT(ReqSegHasRoom, `IMPLIES(req_seg_push_i, req_seg_room_o))
  `ASSERT(DescHasRoom, `IMPLIES(desc_push_i, desc_room_o))
  `ASSERT(SegHasRoom, `IMPLIES(seg_push_i, seg_room_o))
  `ASSERT(AckHasRoom, `IMPLIES(ack_push_i, ack_room_o))

endmodule
