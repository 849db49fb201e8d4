// SPDX-License-Identifier: Apache-2.0
// What one fetch may read of a ring: no more than is posted and has room, and nothing past the end
// of the ring or of an aligned group of Blocks.
//
// Throughput: combinational. Latency: none.

module roci_rq_next #(
  parameter int unsigned Blocks = 16,  // kept per ring: 4, 8 or 16
  localparam int unsigned BlockBits = $clog2(Blocks)
) (
  input  roci_pkg::receive_ring_t ring_i,
  input  logic [51:0]             base_i,
  input  logic [3:0]              log_i,
  input  logic [1:0]              stride_log_i,
  input  logic [15:0]             bell_i,       // index of a doorbell

  output logic                    more_o,       // more entries are posted than these
  output logic [4:0]              entries_o,
  output logic [4:0]              blocks_o,
  output logic [BlockBits-1:0]    block_o,      // first block of the fetch
  output logic [63:0]             addr_o,
  output logic                    bell_wild_o,  // the doorbell is more than the ring ahead
  output logic                    bell_new_o    // the doorbell posts something
);

  logic [15:0] ahead, ring, at_ring, left, free, posted_free, to_end, to_wrap, want;
  logic [31:0] offset;
  logic        unused;
  assign ring        = 16'd1 << log_i;
  assign at_ring     = ring_i.next & (ring - 16'd1);
  assign left        = ring_i.prod - ring_i.next;
  assign free        = (16'(Blocks) >> stride_log_i) - (ring_i.next - ring_i.cons);
  assign block_o     = BlockBits'(ring_i.next << stride_log_i);
  assign to_end      = (16'(Blocks) - 16'(block_o)) >> stride_log_i;
  assign to_wrap     = ring - at_ring;
  assign posted_free = left < free ? left : free;
  assign want        = posted_free < to_end ? posted_free : to_end;
  assign entries_o   = want < to_wrap ? want[4:0] : to_wrap[4:0];
  assign blocks_o    = entries_o << stride_log_i;
  assign more_o      = left != 16'(entries_o);
  assign offset      = {16'd0, at_ring} << (5'd6 + 5'(stride_log_i));
  assign addr_o      = {base_i, 12'd0} + 64'(offset);
  assign ahead       = bell_i - ring_i.cons;
  assign bell_wild_o = ahead > ring;
  assign bell_new_o  = ahead > ring_i.prod - ring_i.cons;
  assign unused      = &{ring_i, want};

endmodule
