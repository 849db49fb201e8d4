// SPDX-License-Identifier: Apache-2.0
// Whether the queue pair at the head of the queue of those that owe a response has its turn: what
// its response acknowledges is in memory, or it has one that needs none.
//
// Throughput: a turn every two clocks. Latency: two clocks from the push of an empty queue.
//
// When a queue pair comes to owe a response that needs none, all in the queue have a turn. A ticket
// is kept for each queue pair in the queue: a part of it, enough for the payload on its way to
// memory. A queue pair that waits longer than Patience clocks at the head has a turn whatever its
// ticket, which finds what holds.

`include "assert.svh"

module roci_responder_turn #(
  parameter int unsigned NumQps   = 256,  // power of two
  parameter int unsigned Patience = 255,  // clocks
  localparam int unsigned Bits    = 11    // kept of a ticket
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    push_i,         // to the queue, in the next clock
  input  logic                    push_now_i,     // needs no payload in memory, else
  input  logic                    push_rush_i,    // nor has it had its turn
  input  logic [31:0]             push_ticket_i,  // this one
  input  logic [31:0]             done_i,         // payload packets in memory
  input  logic [$clog2(NumQps):0] level_i,        // level of the queue
  input  logic                    head_valid_i,
  input  logic                    pop_i,          // with turn_o
  output logic                    turn_o
);

  // A push of a queue pair that is inside changes nothing, and the level says whether it was.
  logic                    odd_q, popped_q, rushes_q, came_q, pushed;
  logic [Bits:0]           kept_q, pushed_q;  // {now, ticket}
  logic [$clog2(NumQps):0] rush_q;            // turns that wait for nothing
  assign pushed = odd_q ^ level_i[0] ^ popped_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {odd_q, popped_q, rushes_q, came_q} <= '0;
      rush_q <= '0;
    end else begin
      {odd_q, popped_q, rushes_q, came_q} <= {level_i[0], pop_i, push_i && push_rush_i, rushes_q};
      if (came_q) rush_q <= level_i;
      else if (pop_i && rush_q != '0) rush_q <= rush_q - 1'b1;
    end
    kept_q   <= {push_now_i, push_ticket_i[Bits-1:0]};
    pushed_q <= kept_q;
  end

  logic                    now, valid, room;
  logic [Bits-1:0]         ticket, age;
  logic [$clog2(NumQps):0] unused_level;
  roci_fifo #(.Width(Bits + 1), .Depth(NumQps)) u_tickets (
    .clk_i, .rst_ni, .in_data_i(pushed_q), .in_valid_i(pushed), .in_ready_o(room),
    .out_data_o({now, ticket}), .out_valid_o(valid), .out_ready_i(pop_i), .level_o(unused_level)
  );

  logic [$clog2(Patience+1)-1:0] waited_q;
  logic                          late;
  assign late = 32'(waited_q) == Patience;
  assign age  = done_i[Bits-1:0] - ticket;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_o   <= 1'b0;
      waited_q <= '0;
    end else begin
      turn_o <= head_valid_i && valid && !pop_i && (now || !age[Bits-1] || late || rush_q != '0);
      if (!head_valid_i || pop_i) waited_q <= '0;
      else if (!late) waited_q <= waited_q + 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, push_ticket_i, done_i};

  `ASSERT(TicketsHaveRoom, `IMPLIES(pushed, room))
  `ASSERT(HeadHasTicket, `IMPLIES(pop_i, head_valid_i && valid))

endmodule
