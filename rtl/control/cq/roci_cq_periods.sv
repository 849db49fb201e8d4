// SPDX-License-Identifier: Apache-2.0
// Moderation periods in flight: at most four queues hold events back at the same time; for a fifth
// there is no room and its event goes out at once.
//
// Latency: a period starts in the clock after the order and ends at most six clocks late.

`include "assert.svh"

module roci_cq_periods #(
  parameter int unsigned RowBits = 8,
  parameter int unsigned Skips   = 1  // 0: next_deadline_o is 0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [63:0]        now_i,

  // orders, taken in the next clock
  input  logic               start_i,   // only with room
  input  logic               stop_i,    // not with start_i
  input  logic [RowBits-1:0] row_i,
  input  logic [15:0]        period_i,  // us
  output logic               room_o,

  output logic [RowBits-1:0] end_row_o,
  output logic               end_valid_o,
  input  logic               end_take_i,
  output logic [63:0]        next_deadline_o,  // as it was two clocks before
  output logic               settled_o         // none was ordered in the three clocks before
);

  localparam int unsigned Slots = 4;

  logic [Slots-1:0]         valid, free_slot;
  // Orders stand in registers before they are carried out: the decision is long.
  logic               start_q, stop_q;
  logic [RowBits-1:0] row_q;
  logic [25:0]        period_q;  // ns
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      stop_q  <= 1'b0;
    end else begin
      start_q <= start_i;
      stop_q  <= stop_i;
    end
    row_q    <= row_i;
    period_q <= (26'(period_i) << 10) - (26'(period_i) << 4) - (26'(period_i) << 3);  // 1000 ns
  end

  // Room as it was a clock before, with or without what was ordered in that clock.
  logic [2:0] busy;
  logic       room_q, room_too_q;
  always_comb begin
    busy = 3'(start_q);
    for (int i = 0; i < Slots; i++) busy = busy + 3'(valid[i]);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {room_q, room_too_q} <= '0;
    else {room_q, room_too_q} <= {busy < 3'(Slots), busy < 3'(Slots - 1)};
  end
  assign room_o = start_q ? room_too_q : room_q;

  logic [64*Slots-1:0]      deadlines;
  logic [RowBits*Slots-1:0] rows;
  logic [1:0]               look_q;  // slot whose end is checked
  logic [1:0]               slot_q;  // slot that has ended
  logic [63:0]              deadline;

  assign free_slot = ~valid & (valid + 1'b1);
  assign deadline  = now_i + 64'(period_q);

  for (genvar i = 0; i < Slots; i++) begin : gen_slot
    logic               valid_q;
    logic [63:0]        deadline_q;
    logic [RowBits-1:0] slot_row_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) valid_q <= 1'b0;
      else if (start_q && free_slot[i]) valid_q <= 1'b1;
      else if ((stop_q && slot_row_q == row_q) || (end_take_i && slot_q == 2'(i))) valid_q <= 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (start_q && free_slot[i]) begin
        deadline_q <= deadline;
        slot_row_q <= row_q;
      end
    end
    assign valid[i]                     = valid_q;
    assign deadlines[64*i +: 64]        = deadline_q;
    assign rows[RowBits*i +: RowBits]   = slot_row_q;
  end

  // Earliest of two pairs, then of both; all ones are never.
  if (Skips != 0) begin : gen_skips
    logic [64*Slots-1:0] times;
    logic [63:0]         low_pair_q, high_pair_q;
    for (genvar i = 0; i < Slots; i++) begin : gen_time
      assign times[64*i +: 64] = valid[i] ? deadlines[64*i +: 64] : '1;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        low_pair_q      <= '1;
        high_pair_q     <= '1;
        next_deadline_o <= '1;
      end else begin
        low_pair_q  <= times[0 +: 64] < times[64 +: 64] ? times[0 +: 64] : times[64 +: 64];
        high_pair_q <= times[128 +: 64] < times[192 +: 64] ? times[128 +: 64] : times[192 +: 64];
        next_deadline_o <= low_pair_q < high_pair_q ? low_pair_q : high_pair_q;
      end
    end
  end else begin : gen_no_skips
    assign next_deadline_o = '0;
  end

  logic started_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      settled_o <= 1'b1;
    end else begin
      started_q <= start_q;
      settled_o <= !start_i && !start_q && !started_q;
    end
  end

  // One slot is looked at in a clock, and its end stands in a register until it is taken, or until
  // an order is carried out, which may be for this slot: it is looked at again then.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      look_q      <= '0;
      end_valid_o <= 1'b0;
    end else if (!end_valid_o || end_take_i) begin
      look_q      <= look_q + 1'b1;
      end_valid_o <= valid[look_q] && now_i >= deadlines[64*look_q +: 64] && !start_q && !stop_q;
    end else if (start_q || stop_q) begin
      end_valid_o <= 1'b0;
    end
    if (!end_valid_o || end_take_i) begin
      slot_q    <= look_q;
      end_row_o <= rows[RowBits*look_q +: RowBits];
    end
  end

  `ASSERT(RoomToStart, `IMPLIES(start_i, room_o))

endmodule
