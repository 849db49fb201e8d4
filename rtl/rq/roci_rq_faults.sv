// SPDX-License-Identifier: Apache-2.0
// Failed accesses to memory, one at a time for the responder: payload not written, a store not
// written, READ data not readable.
//
// Throughput: one fault per two clocks. Latency: one clock. The fault of a packet that left cannot
// wait at its source, so it is kept here; when more than Depth wait, the newest is lost, and the
// peer, whose packet had a wrong ICRC, requests the data again.

module roci_rq_faults #(
  parameter int unsigned Depth = 16  // faults of READ data
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  roci_pkg::fault_t write_i,
  input  logic             write_valid_i,
  output logic             write_ready_o,
  input  roci_pkg::fault_t store_i,
  input  logic             store_valid_i,
  output logic             store_ready_o,
  input  logic [23:0]      read_qpn_i,
  input  logic [23:0]      read_psn_i,
  input  logic             read_valid_i,   // pulse

  output roci_pkg::fault_t fault_o,
  output logic             fault_write_o,  // payload was not written
  output logic             fault_valid_o,
  input  logic             fault_ready_i
);

  // The choice is made a clock ahead, so that ready does not follow valid.
  localparam logic [1:0] None = 2'd0, Write = 2'd1, Store = 2'd2, Read = 2'd3;
  logic [1:0]             chosen_q;
  logic [23:0]            qpn, psn;
  logic                   read_valid, unused_ready;
  logic [$clog2(Depth):0] unused_level;
  roci_fifo #(.Width(48), .Depth(Depth)) u_reads (
    .clk_i, .rst_ni,
    .in_data_i({read_qpn_i, read_psn_i}), .in_valid_i(read_valid_i), .in_ready_o(unused_ready),
    .out_data_o({qpn, psn}), .out_valid_o(read_valid),
    .out_ready_i(chosen_q == Read && fault_ready_i), .level_o(unused_level)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (fault_valid_o && fault_ready_i)) begin
      chosen_q      <= None;
      fault_valid_o <= 1'b0;
    end else if (chosen_q == None) begin
      chosen_q      <= write_valid_i ? Write : store_valid_i ? Store : read_valid ? Read : None;
      fault_valid_o <= write_valid_i || store_valid_i || read_valid;
    end
  end

  always_comb begin
    fault_o = chosen_q == Store ? store_i : write_i;
    if (chosen_q == Read) begin
      fault_o.qpn      = qpn;
      fault_o.psn      = psn;
      fault_o.response = 1'b0;
    end
  end
  assign fault_write_o = chosen_q == Write;
  assign write_ready_o = chosen_q == Write && fault_ready_i;
  assign store_ready_o = chosen_q == Store && fault_ready_i;

endmodule
