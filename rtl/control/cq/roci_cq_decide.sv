// SPDX-License-Identifier: Apache-2.0
// The effect of an operation on the ring of a completion queue: second half of a decision, after
// roci_cq_compare. Combinational.

module roci_cq_decide (
  input  logic [2:0]         op_i,
  input  logic               valid_i,        // the queue is in use
  input  logic               full_i,         // no entry fits into the ring
  input  logic               moderate_i,
  input  logic [15:0]        count_i,
  input  logic               period_room_i,  // another moderation period can be started
  input  logic               satisfies_i,    // entry: it satisfies a solicited arm
  input  logic [15:0]        index_i,        // consumer; of an arm: after the newest entry seen
  input  logic               solicited_i,    // arm
  input  logic               same_ring_i,    // restart: indices and arming stay
  input  logic [15:0]        unseen_i,       // arm: entries after the newest one seen
  input  logic [15:0]        hits_i,         // entries that an event is owed for
  input  roci_pkg::cq_ring_t ring_i,
  output roci_pkg::cq_ring_t ring_o,
  output logic               write_o,        // entry goes to memory
  output logic               raise_o,        // event
  output logic               raise_error_o,  // event of the overflow
  output logic               fail_o,         // the queue pair of the entry fails
  output logic               start_period_o,
  output logic               stop_period_o
);

  logic [16:0] producer, producer_next;
  logic [15:0] consumer, consumer_next, since, since_next, waiting, waiting_next;
  logic [1:0]  armed, armed_next, wanted;
  logic        broken, broken_next;
  assign producer = {ring_i.pass, ring_i.producer};
  assign consumer = ring_i.consumer;
  assign armed    = ring_i.armed;
  assign broken   = ring_i.broken;
  assign since    = ring_i.since;
  assign waiting  = ring_i.waiting;
  assign {ring_o.pass, ring_o.producer} = producer_next;
  assign ring_o.consumer = consumer_next;
  assign ring_o.armed    = armed_next;
  assign ring_o.broken   = broken_next;
  assign ring_o.since    = since_next;
  assign ring_o.waiting  = waiting_next;

  assign wanted = armed == roci_pkg::CqArmedAny || !solicited_i ? roci_pkg::CqArmedAny
                                                                : roci_pkg::CqArmedSolicited;

  // Entries that the arm in force is owed an event for, those held back included.
  logic owed;
  always_comb begin
    owed = 1'b0;
    if (op_i == roci_pkg::CqOpEntry) begin
      owed = armed == roci_pkg::CqArmedAny || (armed == roci_pkg::CqArmedSolicited && satisfies_i);
    end else if (op_i == roci_pkg::CqOpArm) begin
      owed = solicited_i ? since < unseen_i : unseen_i != '0;
    end else if (op_i == roci_pkg::CqOpPeriod) begin
      owed = armed != roci_pkg::CqArmedNo && waiting != '0;
    end
  end

  logic held_back;  // by moderation
  assign held_back = moderate_i && hits_i < count_i && (waiting != '0 || period_room_i) &&
                     (op_i == roci_pkg::CqOpEntry || op_i == roci_pkg::CqOpArm);

  always_comb begin
    producer_next  = producer;
    consumer_next  = consumer;
    armed_next     = armed;
    broken_next    = broken;
    since_next     = since;
    waiting_next   = waiting;
    write_o        = 1'b0;
    raise_o        = 1'b0;
    raise_error_o  = 1'b0;
    fail_o         = 1'b0;
    start_period_o = 1'b0;
    stop_period_o  = 1'b0;
    if (op_i == roci_pkg::CqOpRestart) begin
      stop_period_o = !same_ring_i;
      if (!same_ring_i) begin
        producer_next = '0;
        consumer_next = '0;
        armed_next    = roci_pkg::CqArmedNo;
        broken_next   = 1'b0;
        since_next    = '1;
        waiting_next  = '0;
      end
    end else if (valid_i) begin
      if (op_i == roci_pkg::CqOpBreak) broken_next = 1'b1;
      if (op_i == roci_pkg::CqOpConsumer) consumer_next = index_i;
      if (op_i == roci_pkg::CqOpArm) armed_next = wanted;
      if (op_i == roci_pkg::CqOpEntry && (full_i || broken)) begin
        fail_o        = 1'b1;
        raise_error_o = !broken;
        broken_next   = 1'b1;
      end else begin
        if (op_i == roci_pkg::CqOpEntry) begin
          write_o       = 1'b1;
          producer_next = producer + 17'd1;
          since_next    = satisfies_i ? '0 : &since ? since : since + 16'd1;
        end
        if (owed && held_back) begin
          waiting_next   = hits_i;
          start_period_o = waiting == '0;
        end else if (owed) begin
          raise_o       = 1'b1;
          armed_next    = roci_pkg::CqArmedNo;
          waiting_next  = '0;
          stop_period_o = waiting != '0;
        end
      end
    end
  end

endmodule
