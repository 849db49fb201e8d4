// SPDX-License-Identifier: Apache-2.0
// Blocks of the oldest receives: reads in flight, what arrives, reads of a list, and the copy of an
// entry of an SRQ to the queue pair that takes it.
//
// Throughput: a beat per clock. Latency of a list read: one clock. A copy of n parts of blocks, see
// roci_block_ram, takes n + 1 clocks. Rows are overwritten in order of request, so that late data
// is never used.
//
//   request --> in flight --+--> blocks of queue pairs --> list
//   br data ----------------+              ^
//                           +--> blocks of SRQs (copy)

`include "assert.svh"

module roci_rq_blocks #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned NumQps    = 256,  // power of two
  parameter int unsigned NumSrqs   = 64,   // power of two
  parameter int unsigned Blocks    = 16,   // kept per queue pair and SRQ: 4, 8 or 16
  parameter int unsigned Srq       = 1,    // 0: no SRQs
  localparam int unsigned RowBits = $clog2(NumQps > NumSrqs ? NumQps : NumSrqs),
  localparam int unsigned QpRowBits = $clog2(NumQps),
  localparam int unsigned BlockBits = $clog2(Blocks)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      idle_o,

  // a fetch is requested
  input  logic                      push_i,
  output logic                      push_ready_o,
  input  logic                      srq_i,
  input  logic [RowBits-1:0]        row_i,
  input  logic [3:0]                epoch_i,
  input  logic [BlockBits-1:0]      block_i,  // first block of the fetch
  input  logic [4:0]                blocks_i,
  input  logic [4:0]                entries_i,

  // what arrives
  input  logic [DataWidth:0]        br_rsp_i,  // a beat: {error, data}
  input  logic                      br_rsp_valid_i,
  output logic                      br_rsp_ready_o,

  // a fetch is complete
  output logic                      done_valid_o,
  input  logic                      done_taken_i,
  output logic                      done_bad_o,
  output logic                      done_srq_o,
  output logic [RowBits-1:0]        done_row_o,
  output logic [3:0]                done_epoch_o,
  output logic [4:0]                done_entries_o,

  // copy of an SRQ's entry to blocks 0 and on of a queue pair, whose row takes domain and stride
  input  logic                      copy_start_i,  // row is held until the end, the rest is not
  input  logic [RowBits-1:0]        copy_srqn_i,
  input  logic [BlockBits-1:0]      copy_block_i,
  input  logic [1:0]                copy_stride_i,
  input  logic [15:0]               copy_pd_i,
  input  logic [QpRowBits-1:0]      copy_row_i,
  output logic                      copy_done_o,   // with the last block
  output logic [15:0]               copy_tag_o,    // valid from the clock after that

  // list; result one clock later
  input  logic                      list_read_i,
  input  logic [QpRowBits-1:0]      list_row_i,
  input  logic [3:0]                list_block_i,    // first block of the list, modulo Blocks
  input  logic [3:0]                list_sge_i,
  output roci_pkg::sge_t            list_sge_o,
  output logic [7:0]                list_num_sge_o,  // when list_sge_i was 0
  output logic [15:0]               list_pd_o,       // domain and stride of a copied entry
  output logic [1:0]                list_stride_o
);

  localparam int unsigned SrqRowBits = $clog2(NumSrqs);
  localparam int unsigned PartBits   = DataWidth < 128 ? 128 : DataWidth;
  localparam int unsigned Lanes      = PartBits / DataWidth;

  // Requests in flight.
  localparam int unsigned FlightBits = 1 + RowBits + 4 + BlockBits + 5 + 5;
  logic                 of_srq, flight_srq, flight_valid, flight_pop;
  logic [RowBits-1:0]   flight_row;
  logic [3:0]           flight_epoch;
  logic [BlockBits-1:0] flight_block, take_at;
  logic [4:0]           flight_blocks, flight_entries;
  logic [5:0]           flight_level;
  logic                 unused_room;
  roci_fifo #(.Width(FlightBits), .Depth(32)) u_flight (
    .clk_i, .rst_ni,
    .in_data_i({srq_i, row_i, epoch_i, block_i, blocks_i, entries_i}), .in_valid_i(push_i),
    .in_ready_o (unused_room),
    .out_data_o ({of_srq, flight_row, flight_epoch, flight_block, flight_blocks,
                  flight_entries}),
    .out_valid_o(flight_valid), .out_ready_i(flight_pop), .level_o(flight_level)
  );
  assign flight_srq = Srq != 0 && of_srq;
  // Room for one, also when one came in this clock.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) push_ready_o <= 1'b0;
    else push_ready_o <= flight_level < 6'd31;
  end

  logic [3:0]       arrived_q;  // blocks of the oldest request
  logic             bad_q;      // a beat of the oldest request failed
  logic             take, last_beat, take_last, copy_write_q, unused_first;
  logic [1:0]       entry;
  logic [Lanes-1:0] lane;
  assign br_rsp_ready_o = flight_valid && !done_valid_o && !copy_write_q;
  assign take           = br_rsp_valid_i && br_rsp_ready_o;
  assign take_last      = last_beat && 5'(arrived_q) + 5'd1 == flight_blocks;
  assign flight_pop     = take && take_last;
  assign take_at        = flight_block + BlockBits'(arrived_q);
  roci_block_beats #(.DataWidth(DataWidth)) u_beats (
    .clk_i, .rst_ni, .beat_i(take), .first_o(unused_first), .last_o(last_beat), .entry_o(entry),
    .lane_o(lane));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arrived_q    <= '0;
      bad_q        <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      if (done_taken_i) done_valid_o <= 1'b0;
      if (take) begin
        arrived_q    <= take_last ? '0 : arrived_q + 4'(last_beat);
        bad_q        <= !take_last && (bad_q || br_rsp_i[DataWidth]);
        done_valid_o <= take_last;
      end
    end
    if (flight_pop) begin
      done_bad_o     <= bad_q || br_rsp_i[DataWidth];
      done_srq_o     <= flight_srq;
      done_row_o     <= flight_row;
      done_epoch_o   <= flight_epoch;
      done_entries_o <= flight_entries;
    end
  end

  // Copy, part by part; counted by 128 bits.
  localparam int unsigned Step = PartBits / 128;
  logic                 copying_q, copy_first_q, copy_last, copy_ends_q;
  logic [3:0]           copied_q, write_at_q;  // next part to read, part to write
  logic [1:0]           stride_q;
  logic [RowBits-1:0]   srqn_q;
  logic [BlockBits-1:0] block_q;
  logic [15:0]          pd_q;
  logic [PartBits-1:0]  copied;
  roci_pkg::wqe_t       head;                  // fields of the first part, when it is written
  assign copy_last   = copied_q == 4'((5'd4 << stride_q) - 5'(Step));
  assign copy_done_o = copy_ends_q;

  if (Srq != 0) begin : gen_srq
    roci_block_ram #(.DataWidth(DataWidth), .Blocks(Blocks * NumSrqs)) u_srq_blocks (
      .clk_i, .rst_ni,
      .write_i(take && flight_srq ? lane : '0),
      .write_block_i({flight_row[SrqRowBits-1:0], take_at}), .write_entry_i(entry),
      .write_data_i({Lanes{br_rsp_i[DataWidth-1:0]}}), .write_bad_i(1'b0),
      .read_i(copying_q),
      .read_block_i({srqn_q[SrqRowBits-1:0], block_q + BlockBits'(copied_q[3:2])}),
      .read_entry_i(copied_q[1:0]), .part_o(copied), .bad_o());
    logic unused_block;
    assign unused_block = &{1'b0, srqn_q};  // its high bits
  end else begin : gen_no_srq
    logic unused_block;
    assign unused_block = &{1'b0, block_q, srqn_q};
    assign copied       = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      copying_q    <= 1'b0;
      copy_write_q <= 1'b0;
      copy_ends_q  <= 1'b0;
    end else begin
      copying_q    <= Srq != 0 && (copy_start_i || (copying_q && !copy_last));
      copy_write_q <= copying_q;
      copy_ends_q  <= copying_q && copy_last;
    end
    if (copy_start_i) begin
      srqn_q   <= copy_srqn_i;
      block_q  <= copy_block_i;
      stride_q <= copy_stride_i;
      pd_q     <= copy_pd_i;
      copied_q <= '0;
    end else if (copying_q) begin
      copied_q <= copied_q + 4'(Step);
    end
    copy_first_q <= copied_q == '0;
    write_at_q   <= copied_q;
    if (copy_write_q && copy_first_q) copy_tag_o <= head.imm[15:0];
  end

  // Blocks of queue pairs: their lists, the lengths of the lists apart.
  logic [PartBits-1:0]  list_part;
  logic [1:0]           list_entry, lane_q;
  logic [3:0]           list_sge_less;
  logic [BlockBits-1:0] list_at;
  logic                 write_head, unused_head_ready, unused;
  logic [Lanes-1:0]     write;
  logic [1:0]           write_entry;
  logic [PartBits-1:0]  write_data;
  logic [QpRowBits+BlockBits-1:0] write_block, list_row;
  assign list_sge_less = list_sge_i - 4'd1;
  assign list_entry    = list_sge_i == '0 ? 2'd3 : list_sge_less[1:0];
  assign list_at = list_sge_i == '0 ? list_block_i[BlockBits-1:0]
                 : list_block_i[BlockBits-1:0] + BlockBits'(list_sge_less[3:2]) + 1'b1;
  assign list_row    = {list_row_i, list_at};
  assign write       = copy_write_q ? {Lanes{1'b1}} : take && !flight_srq ? lane : '0;
  assign write_block = copy_write_q ? {copy_row_i, BlockBits'(write_at_q[3:2])}
                                    : {flight_row[QpRowBits-1:0], take_at};
  assign write_entry = copy_write_q ? write_at_q[1:0] : entry;
  assign write_data  = copy_write_q ? copied : {Lanes{br_rsp_i[DataWidth-1:0]}};
  roci_block_ram #(.DataWidth(DataWidth), .Blocks(Blocks * NumQps)) u_blocks (
    .clk_i, .rst_ni,
    .write_i(write), .write_block_i(write_block), .write_entry_i(write_entry),
    .write_data_i(write_data), .write_bad_i(1'b0),
    .read_i(list_read_i), .read_block_i(list_row), .read_entry_i(list_entry), .part_o(list_part),
    .bad_o());
  always_ff @(posedge clk_i) begin
    if (list_read_i) lane_q <= list_entry & 2'(PartBits / 128 - 1);
  end
  assign list_sge_o = list_part[128*lane_q +: 128];

  assign head       = 512'(write_data);
  assign write_head = write[0] && write_entry == '0;
  assign unused     = &{1'b0, head};
  roci_ram #(.Width(8), .Depth(Blocks * NumQps)) u_lengths (
    .clk_i, .rst_ni,
    .write_i(write_head), .write_row_i(write_block), .write_data_i(head.num_sge),
    .read_i(list_read_i), .read_row_i(list_row), .read_data_o(list_num_sge_o),
    .ready_o(unused_head_ready));

  if (Srq != 0) begin : gen_copied
    logic unused_copied_ready;
    roci_ram #(.Width(18), .Depth(NumQps)) u_copied (
      .clk_i, .rst_ni,
      .write_i(copy_write_q && copy_first_q), .write_row_i(copy_row_i),
      .write_data_i({stride_q, pd_q}),
      .read_i(list_read_i), .read_row_i(list_row_i), .read_data_o({list_stride_o, list_pd_o}),
      .ready_o(unused_copied_ready));
  end else begin : gen_none_copied
    logic unused_copied;
    assign unused_copied = &{1'b0, pd_q};
    assign list_stride_o = '0;
    assign list_pd_o     = '0;
  end

  assign idle_o = !flight_valid && !done_valid_o && !copying_q && !copy_write_q;

  `ASSERT(OneCopyAtATime, `IMPLIES(copy_start_i, !copying_q && !copy_write_q))

endmodule
