// SPDX-License-Identifier: Apache-2.0
// Decides whether the key of an accepted request must be looked up again. A request has its key
// looked up when it comes; when a row of the key table changes after that, the key is looked up
// again before the next access, so that nothing is written or read through a key that is gone
// (F-90). This holds for a request that was not taken yet, for each packet of a WRITE message, and
// for each response to a READ.
//
// Throughput: one event in two clocks. Latency: two clocks from pick_i.
//
// The age of the table counts its changes. It is kept from the lookup of a READ in its slot, and of
// a WRITE per queue pair; the table changed since when the two differ. The age of a WRITE is read
// when the event begins and written when it ends, so never in one clock.

`include "assert.svh"

module roci_responder_recheck #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      row_write_valid_i,
  input  roci_pkg::row_write_t      row_write_i,

  // the request at the head, or a step of a READ's response
  input  logic                      pick_i,        // an event begins
  input  logic                      look_i,        // a clock later, when it is a request
  input  logic                      of_request_i,
  input  roci_pkg::rx_meta_t        meta_i,
  input  roci_pkg::responder_slot_t slot_i,
  input  logic [23:0]               qpn_i,
  input  roci_pkg::responder_qp_t   qp_i,
  input  logic [15:0]               pd_i,
  input  logic                      changed_i,     // the table changed since its key was requested
  output logic                      rekey_o,       // the request's key is to be looked up again;
                                                   // kept from look_i on
  output logic                      slot_stale_o,  // the key of the READ is to be looked up again
  output logic [31:0]               age_o,         // age of the table, at most that at the lookup
  output logic [31:0]               again_age_o,   // age of the table at the newest lookup

  // lookup
  input  logic                      taken_i,       // the key table takes the request
  output roci_pkg::key_req_t        req_o,

  // a WRITE is taken whose key was looked up
  input  logic                      first_i,       // with its first packet
  input  logic                      again_i        // once more
);

  localparam int unsigned RowBits = $clog2(NumQps);

  roci_pkg::ext_reth_t reth;
  logic [31:0]         age_q, write_age, left, sent_q;
  logic                rekey, row_is_key, atomic, write, first, read, unused, unused_ready;
  logic [RowBits-1:0]  row;
  logic                first_q;
  assign reth       = meta_i.ext;
  assign row        = qpn_i[RowBits-1:0];
  assign row_is_key = row_write_valid_i && row_write_i.table_id == roci_pkg::TableKey;
  assign unused     = &{qp_i, qpn_i, meta_i, slot_i, reth};

  assign atomic = meta_i.opcode == roci_pkg::OpRcCmpSwap || meta_i.opcode == roci_pkg::OpRcFetchAdd;
  assign first  = meta_i.opcode == roci_pkg::OpRcWriteFirst
               || meta_i.opcode == roci_pkg::OpRcWriteOnly
               || meta_i.opcode == roci_pkg::OpRcWriteOnlyImm;
  assign write  = first || meta_i.opcode == roci_pkg::OpRcWriteMiddle
               || meta_i.opcode == roci_pkg::OpRcWriteLast
               || meta_i.opcode == roci_pkg::OpRcWriteLastImm;
  assign rekey = atomic ? changed_i
               : first  ? changed_i && reth.dma_length != '0 : write && write_age != age_q;

  assign read         = slot_i.opcode == roci_pkg::OpRcReadRequest;
  assign left         = slot_i.left;
  assign slot_stale_o = read && left != '0 && slot_i.key_age != age_q;
  assign age_o        = changed_i ? age_q - 32'd1 : age_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) age_q <= '0;
    else age_q <= age_q + 32'(row_is_key);
    if (taken_i) again_age_o <= age_q;
    if (look_i) rekey_o <= rekey;
    first_q <= first_i || again_i;
  end
  roci_ram #(.Width(32), .Depth(NumQps)) u_ages (
    .clk_i, .rst_ni,
    .write_i(first_i || again_i), .write_row_i(row),
    .write_data_i(again_i ? again_age_o : age_o),
    .read_i(pick_i), .read_row_i(meta_i.qpn[RowBits-1:0]), .read_data_o(write_age),
    .ready_o(unused_ready)
  );

  // What it follows from stands from two clocks before the lookup on.
  always_ff @(posedge clk_i) begin
    sent_q       <= slot_i.length - left;
    req_o.key    <= qp_i.write_rkey;
    req_o.va     <= qp_i.write_va;
    req_o.len    <= qp_i.write_left;
    req_o.pd     <= pd_i;
    req_o.qpn    <= qpn_i;
    req_o.access <= 4'd1 << roci_pkg::AccessRemoteWrite;
    if (!of_request_i) begin
      req_o.key    <= slot_i.rkey;
      req_o.va     <= slot_i.va + 64'(sent_q);
      req_o.len    <= left;
      req_o.access <= 4'd1 << roci_pkg::AccessRemoteRead;
    end else if (atomic || first) begin
      req_o.key    <= reth.rkey;
      req_o.va     <= reth.va;
      req_o.len    <= atomic ? 32'd8 : reth.dma_length;
      if (atomic) req_o.access <= 4'd1 << roci_pkg::AccessRemoteAtomic;
    end
  end

  `ASSERT(AgesReadBetweenWrites, `IMPLIES(first_q, !look_i))

endmodule
