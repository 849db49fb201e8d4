// SPDX-License-Identifier: Apache-2.0
// The newest work request that came with its doorbell, so that it is not read from host memory.
//
// Its words are written in order from the first one on, and the next doorbell of their queue pair
// hands it over as the work request before the index. A first word takes the place of what another
// queue pair has written. A grant of this work request alone takes it; every other grant of its
// queue pair, and RESET, discard it. From when it is taken until its blocks are read no word is
// taken, and a doorbell then hands over nothing: a work request stands in its queue, too.
//
// Throughput: a word, a doorbell and a look a clock. Latency: one clock.
//
//  words --> | owner, count, 32 words | --doorbell--> ready --look--> taken --> dma --read--> free

`include "assert.svh"

module roci_posted #(
  parameter int unsigned NumQps = 256,  // queue pairs, a power of two
  parameter int unsigned Posts  = 1,    // 0: none, all are read
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // row bus
  input  logic                     row_write_valid_i,
  input  roci_pkg::row_write_t     row_write_i,

  input  roci_pkg::post_word_t     word_i,
  input  logic                     word_valid_i,
  input  roci_pkg::doorbell_t      bell_i,
  input  logic                     bell_valid_i,  // it is taken in this clock

  // a grant
  input  roci_pkg::grant_t         grant_i,
  input  logic                     look_i,
  output logic                     taken_o,       // one clock later: the work request is here,
  output logic                     two_o,         // in two blocks, not one
  input  logic                     unused_i,      // pulse after taken_o: it is not read from here

  output logic [1023:0]            blocks_o,      // from taken_o until it was read
  input  logic                     read_i         // pulse: it was read
);

  roci_pkg::qp_state_t state_row;  // it says which queue pair is reset
  logic                row_resets;
  assign state_row  = row_write_i.data[roci_pkg::QpStateBits-1:0];
  assign row_resets = row_write_valid_i && row_write_i.table_id == roci_pkg::TableQpState
                      && state_row.state == roci_pkg::QpReset;

  if (Posts == 0) begin : gen_none
    assign taken_o  = 1'b0;
    assign two_o    = 1'b0;
    assign blocks_o = '0;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, row_resets, row_write_i, word_i, word_valid_i, bell_i,
                      bell_valid_i, grant_i, look_i, unused_i, read_i};
  end else begin : gen_post
    logic [QpBits-1:0]   owner_q;    // whose words these are
    logic [5:0]          count_q;    // words written, in order
    logic [15:0]         index_q;    // its doorbell's, with ready_q
    logic                ready_q, taken_q, held_q;
    logic                mine, take, discard, locked, accept, whole, reset;
    assign reset     = row_resets && row_write_i.index[QpBits-1:0] == owner_q;
    assign mine      = look_i && ready_q && grant_i.qpn[QpBits-1:0] == owner_q;
    assign take      = mine && grant_i.wqe_index + 16'd1 == index_q && grant_i.count == 6'd1;
    assign discard   = mine || reset;
    assign locked    = held_q || (look_i && ready_q);  // it may be taken in this clock
    assign accept    = word_valid_i && !locked
                       && (word_i.place == '0 || (word_i.qpn[QpBits-1:0] == owner_q
                                                  && count_q == 6'(word_i.place)));
    assign whole     = bell_valid_i && bell_i.qpn[QpBits-1:0] == owner_q && !locked
                       && (count_q == 6'd16 || count_q == 6'd32);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        count_q <= '0;
        ready_q <= 1'b0;
        taken_q <= 1'b0;
        held_q  <= 1'b0;
      end else begin
        taken_q <= take;
        held_q  <= take || (held_q && !unused_i && !read_i);
        ready_q <= (ready_q || whole) && !discard && !accept;
        if (reset || whole) count_q <= '0;
        else if (accept) count_q <= 6'(word_i.place) + 6'd1;
      end
      if (accept) owner_q <= word_i.qpn[QpBits-1:0];
      if (whole) begin
        index_q <= bell_i.index;
        two_o   <= count_q[5];
      end
    end
    // A loop, because a part at a variable place becomes a shifter of all 1024 bits.
    always_ff @(posedge clk_i) begin
      for (int i = 0; i < 32; i++) begin
        if (accept && word_i.place == 5'(i)) blocks_o[32*i +: 32] <= word_i.data;
      end
    end
    assign taken_o = taken_q;

    logic unused;
    assign unused = &{1'b0, row_write_i, word_i, bell_i, grant_i};
    `ASSERT(ReadIsHeld, `IMPLIES(read_i || unused_i, held_q))
    `ASSERT(OneIsTaken, `IMPLIES(take, !held_q))
  end

endmodule
