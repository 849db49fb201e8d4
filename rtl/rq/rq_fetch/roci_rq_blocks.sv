// SPDX-License-Identifier: Apache-2.0
// Blocks of the oldest receives: reads in flight, what arrives, reads of a list, and the copy of an
// entry of an SRQ to the queue pair that takes it.
//
// Throughput: a block per clock. Latency of a list read: one clock. A copy of n blocks takes n + 1
// clocks. Rows are overwritten in order of request, so that late data is never used.
//
//   request --> in flight --+--> blocks of queue pairs --> list
//   br data ----------------+              ^
//                           +--> blocks of SRQs (copy)

`include "assert.svh"

module roci_rq_blocks #(
  parameter int unsigned NumQps  = 256,  // power of two
  parameter int unsigned NumSrqs = 64,   // power of two
  parameter int unsigned Blocks  = 16,   // kept per queue pair and SRQ: 4, 8 or 16
  parameter int unsigned Srq     = 1,    // 0: no SRQs
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
  input  roci_pkg::block_read_rsp_t br_rsp_i,
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

  // copy of an SRQ's entry to blocks 0 and on of a queue pair; block 0 takes domain and stride
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
  output logic [7:0]                list_num_sge_o,  // these three when list_sge_i was 0
  output logic [15:0]               list_pd_o,       // domain of a copied entry
  output logic [1:0]                list_stride_o
);

  localparam int unsigned SrqRowBits = $clog2(NumSrqs);

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

  logic [3:0] arrived_q;     // blocks of the oldest request
  logic       bad_q;         // a block of the oldest request failed
  logic       take, take_last, copy_write_q;
  assign br_rsp_ready_o = flight_valid && !done_valid_o && !copy_write_q;
  assign take            = br_rsp_valid_i && br_rsp_ready_o;
  assign take_last       = 5'(arrived_q) + 5'd1 == flight_blocks;
  assign flight_pop      = take && take_last;
  assign take_at         = flight_block + BlockBits'(arrived_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arrived_q    <= '0;
      bad_q        <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      if (done_taken_i) done_valid_o <= 1'b0;
      if (take) begin
        arrived_q    <= take_last ? '0 : arrived_q + 1'b1;
        bad_q        <= !take_last && (bad_q || br_rsp_i.error);
        done_valid_o <= take_last;
      end
    end
    if (flight_pop) begin
      done_bad_o     <= bad_q || br_rsp_i.error;
      done_srq_o     <= flight_srq;
      done_row_o     <= flight_row;
      done_epoch_o   <= flight_epoch;
      done_entries_o <= flight_entries;
    end
  end

  // Copy.
  logic                  copying_q, copy_first_q, copy_last, copy_ends_q;
  logic [1:0]            copied_q, write_at_q, stride_q;  // next block to read, block to write
  logic [RowBits-1:0]    srqn_q;
  logic [BlockBits-1:0]  block_q;
  logic [15:0]           pd_q;
  logic [511:0]          srq_block;
  roci_pkg::wqe_t        copied;
  logic                  srq_ready;
  assign copy_last   = copied_q == 2'((3'd1 << stride_q) - 3'd1);
  assign copy_done_o = copy_ends_q;

  if (Srq != 0) begin : gen_srq
    roci_ram #(.Width(512), .Depth(Blocks * NumSrqs)) u_srq_blocks (
      .clk_i, .rst_ni,
      .write_i(take && flight_srq), .write_row_i({flight_row[SrqRowBits-1:0], take_at}),
      .write_data_i (br_rsp_i.data),
      .read_i       (copying_q),
      .read_row_i   ({srqn_q[SrqRowBits-1:0], block_q + BlockBits'(copied_q)}),
      .read_data_o(srq_block), .ready_o(srq_ready)
    );
  end else begin : gen_no_srq
    logic unused_block;
    assign unused_block = &{1'b0, block_q};
    assign srq_block    = '0;
    assign srq_ready    = 1'b1;
  end
  always_comb begin
    copied = srq_block;
    if (copy_first_q) copied.reserved2 = 64'({stride_q, pd_q});
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
      copied_q <= copied_q + 2'd1;
    end
    copy_first_q <= copied_q == '0;
    write_at_q   <= copied_q;
    if (copy_write_q && copy_first_q) copy_tag_o <= copied.imm[15:0];
  end

  // Blocks of queue pairs.
  roci_pkg::wqe_t       list_block;
  logic [511:0]         list_bits, write_data;
  logic [1:0]           lane_q;
  logic [3:0]           list_sge_less;
  logic [BlockBits-1:0] list_at;
  logic                 write, blocks_ready, unused;
  logic [QpRowBits+BlockBits-1:0] write_row;
  assign list_sge_less = list_sge_i - 4'd1;
  assign list_at = list_sge_i == '0 ? list_block_i[BlockBits-1:0]
                 : list_block_i[BlockBits-1:0] + BlockBits'(list_sge_less[3:2]) + 1'b1;
  assign write      = copy_write_q || (take && !flight_srq);
  assign write_row  = copy_write_q ? {copy_row_i, BlockBits'(write_at_q)}
                                   : {flight_row[QpRowBits-1:0], take_at};
  assign write_data = copy_write_q ? copied : br_rsp_i.data;
  assign unused     = &{srqn_q, list_block, list_block_i, blocks_ready, srq_ready};
  roci_ram #(.Width(512), .Depth(Blocks * NumQps)) u_blocks (
    .clk_i, .rst_ni,
    .write_i(write), .write_row_i(write_row), .write_data_i(write_data),
    .read_i(list_read_i), .read_row_i({list_row_i, list_at}),
    .read_data_o(list_bits), .ready_o(blocks_ready)
  );
  always_ff @(posedge clk_i) begin
    if (list_read_i) lane_q <= list_sge_i == '0 ? 2'd3 : list_sge_less[1:0];
  end
  assign list_block     = list_bits;
  assign list_sge_o     = list_bits[128*lane_q +: 128];
  assign list_num_sge_o = list_block.num_sge;
  assign list_pd_o      = list_block.reserved2[15:0];
  assign list_stride_o  = list_block.reserved2[17:16];

  assign idle_o = !flight_valid && !done_valid_o && !copying_q && !copy_write_q;

  `ASSERT(OneCopyAtATime, `IMPLIES(copy_start_i, !copying_q && !copy_write_q))

endmodule
