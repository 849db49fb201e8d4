// SPDX-License-Identifier: Apache-2.0
// What a key operation makes of a row of the key table, or why not (10.6.7, MR-09 to MR-16).
//
// Throughput: one operation in two clocks. Latency: two clocks; the inputs stay until the result is
// used. The first clock adds and subtracts, the second compares.
//
// Bind        type 1: at any time, a length of 0 unbinds; type 2: in the free state only.
//             The region is one that a command registered, in the same domain; it has MwBind, holds
//             the range without wrap-around, and has LocalWrite when the window gives remote write
//             or atomic.
// Register    fast regions in the free state.
// Invalidate  type 2 windows on the queue pair that bound them, fast regions of the domain; the
//             variant must be the one in force.
//
// Fast regions take no windows: Invalidate could not find them, and they would stay valid after it.

module roci_key_change (
  input  logic                  clk_i,
  input  roci_pkg::key_op_req_t req_i,
  input  roci_pkg::key_t        row_i,         // row of req_i.key
  input  logic                  in_range_i,    // there is such a row
  input  roci_pkg::key_t        region_i,      // row of req_i.region
  input  logic                  region_in_range_i,
  output logic                  ok_o,
  output roci_pkg::key_t        row_o
);

  localparam logic [5:0] LocalWrite = 6'd1 << roci_pkg::AccessLocalWrite;
  localparam logic [5:0] MwBind = 6'd1 << roci_pkg::AccessMwBind;
  localparam logic [5:0] NeedsLocalWrite = 6'd1 << roci_pkg::AccessRemoteWrite
                                         | 6'd1 << roci_pkg::AccessRemoteAtomic;
  localparam logic [5:0] OfRegion = 6'hF;  // rights that a work request gives to a fast region
  localparam logic [5:0] ZeroBased = 6'd1 << roci_pkg::AccessZeroBased;
  localparam logic [5:0] OfWindow = 6'd1 << roci_pkg::AccessRemoteWrite
                                  | 6'd1 << roci_pkg::AccessRemoteRead
                                  | 6'd1 << roci_pkg::AccessRemoteAtomic | ZeroBased;

  logic [63:0] offset_q, room_q, most_q, addr_q;
  logic        mine, is_type1, is_type2, is_fast, unbind, writes, va_wraps_q, addr_wraps_q;
  logic        region_ok, range_ok_q, bind_ok, register_ok, invalidate_ok;

  assign mine     = in_range_i && row_i.pd == req_i.pd;
  assign is_type1 = row_i.kind == roci_pkg::KeyKindWindowType1;
  assign is_type2 = row_i.kind == roci_pkg::KeyKindWindowType2;
  assign is_fast  = row_i.kind == roci_pkg::KeyKindFastRegion;
  assign unbind   = req_i.length == '0;
  assign writes   = (req_i.access & NeedsLocalWrite) != '0;

  always_ff @(posedge clk_i) begin
    offset_q     <= req_i.va - region_i.iova;
    room_q       <= region_i.length - req_i.length;
    most_q       <= -req_i.length;  // the largest start of a range of that length, unless it is 0
    addr_q       <= region_i.addr + offset_q;
    va_wraps_q   <= req_i.va > most_q;
    addr_wraps_q <= req_i.addr > most_q;
    range_ok_q   <= req_i.va >= region_i.iova && req_i.length <= region_i.length
                    && offset_q <= room_q;
  end

  assign region_ok = region_in_range_i && region_i.valid
                     && region_i.kind == roci_pkg::KeyKindRegion && !region_i.remote_only
                     && region_i.variant == req_i.region[7:0] && region_i.pd == req_i.pd
                     && (region_i.access & MwBind) != '0
                     && (!writes || (region_i.access & LocalWrite) != '0);

  assign bind_ok       = (is_type1 && unbind)
                         || ((is_type1 || (is_type2 && !row_i.valid)) && !unbind && region_ok
                             && range_ok_q && !va_wraps_q);
  assign register_ok   = is_fast && !row_i.valid && !unbind && !va_wraps_q && !addr_wraps_q
                         && (!writes || (req_i.access & LocalWrite) != '0);
  assign invalidate_ok = row_i.valid && row_i.variant == req_i.key[7:0]
                         && (is_fast || (is_type2 && row_i.qpn == req_i.qpn));

  always_comb begin
    row_o         = '0;
    row_o.variant = req_i.key[7:0];
    row_o.pd      = row_i.pd;
    row_o.kind    = row_i.kind;
    row_o.pasid   = row_i.pasid;
    row_o.remote_only = row_i.remote_only;
    unique case (req_i.op)
      roci_pkg::KeyOpBind: begin
        ok_o = mine && bind_ok;
        if (!unbind) begin
          row_o.valid  = 1'b1;
          row_o.access = req_i.access & OfWindow;
          row_o.pasid  = region_i.pasid;
          row_o.iova   = (req_i.access & ZeroBased) != '0 ? '0 : req_i.va;
          row_o.length = req_i.length;
          row_o.addr   = addr_q;
          row_o.qpn    = is_type2 ? req_i.qpn : '0;
          row_o.parent = req_i.region[31:8];
        end
      end
      roci_pkg::KeyOpRegister: begin
        ok_o         = mine && register_ok;
        row_o.valid  = 1'b1;
        row_o.access = req_i.access & OfRegion;
        row_o.iova   = req_i.va;
        row_o.length = req_i.length;
        row_o.addr   = req_i.addr;
      end
      roci_pkg::KeyOpInvalidate: ok_o = mine && invalidate_ok;
      default:                   ok_o = 1'b0;
    endcase
  end

  // A row is written from the request; only the kind and the owner of the old one stay.
  logic unused;
  assign unused = ^{row_i, region_i, req_i.region};

`ifdef FORMAL
  // The inputs stay.
  (* anyconst *) roci_pkg::key_op_req_t f_req;
  (* anyconst *) roci_pkg::key_t f_row, f_region_row;
  logic [1:0]  f_clocks_q;  // for which they have stood
  logic        f_due;              // the result is there
  always_comb begin
    InputsStay : assume (req_i == f_req && row_i == f_row && region_i == f_region_row);
  end
  assign f_due = f_clocks_q == 2'd2;
  initial assume (f_clocks_q == 2'd0);
  always_ff @(posedge clk_i) if (!f_due) f_clocks_q <= f_clocks_q + 2'd1;

  // For every request and pair of rows, in numbers too wide to wrap: a bound window lies in the
  // region, where it was requested, with rights that the request gives and the region allows. With
  // the proof of roci_key_rule, which holds an access to the row, nothing outside is reached.
  logic        f_bound, f_register, f_free, f_type1, f_type2, f_fast, f_type2_out, f_region;
  logic [63:0] f_into;
  assign f_bound     = f_due && ok_o && req_i.op == roci_pkg::KeyOpBind && row_o.valid;
  assign f_register  = f_due && ok_o && req_i.op == roci_pkg::KeyOpRegister;
  assign f_free      = f_due && ok_o && req_i.op == roci_pkg::KeyOpInvalidate;
  assign f_type1     = row_i.kind == roci_pkg::KeyKindWindowType1;
  assign f_type2     = row_i.kind == roci_pkg::KeyKindWindowType2;
  assign f_fast      = row_i.kind == roci_pkg::KeyKindFastRegion;
  assign f_type2_out = row_o.kind == roci_pkg::KeyKindWindowType2;
  assign f_region    = region_i.kind == roci_pkg::KeyKindRegion;
  assign f_into      = row_o.addr - region_i.addr;  // bytes into the region

  // As firmware writes them: windows, and nothing else, have no local key.
  always_comb begin
    WindowsAreRemote : assume (row_i.remote_only == (f_type1 || f_type2));
  end
  always_comb begin
    if (f_bound) begin
      StartsWhereAsked : assert (67'(region_i.iova) + 67'(f_into) == 67'(req_i.va));
      EndsInRegion     : assert (67'(f_into) + 67'(row_o.length) <= 67'(region_i.length));
      EndIsAnAddress   : assert (67'(req_i.va) + 67'(req_i.length) <= {3'd1, 64'd0});
      NamedAsAsked     : assert (row_o.iova == ((req_i.access & ZeroBased) != '0 ? 64'd0 : req_i.va)
                                 && row_o.length == req_i.length);
      RightsGiven      : assert ((row_o.access & ~req_i.access) == '0
                                 && (row_o.access & (LocalWrite | MwBind)) == '0);
      WriteNeedsLocalWrite : assert ((row_o.access & NeedsLocalWrite) == '0
                                     || (region_i.access & LocalWrite) != '0);
      RegionAllows     : assert (region_in_range_i && region_i.valid
                                 && (region_i.access & MwBind) != '0
                                 && f_region && region_i.variant == req_i.region[7:0]);
      SameDomain       : assert (region_i.pd == row_o.pd && row_o.pasid == region_i.pasid);
      NoLocalKey       : assert (row_o.remote_only);
      OnlyItsQp        : assert (!f_type2_out || row_o.qpn == req_i.qpn);
      BindsWindows     : assert (f_type1 || (f_type2 && !row_i.valid));
    end
    if (f_register) begin
      FromFreeState    : assert (f_fast && !row_i.valid);
      NoWrap           : assert (67'(req_i.va) + 67'(req_i.length) <= {3'd1, 64'd0}
                                 && 67'(req_i.addr) + 67'(req_i.length) <= {3'd1, 64'd0});
      LocalWriteToo    : assert ((row_o.access & NeedsLocalWrite) == '0
                                 || (row_o.access & LocalWrite) != '0);
    end
    if (f_due && ok_o) begin
      OnlyOwn          : assert (in_range_i && row_i.pd == req_i.pd && row_o.pd == row_i.pd);
      KindStays        : assert (row_o.kind == row_i.kind
                                 && row_i.kind != roci_pkg::KeyKindRegion);
      FreedByOwner     : assert (!f_free || (!row_o.valid && !f_type1
                                 && row_i.variant == req_i.key[7:0]
                                 && (!f_type2 || row_i.qpn == req_i.qpn)));
    end
    LastByteOfRegion : cover (f_bound && row_o.length == 64'd1
                              && 67'(f_into) + 67'd1 == 67'(region_i.length));
    EndOfAddresses   : cover (f_bound && req_i.va == most_q && req_i.length == 64'd64);
    ZeroBasedInside  : cover (f_bound && (req_i.access & ZeroBased) != '0 && f_into != '0);
    Unbinds          : cover (f_due && ok_o && req_i.op == roci_pkg::KeyOpBind && !row_o.valid
                              && row_i.valid);
    Frees            : cover (f_free && f_type2);
    Registers        : cover (f_register && req_i.access[roci_pkg::AccessRemoteAtomic]);
  end
`endif

endmodule
