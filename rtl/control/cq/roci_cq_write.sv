// SPDX-License-Identifier: Apache-2.0
// Puts completion queue entries into memory and releases the events that follow them.
//
// Throughput: one entry or event per clock. Latency: two clocks to bw_req_valid_o. Up to `Writes`
// writes and events are in flight.
//
//   entry --> build --> FIFO --> bw           bw_done --> count
//   entry, event -----------> retire FIFO ---------------------> event, in order
//
// A write that failed raises CqError in its place and breaks the ring (break_*).
//
// room_o reports two operations ahead: it covers one more in each stage before this block.

`include "assert.svh"

module roci_cq_write #(
  parameter int unsigned RowBits = 8,
  parameter int unsigned Writes  = 128  // in flight, a power of two
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // in
  input  roci_pkg::cqe_req_t         entry_i,
  input  logic [63:0]                base_i,
  input  logic [19:0]                pasid_i,
  input  logic [15:0]                slot_i,
  input  logic                       owner_i,
  input  logic [RowBits-1:0]         row_i,
  input  logic                       write_i,
  input  logic                       raise_i,        // Completion, after the entry of this clock
  input  logic                       raise_error_i,  // CqError
  output logic                       room_o,

  // out
  output logic                       bw_req_valid_o,
  input  logic                       bw_req_ready_i,
  output roci_pkg::block_write_req_t bw_req_o,
  input  logic                       bw_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_rsp_i,     // with done
  output logic [RowBits-1:0]         break_row_o,  // valid until taken
  output logic                       break_valid_o,
  input  logic                       break_take_i,
  output roci_pkg::event_req_t       event_o,
  output logic                       event_valid_o,
  input  logic                       event_ready_i,

  output logic                       idle_o
);

  localparam int unsigned CqeBytes  = roci_pkg::CqeBits / 8;
  localparam int unsigned LevelBits = $clog2(Writes) + 1;

  // Build the entry
  logic           build_q;
  logic [15:0]    slot_q;
  logic [63:0]    base_q;
  logic [19:0]    pasid_q;
  roci_pkg::cqe_t cqe_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) build_q <= 1'b0;
    else build_q <= write_i;
  end
  always_ff @(posedge clk_i) begin
    if (write_i) begin
      slot_q           <= slot_i;
      base_q           <= base_i;
      pasid_q          <= pasid_i;
      cqe_q            <= '0;
      cqe_q.wqe_index  <= entry_i.wqe_index;
      cqe_q.status     <= entry_i.status;
      cqe_q.opcode     <= entry_i.opcode;
      cqe_q.byte_len   <= entry_i.byte_len;
      cqe_q.imm        <= entry_i.imm;
      cqe_q.qpn        <= entry_i.qpn;
      cqe_q.vendor_err <= entry_i.vendor_err;
      cqe_q.with_imm   <= entry_i.with_imm;
      cqe_q.solicited  <= entry_i.solicited;
      cqe_q.with_inv   <= entry_i.with_inv;
      // Where ud_cqe_t has them.
      cqe_q.reserved2[0]    <= entry_i.with_grh;
      cqe_q.reserved0[23:0] <= entry_i.src_qp;
      cqe_q.owner      <= owner_i;
    end
  end

  localparam int unsigned WordBits = 64 + 20 + roci_pkg::CqeBits;
  logic [roci_pkg::CqeBits-1:0] bw_cqe;
  logic [3:0]                   words;
  logic                         words_ready;
  roci_fifo #(.Width(WordBits), .Depth(8)) u_words (
    .clk_i, .rst_ni,
    .in_data_i   ({base_q + 64'(slot_q) * CqeBytes, pasid_q, cqe_q}),
    .in_valid_i  (build_q),
    .in_ready_o  (words_ready),
    .out_data_o  ({bw_req_o.addr, bw_req_o.pasid, bw_cqe}),
    .out_valid_o (bw_req_valid_o),
    .out_ready_i (bw_req_ready_i),
    .level_o     (words)
  );
  assign bw_req_o.data  = 512'(bw_cqe);
  assign bw_req_o.bytes = 7'(CqeBytes);

  // Writes in flight and the events after them, in order. The oldest stand apart, so that the event
  // does not follow a deep memory.
  localparam int unsigned RetireBits = RowBits + 3;
  logic [LevelBits-1:0] retires;
  logic                 retiring;
  logic                 head_valid, head_pop, head_write, head_raise, head_error, head_due;
  logic                 done, done_bad, failed, done_ready;  // responses not yet matched to a write
  logic                 retire_ready, retire_valid, head_ready, rsp_valid, rsp_bad, rsp_ready;
  logic [RetireBits-1:0] retire;
  logic [RowBits-1:0]   head_row;
  assign retiring = write_i || raise_i || raise_error_i;
  roci_fifo #(.Width(RetireBits), .Depth(Writes)) u_retire (
    .clk_i, .rst_ni,
    .in_data_i   ({write_i, raise_i || raise_error_i, raise_error_i, row_i}),
    .in_valid_i  (retiring),
    .in_ready_o  (retire_ready),
    .out_data_o  (retire),
    .out_valid_o (retire_valid),
    .out_ready_i (head_ready),
    .level_o     (retires)
  );
  roci_fifo #(.Width(RetireBits), .Depth(2)) u_head (
    .clk_i, .rst_ni,
    .in_data_i   (retire),
    .in_valid_i  (retire_valid),
    .in_ready_o  (head_ready),
    .out_data_o  ({head_write, head_raise, head_error, head_row}),
    .out_valid_o (head_valid),
    .out_ready_i (head_pop),
    .level_o     ()
  );
  roci_fifo #(.Width(1), .Depth(Writes)) u_done (
    .clk_i, .rst_ni,
    .in_data_i   (bw_rsp_i.error),
    .in_valid_i  (bw_rsp_valid_i),
    .in_ready_o  (done_ready),
    .out_data_o  (rsp_bad),
    .out_valid_o (rsp_valid),
    .out_ready_i (rsp_ready),
    .level_o     ()
  );
  roci_fifo #(.Width(1), .Depth(2)) u_rsp (
    .clk_i, .rst_ni,
    .in_data_i   (rsp_bad),
    .in_valid_i  (rsp_valid),
    .in_ready_o  (rsp_ready),
    .out_data_o  (done_bad),
    .out_valid_o (done),
    .out_ready_i (head_pop && head_write),
    .level_o     ()
  );
  logic               break_valid_q;
  logic [RowBits-1:0] break_row_q;
  assign failed         = head_write && done_bad;
  assign head_due       = head_valid && (!head_write || done) && !(failed && break_valid_q);
  // An event stands in a register, as its receiver chooses among many.
  logic raises;
  assign raises   = head_raise || failed;
  assign head_pop = head_due && (!raises || !event_valid_o || event_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) event_valid_o <= 1'b0;
    else event_valid_o <= (head_pop && raises) || (event_valid_o && !event_ready_i);
    if (head_pop && raises) begin
      event_o.kind   <= head_error || failed ? roci_pkg::EventCqError : roci_pkg::EventCompletion;
      event_o.number <= 24'(head_row);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) break_valid_q <= 1'b0;
    else if (head_pop && failed) break_valid_q <= 1'b1;
    else if (break_take_i) break_valid_q <= 1'b0;
    if (head_pop && failed) break_row_q <= head_row;
  end
  assign break_valid_o = break_valid_q;
  assign break_row_o   = break_row_q;

  // What leaves makes room a clock later, so that the choice of an entry follows a register.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) room_o <= 1'b0;
    else begin
      room_o <= words < (build_q ? 4'd4 : 4'd5)
                && (retiring ? retires < LevelBits'(Writes - 3) : retires < LevelBits'(Writes - 2));
    end
  end
  assign idle_o = !build_q && !bw_req_valid_o && !retire_valid && !head_valid && !break_valid_q
                  && !event_valid_o;

  `ASSERT(RoomForWord, `IMPLIES(build_q, words_ready))
  `ASSERT(RoomForDone, `IMPLIES(bw_rsp_valid_i, done_ready))
  `ASSERT(RoomToRetire, `IMPLIES(retiring, retire_ready))

endmodule
