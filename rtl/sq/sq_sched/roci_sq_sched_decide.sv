// SPDX-License-Identifier: Apache-2.0
// What an event does to a send queue's word, and whether work may be granted then. Combinational.

module roci_sq_sched_decide (
  input  logic [2:0]           event_i,    // SchedXxx, and what belongs to it:
  input  logic [2:0]           state_i,    //   State
  input  logic                 flush_i,    //   Command: flush,
  input  logic                 resume_i,   //            or resume after SQE, or a generation begins
  input  roci_pkg::fetch_ptr_t ptr_i,      //   Set, Segment
  input  logic [15:0]          past_i,     //   Segment: its index, after what it has begun
  input  logic [15:0]          index_i,    //   Bell

  input  roci_pkg::sched_qp_t  word_i,
  input  logic [15:0]          done_i,     // oldest work request not completed
  input  logic [3:0]           sq_log_i,   // log2 of entries of the ring

  output roci_pkg::sched_qp_t  word_o,
  output logic [15:0]          left_o,     // work requests to be granted by Grant, or by Bell
  output logic                 more_o,     // there are some, and nothing holds the queue back
  output logic                 fail_o,     // doorbell out of range (F-84)
  output logic                 control_o   // the requester must be informed
);

  logic        live, in_err, too_far, steps, forward, moves, begins, asks;
  logic [15:0] base, asked_ahead, asked_less, step, step_less, outside;

  assign live         = word_i.state == roci_pkg::QpRts || word_i.state == roci_pkg::QpSqd;
  assign in_err       = word_i.state == roci_pkg::QpErr || word_i.state == roci_pkg::QpSqe;
  assign base         = word_i.fresh ? '0 : done_i;
  assign asked_ahead  = index_i - base;
  assign asked_less   = index_i + ~base;  // asked_ahead - 1: it is in the ring when below its size
  assign outside      = 16'hFFFF << sq_log_i;
  assign too_far      = index_i != base && (asked_less & outside) != '0;
  assign step         = index_i - word_i.produced;
  assign step_less    = index_i + ~word_i.produced;  // step - 1: no more than the ring holds
  assign steps        = index_i != word_i.produced;
  // No more than 2^15 are posted; when 2^15 are asked for, any step goes forward.
  assign forward      = steps && (step < 16'h8000 || asked_ahead[15]);
  assign moves        = ptr_i.epoch == word_i.epoch;
  assign begins       = past_i - word_i.begun < 16'h8000 && word_i.produced - past_i < 16'h8000;

  always_comb begin
    word_o    = word_i;
    fail_o    = 1'b0;
    control_o = 1'b0;
    unique case (event_i)
      roci_pkg::SchedState: begin
        word_o.state = state_i;
        if (state_i == roci_pkg::QpReset) begin
          word_o.produced = '0;
          word_o.fetched  = '0;
          word_o.begun    = '0;
          word_o.offset   = '0;
          word_o.ready    = 1'b0;
          word_o.clear    = 1'b1;
          word_o.less     = '0;
        end
      end
      roci_pkg::SchedCommand: begin
        control_o    = 1'b1;
        word_o.clear = 1'b0;
        word_o.ready = 1'b0;  // until the requester sends the pointer of the new generation
        if (!flush_i && !resume_i) begin
          word_o.produced = '0;
          word_o.fetched  = '0;
          word_o.begun    = '0;
          word_o.offset   = '0;
          word_o.fresh    = 1'b1;
        end
      end
      roci_pkg::SchedSet: begin
        word_o.epoch   = ptr_i.epoch;
        word_o.fetched = ptr_i.wqe_index;
        word_o.offset  = ptr_i.offset;
        word_o.ready   = ptr_i.ready;
        word_o.fresh   = 1'b0;
        if (word_i.less == '0) word_o.less = ptr_i.less;
      end
      roci_pkg::SchedSegment: begin
        word_o.granted = 1'b0;
        if (begins) word_o.begun = past_i;
        if (moves) begin
          word_o.fetched = ptr_i.wqe_index;
          word_o.offset  = ptr_i.offset;
          word_o.less    = ptr_i.less;
          if (!ptr_i.ready) word_o.ready = 1'b0;  // after a local operation: the requester goes on
        end
      end
      roci_pkg::SchedBell: begin
        if (live) begin
          fail_o = too_far;
          if (!too_far && forward) word_o.produced = index_i;
        end else if (in_err && steps && (step_less & outside) == '0) begin
          word_o.produced = index_i;
          word_o.clear    = 1'b0;
          control_o       = 1'b1;
        end
      end
      default: word_o.queued = 1'b0;  // Grant
    endcase
  end

  // Work that may be granted: all that is posted, or in SQD what was segmented before. Every pair
  // of indices that an event may leave is compared at once; the event only selects.
  function automatic logic ahead(input logic [15:0] index, input logic [15:0] of);
    ahead = index != of && index - of < 16'h8000;
  endfunction
  logic asked_new, posted_new, begun_new, past_new;  // ahead of what was fetched before
  logic posted_ptr, begun_ptr, past_ptr;             // ahead of the fetch pointer of the event
  logic drained, work;
  assign asked_new  = ahead(index_i, word_i.fetched);
  assign posted_new = ahead(word_i.produced, word_i.fetched);
  assign begun_new  = ahead(word_i.begun, word_i.fetched);
  assign past_new   = ahead(past_i, word_i.fetched);
  assign posted_ptr = ahead(word_i.produced, ptr_i.wqe_index);
  assign begun_ptr  = ahead(word_i.begun, ptr_i.wqe_index);
  assign past_ptr   = past_i[0] != ptr_i.wqe_index[0];  // by one, or not
  assign drained    = word_o.state == roci_pkg::QpSqd;
  always_comb begin
    work = drained ? begun_new : posted_new;
    unique case (event_i)
      roci_pkg::SchedSet: work = drained ? begun_ptr : posted_ptr;
      roci_pkg::SchedSegment: begin
        if (moves) work = !drained ? posted_ptr : begins ? past_ptr : begun_ptr;
        else if (drained && begins) work = past_new;
      end
      roci_pkg::SchedBell: if (asks) work = asked_new;
      default: ;
    endcase
  end
  // A doorbell in SQD, or a wrong one, leaves the index that was posted before.
  logic [15:0] left_known, left_asked;
  assign asks       = !drained && !too_far && forward;
  assign left_known = (drained ? word_i.begun : word_i.produced) - word_i.fetched;
  assign left_asked = index_i - word_i.fetched;
  assign left_o     = event_i == roci_pkg::SchedBell && asks ? left_asked : left_known;
  assign more_o = work && word_o.ready && !word_o.granted
                  && (word_o.state == roci_pkg::QpRts || word_o.state == roci_pkg::QpSqd);

  logic unused;
  assign unused = &{1'b0, ptr_i, asked_ahead};

endmodule
