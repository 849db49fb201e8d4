// SPDX-License-Identifier: Apache-2.0
// Compares a duplicate READ or atomic with what a replay slot holds, and makes the slot ready for
// another response.
//
// Throughput: one slot a clock. Latency: three clocks for the comparison, none for the slot.
//
// A duplicate READ may request the whole original or a tail of it: PSN, address and length must
// move along together (9.7.5.1.4). An atomic repeats the same operation with the same operands.

module roci_responder_replay (
  input  logic                      clk_i,
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::key_rsp_t        key_i,
  input  logic [2:0]                pmtu_i,
  input  logic [31:0]               ticket_i,
  input  roci_pkg::responder_slot_t slot_i,

  output logic                      match_o,   // for the inputs three clocks before
  output logic                      passed_o,  // likewise; the response is past this PSN
  output roci_pkg::responder_slot_t slot_o
);

  roci_pkg::ext_reth_t   reth;
  roci_pkg::atomic_eth_t eth;
  logic [23:0] skipped, span, returned;
  logic [63:0] va_q;          // where the repeated part begins
  logic [31:0] bytes_q, left_q;  // bytes of the original before the repeated part, and from it on
  logic        is_read, inside_q, same_read, same_atomic, compares;
  logic        unused;

  assign reth     = meta_i.ext;
  assign eth      = meta_i.ext;
  assign skipped  = meta_i.psn - slot_i.psn;
  assign span     = slot_i.last_psn - slot_i.psn;
  assign returned = slot_i.next_psn - slot_i.psn;
  assign is_read  = meta_i.opcode == roci_pkg::OpRcReadRequest;
  assign unused   = &{meta_i, key_i, eth, reth};

  assign same_read   = inside_q && reth.va == va_q && reth.dma_length == left_q;
  assign compares    = meta_i.opcode == roci_pkg::OpRcCmpSwap;
  assign same_atomic = meta_i.psn == slot_i.psn && eth.va == slot_i.va
                    && eth.swap_add == slot_i.addr_operand
                    && (!compares || eth.compare == {slot_i.left, slot_i.length});
  always_ff @(posedge clk_i) begin
    bytes_q  <= 32'(skipped) << (4'd7 + 4'(pmtu_i));
    inside_q <= skipped <= span;
    va_q     <= slot_i.va + 64'(bytes_q);
    left_q   <= slot_i.length - bytes_q;
    match_o  <= meta_i.opcode == slot_i.opcode && reth.rkey == slot_i.rkey
             && meta_i.payload_len == '0 && (is_read ? same_read : same_atomic);
    passed_o <= is_read && returned > skipped;
  end

  always_comb begin
    slot_o          = slot_i;
    slot_o.next_psn = meta_i.psn;
    slot_o.first    = 1'b1;
    slot_o.ticket   = ticket_i;
    if (is_read) begin
      slot_o.pasid        = key_i.pasid;
      slot_o.addr_operand = key_i.addr;
      slot_o.left         = reth.dma_length;
    end
  end

endmodule
