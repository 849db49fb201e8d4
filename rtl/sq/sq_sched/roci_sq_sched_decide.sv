// SPDX-License-Identifier: Apache-2.0
// What an event does to a send queue's word, and whether work may be granted then. Combinational.

module roci_sq_sched_decide (
  input  logic [2:0]           event_i,    // SchedXxx, and what belongs to it:
  input  logic [2:0]           state_i,    //   State
  input  logic                 flush_i,    //   Command: flush, or a generation begins
  input  roci_pkg::fetch_ptr_t ptr_i,      //   Set, Cut
  input  logic [15:0]          index_i,    //   Bell

  input  roci_pkg::sched_qp_t  word_i,
  input  logic [15:0]          done_i,     // oldest work request not completed
  input  logic [3:0]           sq_log_i,   // log2 of entries of the ring

  output roci_pkg::sched_qp_t  word_o,
  output logic [15:0]          left_o,     // work requests that may be granted
  output logic                 more_o,     // there are some, and nothing holds the queue back
  output logic                 fail_o,     // doorbell out of range (F-84)
  output logic                 control_o   // the requester must be informed
);

  logic        live, in_err, too_far, forward;
  logic [15:0] base, posted_ahead, asked_ahead, step, ring, past;

  assign live         = word_i.state == roci_pkg::QpRts || word_i.state == roci_pkg::QpSqd;
  assign in_err       = word_i.state == roci_pkg::QpErr;
  assign ring         = 16'd1 << sq_log_i;
  assign base         = word_i.fresh ? '0 : done_i;
  assign posted_ahead = word_i.produced - base;
  assign asked_ahead  = index_i - base;
  assign too_far      = asked_ahead > ring;
  assign forward      = asked_ahead > posted_ahead;
  assign step         = index_i - word_i.produced;
  assign past         = ptr_i.wqe_index + 16'(ptr_i.offset != '0);

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
        end
      end
      roci_pkg::SchedCommand: begin
        control_o    = 1'b1;
        word_o.clear = 1'b0;
        word_o.ready = 1'b0;  // until the requester sends the pointer of the new generation
        if (!flush_i) begin
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
      end
      roci_pkg::SchedSegment: begin
        word_o.granted = 1'b0;
        if (past - word_i.begun < 16'h8000 && word_i.produced - past < 16'h8000) word_o.begun = past;
        if (ptr_i.epoch == word_i.epoch) begin
          word_o.fetched = ptr_i.wqe_index;
          word_o.offset  = ptr_i.offset;
          if (!ptr_i.ready) word_o.ready = 1'b0;  // after a local operation: the requester goes on
        end
      end
      roci_pkg::SchedBell: begin
        if (live) begin
          fail_o = too_far;
          if (!too_far && forward) word_o.produced = index_i;
        end else if (in_err && step != '0 && step <= ring) begin
          word_o.produced = index_i;
          word_o.clear    = 1'b0;
          control_o       = 1'b1;
        end
      end
      default: word_o.queued = 1'b0;  // Grant
    endcase
  end

  // Work that may be granted: all that is posted, or in SQD what was segmented before.
  assign left_o = (word_o.state == roci_pkg::QpSqd ? word_o.begun : word_o.produced) - word_o.fetched;
  assign more_o = !left_o[15] && left_o != '0 && word_o.ready && !word_o.granted
                && (word_o.state == roci_pkg::QpRts || word_o.state == roci_pkg::QpSqd);

  logic unused;
  assign unused = &{1'b0, ptr_i};

endmodule
