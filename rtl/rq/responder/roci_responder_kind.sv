// SPDX-License-Identifier: Apache-2.0
// What the opcode and the lengths of the request at the head say, a clock after it came: the
// verdict follows the state of the queue pair, and has no time left to decode them.
//
// Throughput: a request a clock. Latency: one clock.

module roci_responder_kind (
  input  logic        clk_i,

  input  logic [7:0]  opcode_i,       // opcode as RC has it
  input  logic [12:0] payload_len_i,  // without the GRH of a datagram
  input  logic [31:0] dma_length_i,   // length in the RETH, if there is one

  output logic        send_o,         // a packet of a SEND,
  output logic        write_o,        // or of a WRITE;
  output logic        read_o,         // a READ
  output logic        atomic_o,       // or an atomic; else the opcode is reserved
  output logic        first_o,        // it begins a SEND or WRITE
  output logic        last_o,         // it ends one
  output logic        imm_write_o,    // it ends a WRITE with immediate data
  output logic        invalidates_o,  // it ends a SEND that invalidates a key
  output logic        filled_o,       // it has payload
  output logic [5:1]  is_mtu_o,       // as much as the path MTU of this code,
  output logic [5:1]  fits_mtu_o,     // or at most as much
  output logic [31:0] most_o,         // 2^31 less payload_len_i
  output logic        dma_fits_o,     // dma_length_i is at most 2^31,
  output logic        dma_same_o,     // is payload_len_i,
  output logic [5:1]  dma_on_o        // is more than the path MTU of this code
);

  logic send, write, first, last, imm_write;
  always_comb begin
    {send, write, first, last, imm_write} = '0;
    case (opcode_i)
      roci_pkg::OpRcSendFirst: {send, first} = 2'b11;
      roci_pkg::OpRcSendMiddle: send = 1'b1;
      roci_pkg::OpRcSendLast, roci_pkg::OpRcSendLastImm, roci_pkg::OpRcSendLastInv:
        {send, last} = 2'b11;
      roci_pkg::OpRcSendOnly, roci_pkg::OpRcSendOnlyImm, roci_pkg::OpRcSendOnlyInv:
        {send, first, last} = 3'b111;
      roci_pkg::OpRcWriteFirst: {write, first} = 2'b11;
      roci_pkg::OpRcWriteMiddle: write = 1'b1;
      roci_pkg::OpRcWriteLast: {write, last} = 2'b11;
      roci_pkg::OpRcWriteLastImm: {write, last, imm_write} = 3'b111;
      roci_pkg::OpRcWriteOnly: {write, first, last} = 3'b111;
      roci_pkg::OpRcWriteOnlyImm: {write, first, last, imm_write} = 4'b1111;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    {send_o, write_o, first_o, last_o, imm_write_o} <= {send, write, first, last, imm_write};
    read_o   <= opcode_i == roci_pkg::OpRcReadRequest;
    atomic_o <= opcode_i == roci_pkg::OpRcCmpSwap || opcode_i == roci_pkg::OpRcFetchAdd;
    invalidates_o <= opcode_i == roci_pkg::OpRcSendLastInv
                     || opcode_i == roci_pkg::OpRcSendOnlyInv;
    filled_o <= payload_len_i != '0;
    for (int k = 1; k <= 5; k++) begin
      is_mtu_o[k]   <= payload_len_i == 13'd128 << k;
      fits_mtu_o[k] <= payload_len_i <= 13'd128 << k;
      dma_on_o[k]   <= dma_length_i > 32'd128 << k;
    end
    most_o     <= 32'h8000_0000 - 32'(payload_len_i);
    dma_fits_o <= dma_length_i <= 32'h8000_0000;
    dma_same_o <= dma_length_i == 32'(payload_len_i);
  end

endmodule
