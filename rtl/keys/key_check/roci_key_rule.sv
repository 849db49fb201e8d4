// SPDX-License-Identifier: Apache-2.0
// May a work request or a peer reach these bytes through this key? (MR-01 to MR-04, MR-10, MR-11)
//
// Throughput: one request per clock. Latency: one clock; the first clock subtracts, the second
// compares and adds.
//
// Bounds are [iova, iova + length) without wrap-around: va >= iova, len <= length,
// va - iova <= length - len, and va is not above 2^64 - len. A window has no local key, and one of
// type 2 serves the queue pair that bound it alone.

module roci_key_rule (
  input  logic                clk_i,
  input  logic                take_i,     // the inputs are those of a request
  input  roci_pkg::key_req_t  req_i,
  input  roci_pkg::key_t      row_i,      // row of the key's index
  input  logic                in_range_i,  // there is such an index
  output roci_pkg::key_rsp_t  rsp_o       // for the newest request
);

  localparam logic [3:0] Remote = 4'd1 << roci_pkg::AccessRemoteWrite
                                | 4'd1 << roci_pkg::AccessRemoteRead
                                | 4'd1 << roci_pkg::AccessRemoteAtomic;

  logic [63:0] offset_q, room_q, addr_q;
  logic [31:0] most;  // lower half of the highest address of the first byte; the upper is all ones
  logic        key_ok, rights_ok, owner_ok, room_ok, allowed_q;
  logic [19:0] pasid_q;

  assign most      = -req_i.len;
  assign key_ok    = in_range_i && row_i.valid && row_i.variant == req_i.key[7:0];
  assign rights_ok = row_i.pd == req_i.pd && (req_i.access & ~row_i.access[3:0]) == '0;
  assign owner_ok  = (!row_i.remote_only || (req_i.access & Remote) != '0)
                     && (row_i.kind != roci_pkg::KeyKindWindowType2 || row_i.qpn == req_i.qpn);
  assign room_ok   = req_i.va >= row_i.iova && 64'(req_i.len) <= row_i.length
                     && !(&req_i.va[63:32] && req_i.va[31:0] > most && req_i.len != '0);

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      allowed_q <= key_ok && rights_ok && owner_ok && room_ok;
      offset_q  <= req_i.va - row_i.iova;
      room_q    <= row_i.length - 64'(req_i.len);
      addr_q    <= row_i.addr;
      pasid_q   <= row_i.pasid;
    end
  end

  assign rsp_o.ok    = allowed_q && offset_q <= room_q;
  assign rsp_o.addr  = addr_q + offset_q;
  assign rsp_o.pasid = pasid_q;

  // Rights of a binding, and the region of a window, matter when a window is bound or given back.
  logic unused;
  assign unused = ^{row_i.parent, row_i.access[5:4], req_i.key[31:8]};

`ifdef FORMAL
  // What was taken in the clock before.
  logic                       f_taken_q, f_in_range_q;
  roci_pkg::key_req_t         f_req_q;
  roci_pkg::key_t             f_row_q;
  initial assume (!f_taken_q);
  always_ff @(posedge clk_i) begin
    f_taken_q    <= take_i;
    f_req_q      <= req_i;
    f_row_q      <= row_i;
    f_in_range_q <= in_range_i;
  end

  // For any request and any row, in numbers too wide to wrap: the first byte lies f_into bytes into
  // the region, as named and as DMA sees it, and f_into + len is not beyond its length.
  logic [63:0] f_into;
  logic        f_allowed;
  assign f_into    = rsp_o.addr - f_row_q.addr;
  assign f_allowed = f_taken_q && rsp_o.ok && f_req_q.len != '0;

  always_comb begin
    if (f_allowed) begin
      StartsInside   : assert (67'(f_row_q.iova) + 67'(f_into) == 67'(f_req_q.va));
      EndsInside     : assert (67'(f_into) + 67'(f_req_q.len) <= 67'(f_row_q.length));
      EndIsAnAddress : assert (67'(f_req_q.va) + 67'(f_req_q.len) <= {3'd1, 64'd0});
      RightKey       : assert (f_row_q.valid && f_in_range_q
                               && f_row_q.variant == f_req_q.key[7:0]);
      RightOwner     : assert (f_row_q.pd == f_req_q.pd
                               && (f_row_q.access[3:0] & f_req_q.access) == f_req_q.access);
      WindowIsRemote : assert (!f_row_q.remote_only || f_req_q.access[3:1] != '0);
      OwnWindow      : assert (f_row_q.kind != 2'd2 || f_row_q.qpn == f_req_q.qpn);
    end
    WholeRegion   : cover (f_allowed && f_into == '0 && f_row_q.length == 64'(f_req_q.len));
    LastByteOfAll : cover (f_allowed && &(f_req_q.va) && f_req_q.len == 32'd1);
    ThroughWindow : cover (f_allowed && f_row_q.remote_only
                           && f_row_q.kind == roci_pkg::KeyKindWindowType2 && f_into != '0);
  end
`endif

endmodule
