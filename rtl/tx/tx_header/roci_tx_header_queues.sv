// SPDX-License-Identifier: Apache-2.0
// Headers that wait to be sent: a queue of those of descriptors and one of those of
// acknowledgements, in one memory of LUTs, of which one row is on the output.
//
// Throughput: one header in and one out per clock, with Compact one of each queue every two clocks.
// Latency: one clock. out_* follow out_ack_i; all else comes from registers.
//
//             +-- descriptors, rows 0 to 7 ------+
//  in --> row |                                  | --> the oldest of the queue out_ack_i names
//             +-- acknowledgements, rows 8 to 11 +

`include "assert.svh"

module roci_tx_header_queues #(
  parameter int unsigned Width = 877,  // bits of a header and of what goes with it
  parameter int unsigned Compact = 0   // 1: one header of each queue waits, in a register
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // in; there is a place in the queue
  input  logic [Width-1:0] in_data_i,
  input  logic             in_payload_i,  // payload follows the header of a descriptor
  input  logic             in_ack_i,      // 1: the header of an acknowledgement
  input  logic             in_valid_i,

  // out
  output logic             desc_valid_o,
  output logic             desc_payload_o,  // in_payload_i of the oldest descriptor
  input  logic             desc_ready_i,
  output logic             ack_valid_o,
  input  logic             ack_ready_i,
  input  logic             out_ack_i,       // out_data_o is of the oldest acknowledgement
  output logic [Width-1:0] out_data_o
);

  logic write_desc, write_ack;
  assign write_desc = in_valid_i && !in_ack_i;
  assign write_ack  = in_valid_i && in_ack_i;

  if (Compact != 0) begin : gen_registers
    logic [Width-1:0] desc_q, ack_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        desc_valid_o <= 1'b0;
        ack_valid_o  <= 1'b0;
      end else begin
        desc_valid_o <= desc_valid_o ? !desc_ready_i : write_desc;
        ack_valid_o  <= ack_valid_o ? !ack_ready_i : write_ack;
      end
    end
    always_ff @(posedge clk_i) begin
      if (write_desc) {desc_payload_o, desc_q} <= {in_payload_i, in_data_i};
      if (write_ack) ack_q <= in_data_i;
    end
    assign out_data_o = out_ack_i ? ack_q : desc_q;
    `ASSERT(PlaceIsFree, !(write_desc && desc_valid_o) && !(write_ack && ack_valid_o))
  end else begin : gen_memory
    logic [Width-1:0] mem [16];
    logic [7:0]       payload_q;                  // in_payload_i of each descriptor
    logic [3:0]       desc_write_q, desc_read_q;  // one bit more than the row: pass parity
    logic [2:0]       ack_write_q, ack_read_q;
    assign desc_valid_o   = desc_write_q != desc_read_q;
    assign ack_valid_o    = ack_write_q != ack_read_q;
    assign desc_payload_o = payload_q[desc_read_q[2:0]];
    assign out_data_o     = mem[out_ack_i ? {2'b10, ack_read_q[1:0]} : {1'b0, desc_read_q[2:0]}];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {desc_write_q, desc_read_q} <= '0;
        {ack_write_q, ack_read_q}   <= '0;
      end else begin
        if (write_desc) desc_write_q <= desc_write_q + 1'b1;
        if (write_ack) ack_write_q <= ack_write_q + 1'b1;
        if (desc_valid_o && desc_ready_i) desc_read_q <= desc_read_q + 1'b1;
        if (ack_valid_o && ack_ready_i) ack_read_q <= ack_read_q + 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      if (in_valid_i) begin
        mem[in_ack_i ? {2'b10, ack_write_q[1:0]} : {1'b0, desc_write_q[2:0]}] <= in_data_i;
      end
      if (write_desc) payload_q[desc_write_q[2:0]] <= in_payload_i;
    end
    `ASSERT(PlaceIsFree, !(write_desc && desc_write_q - desc_read_q == 4'd8) &&
                         !(write_ack && ack_write_q - ack_read_q == 3'd4))
  end

endmodule
