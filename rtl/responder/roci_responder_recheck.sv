// Keys of WRITE messages under way. The first packet of a message has its key looked up; when a row of
// the key table changes after that, the next packet has it looked up again, so that nothing is
// written through a key that is gone (F-90).
//
// A bit per queue pair: the table changed since the lookup. Every change sets all of them.

module roci_responder_recheck #(
  parameter int unsigned NumQps = 256  // power of two
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     row_valid_i,
  input  logic [3:0]               row_table_i,

  // the request at the head
  input  logic [23:0]              qpn_i,
  input  roci_pkg::responder_qp_t  qp_i,
  input  logic [15:0]              pd_i,
  input  logic                     changed_i,    // the table changed since its key was asked for
  output logic                     stale_o,      // or since that of its message was

  // lookup
  input  logic                     taken_i,      // by the key table
  output roci_pkg::key_req_t       req_o,

  // a WRITE is taken whose key was looked up: its first packet, or again
  input  logic                     first_i,
  input  logic                     again_i
);

  localparam int unsigned RowBits = $clog2(NumQps);

  logic [NumQps-1:0]  stale_q;
  logic               row_is_key, again_changed_q, unused;
  logic [RowBits-1:0] row;
  assign row        = qpn_i[RowBits-1:0];
  assign row_is_key = row_valid_i && row_table_i == roci_pkg::TableKey;
  assign stale_o    = stale_q[row];
  assign unused     = &{qp_i, qpn_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) stale_q <= '0;
    else if (row_is_key) stale_q <= '1;
    else if (first_i || again_i) stale_q[row] <= first_i ? changed_i : again_changed_q;
    again_changed_q <= row_is_key || (again_changed_q && !taken_i);
  end

  always_comb begin
    req_o        = '0;
    req_o.key    = qp_i.write_rkey;
    req_o.va     = qp_i.write_va;
    req_o.len    = qp_i.write_left;
    req_o.pd     = pd_i;
    req_o.qpn    = qpn_i;
    req_o.access = 4'd1 << roci_pkg::AccessRemoteWrite;
  end

endmodule
