// SPDX-License-Identifier: Apache-2.0
// What the opcode of a request needs before it is executed: a remote key, and a receive.
//
// Throughput: combinational. Latency: none.

module roci_responder_opcode (
  input  logic [7:0]  opcode_i,
  input  logic [31:0] length_i,       // length in the RETH, if there is one

  output logic [3:0]  access_o,       // rights that the key must have; 0: no key is needed
  output logic        atomic_o,
  output logic        takes_o,        // the packet takes a receive
  output logic        places_o,       // its payload goes to that receive
  output logic        ends_o,         // the packet ends a message with a receive
  output logic        invalidates_o   // the packet invalidates a key
);

  logic only_send, send_last, imm_write;
  assign only_send = opcode_i == roci_pkg::OpRcSendOnly || opcode_i == roci_pkg::OpRcSendOnlyImm
                  || opcode_i == roci_pkg::OpRcSendOnlyInv;
  assign send_last = opcode_i == roci_pkg::OpRcSendLast || opcode_i == roci_pkg::OpRcSendLastImm
                  || opcode_i == roci_pkg::OpRcSendLastInv;
  assign imm_write = opcode_i == roci_pkg::OpRcWriteOnlyImm
                  || opcode_i == roci_pkg::OpRcWriteLastImm;

  assign atomic_o      = opcode_i == roci_pkg::OpRcCmpSwap || opcode_i == roci_pkg::OpRcFetchAdd;
  assign places_o      = only_send || opcode_i == roci_pkg::OpRcSendFirst;
  assign takes_o       = places_o || imm_write;
  assign ends_o        = only_send || send_last || imm_write;
  assign invalidates_o = opcode_i == roci_pkg::OpRcSendLastInv
                      || opcode_i == roci_pkg::OpRcSendOnlyInv;

  always_comb begin
    case (opcode_i)
      roci_pkg::OpRcWriteFirst, roci_pkg::OpRcWriteOnly, roci_pkg::OpRcWriteOnlyImm:
        access_o = length_i == '0 ? 4'd0 : 4'd1 << roci_pkg::AccessRemoteWrite;
      roci_pkg::OpRcReadRequest:
        access_o = length_i == '0 ? 4'd0 : 4'd1 << roci_pkg::AccessRemoteRead;
      roci_pkg::OpRcCmpSwap, roci_pkg::OpRcFetchAdd:
        access_o = 4'd1 << roci_pkg::AccessRemoteAtomic;
      default: access_o = 4'd0;
    endcase
  end

endmodule
