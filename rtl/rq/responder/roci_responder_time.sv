// SPDX-License-Identifier: Apache-2.0
// Progress of payload and of packets: what is in memory, and which response packets have left.
//
// Throughput: one ticket per clock. Latency: one clock from wr_done_i to done_o.
//
// Tickets are extended to 32 bits, so that one that is kept for long does not wrap.

module roci_responder_time (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [15:0] wr_done_i,
  input  logic [15:0] ticket_i,      // ticket of the request at the head
  input  logic        commit_i,      // the request is taken
  input  logic        issue_i,       // a packet goes to tx's payload queue
  input  logic        sent_i,        // such a packet was sent
  input  logic [15:0] last_desc_i,   // newest packet of the queue pair in progress

  output logic        moved_o,       // payload reached memory
  output logic [31:0] done_o,        // payload packets in memory
  output logic [31:0] ticket_o,      // ticket_i, a clock later
  output logic [31:0] newest_o,      // ticket of the newest request taken
  output logic        settled_o,     // its payload is in memory
  output logic [15:0] issued_o,
  output logic [15:0] sent_o,
  output logic        clear_of_tx_o  // nothing of the queue pair was in tx's payload queue a clock
                                     // before
);

  logic [15:0] in_tx;
  logic [31:0] newest_q, newest_age;
  assign moved_o       = wr_done_i != done_o[15:0];
  assign newest_age = done_o - newest_q;
  assign newest_o      = newest_q;
  assign settled_o     = !newest_age[31];
  assign in_tx         = sent_o - last_desc_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_o   <= '0;
      sent_o   <= '0;
      issued_o <= '0;
      newest_q <= '0;
    end else begin
      done_o   <= done_o + 32'(16'(wr_done_i - done_o[15:0]));
      sent_o   <= sent_o + 16'(sent_i);
      if (issue_i) issued_o <= issued_o + 16'd1;
      if (commit_i) newest_q <= ticket_o;
    end
    ticket_o      <= done_o + 32'(signed'(ticket_i - done_o[15:0]));
    clear_of_tx_o <= !in_tx[15];
  end

  logic unused;
  assign unused = &{1'b0, in_tx, newest_age};

endmodule
