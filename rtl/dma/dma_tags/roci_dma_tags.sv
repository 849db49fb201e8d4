// SPDX-License-Identifier: Apache-2.0
// Book-keeping of reads in flight: tags and buffer rows are given out in order, responses of any
// tag find their row, and the oldest rows are drained in order as soon as they are there. A read of
// data that are there already is in their order, too: it has a tag and rows, and no beat comes.
//
// Throughput: one allocation, one beat and one drained row a clock. Latency: a row is at the head
// one clock after its beat. Of the outputs only beat_row_o follows an input, beat_tag_i.
//
//   rows  | head tag  | next tag | .. | free ...
//         ^ drained          ^ alloc

`include "assert.svh"

module roci_dma_tags #(
  parameter int unsigned TagBits  = 7,   // log2 of tags
  parameter int unsigned RowBits  = 10,  // log2 of rows, each holds a beat
  parameter int unsigned MaxRows  = 64,  // rows of one read; less than all rows
  parameter int unsigned InfoBits = 1    // kept with a tag for the reader
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // a read is issued
  input  logic                alloc_i,        // only with alloc_ready_o
  input  logic [RowBits-1:0]  alloc_rows_i,   // not 0
  input  logic [InfoBits-1:0] alloc_info_i,
  input  logic                alloc_there_i,  // no beat will come: the reader has its data
  output logic                alloc_ready_o,
  output logic [TagBits-1:0]  alloc_tag_o,

  // a beat arrives
  input  logic                beat_i,
  input  logic [TagBits-1:0]  beat_tag_i,
  input  logic                beat_last_i,    // checked, not used
  output logic [RowBits-1:0]  beat_row_o,

  // the oldest row
  output logic                head_valid_o,   // its beat has arrived, or none will
  output logic                head_there_o,   // none will
  output logic [RowBits-1:0]  head_row_o,
  output logic [RowBits-1:0]  head_index_o,   // rows of its read before it
  output logic                head_first_o,   // first row of its read
  output logic                head_last_o,
  output logic [InfoBits-1:0] head_info_o,
  input  logic                pop_i,          // only with head_valid_o

  output logic                empty_o
);

  `PARAM_CHECK(RoomForTwo, MaxRows < 2 ** RowBits)

  localparam int unsigned Tags = 2 ** TagBits;
  localparam int unsigned Rows = 2 ** RowBits;

  logic [RowBits-1:0]  start [Tags];  // first row
  logic [RowBits-1:0]  place [Tags];  // row of the next beat, once one has come
  logic [RowBits-1:0]  rows  [Tags];  // rows, less one
  logic [InfoBits-1:0] info  [Tags];
  logic                there [Tags];
  // No beat has come: as long as the two differ. One is written with a read, the other with a beat.
  logic                by_alloc [Tags];
  logic                by_beat [Tags];

  logic [TagBits:0]   tag_new_q, tag_old_q;
  logic [RowBits:0]   row_new_q, row_old_q;
  logic [RowBits-1:0] drained_q;          // rows of the oldest read so far
  logic [RowBits:0]   used_q;             // rows given out and not drained
  logic [TagBits-1:0] tag_new, tag_old;
  logic [RowBits-1:0] reached;
  logic               fresh_beat, fresh_old;

  assign empty_o       = tag_new_q == tag_old_q;
  assign tag_new       = tag_new_q[TagBits-1:0];
  assign tag_old       = tag_old_q[TagBits-1:0];
  assign alloc_ready_o = (tag_new_q - tag_old_q) != (TagBits + 1)'(Tags) &&
                         used_q <= (RowBits + 1)'(Rows - MaxRows);
  assign alloc_tag_o   = tag_new;
  assign fresh_beat    = by_alloc[beat_tag_i] ^ by_beat[beat_tag_i];
  assign fresh_old     = by_alloc[tag_old] ^ by_beat[tag_old];
  assign beat_row_o    = fresh_beat ? start[beat_tag_i] : place[beat_tag_i];
  assign reached       = place[tag_old];
  assign head_there_o  = there[tag_old];
  assign head_valid_o  = !empty_o && (head_there_o || (!fresh_old && reached != head_row_o));
  assign head_row_o    = row_old_q[RowBits-1:0];
  assign head_index_o  = drained_q;
  assign head_first_o  = drained_q == '0;
  assign head_last_o   = drained_q == rows[tag_old];
  assign head_info_o   = info[tag_old];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tag_new_q <= '0;
      tag_old_q <= '0;
      row_new_q <= '0;
      row_old_q <= '0;
      used_q    <= '0;
      drained_q <= '0;
    end else begin
      used_q <= used_q + (alloc_i ? {1'b0, alloc_rows_i} : '0) - (RowBits + 1)'(pop_i);
      if (alloc_i) begin
        tag_new_q <= tag_new_q + 1'b1;
        row_new_q <= row_new_q + {1'b0, alloc_rows_i};
      end
      if (pop_i) begin
        row_old_q <= row_old_q + 1'b1;
        drained_q <= head_last_o ? '0 : drained_q + 1'b1;
        if (head_last_o) tag_old_q <= tag_old_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (alloc_i) begin
      start[tag_new] <= row_new_q[RowBits-1:0];
      rows[tag_new]  <= alloc_rows_i - 1'b1;
      info[tag_new]  <= alloc_info_i;
      there[tag_new] <= alloc_there_i;
    end
    if (beat_i) place[beat_tag_i] <= beat_row_o + 1'b1;
    if (alloc_i) by_alloc[tag_new] <= !by_beat[tag_new];
    if (beat_i) by_beat[beat_tag_i] <= by_alloc[beat_tag_i];
  end

  `ASSUME(AllocOnlyWhenReady, `IMPLIES(alloc_i, alloc_ready_o && alloc_rows_i != '0 &&
                                       alloc_rows_i <= RowBits'(MaxRows)))
  `ASSUME(PopOnlyWhenValid, `IMPLIES(pop_i, head_valid_o))
  `ASSERT(RowsAreCounted, used_q == row_new_q - row_old_q && used_q <= (RowBits + 1)'(Rows))
  `ASSERT(EmptyHasNoRows, `IMPLIES(empty_o, used_q == '0))

  // A response belongs to a read in flight, ends with it, and falls into rows that are in use.
  logic [TagBits-1:0] beat_age;
  logic [RowBits-1:0] beat_ahead, last_row;
  assign beat_age   = beat_tag_i - tag_old;
  assign beat_ahead = beat_row_o - row_old_q[RowBits-1:0];
  assign last_row   = start[beat_tag_i] + rows[beat_tag_i];
  `ASSUME(BeatIsExpected, `IMPLIES(beat_i, {1'b0, beat_age} < tag_new_q - tag_old_q
                                           && !there[beat_tag_i]))
  `ASSUME(LastInItsPlace, `IMPLIES(beat_i, beat_last_i == (beat_row_o == last_row)))
  `ASSERT(BeatHasRow, `IMPLIES(beat_i, {1'b0, beat_ahead} < used_q))

`ifdef FORMAL
  // Proved with two tags. The count of beats of each tag is kept apart.
  logic [RowBits-1:0] f_beats [2];
  logic [TagBits-1:0] f_next;      // the tag after the head
  logic [TagBits:0]   f_tags;
  logic               f_next_fresh;
  logic [RowBits:0]   f_old_rows, f_next_rows;
  logic [RowBits-1:0] f_old_place, f_next_place;
  assign f_next       = tag_old + 1'b1;
  assign f_tags       = tag_new_q - tag_old_q;
  assign f_old_rows   = {1'b0, rows[tag_old]} + 1'b1;
  assign f_next_rows  = {1'b0, rows[f_next]} + 1'b1;
  assign f_next_fresh   = by_alloc[f_next] ^ by_beat[f_next];
  assign f_old_place  = fresh_old ? start[tag_old] : place[tag_old];
  assign f_next_place = f_next_fresh ? start[f_next] : place[f_next];
  always_ff @(posedge clk_i) begin
    if (beat_i) f_beats[beat_tag_i] <= f_beats[beat_tag_i] + 1'b1;
    if (alloc_i) f_beats[tag_new] <= '0;
  end
  `ASSUME(NoBeatTooMuch, `IMPLIES(beat_i, f_beats[beat_tag_i] <= rows[beat_tag_i]))

  `ASSERT(TagsInRange, f_tags <= (TagBits + 1)'(Tags))
  `ASSERT(HeadHasRows, `IMPLIES(f_tags != '0, f_old_rows <= (RowBits + 1)'(MaxRows) &&
                                start[tag_old] + drained_q == row_old_q[RowBits-1:0] &&
                                drained_q <= rows[tag_old] &&
                                (head_there_o || drained_q <= f_beats[tag_old])))
  `ASSERT(NoBeatCame, `IMPLIES(f_tags != '0 && head_there_o, f_beats[tag_old] == '0))
  `ASSERT(NoBeatComes, `IMPLIES(f_tags == 2'd2 && there[f_next], f_beats[f_next] == '0))
  `ASSERT(NextFollowsHead, `IMPLIES(f_tags == 2'd2, f_next_rows <= (RowBits + 1)'(MaxRows) &&
                                    start[f_next] == start[tag_old] + f_old_rows[RowBits-1:0]))
  `ASSERT(OldFresh, `IMPLIES(f_tags != '0, fresh_old == (f_beats[tag_old] == '0)))
  `ASSERT(NextFresh, `IMPLIES(f_tags == 2'd2, f_next_fresh == (f_beats[f_next] == '0)))
  `ASSERT(OldPlace, `IMPLIES(f_tags != '0, f_old_place == start[tag_old] + f_beats[tag_old] &&
                             {1'b0, f_beats[tag_old]} <= f_old_rows))
  `ASSERT(NextPlace, `IMPLIES(f_tags == 2'd2, f_next_place == start[f_next] + f_beats[f_next] &&
                              {1'b0, f_beats[f_next]} <= f_next_rows))
  `ASSERT(NewestEnds, `IMPLIES(f_tags != '0, row_new_q[RowBits-1:0] ==
          (f_tags == 2'd2 ? start[f_next] + f_next_rows[RowBits-1:0]
                          : start[tag_old] + f_old_rows[RowBits-1:0])))
  `ASSERT(UsedIsSum, used_q == (f_tags == '0 ? '0 : f_tags == 2'd1 ? f_old_rows - {1'b0, drained_q}
                              : f_old_rows + f_next_rows - {1'b0, drained_q}))
  `ASSERT(EmptyHasNoneDrained, `IMPLIES(f_tags == '0, drained_q == '0))
  // What is drained has arrived; what arrives takes the row after that of the beat before.
  `ASSERT(HeadHasArrived, `IMPLIES(head_valid_o, head_there_o || f_beats[tag_old] > drained_q))
  `ASSERT(BeatsInOrder, `IMPLIES(beat_i, beat_row_o == start[beat_tag_i] + f_beats[beat_tag_i]))
  `COVER(SecondOvertakes, f_tags == 2'd2 && f_beats[tag_old] == '0 && f_beats[f_next] == 3'd2)
  `COVER(Wraps, head_valid_o && row_old_q[RowBits])
  `COVER(ThereAfterABeat, f_tags == 2'd1 && head_there_o && head_index_o == 3'd2
                          && row_old_q[RowBits])
  initial assume (!rst_ni);
`endif

endmodule
