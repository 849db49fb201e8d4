// SPDX-License-Identifier: Apache-2.0
// Hands a datagram to a multicast group over once for each attached queue pair (UD-10): a walk
// through the rows of the table Multicast, from the one that the group's address selects. All
// other records pass.
//
// Throughput: one record a clock; of a group's datagram a row every three clocks. Latency: none for
// what passes; four clocks to the first queue pair.
//
//  record --> home row --> rows: flags, group, queue pair --> record with that queue pair
//                            ^ next, while a row says `more`     ... and at the end as it came

`include "assert.svh"

module roci_rx_groups #(
  parameter int unsigned NumQps = 256,      // a power of two
  parameter int unsigned Attachments = 256  // rows, a power of two
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 pause_i,  // begins no walk
  output logic                 ready_o,  // the table is cleared
  output logic                 busy_o,   // a walk has begun

  // row bus
  input  logic                 row_write_valid_i,
  input  roci_pkg::row_write_t row_write_i,

  // records in order of arrival
  input  roci_pkg::rx_frame_t  frame_i,
  input  logic                 frame_group_i,  // to queue pair 0xFFFFFF, and nothing is wrong
  input  logic                 frame_valid_i,
  output logic                 frame_ready_o,

  // the same, to queue pairs; frame_valid_o stays until it is taken
  output roci_pkg::rx_frame_t  frame_o,
  output logic                 frame_copy_o,  // more of the record follows
  output logic                 frame_valid_o,
  input  logic                 frame_ready_i
);

  localparam int unsigned RowBits = $clog2(Attachments);
  localparam int unsigned QpBits  = $clog2(NumQps);
  localparam int unsigned GidBits = 128;

  typedef enum logic [1:0] {StIdle, StRead, StCompare, StOffer} state_e;

  // The table: what is valid is cleared after reset, the rest is not.
  roci_pkg::multicast_t new_row;
  logic                 write, read, valid, more, unused_ready;
  logic [RowBits-1:0]   row_q;
  logic [GidBits-1:0]   gid;
  logic [QpBits-1:0]    qpn;
  assign new_row = row_write_i.data[roci_pkg::MulticastBits-1:0];
  assign write   = row_write_valid_i && row_write_i.table_id == roci_pkg::TableMulticast
                   && (row_write_i.index >> RowBits) == '0;
  roci_ram #(.Width(2), .Depth(Attachments), .Clear(1)) u_flags (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(row_write_i.index[RowBits-1:0]),
    .write_data_i({new_row.more, new_row.valid}), .read_i(read), .read_row_i(row_q),
    .read_data_o({more, valid}), .ready_o);
  roci_ram #(.Width(GidBits + QpBits), .Depth(Attachments)) u_rows (
    .clk_i, .rst_ni, .write_i(write), .write_row_i(row_write_i.index[RowBits-1:0]),
    .write_data_i({new_row.qpn[QpBits-1:0], new_row.gid}), .read_i(read), .read_row_i(row_q),
    .read_data_o({qpn, gid}), .ready_o(unused_ready));

  // The group as a row has it. Its home is the exclusive or of its bytes; both bytes of FFFF before
  // an IPv4 address cancel.
  localparam logic [95:0] Mapped = {80'd0, 16'hFFFF};
  logic [GidBits-1:0] group;
  logic [7:0]         home;
  assign group = {frame_i.ipv6 ? frame_i.dst_ip[127:32] : Mapped, frame_i.dst_ip[31:0]};
  always_comb begin
    home = '0;
    for (int i = 0; i < GidBits / 8; i++) home = home ^ group[8*i +: 8];
  end

  // The walk
  state_e            state_q;
  logic              match_q, more_q, done_q, walks, offers, goes_on;
  logic [QpBits-1:0] member_q;
  assign read    = state_q == StRead;
  assign walks   = frame_valid_i && frame_group_i;
  assign offers  = state_q == StOffer && match_q;
  assign goes_on = state_q == StOffer && (!match_q || frame_ready_i);
  assign busy_o  = state_q != StIdle || done_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      done_q  <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle:    if (walks && !done_q && !pause_i && ready_o) state_q <= StRead;
        StRead:    state_q <= StCompare;
        StCompare: state_q <= StOffer;
        default:   if (goes_on) state_q <= more_q ? StRead : StIdle;
      endcase
      if (goes_on && !more_q) done_q <= 1'b1;
      else if (frame_ready_o) done_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) row_q <= home[RowBits-1:0];
    else if (read) row_q <= row_q + 1'b1;
    if (state_q == StCompare) begin
      match_q  <= valid && gid == group;
      more_q   <= more && row_q != home[RowBits-1:0];  // not a second time round
      member_q <= qpn;
    end
  end

  // After the walk the record goes on with a number that no queue pair has; its lower bits are
  // those of a reserved one.
  always_comb begin
    frame_o = frame_i;
    if (state_q == StOffer) frame_o.qpn = 24'(member_q);
    else if (frame_group_i) frame_o.qpn[QpBits-1:0] = '0;
  end
  assign frame_copy_o  = state_q == StOffer;
  assign frame_valid_o = frame_valid_i && (!frame_group_i || offers || done_q);
  assign frame_ready_o = frame_ready_i && (!frame_group_i || done_q);

  logic unused;
  assign unused = ^{row_write_i, new_row.qpn, unused_ready, home};

  `ASSERT(WalkHasARecord, `IMPLIES(busy_o, walks))
  `ASSERT(OneAtATime, !(done_q && state_q != StIdle))

`ifdef FORMAL
  // A record stays until it is taken.
  logic               f_waits_q;
  logic [RowBits-1:0] f_home_q, f_row;
  logic [RowBits:0]   f_reads_q;  // rows of this walk
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_waits_q <= 1'b0;
    else f_waits_q <= walks && !frame_ready_o;
    f_home_q <= home[RowBits-1:0];
    if (!rst_ni || (state_q == StIdle && !done_q)) f_reads_q <= '0;
    else if (read) f_reads_q <= f_reads_q + 1'b1;
  end
  `ASSUME(RecordStays, `IMPLIES(f_waits_q, walks && home[RowBits-1:0] == f_home_q))

  // Each row is read once at most, in turn from the home on; then the record leaves.
  assign f_row = home[RowBits-1:0] + f_reads_q[RowBits-1:0];
  `ASSERT(RowsAreInTurn, `IMPLIES(state_q != StIdle, row_q == f_row))
  `ASSERT(EachRowOnce, `IMPLIES(read, f_reads_q < (RowBits + 1)'(Attachments)))
  `ASSERT(RowsAreCounted, f_reads_q <= (RowBits + 1)'(Attachments))
  `ASSERT(LastRowEndsIt, `IMPLIES(state_q == StOffer && f_reads_q == (RowBits + 1)'(Attachments),
                                  !more_q))
  `ASSERT(EndFollowsAWalk, `IMPLIES(frame_ready_o && frame_group_i && frame_valid_i,
                                    frame_valid_o && !frame_copy_o))
  `COVER(CopyLeaves, frame_valid_o && frame_ready_i && frame_copy_o)
  `COVER(RecordLeaves, done_q && frame_ready_o)
  `COVER(AllRows, done_q && f_reads_q == (RowBits + 1)'(Attachments))
  initial assume (!rst_ni);
`endif

endmodule
