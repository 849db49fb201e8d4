// SPDX-License-Identifier: Apache-2.0
// Event queue: writes events into the ring of host memory and raises the interrupt.
//
// Throughput: one event per two clocks. Latency: three clocks from an event to bw_req_valid_o.
//
//   cq, qp_state, responder, firmware --> round robin --> ring full? --> bw --> done --> interrupt
//                                          ^     \            \--> Completion: owed
//                                          +------\-- when there is room --+
//                                                  \--> engine events: what firmware must know of
//
// An event that finds the ring full sets the overflow bit, as does a write that failed; an entry
// not consumed is never written over. Such an event is lost, except a Completion: its queue was
// disarmed for it, and nothing else would raise another event, so it is owed until there is room,
// once for each completion queue. While the event queue is off events are dropped. A
// rise of the enable bit starts the ring again at index 0 of both sides.

`include "assert.svh"

module roci_eq #(
  parameter int unsigned EngineEvents = 16,  // engine events kept for firmware, power of two
  parameter int unsigned NumCqs = 256        // completion queues, power of two
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // registers
  input  logic [31:0]                word_i,
  input  logic                       size_write_i,
  input  logic                       consumer_write_i,
  input  logic                       overflow_clear_i,
  input  logic [63:0]                base_i,
  output roci_pkg::eq_size_reg_t     size_o,
  output logic [15:0]                consumer_o,
  output logic                       overflow_o,

  // in
  input  roci_pkg::event_req_t       cq_i,
  input  logic                       cq_valid_i,
  output logic                       cq_ready_o,
  input  roci_pkg::event_req_t       qp_i,
  input  logic                       qp_valid_i,
  output logic                       qp_ready_o,
  input  roci_pkg::event_req_t       plain_i,
  input  logic                       plain_valid_i,
  output logic                       plain_ready_o,
  input  roci_pkg::event_req_t       post_i,
  input  logic                       post_valid_i,
  output logic                       post_ready_o,

  // out: failed queue pairs and completion queues, for firmware; lost when too many wait
  output roci_pkg::event_req_t       engine_o,
  output logic                       engine_valid_o,
  input  logic                       engine_ready_i,

  // out
  output logic                       bw_req_valid_o,
  input  logic                       bw_req_ready_i,
  output roci_pkg::block_write_req_t bw_req_o,
  input  logic                       bw_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_rsp_i,  // with done

  output logic                       irq_o,
  output logic                       idle_o
);

  localparam int unsigned Clients  = 5;
  localparam int unsigned CqBits   = $clog2(NumCqs);
  localparam int unsigned EqeBytes = roci_pkg::EqeBits / 8;

  // Registers
  logic [3:0]  log_q;
  logic        on_q, overflow_q, start;
  logic [19:0] pasid_q;
  logic [15:0] consumer_q, producer_q, visible_q;  // visible: entries whose write is done
  logic [3:0]  writing_q, stale_q;  // writes in flight; those among them of an earlier ring
  roci_pkg::eq_size_reg_t     size_word;
  roci_pkg::eq_consumer_reg_t consumer_word;
  assign size_word     = word_i;
  assign consumer_word = word_i;
  assign start         = size_write_i && size_word.enable && !on_q;

  // Choice: one event is picked in one clock, and decided on in the next. Its source keeps it until
  // ready, so that a decision may wait.
  logic [Clients-1:0]   grant, grant_q;
  logic [2:0]           index;
  logic                 pick_q, take, full_q, settled_q, resized_q, lost, written;
  logic                 owed_valid, owed_ready;
  logic [CqBits-1:0]    owed;
  logic [15:0]          size_q, mask_q, used, slot;  // mask: size - 1
  logic                 again, owner_q;
  logic [63:0]          addr_q;
  roci_pkg::event_req_t picked, event_q;
  roci_pkg::eqe_t       eqe;

  roci_arbiter #(.Clients(Clients)) u_arbiter (
    .clk_i, .rst_ni,
    .request_i({owed_valid && (!full_q || !on_q), post_valid_i, plain_valid_i, qp_valid_i,
                cq_valid_i}),
    .grant_o (grant),
    .index_o (index),
    .taken_i (!pick_q)
  );
  always_comb begin
    unique case (index)
      3'd0:    picked = cq_i;
      3'd1:    picked = qp_i;
      3'd2:    picked = plain_i;
      3'd3:    picked = post_i;
      default: begin
        picked.kind   = roci_pkg::EventCompletion;
        picked.number = 24'(owed);
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (!pick_q) begin
      grant_q <= grant;
      event_q <= picked;
    end
  end

  logic            is_completion, is_failure;
  logic [CqBits:0] unused_owed;
  assign is_completion = grant_q[0] && event_q.kind == roci_pkg::EventCompletion;
  assign is_failure    = grant_q[1] || (grant_q[0] && event_q.kind == roci_pkg::EventCqError);
  roci_rq_queue #(.NumQps(NumCqs)) u_owed (
    .clk_i, .rst_ni,
    .push_i(lost && is_completion), .push_row_i(event_q.number[CqBits-1:0]),
    .pop_valid_o(owed_valid), .pop_row_o(owed), .pop_i(take && grant_q[4]), .level_o(unused_owed),
    .ready_o(owed_ready)
  );
  assign cq_ready_o    = take && grant_q[0];
  assign qp_ready_o    = take && grant_q[1];
  assign plain_ready_o = take && grant_q[2];
  assign post_ready_o  = take && grant_q[3];

  // Decision. full_q, addr_q and owner_q are of the indices of the clock before: events are at
  // least two clocks apart, and none is decided on in the two clocks after a write of the ring's
  // size, which passes through size_q. A Completion that is owed waits for another pick when the
  // ring became full after its own.
  assign take    = pick_q && !again && !bw_req_valid_o && !(&writing_q) && settled_q
                && owed_ready;
  assign again   = grant_q[4] && on_q && full_q;
  assign used    = producer_q - consumer_q;
  assign slot    = producer_q & mask_q;
  assign lost    = take && on_q && full_q;
  assign written = take && on_q && !full_q;

  always_comb begin
    eqe        = '0;
    eqe.kind   = event_q.kind;
    eqe.number = event_q.number;
    eqe.owner  = owner_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pick_q      <= 1'b0;
      full_q      <= 1'b0;
      settled_q   <= 1'b0;
      resized_q   <= 1'b0;
      log_q       <= '0;
      on_q        <= 1'b0;
      pasid_q     <= '0;
      overflow_q  <= 1'b0;
      consumer_q  <= '0;
      producer_q  <= '0;
      visible_q   <= '0;
      writing_q   <= '0;
      stale_q     <= '0;
      bw_req_valid_o <= 1'b0;
    end else begin
      pick_q      <= pick_q ? !take && !again : |grant;
      full_q      <= used >= size_q;
      resized_q   <= size_write_i;
      settled_q   <= !size_write_i && !resized_q;
      if (size_write_i) begin
        log_q   <= size_word.log;
        on_q    <= size_word.enable;
        pasid_q <= size_word.pasid;
      end
      if (start) consumer_q <= '0;
      else if (consumer_write_i) consumer_q <= consumer_word.index;
      if (lost || (bw_rsp_valid_i && bw_rsp_i.error)) overflow_q <= 1'b1;
      else if (overflow_clear_i) overflow_q <= 1'b0;
      if (start) producer_q <= '0;
      else if (written) producer_q <= producer_q + 16'd1;
      writing_q   <= writing_q + 4'(written) - 4'(bw_rsp_valid_i);
      if (start) stale_q <= writing_q - 4'(bw_rsp_valid_i);
      else if (bw_rsp_valid_i && stale_q != '0) stale_q <= stale_q - 4'd1;
      if (start) visible_q <= '0;
      else if (bw_rsp_valid_i && stale_q == '0) visible_q <= visible_q + 16'd1;
      if (written) bw_req_valid_o <= 1'b1;
      else if (bw_req_ready_i) bw_req_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    size_q  <= 16'd1 << log_q;
    mask_q  <= ~(16'hFFFF << log_q);
    addr_q  <= base_i + 64'(slot) * EqeBytes;
    owner_q <= (producer_q & size_q) == '0;
    if (written) begin
      bw_req_o.addr  <= addr_q;
      bw_req_o.pasid <= pasid_q;
      bw_req_o.data  <= 512'(eqe);
      bw_req_o.bytes <= 7'(EqeBytes);
    end
  end
  always_comb begin
    size_o        = '0;
    size_o.log    = log_q;
    size_o.enable = on_q;
    size_o.pasid  = pasid_q;
  end
  assign consumer_o = consumer_q;
  assign overflow_o = overflow_q;
  assign irq_o      = on_q && visible_q != consumer_q;

  // Firmware gets what changed without its command.
  roci_fifo #(.Width(roci_pkg::EventReqBits), .Depth(EngineEvents)) u_engine (
    .clk_i, .rst_ni,
    .in_data_i  (event_q),
    .in_valid_i (take && is_failure),
    .in_ready_o  (),
    .out_data_o  (engine_o),
    .out_valid_o (engine_valid_o),
    .out_ready_i (engine_ready_i),
    .level_o     ()
  );

  assign idle_o = !(|grant) && !pick_q && !bw_req_valid_o && writing_q == '0;

  `ASSERT(DoneFollowsWrite, `IMPLIES(bw_rsp_valid_i, writing_q != '0))

endmodule
