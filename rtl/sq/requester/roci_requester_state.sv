// SPDX-License-Identifier: Apache-2.0
// State of the requester: a word, the attributes, the ring of messages in flight and the slots of
// READs and atomics of each queue pair. Everything is read with the choice of an event, except for
// the ring and the slots, which are read a clock later, of the queue pair that is read.

`include "assert.svh"

module roci_requester_state #(
  parameter int unsigned NumQps    = 256,
  parameter int unsigned RingDepth = 128,
  localparam int unsigned QpBits   = $clog2(NumQps),
  localparam int unsigned RingBits = $clog2(RingDepth)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // row bus
  input  logic                       row_write_valid_i,
  input  roci_pkg::row_write_t       row_write_i,

  // choice, and the queue pair in hand, which what is written is of
  input  logic                       pick_i,
  input  logic [QpBits-1:0]          pick_row_i,
  input  logic                       moves_i,     // no event is read that goes on being read
  input  logic                       pick_hand_i, // row_i is, and what is in hand ends
  input  logic                       reread_i,    // row_i is read, and what is in hand ends
  input  logic [QpBits-1:0]          read_row_i,  // that of the newest choice
  input  logic [QpBits-1:0]          row_i,
  output roci_pkg::requester_qp_t    qp_o,     // the word: written_o with fresh_o, else stored_o
  output roci_pkg::requester_qp_t    stored_o,
  output roci_pkg::requester_qp_t    written_o,
  output logic                       fresh_o,  // it was written in the clock of its choice
  output roci_pkg::qp_attr_t         attr_o,
  output logic                       uc_o,     // UC or UD
  output logic                       ud_o,
  output logic [31:0]                qkey_o,   // own Q_Key
  output logic                       alive_o,  // in RTS or SQD, and its generation begun
  output logic                       in_err_o, // in ERR or SQE
  output logic                       ready_o,

  input  logic                       write_i,  // the event is done with
  input  roci_pkg::requester_qp_t    qp_i,
  input  logic                       begin_i,  // a generation begins

  // ring
  input  logic                       ring_read_i,
  input  logic [QpBits-1:0]          ring_read_row_i,
  input  logic [6:0]                 ring_read_at_i,
  output roci_pkg::requester_entry_t entry_o,
  input  logic                       ring_write_i,
  input  logic [6:0]                 ring_write_at_i,
  input  roci_pkg::requester_entry_t entry_i,

  // ticket of the newest packet of a message, read with its entry
  output logic [9:0]                 ticket_o,
  input  logic                       ticket_write_i,
  input  logic [9:0]                 ticket_i,

  // where READ data and atomic results go: first segment of the list, and its length
  input  logic                       slot_read_i,
  input  logic [3:0]                 slot_read_at_i,
  output roci_pkg::sge_t             slot_sge_o,
  output logic [3:0]                 slot_num_sge_o,
  input  logic                       slot_write_i,
  input  logic [3:0]                 slot_write_at_i,
  input  roci_pkg::plan_t            slot_plan_i
);

  `PARAM_CHECK(RingInRange, RingDepth >= 4 && RingDepth <= 128)

  logic [roci_pkg::RequesterQpBits-1:0] qp_bits;
  roci_ram #(.Width(roci_pkg::RequesterQpBits), .Depth(NumQps), .Clear(1)) u_qp (
    .clk_i, .rst_ni, .write_i, .write_row_i(row_i), .write_data_i(qp_i),
    .read_i(pick_i), .read_row_i(pick_row_i), .read_data_o(qp_bits), .ready_o);
  // What is written for the row that is read in the same clock.
  assign stored_o = qp_bits;
  assign qp_o     = fresh_o ? written_o : stored_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) fresh_o <= 1'b0;
    else if (pick_i || reread_i) fresh_o <= pick_hand_i || reread_i;
    if (moves_i || reread_i) written_o <= qp_i;
  end
  `ASSERT(HandIsOfTheRow, `IMPLIES(pick_i, pick_hand_i == (write_i && pick_row_i == row_i)))

  roci_pkg::qp_attr_t              attr_row;
  logic [roci_pkg::QpAttrBits-1:0] attr_bits;
  logic                            unused_ram0, unused_ram1, unused_ram2, unused_ram3;
  assign attr_row = row_write_i.data[roci_pkg::QpAttrBits-1:0];
  assign attr_o   = attr_bits;
  roci_ram #(.Width(roci_pkg::QpAttrBits), .Depth(NumQps)) u_attr (
    .clk_i, .rst_ni, .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpAttr),
    .write_row_i(row_write_i.index[QpBits-1:0]), .write_data_i(attr_row),
    .read_i(pick_i), .read_row_i(pick_row_i), .read_data_o(attr_bits), .ready_o(unused_ram0));

  roci_pkg::qp_service_t service_row;
  logic                  unused_ram4;
  assign service_row = row_write_i.data[roci_pkg::QpServiceBits-1:0];
  roci_ram #(.Width(34), .Depth(NumQps), .Clear(1)) u_service (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpService),
    .write_row_i(row_write_i.index[QpBits-1:0]),
    .write_data_i({service_row.qkey, service_row.service == roci_pkg::ServiceUd,
                   service_row.service != roci_pkg::ServiceRc}),
    .read_i(pick_i), .read_row_i(pick_row_i), .read_data_o({qkey_o, ud_o, uc_o}),
    .ready_o(unused_ram4));

  logic [RingBits+QpBits-1:0]              ring_row, ring_write_row;
  logic [roci_pkg::RequesterEntryBits-1:0] entry_bits;
  assign ring_row       = {ring_read_row_i, ring_read_at_i[RingBits-1:0]};
  assign ring_write_row = {row_i, ring_write_at_i[RingBits-1:0]};
  assign entry_o        = entry_bits;
  roci_ram #(.Width(roci_pkg::RequesterEntryBits), .Depth(NumQps * RingDepth)) u_ring (
    .clk_i, .rst_ni, .write_i(ring_write_i), .write_row_i(ring_write_row), .write_data_i(entry_i),
    .read_i(ring_read_i), .read_row_i(ring_row), .read_data_o(entry_bits),
    .ready_o(unused_ram1));
  roci_ram #(.Width(10), .Depth(NumQps * RingDepth)) u_ticket (
    .clk_i, .rst_ni, .write_i(ticket_write_i), .write_row_i(ring_write_row),
    .write_data_i(ticket_i), .read_i(ring_read_i), .read_row_i(ring_row),
    .read_data_o(ticket_o), .ready_o(unused_ram3));

  localparam int unsigned SlotBits = roci_pkg::SgeBits + 4;
  logic [SlotBits-1:0] slot_bits;
  roci_ram #(.Width(SlotBits), .Depth(NumQps * 16)) u_slot (
    .clk_i, .rst_ni,
    .write_i(slot_write_i), .write_row_i({row_i, slot_write_at_i}),
    .write_data_i({slot_plan_i.num_sge[3:0], slot_plan_i.sge0_lkey, slot_plan_i.sge0_length,
                   slot_plan_i.sge0_addr}),
    .read_i(slot_read_i), .read_row_i({read_row_i, slot_read_at_i}), .read_data_o(slot_bits),
    .ready_o(unused_ram2));
  assign {slot_num_sge_o, slot_sge_o} = slot_bits;

  // A generation begins with its event and ends with the state.
  // The row bus alone writes the state; before the memories are ready it writes none.
  logic              is_state, to_sending, to_error, sending, begun, begun_ready, ends;
  logic [QpBits-1:0] state_row;
  roci_pkg::qp_state_t new_state;
  logic [1:0]        states [NumQps];  // {sending, in_err}
  logic [QpBits:0]   sweep_q;          // next row to clear after reset; top bit: done
  assign new_state  = row_write_i.data[roci_pkg::QpStateBits-1:0];
  assign state_row  = row_write_i.index[QpBits-1:0];
  assign is_state   = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState;
  assign to_sending = new_state.state == roci_pkg::QpRts || new_state.state == roci_pkg::QpSqd;
  assign to_error   = new_state.state == roci_pkg::QpErr || new_state.state == roci_pkg::QpSqe;
  assign ends       = is_state && !to_sending;
  assign {sending, in_err_o} = states[read_row_i];
  assign alive_o    = sending && begun;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sweep_q <= '0;
    else if (!sweep_q[QpBits]) sweep_q <= sweep_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (is_state || !sweep_q[QpBits]) begin
      states[sweep_q[QpBits] ? state_row : sweep_q[QpBits-1:0]]
        <= sweep_q[QpBits] ? {to_sending, to_error} : 2'b00;
    end
  end
  roci_flags #(.Depth(NumQps)) u_begun (
    .clk_i, .rst_ni,
    .set_i(begin_i && !(ends && state_row == row_i)), .set_row_i(row_i),
    .clear_i(ends), .clear_row_i(state_row),
    .read_row_i(read_row_i), .flag_o(begun), .ready_o(begun_ready));

  `ASSERT(NoStateBeforeReady, `IMPLIES(is_state, begun_ready))

  logic unused;
  assign unused = &{1'b0, ring_read_at_i, ring_write_at_i, slot_plan_i,
                    unused_ram0, unused_ram1, unused_ram2, unused_ram3, unused_ram4,
                    service_row, begun_ready};

endmodule
