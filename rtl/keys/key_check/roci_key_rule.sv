// SPDX-License-Identifier: Apache-2.0
// May a work request or a peer reach these bytes through this key? (MR-01 to MR-04, MR-10, MR-11)
//
// Combinational. Bounds are [iova, iova + length) without wrap-around: va >= iova,
// len <= length, va - iova <= length - len, and the last byte lies at va or above. A window has no
// local key, and one of type 2 serves the queue pair that bound it alone.

module roci_key_rule (
  input  roci_pkg::key_req_t  req_i,
  input  roci_pkg::key_t      row_i,      // row of the key's index
  input  logic                in_range_i,  // there is such an index
  output roci_pkg::key_rsp_t  rsp_o
);

  localparam logic [3:0] Remote = 4'd1 << roci_pkg::AccessRemoteWrite
                                | 4'd1 << roci_pkg::AccessRemoteRead
                                | 4'd1 << roci_pkg::AccessRemoteAtomic;

  logic [63:0] offset, room, end_va;
  logic        key_ok, rights_ok, owner_ok, bounds_ok;

  assign offset = req_i.va - row_i.iova;
  assign room   = row_i.length - 64'(req_i.len);
  assign end_va = req_i.va + 64'(req_i.len) - 64'd1;

  assign key_ok    = in_range_i && row_i.valid && row_i.variant == req_i.key[7:0];
  assign rights_ok = row_i.pd == req_i.pd && (req_i.access & ~row_i.access[3:0]) == '0;
  assign owner_ok  = (!row_i.remote_only || (req_i.access & Remote) != '0)
                     && (row_i.kind != roci_pkg::KeyKindWindowType2 || row_i.qpn == req_i.qpn);
  assign bounds_ok = req_i.va >= row_i.iova && 64'(req_i.len) <= row_i.length
                     && offset <= room && end_va >= req_i.va;

  assign rsp_o.ok    = key_ok && rights_ok && owner_ok && bounds_ok;
  assign rsp_o.addr  = row_i.addr + offset;
  assign rsp_o.pasid = row_i.pasid;

  // Rights of a binding, and the region of a window, matter when a window is bound or given back.
  logic unused;
  assign unused = ^{row_i.parent, row_i.access[5:4], req_i.key[31:8]};

`ifdef FORMAL
  // For any request and any row, in numbers too wide to wrap: the first byte lies f_into bytes into
  // the region, as named and as DMA sees it, and f_into + len is not beyond its length.
  logic [63:0] f_into;
  logic        f_allowed;
  assign f_into    = rsp_o.addr - row_i.addr;
  assign f_allowed = rsp_o.ok && req_i.len != '0;

  always_comb begin
    if (f_allowed) begin
      StartsInside   : assert (67'(row_i.iova) + 67'(f_into) == 67'(req_i.va));
      EndsInside     : assert (67'(f_into) + 67'(req_i.len) <= 67'(row_i.length));
      EndIsAnAddress : assert (67'(req_i.va) + 67'(req_i.len) <= {3'd1, 64'd0});
      RightKey       : assert (row_i.valid && in_range_i && row_i.variant == req_i.key[7:0]);
      RightOwner     : assert (row_i.pd == req_i.pd
                               && (row_i.access[3:0] & req_i.access) == req_i.access);
      WindowIsRemote : assert (!row_i.remote_only || req_i.access[3:1] != '0);
      OwnWindow      : assert (row_i.kind != 2'd2 || row_i.qpn == req_i.qpn);
    end
    WholeRegion   : cover (f_allowed && f_into == '0 && row_i.length == 64'(req_i.len));
    LastByteOfAll : cover (f_allowed && &(req_i.va) && req_i.len == 32'd1);
    ThroughWindow : cover (f_allowed && row_i.remote_only
                           && row_i.kind == roci_pkg::KeyKindWindowType2 && f_into != '0);
  end
`endif

endmodule
