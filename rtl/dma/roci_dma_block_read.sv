// SPDX-License-Identifier: Apache-2.0
// Block reads of five clients: runs of 64-byte blocks, in order for each client, no client waiting
// for another. One memory holds what arrived; each client owns a part and reads only what fits.
//
// Throughput: one beat in and one out a clock, also to client 0, 2 or 4; to 1 or 3 one every two
// clocks. Latency: one clock from a request to ar_valid_o, with Compact two; two clocks from a beat
// to br_rsp_valid_o.
// Clients 0, 2 and 4 take each beat in the clock in which it comes. To 1 and 3 a beat is offered
// for one clock at a time, after one in which they were ready; what they do not take is read again.
// Beats of several clients may alternate.
//
//   read tags   0tttttt client 0, 10ttttt 1, 1100ttt 2, 1101ttt 3, 1110ttt 4
//   blocks      0..255            256..383   384..415   416..447   448..479

`include "assert.svh"

module roci_dma_block_read #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Compact   = 0     // 1: a request is held for a clock
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // requests; client c has the c-th part of each vector
  input  logic [4:0]           br_req_valid_i,
  output logic [4:0]           br_req_ready_o,
  input  logic [5*roci_pkg::BlockReadReqBits-1:0] br_req_i,
  input  logic                 br_posted_i,   // with a request of client 0: see ar_posted_o
  // blocks, by beats from the lowest address on
  output logic [5*(DataWidth+1)-1:0] br_rsp_o,  // each client's: {error, data}
  output logic [4:0]           br_rsp_valid_o,
  input  logic [4:0]           br_rsp_ready_i,

  // reads
  output logic [6:0]           ar_tag_o,
  output logic [63:0]          ar_addr_o,
  output logic [19:0]          ar_pasid_o,
  output logic [8:0]           ar_beats_o,
  output logic                 ar_posted_o,   // the beats do not come from host memory
  output logic                 ar_valid_o,
  input  logic                 ar_ready_i,
  input  logic [6:0]           r_tag_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic                 r_error_i,
  input  logic                 r_last_i,
  input  logic                 r_valid_i,
  output logic                 r_fetch_o,     // it is for client 0,
  output logic [7+$clog2(512/DataWidth):0] r_fetch_row_o,  // and its number, modulo 256 blocks

  output logic                 idle_o
);

  localparam int unsigned Clients  = 5;
  localparam int unsigned BeatBits  = $clog2(512 / DataWidth);  // log2 of the beats of a block
  localparam int unsigned PlaceBits = 9 + BeatBits;
  localparam int unsigned ReqBits   = roci_pkg::BlockReadReqBits;

  // Clients that may not take a block.
  localparam logic [Clients-1:0] Waits = 5'b01010;

  logic [Clients-1:0]           ar_posted;
  logic [Clients-1:0]           ar_valid, ar_grant, beat, head_valid, pop, idle;
  logic                         ar_free;
  logic [7*Clients-1:0]         ar_tag;
  logic [64*Clients-1:0]        ar_addr;
  logic [20*Clients-1:0]        ar_pasid;
  logic [9*Clients-1:0]         ar_beats;
  logic [PlaceBits*Clients-1:0] place, head;

  always_comb begin
    beat = '0;
    casez (r_tag_i)
      7'b0??????: beat[0] = r_valid_i;
      7'b10?????: beat[1] = r_valid_i;
      7'b1100???: beat[2] = r_valid_i;
      7'b1101???: beat[3] = r_valid_i;
      default:    beat[4] = r_valid_i;
    endcase
  end

  for (genvar c = 0; c < Clients; c++) begin : gen_client
    localparam int unsigned TagBits  = c == 0 ? 6 : c == 1 ? 5 : 3;
    localparam int unsigned SlotBits = c == 0 ? 8 : c == 1 ? 7 : 5;
    localparam int unsigned Base     = c == 0 ? 0 : c == 1 ? 256 : 320 + 32 * c;
    localparam logic [6:0]  TagBase  = c == 0 ? 7'd0 : c == 1 ? 7'd64 : 7'd80 + 7'd8 * 7'(c);
    logic [TagBits-1:0] tag;
    assign ar_tag[7*c +: 7] = TagBase | 7'(tag);
    roci_dma_block_client #(
      .DataWidth(DataWidth), .TagBits(TagBits), .SlotBits(SlotBits), .Base(Base),
      .Compact(Compact)
    ) u_client (
      .clk_i, .rst_ni,
      .br_req_i(br_req_i[ReqBits*c +: ReqBits]), .br_posted_i(c == 0 && br_posted_i),
      .br_req_valid_i(br_req_valid_i[c]),
      .br_req_ready_o(br_req_ready_o[c]),
      .ar_tag_o(tag), .ar_addr_o(ar_addr[64*c +: 64]), .ar_pasid_o(ar_pasid[20*c +: 20]),
      .ar_beats_o(ar_beats[9*c +: 9]), .ar_posted_o(ar_posted[c]), .ar_valid_o(ar_valid[c]),
      .ar_ready_i(ar_grant[c] && ar_free),
      .beat_i(beat[c]), .beat_tag_i(r_tag_i[TagBits-1:0]), .beat_last_i(r_last_i),
      .beat_row_o(place[PlaceBits*c +: PlaceBits]),
      .head_valid_o(head_valid[c]), .head_row_o(head[PlaceBits*c +: PlaceBits]), .pop_i(pop[c]),
      .idle_o(idle[c]));
  end

  // Choice of the client that reads next, into a register.
  roci_arbiter_pairs #(.Clients(Clients)) u_ar (
    .clk_i, .rst_ni, .request_i(ar_valid), .grant_o(ar_grant), .taken_i(ar_free));
  assign ar_free = !ar_valid_o || ar_ready_i;
  // Choice by the grant: a part at 20 times an index becomes a multiplier.
  logic [6:0]  tag_d;
  logic [63:0] addr_d;
  logic [19:0] pasid_d;
  logic [8:0]  beats_d;
  always_comb begin
    tag_d   = '0;
    addr_d  = '0;
    pasid_d = '0;
    beats_d = '0;
    for (int c = 0; c < Clients; c++) begin
      if (ar_grant[c]) begin
        tag_d   = tag_d | ar_tag[7*c +: 7];
        addr_d  = addr_d | ar_addr[64*c +: 64];
        pasid_d = pasid_d | ar_pasid[20*c +: 20];
        beats_d = beats_d | ar_beats[9*c +: 9];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ar_valid_o <= 1'b0;
    else if (ar_free) ar_valid_o <= |ar_valid;
    if (ar_free) begin
      ar_tag_o   <= tag_d;
      ar_addr_o  <= addr_d;
      ar_pasid_o <= pasid_d;
      ar_beats_o <= beats_d;
      ar_posted_o <= ar_grant[0] && ar_posted[0];
    end
  end

  // Where a beat goes.
  logic [PlaceBits-1:0] to;
  always_comb begin
    to = '0;
    for (int c = 0; c < Clients; c++) begin
      if (beat[c]) to = to | place[PlaceBits*c +: PlaceBits];
    end
  end

  assign r_fetch_o     = beat[0];
  assign r_fetch_row_o = place[7 + BeatBits:0];

  // Which beat is offered. A client that may not take it has to be ready now, and the beat that
  // was offered to it has to be taken, or not.
  logic [Clients-1:0]   at_ram_q, offer, wants;
  logic [PlaceBits-1:0] from;
  logic                 read;
  assign wants = head_valid & ~(Waits & (at_ram_q | ~br_rsp_ready_i));
  roci_arbiter_pairs #(.Clients(Clients)) u_out (
    .clk_i, .rst_ni, .request_i(wants), .grant_o(offer), .taken_i(1'b1));
  assign pop  = (offer & ~Waits) | (at_ram_q & br_rsp_ready_i & Waits);
  assign read = |wants;
  always_comb begin
    from = '0;
    for (int c = 0; c < Clients; c++) begin
      if (offer[c]) from = from | head[PlaceBits*c +: PlaceBits];
    end
  end

  logic [DataWidth:0] data;
  logic               unused_ready;
  roci_ram #(.Width(DataWidth + 1), .Depth(1 << PlaceBits)) u_data (
    .clk_i, .rst_ni,
    .write_i(r_valid_i), .write_row_i(to), .write_data_i({r_error_i, r_data_i}),
    .read_i(read), .read_row_i(from), .read_data_o(data), .ready_o(unused_ready));

  assign br_rsp_o       = {Clients{data}};
  assign br_rsp_valid_o = at_ram_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) at_ram_q <= '0;
    else at_ram_q <= offer;
  end

  assign idle_o = (&idle) && br_rsp_valid_o == '0;

  logic unused;
  assign unused = &{1'b0, ar_posted};

  `ASSUME(TakenAtOnce, (br_rsp_valid_o & ~br_rsp_ready_i & ~Waits) == '0)

endmodule
