// SPDX-License-Identifier: Apache-2.0
// Payload reads: segments of memory become bursts with many in flight; their data leaves in order,
// each beat with the place of its bytes, as soon as it is there. Blocks of work requests are kept
// as they come, and a segment of inline data is read from them in its turn, not from host memory.
//
// Throughput: one burst, one beat in and one beat out a clock. Latency: a segment is on ar_* one
// clock later; a beat leaves two clocks after it came.

`include "assert.svh"

module roci_dma_payload #(
  parameter int unsigned DataWidth   = 512,
  parameter int unsigned BufferBytes = 65536,
  parameter int unsigned TagBits     = 7,
  parameter int unsigned FetchBlocks = 256,    // newest blocks of work requests, a power of two
  localparam int unsigned OffBits   = $clog2(DataWidth / 8),
  localparam int unsigned BlockBits = $clog2(FetchBlocks),
  localparam int unsigned FetchBits = $clog2(512 / DataWidth) + BlockBits
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // segments
  input  roci_pkg::seg_t       seg_i,
  input  logic                 seg_valid_i,
  output logic                 seg_ready_o,

  // reads
  output logic [TagBits-1:0]   ar_tag_o,
  output logic [63:0]          ar_addr_o,
  output logic [19:0]          ar_pasid_o,
  output logic [8:0]           ar_beats_o,
  output logic                 ar_valid_o,
  input  logic                 ar_ready_i,
  input  logic [TagBits-1:0]   r_tag_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic                 r_error_i,
  input  logic                 r_last_i,
  input  logic                 r_valid_i,
  // a beat of a fetched work request, with r_data_i and r_error_i; never with r_valid_i
  input  logic                 fetch_valid_i,
  input  logic [FetchBits-1:0] fetch_row_i,   // its number, modulo FetchBlocks

  // beats in order
  output logic [DataWidth-1:0] out_data_o,
  output logic [OffBits-1:0]   out_start_o,  // first byte
  output logic [OffBits:0]     out_bytes_o,
  output logic                 out_last_o,   // last beat of the packet
  output logic                 out_error_o,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,

  // inline data of a packet were read; the last block of them
  output logic                 inline_done_valid_o,
  output logic [BlockBits-1:0] inline_done_block_o,

  output logic                 idle_o
);

  localparam int unsigned Bytes   = DataWidth / 8;
  localparam int unsigned Rows    = BufferBytes / Bytes;
  localparam int unsigned RowBits = $clog2(Rows);
  // Rows of payload come first in the memory, then those of work requests.
  localparam int unsigned MemBits = (RowBits > FetchBits ? RowBits : FetchBits) + 1;
  localparam int unsigned MaxRows = 4096 / Bytes < 256 ? 4096 / Bytes : 256;

  `PARAM_CHECK(BufferHoldsTwoBursts, Rows >= 2 * MaxRows && Rows == 2 ** RowBits)
  `ASSUME(ReadsAreNotDropped, `IMPLIES(seg_valid_i, !seg_i.drop))
  `ASSUME(InlineIsShort, `IMPLIES(seg_valid_i && seg_i.fetched,
                                  seg_i.last && seg_i.len <= 13'd192))
  `ASSUME(OneBeatComes, !(r_valid_i && fetch_valid_i))

  // Inline data stay one segment, as a segment of scatter that is dropped.
  logic [OffBits-1:0] first, last_byte;
  logic               last, split_valid, split_ready, fetched, tags_ready, alloc;
  roci_dma_split #(.DataWidth(DataWidth)) u_split (
    .clk_i, .rst_ni,
    .in_addr_i(seg_i.addr), .in_pasid_i(seg_i.pasid), .in_len_i(seg_i.len),
    .in_last_i(seg_i.last), .in_drop_i(seg_i.fetched), .in_valid_i(seg_valid_i),
    .in_ready_o(seg_ready_o),
    .out_addr_o(ar_addr_o), .out_pasid_o(ar_pasid_o), .out_beats_o(ar_beats_o),
    .out_first_o(first), .out_end_o(last_byte), .out_last_o(last), .out_drop_o(fetched),
    .out_valid_o(split_valid), .out_ready_i(split_ready));
  assign ar_valid_o  = split_valid && tags_ready && !fetched;
  assign split_ready = tags_ready && (ar_ready_i || fetched);
  assign alloc       = split_valid && split_ready;

  logic [RowBits-1:0]   write_row, read_row, index;
  logic [FetchBits-1:0] head_from, from;
  logic [OffBits-1:0]   head_start, head_end;
  logic                 head_valid, head_fetched, head_first, head_last, head_packet_last;
  logic                 tags_empty, read;
  roci_dma_tags #(
    .TagBits(TagBits), .RowBits(RowBits), .MaxRows(MaxRows),
    .InfoBits(FetchBits + 2 * OffBits + 1)
  ) u_tags (
    .clk_i, .rst_ni,
    .alloc_i(alloc), .alloc_rows_i(RowBits'(ar_beats_o)),
    .alloc_info_i({ar_addr_o[OffBits +: FetchBits], first, last_byte, last}),
    .alloc_there_i(fetched), .alloc_ready_o(tags_ready), .alloc_tag_o(ar_tag_o),
    .beat_i(r_valid_i), .beat_tag_i(r_tag_i), .beat_last_i(r_last_i), .beat_row_o(write_row),
    .head_valid_o(head_valid), .head_there_o(head_fetched), .head_row_o(read_row),
    .head_index_o(index), .head_first_o(head_first), .head_last_o(head_last),
    .head_info_o({head_from, head_start, head_end, head_packet_last}), .pop_i(read),
    .empty_o(tags_empty));

  // The read register of the memory is the output stage.
  logic [MemBits-1:0] write_place, read_place;
  logic               unused_ready;
  assign from        = head_from + FetchBits'(index);
  assign write_place = fetch_valid_i ? {1'b1, (MemBits - 1)'(fetch_row_i)}
                                     : {1'b0, (MemBits - 1)'(write_row)};
  assign read_place  = head_fetched ? {1'b1, (MemBits - 1)'(from)}
                                    : {1'b0, (MemBits - 1)'(read_row)};
  roci_ram #(.Width(DataWidth + 1), .Depth(1 << MemBits)) u_data (
    .clk_i, .rst_ni,
    .write_i(r_valid_i || fetch_valid_i), .write_row_i(write_place),
    .write_data_i({r_error_i, r_data_i}),
    .read_i(read), .read_row_i(read_place), .read_data_o({out_error_o, out_data_o}),
    .ready_o(unused_ready));
  assign read = head_valid && (!out_valid_o || out_ready_i);

  logic [OffBits-1:0] start, stop;
  assign start = head_first ? head_start : '0;
  assign stop  = head_last ? head_end : '1;

  logic unused;
  assign unused = &{1'b0, index, unused_ready};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else if (!out_valid_o || out_ready_i) out_valid_o <= head_valid;
    if (read) begin
      out_start_o <= start;
      out_bytes_o <= {1'b0, stop} - {1'b0, start} + 1'b1;
      out_last_o  <= head_last && head_packet_last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) inline_done_valid_o <= 1'b0;
    else inline_done_valid_o <= read && head_fetched && head_last;
    inline_done_block_o <= from[FetchBits-1 -: BlockBits];
  end

  assign idle_o = !seg_valid_i && !split_valid && tags_empty && !out_valid_o
                  && !inline_done_valid_o;

endmodule
