// SPDX-License-Identifier: Apache-2.0
// Effects of an operation on a ring that was read: the new ring word, and what follows. One of the
// first inputs is up, or none for a doorbell, whose effects roci_rq_word adds a clock later.
//
// Throughput: combinational. Latency: none.
//
// The ring word is written by each operation but Peek, as it was when nothing changes, so that what
// decides on the change does not reach the address side of the table. A ring that reads as empty,
// since its queue pair was reset, is then written as empty.

module roci_rq_act (
  input  logic                    arrival_i,     // a fetch is complete
  input  logic                    cmd_i,         // an order
  input  logic                    take_i,        // a queue pair wants an entry of this SRQ,
  input  logic                    take_ok_i,     // which has one,
  input  logic                    limit_hit_i,   // and then fewer than its limit
  input  logic                    hold_i,        // this queue pair got it
  input  logic                    work_i,        // its turn to fetch

  input  logic                    srq_i,
  input  logic                    in_reset_i,    // queue pair
  input  roci_pkg::receive_ring_t ring_i,
  input  logic [3:0]              done_epoch_i,
  input  logic                    done_bad_i,
  input  logic [4:0]              done_entries_i,
  input  logic [1:0]              op_i,
  input  logic [15:0]             copy_tag_i,
  input  logic [4:0]              entries_i,     // entries that can be fetched
  input  logic                    more_i,        // more are posted than these

  output roci_pkg::receive_ring_t ring_o,
  output logic                    work_push_o,   // there is something to fetch
  output logic                    fail_o,        // the queue pair fails
  output logic                    event_o,       // SrqLimit when taken, else SrqError
  output logic                    fetch_o,
  output logic                    copy_o,
  output logic                    fetched_o
);

  always_comb begin
    ring_o      = ring_i;
    work_push_o = 1'b0;
    fail_o      = 1'b0;
    event_o     = 1'b0;
    fetch_o     = 1'b0;
    copy_o      = 1'b0;
    fetched_o   = 1'b0;

    if (arrival_i && ring_i.active && done_epoch_i == ring_i.epoch) begin
      fetched_o = 1'b1;
      if (done_bad_i) begin
        ring_o.active = 1'b0;
        fail_o        = !srq_i;
        event_o       = srq_i;
      end else begin
        ring_o.got = ring_i.got + 16'(done_entries_i);
      end
    end

    if (cmd_i) begin
      unique case (op_i)
        roci_pkg::ReceiveOpFree: begin  // in RESET it belongs to the former generation
          if (!in_reset_i) ring_o.cons = ring_i.cons + 1'b1;
          work_push_o = !in_reset_i && ring_i.active && ring_i.prod != ring_i.next;
        end
        roci_pkg::ReceiveOpInit: begin
          ring_o.next   = ring_i.cons;
          ring_o.got    = ring_i.cons;
          ring_o.epoch  = ring_i.epoch + 1'b1;
          ring_o.active = 1'b1;
          ring_o.flush  = 1'b0;
          work_push_o   = ring_i.prod != ring_i.cons;
        end
        roci_pkg::ReceiveOpFlush: begin
          ring_o.epoch  = ring_i.epoch + 1'b1;
          ring_o.active = 1'b0;
          ring_o.flush  = 1'b1;
        end
        default: ;  // Peek
      endcase
    end

    if (take_i) begin
      fail_o = !ring_i.active;
      if (take_ok_i) begin
        copy_o       = 1'b1;
        ring_o.cons  = ring_i.cons + 1'b1;
        ring_o.fired = ring_i.fired || limit_hit_i;
        event_o      = limit_hit_i;
        work_push_o  = ring_i.prod != ring_i.next;
      end
    end

    if (hold_i) begin  // inactive when the queue pair was reset meanwhile
      if (ring_i.active) begin
        ring_o.cons = copy_tag_i;
        ring_o.prod = copy_tag_i + 16'd1;
        ring_o.next = copy_tag_i + 16'd1;
        ring_o.got  = copy_tag_i + 16'd1;
      end
    end

    if (work_i && ring_i.active && entries_i != '0) begin
      ring_o.next = ring_i.next + 16'(entries_i);
      fetch_o     = 1'b1;
      work_push_o = more_i;
    end
  end

endmodule
