// SPDX-License-Identifier: Apache-2.0
// Block writes of four clients: up to 64 bytes, responded to in order for each client.
//
// Throughput: one request every two clocks or the beats it takes. Latency: two clocks from
// bw_req_valid_i to the write's address and data. The choice is made one clock ahead: ready does
// not follow valid.
//
// A byte must come to its place among the 64 of the memory's block. The clients' addresses need no
// rotator for that: data is repeated through the block, and the strobes select one copy.
//
//   client          bytes   first address       repeated every
//   0 CQ            to 32   a multiple of 32    32 bytes
//   1 EQ            to 16   a multiple of 16    16 bytes
//   2 atomic        to 8    any                  8 bytes, after a rotation within 8 bytes
//   3 firmware      to 32   a multiple of 32    32 bytes
//                   to 64   a multiple of 64    64 bytes

`include "assert.svh"

module roci_dma_block_write #(
  parameter int unsigned DataWidth = 512,
  localparam int unsigned OffBits = $clog2(DataWidth / 8)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // requests; client c has the c-th part of each vector
  input  logic [3:0]             bw_req_valid_i,
  output logic [3:0]             bw_req_ready_o,
  input  logic [4*roci_pkg::BlockWriteReqBits-1:0] bw_req_i,
  output logic [3:0]             bw_rsp_valid_o,              // pulse: in memory
  output logic [4*roci_pkg::BlockWriteRspBits-1:0] bw_rsp_o,  // with it: the write failed

  // writes
  output logic [1:0]             aw_client_o,
  output logic [63:0]            aw_addr_o,
  output logic [19:0]            aw_pasid_o,
  output logic [8:0]             aw_beats_o,
  output logic                   aw_valid_o,
  input  logic                   aw_ready_i,
  output logic [DataWidth-1:0]   w_data_o,
  output logic [DataWidth/8-1:0] w_strb_o,
  output logic                   w_last_o,
  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  input  logic [3:0]             b_i,        // responses, in order for each client
  input  logic                   b_error_i,  // with a response: its write failed

  output logic                   idle_o
);

  localparam int unsigned Clients   = 4;
  localparam int unsigned Bytes     = DataWidth / 8;
  localparam int unsigned Lanes     = 512 / DataWidth;
  localparam int unsigned LaneBits  = 6 - OffBits;
  localparam int unsigned BoundBits = OffBits + 8 < 12 ? OffBits + 8 : 12;  // as in dma_split

  // Widths of what is repeated, in bits, for CQ and firmware, EQ, and atomic.
  localparam int unsigned HalfBlock = 256;
  localparam int unsigned Event     = 128;
  localparam int unsigned Word      = 64;

  function automatic logic [Word-1:0] rotate(input logic [Word-1:0] data, input logic [2:0] by);
    rotate = data;
    for (int k = 0; k < 3; k++) begin
      if (by[k]) rotate = (rotate << (8 << k)) | (rotate >> (Word - (8 << k)));
    end
  endfunction

  // Choice of the client whose turn is next.
  logic [Clients-1:0] chosen_q, request, grant;
  logic [1:0]         chosen, chosen_d, client_q;  // chosen: number of chosen_q
  logic               choose, take, split_ready, data_ready;
  assign choose     = chosen_q == '0 || take;
  assign request    = bw_req_valid_i & ~chosen_q;
  assign bw_req_ready_o = split_ready && data_ready ? chosen_q : '0;
  assign take       = chosen_q != '0 && split_ready && data_ready;
  roci_arbiter #(.Clients(Clients)) u_choice (
    .clk_i, .rst_ni, .request_i(request), .grant_o(grant), .index_o(chosen_d),
    .taken_i(choose));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) chosen_q <= '0;
    else if (choose) chosen_q <= grant;
    if (choose) chosen <= chosen_d;
    if (take) client_q <= chosen;
  end

  // A slice at a multiple of an index becomes a multiplier, therefore the index is compared.
  localparam int unsigned ReqBits = roci_pkg::BlockWriteReqBits;
  roci_pkg::block_write_req_t req;
  always_comb begin
    req = bw_req_i[ReqBits-1:0];
    for (int c = 1; c < Clients; c++) begin
      if (chosen == 2'(c)) req = bw_req_i[ReqBits*c +: ReqBits];
    end
  end

  // Addresses: one or two bursts.
  logic [OffBits-1:0] unused_first, unused_end;
  logic               split_valid, split_last, unused_drop, flag_ready;
  roci_dma_split #(.DataWidth(DataWidth)) u_split (
    .clk_i, .rst_ni,
    .in_addr_i(req.addr), .in_pasid_i(req.pasid), .in_len_i(13'(req.bytes)), .in_last_i(1'b1),
    .in_drop_i(1'b0), .in_valid_i(chosen_q != '0 && data_ready), .in_ready_o(split_ready),
    .out_addr_o(aw_addr_o), .out_pasid_o(aw_pasid_o), .out_beats_o(aw_beats_o),
    .out_first_o(unused_first), .out_end_o(unused_end), .out_last_o(split_last),
    .out_drop_o(unused_drop), .out_valid_o(split_valid),
    .out_ready_i(flag_ready && aw_ready_i));
  assign aw_valid_o  = split_valid && flag_ready;
  assign aw_client_o = client_q;

  // Data: each byte in all places of the block that its client may write, given out by beats.
  roci_pkg::block_write_req_t req_cq, req_eq, req_atomic, req_fw;
  logic [HalfBlock-1:0] half;
  logic                 whole;  // a block of firmware
  assign req_cq     = bw_req_i[0 +: ReqBits];
  assign req_eq     = bw_req_i[ReqBits +: ReqBits];
  assign req_atomic = bw_req_i[2*ReqBits +: ReqBits];
  assign req_fw     = bw_req_i[3*ReqBits +: ReqBits];
  assign whole      = chosen == 2'd3 && req_fw.bytes > 7'(HalfBlock / 8);
  always_comb begin
    unique case (chosen)
      2'd0:    half = req_cq.data[HalfBlock-1:0];
      2'd1:    half = {2{req_eq.data[Event-1:0]}};
      2'd2:    half = {4{rotate(req_atomic.data[Word-1:0], req_atomic.addr[2:0])}};
      default: half = req_fw.data[HalfBlock-1:0];
    endcase
  end
  logic unused;
  assign unused = ^{req, req_cq, req_eq, req_atomic, req_fw};

  logic [511:0]               block_q;
  logic [BoundBits-OffBits-1:0] index_q;  // beat within the burst boundary
  logic [OffBits-1:0]         from_q, end_q;
  logic [3:0]                 more_q;   // beats after this one
  logic                       first_q, valid_q;
  logic [6:0]                 end_pos;  // the last byte, counted from the start of the first beat
  assign end_pos    = req.bytes + 7'(req.addr[OffBits-1:0]) - 7'd1;
  assign data_ready = !valid_q || (w_ready_i && more_q == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (data_ready) valid_q <= take;
    if (take) begin
      block_q <= {whole ? req_fw.data[511:HalfBlock] : half, half};
      index_q <= req.addr[BoundBits-1:OffBits];
      from_q  <= req.addr[OffBits-1:0];
      end_q   <= end_pos[OffBits-1:0];
      more_q  <= 4'(end_pos >> OffBits);
      first_q <= 1'b1;
    end else if (valid_q && w_ready_i) begin
      index_q <= index_q + 1'b1;
      more_q  <= more_q - 1'b1;
      first_q <= 1'b0;
    end
  end

  if (Lanes == 1) begin : gen_whole
    assign w_data_o = block_q;
  end else begin : gen_lanes
    assign w_data_o = block_q[DataWidth*index_q[LaneBits-1:0] +: DataWidth];
  end
  assign w_strb_o  = (first_q ? {Bytes{1'b1}} << from_q : {Bytes{1'b1}}) &
                     (more_q == '0 ? {Bytes{1'b1}} >> ~end_q : {Bytes{1'b1}});
  assign w_last_o  = more_q == '0 || (&index_q);
  assign w_valid_o = valid_q;

  // Responses: a request is done with its last burst. Each write of a completion queue may be in
  // flight that roci_cq_write counts.
  logic [Clients-1:0] room_q, waiting, ends;
  for (genvar c = 0; c < Clients; c++) begin : gen_client
    localparam int unsigned Depth = c == 0 && DataWidth != 64 ? 128 : 64;
    logic [$clog2(Depth):0] level;
    logic                   unused_room;
    roci_fifo #(.Width(1), .Depth(Depth)) u_ends (
      .clk_i, .rst_ni,
      .in_data_i(split_last),
      .in_valid_i(split_valid && flag_ready && aw_ready_i && client_q == 2'(c)),
      .in_ready_o(unused_room),
      .out_data_o(ends[c]), .out_valid_o(waiting[c]), .out_ready_i(b_i[c]), .level_o(level));
    // Room for one, also when one came in this clock.
    always_ff @(posedge clk_i) begin
      if (!rst_ni) room_q[c] <= 1'b0;
      else room_q[c] <= level < ($clog2(Depth) + 1)'(Depth - 1);
    end
  end
  assign flag_ready = room_q[client_q];

  logic [Clients-1:0] failed, failed_q;  // a burst of the request in flight failed
  assign failed = failed_q | (b_i & {Clients{b_error_i}});
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bw_rsp_valid_o <= '0;
      failed_q  <= '0;
    end else begin
      bw_rsp_valid_o <= b_i & ends;
      failed_q  <= failed & ~(b_i & ends);
    end
    bw_rsp_o <= failed;
  end

  assign idle_o = bw_req_valid_i == '0 && !split_valid && !valid_q && waiting == '0
                  && bw_rsp_valid_o == '0;

  `ASSERT(ResponseIsExpected, (b_i & ~waiting) == '0)
  `ASSUME(ChosenStays, (chosen_q & ~bw_req_valid_i) == '0)
  `ASSUME(BytesInRange, `IMPLIES(take, req.bytes >= 7'd1 && req.bytes <= 7'd64))
  `ASSUME(CqIsAligned, `IMPLIES(take && chosen == 2'd0,
                                req.bytes <= 7'd32 && req.addr[4:0] == '0))
  `ASSUME(EqIsAligned, `IMPLIES(take && chosen == 2'd1,
                                req.bytes <= 7'd16 && req.addr[3:0] == '0))
  `ASSUME(AtomicIsWord, `IMPLIES(take && chosen == 2'd2, req.bytes <= 7'd8))
  `ASSUME(FirmwareIsAligned, `IMPLIES(take && chosen == 2'd3, req.addr[4:0] == '0
                                      && (req.bytes <= 7'd32 || !req.addr[5])))

endmodule
