// SPDX-License-Identifier: Apache-2.0
// First half of a decision: what the memories hold of a queue is compared with the operation, and
// all that the second half needs stands in registers a clock later.
//
// Throughput: one per clock. Latency: one clock.

module roci_cq_compare #(
  parameter int unsigned RowBits = 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // operation, with what was read for it
  input  logic               valid_i,
  input  logic [2:0]         op_i,         // CqOp
  input  logic [RowBits-1:0] row_i,
  input  logic               in_range_i,   // an entry: its queue exists
  input  logic [15:0]        index_i,      // consumer; of an arm: after the newest entry seen
  input  logic               solicited_i,  // arm
  input  roci_pkg::cqe_req_t entry_i,
  input  roci_pkg::cq_t      config_i,     // the row, of a restart the one before
  input  roci_pkg::cq_t      new_row_i,    // restart
  input  roci_pkg::cq_ring_t ring_i,

  // the same a clock later
  output logic               valid_o,
  output logic [2:0]         op_o,
  output logic [RowBits-1:0] row_o,
  output logic [15:0]        index_o,
  output logic               solicited_o,
  output roci_pkg::cqe_req_t entry_o,
  output roci_pkg::cq_t      config_o,
  output roci_pkg::cq_ring_t ring_o,

  // compared
  output logic               in_use_o,
  output logic               satisfies_o,  // entry: it satisfies a solicited arm
  output logic               same_ring_o,  // restart: indices and arming stay
  output logic               moderate_o,
  output logic               full_o,       // no entry fits into the ring
  output logic [15:0]        slot_o,       // place of the entry
  output logic               owner_o,      // pass of the entry
  output logic [15:0]        unseen_o,     // arm: entries after the newest one seen
  output logic [15:0]        hits_o        // entries that an event is owed for, those held back too
);

  logic [16:0] producer, size;
  logic [15:0] used, outside, unseen, hits;  // used: entries that software has not taken
  assign producer = {ring_i.pass, ring_i.producer};
  assign size     = 17'd1 << config_i.log;
  assign outside  = 16'hFFFF << config_i.log;
  assign used     = ring_i.producer - ring_i.consumer;
  assign unseen   = ring_i.producer - index_i;
  always_comb begin
    hits = ring_i.waiting;
    if (op_i == roci_pkg::CqOpEntry) hits = ring_i.waiting + 16'd1;
    else if (op_i == roci_pkg::CqOpArm) hits = solicited_i ? 16'd1 : unseen;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
  end
  always_ff @(posedge clk_i) begin
    op_o        <= op_i;
    row_o       <= row_i;
    index_o     <= index_i;
    solicited_o <= solicited_i;
    entry_o     <= entry_i;
    config_o    <= config_i;
    ring_o      <= ring_i;
    in_use_o    <= config_i.valid && in_range_i;
    satisfies_o <= entry_i.solicited || entry_i.status != roci_pkg::StatusSuccess;
    same_ring_o <= config_i.valid && new_row_i.valid &&
                   (new_row_i.resize ||
                    (config_i.base == new_row_i.base && config_i.log == new_row_i.log &&
                     config_i.pasid == new_row_i.pasid));
    moderate_o  <= config_i.moderation_period != '0 && config_i.moderation_count > 16'd1;
    // The indices of software have 16 bits, so a ring of 2^16 keeps one place free.
    full_o      <= (used & outside) != '0 || (size[16] && &used);
    slot_o      <= ring_i.producer & ~outside;
    owner_o     <= (producer & size) == '0;
    unseen_o    <= unseen;
    hits_o      <= hits;
  end

  logic unused;
  assign unused = &{1'b0, new_row_i};

endmodule
