// SPDX-License-Identifier: Apache-2.0
// What one fetch may read of a ring: no more than is posted and has room, and nothing past the end
// of the ring or of an aligned group of Blocks.
//
// Throughput: one ring a clock. Latency: two clocks; none for a doorbell.

module roci_rq_next #(
  parameter int unsigned Blocks = 16,  // kept per ring: 4, 8 or 16
  localparam int unsigned BlockBits = $clog2(Blocks)
) (
  input  logic                    clk_i,

  input  roci_pkg::receive_ring_t ring_i,
  input  logic [51:0]             base_i,
  input  logic [3:0]              log_i,
  input  logic [1:0]              stride_log_i,
  input  logic [15:0]             bell_i,       // index of a doorbell
  output logic                    bell_wild_o,  // the doorbell is more than the ring ahead
  output logic                    bell_new_o,   // the doorbell posts something

  // for the ring two clocks before
  output logic                    more_o,       // more entries are posted than these
  output logic [4:0]              entries_o,
  output logic [4:0]              blocks_o,
  output logic [BlockBits-1:0]    block_o,      // first block of the fetch
  output logic [63:0]             addr_o
);

  // Indices go round: the doorbell is past what is posted when it is larger, and both or none of
  // them have gone round since the oldest entry, or when it alone has. It is in the ring when one
  // less than what it is ahead has no bit above those of the ring, or when it is not ahead.
  logic [15:0] mask, at_ring;  // mask: bits of an index that lie in the ring
  logic [15:0] bell_less;
  logic        bell_round, prod_round;
  assign bell_less   = bell_i + ~ring_i.cons;
  assign bell_wild_o = bell_i != ring_i.cons && (bell_less & ~mask) != '0;
  assign bell_round  = bell_i < ring_i.cons;
  assign prod_round  = ring_i.prod < ring_i.cons;
  assign bell_new_o  = bell_round == prod_round ? ring_i.prod < bell_i : bell_round;
  always_comb for (int i = 0; i < 16; i++) mask[i] = 4'(i) < log_i;
  assign at_ring     = ring_i.next & mask;

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
    to_wrap_q    <= (~ring_i.next & mask) + 16'd1;
    at_ring_q    <= at_ring;
    block_q      <= block;
    base_q       <= base_i;
    stride_log_q <= stride_log_i;
  end

  // clock 2: the least of them
  logic [15:0] posted_free, before_end, want;
  logic [4:0]  entries;
  logic [31:0] offset;
  logic        unused;
  assign unused      = &{ring_i, want};
  assign posted_free = left_q < free_q ? left_q : free_q;
  assign before_end  = to_end_q < to_wrap_q ? to_end_q : to_wrap_q;
  assign want        = posted_free < before_end ? posted_free : before_end;
  assign entries     = want[4:0];
  assign offset      = {16'd0, at_ring_q} << (5'd6 + 5'(stride_log_q));
  always_ff @(posedge clk_i) begin
    entries_o <= entries;
    blocks_o  <= entries << stride_log_q;
    more_o    <= left_q > before_end || left_q > free_q;
    block_o   <= block_q;
    addr_o    <= {base_q, 12'd0} + 64'(offset);
  end

endmodule
