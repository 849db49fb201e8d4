// SPDX-License-Identifier: Apache-2.0
// What one fetch may read of a ring: no more than is posted and has room, and nothing past the end
// of the ring or of an aligned group of Blocks.
//
// Throughput: one ring a clock. Latency: two clocks; one for a doorbell.

`include "assert.svh"

module roci_rq_next #(
  parameter int unsigned Blocks = 16,  // kept per ring: 4, 8 or 16
  localparam int unsigned BlockBits = $clog2(Blocks)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  roci_pkg::receive_ring_t ring_i,
  input  logic [51:0]             base_i,
  input  logic [15:0]             mask_i,       // bits of an index that lie in the ring
  input  logic [1:0]              stride_log_i,
  input  logic [15:0]             bell_i,       // index of a doorbell

  // for the ring and the doorbell when compare_i was up last
  input  logic                    compare_i,
  output logic                    bell_wild_o,  // the doorbell is more than the ring ahead
  output logic                    bell_posts_o, // the doorbell posts something

  // for the ring two clocks before
  output logic                    more_o,       // more entries are posted than these
  output logic [4:0]              entries_o,
  output logic [4:0]              blocks_o,
  output logic [BlockBits-1:0]    block_o,      // first block of the fetch
  output logic [63:0]             addr_o
);

  // Indices go round: the doorbell is past what is posted when it is larger, and both or none of
  // them have gone round since the oldest entry, or when it alone has.
  logic bell_round, prod_round, past;
  assign bell_round = bell_i < ring_i.cons;
  assign prod_round = ring_i.prod < ring_i.cons;
  assign past       = ring_i.prod < bell_i;

  // It is in the ring when one less than what it is ahead, bell + ~cons, has no bit above those of
  // the ring, or when it is not ahead. The bits are not computed for that. A bit of a sum is 0 when
  // the carry into it equals the exclusive or of its operands; where the bit below is 0 that carry
  // is the or of the operands there, and into the lowest bit above the ring it is a comparison of
  // the bits in the ring.
  logic [15:0] lowest;         // the lowest bit above the ring
  logic [15:0] same, follows;  // exclusive or of the operands; carry from the bit below
  logic        carry, above_ok, lowest_same;
  assign lowest      = ~mask_i & {mask_i[14:0], 1'b1};
  assign same        = bell_i ~^ ring_i.cons;
  assign follows     = {bell_i[14:0] | ~ring_i.cons[14:0], 1'b0};
  assign carry       = (bell_i & mask_i) > (ring_i.cons & mask_i);
  assign above_ok    = (~mask_i & ~lowest & (same ^ follows)) == '0;
  assign lowest_same = (lowest & same) != '0;

  // The comparisons are kept, and joined in the next clock. A doorbell that is new is ahead.
  logic bell_round_q, prod_round_q, past_q, carry_q, above_ok_q, lowest_same_q, ahead_q;
  logic bell_new, in_ring;
  always_ff @(posedge clk_i) begin
    if (compare_i) begin
      bell_round_q  <= bell_round;
      prod_round_q  <= prod_round;
      past_q        <= past;
      carry_q       <= carry;
      above_ok_q    <= above_ok;
      lowest_same_q <= lowest_same;
      ahead_q       <= bell_i != ring_i.cons;
    end
  end
  assign bell_new     = bell_round_q == prod_round_q ? past_q : bell_round_q;
  assign in_ring      = above_ok_q && carry_q == lowest_same_q;
  assign bell_wild_o  = ahead_q && !in_ring;
  assign bell_posts_o = bell_new && in_ring;

  logic [15:0] at_ring;
  assign at_ring = ring_i.next & mask_i;

  // clock 1: entries posted, with room, up to the end of the group and of the ring
  logic [15:0]          left_q, free_q, to_end_q, to_wrap_q, at_ring_q;
  logic [BlockBits-1:0] block, block_q;
  logic [51:0]          base_q;
  logic [1:0]           stride_log_q;
  assign block = BlockBits'(ring_i.next << stride_log_i);
  always_ff @(posedge clk_i) begin
    left_q       <= ring_i.prod - ring_i.next;
    free_q       <= (16'(Blocks) >> stride_log_i) - (ring_i.next - ring_i.cons);
    to_end_q     <= (16'(Blocks) - 16'(block)) >> stride_log_i;
    to_wrap_q    <= (~ring_i.next & mask_i) + 16'd1;
    at_ring_q    <= at_ring;
    block_q      <= block;
    base_q       <= base_i;
    stride_log_q <= stride_log_i;
  end

  // clock 2: the least of them
  logic [15:0] posted_free, before_end, want;
  logic [1:0]  stride_qq;
  logic [4:0]  entries;
  logic [31:0] offset;
  logic        unused;
  assign unused      = &{ring_i, want};
  assign posted_free = left_q < free_q ? left_q : free_q;
  assign before_end  = to_end_q < to_wrap_q ? to_end_q : to_wrap_q;
  assign want        = posted_free < before_end ? posted_free : before_end;
  assign entries     = want[4:0];
  assign blocks_o    = entries_o << stride_qq;
  assign offset      = {16'd0, at_ring_q} << (5'd6 + 5'(stride_log_q));
  always_ff @(posedge clk_i) begin
    entries_o <= entries;
    stride_qq <= stride_log_q;
    more_o    <= left_q > before_end || left_q > free_q;
    block_o   <= block_q;
    addr_o    <= {base_q, 12'd0} + 64'(offset);
  end

  // The ring and the doorbell that were compared last.
  logic [15:0] bell_q, mask_q, cons_q, prod_q, ahead, posted;
  logic        is_ring, compares_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) compares_q <= 1'b0;
    else if (compare_i) compares_q <= 1'b1;
    if (compare_i) {cons_q, prod_q, bell_q, mask_q} <= {ring_i.cons, ring_i.prod, bell_i, mask_i};
  end
  assign is_ring = compares_q && (mask_q & (mask_q + 16'd1)) == '0 && !mask_q[15];
  assign ahead   = bell_q - cons_q;
  assign posted  = prod_q - cons_q;
  `ASSERT(WildIsFarAhead, `IMPLIES(is_ring, bell_wild_o == (17'(ahead) > 17'(mask_q) + 17'd1)))
  `ASSERT(PostsWhatIsNew, `IMPLIES(compares_q, bell_posts_o == (ahead > posted && !bell_wild_o)))
  `COVER(IsWild, compares_q && bell_wild_o && mask_q == 16'd7)
  `COVER(FillsTheRing, compares_q && !bell_wild_o && ahead == 16'd16 && mask_q == 16'd15)
`ifdef FORMAL
  initial assume (!rst_ni);
`endif

endmodule
