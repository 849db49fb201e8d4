// SPDX-License-Identifier: Apache-2.0
// Key operations of work requests and of SEND with invalidate: reads the row of the key, and of the
// region of a Bind, decides (roci_key_change), and puts the new row on the row bus.
//
// Throughput: one operation at a time, ten clocks (Bind twelve) when the bus is free. Latency: the
// result comes in the clock in which a lookup sees the new row.
//
//   request --> lock --> read row --> (read region) --> decide --> row bus --> result
//
// From `lock` on busy_o is up, and no other source puts a row of the key table on the bus, so that
// what was read holds until the new row is there.

`include "assert.svh"

module roci_key_op #(
  parameter int unsigned RowIndexBits = 10,
  parameter int unsigned Clients      = 2   // 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // requests (key_op_req_t), client c at [KeyOpReqBits*c +: KeyOpReqBits]
  input  logic [Clients*roci_pkg::KeyOpReqBits-1:0] req_i,
  input  logic [Clients-1:0]      req_valid_i,
  output logic [Clients-1:0]      req_ready_o,

  // results, for one client
  output roci_pkg::key_op_rsp_t   rsp_o,
  output logic [Clients-1:0]      rsp_valid_o,

  // table: the row stands on row_i one clock after the read was taken
  output logic                    read_valid_o,
  input  logic                    read_ready_i,
  output logic [RowIndexBits-1:0] read_row_o,
  input  roci_pkg::key_t          row_i,

  // row bus: the row is on it in the clock after ready
  output logic                    busy_o,
  output logic                    row_valid_o,
  input  logic                    row_ready_i,
  output logic [23:0]             row_index_o,
  output roci_pkg::key_t          row_o
);

  `PARAM_CHECK(TwoClients, Clients == 2)

  localparam int unsigned KeyIndexAt = 8;  // below: the variant

  typedef enum logic [3:0] {
    StIdle, StLock, StRead, StRow, StReadRegion, StRegion, StAdd, StCompare,
    StDecide, StWrite, StOnBus, StRespond
  } state_e;

  state_e                state_q;
  logic                  turn_q, client_q, ok_q, ok;
  logic [1:0]            taken;
  roci_pkg::key_op_req_t req_q;
  roci_pkg::key_t        row_q, region_q, changed;
  logic                  in_range, region_in_range, takes_region;

  assign req_ready_o[0] = state_q == StIdle && (!turn_q || !req_valid_i[1]);
  assign req_ready_o[1] = state_q == StIdle && (turn_q || !req_valid_i[0]);
  assign taken          = req_valid_i & req_ready_o;

  assign in_range        = (req_q.key >> (KeyIndexAt + RowIndexBits)) == '0;
  assign region_in_range = (req_q.region >> (KeyIndexAt + RowIndexBits)) == '0;
  assign takes_region    = req_q.op == roci_pkg::KeyOpBind;

  assign read_valid_o = state_q == StRead || state_q == StReadRegion;
  assign read_row_o   = state_q == StRead ? req_q.key[KeyIndexAt +: RowIndexBits]
                                          : req_q.region[KeyIndexAt +: RowIndexBits];

`ifdef FORMAL
  // What is decided is proved in roci_key_change.
  (* anyseq *) logic f_ok;
  (* anyseq *) logic [roci_pkg::KeyBits-1:0] f_changed;
  assign ok      = f_ok;
  assign changed = f_changed;
`else
  roci_key_change u_change (
    .clk_i,
    .req_i            (req_q),
    .row_i            (row_q),
    .in_range_i       (in_range),
    .region_i         (region_q),
    .region_in_range_i(region_in_range),
    .ok_o             (ok),
    .row_o            (changed)
  );
`endif

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      turn_q  <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (taken != '0) begin
            state_q <= StLock;
            turn_q  <= taken[0];
          end
        end
        StLock:       state_q <= StRead;  // a row that went out before the lock is in the table now
        StRead:       if (read_ready_i) state_q <= StRow;
        StRow:        state_q <= takes_region ? StReadRegion : StAdd;
        StReadRegion: if (read_ready_i) state_q <= StRegion;
        StRegion:     state_q <= StAdd;
        StAdd:        state_q <= StCompare;
        StCompare:    state_q <= StDecide;
        StDecide:     state_q <= ok ? StWrite : StRespond;
        StWrite:      if (row_ready_i) state_q <= StOnBus;
        StOnBus:      state_q <= StRespond;
        StRespond:     state_q <= StIdle;
        default:      state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      client_q <= taken[1];
      req_q    <= taken[1] ? req_i[roci_pkg::KeyOpReqBits +: roci_pkg::KeyOpReqBits]
                           : req_i[0 +: roci_pkg::KeyOpReqBits];
    end
    if (state_q == StRow) row_q <= row_i;
    if (state_q == StRegion) region_q <= row_i;
    if (state_q == StDecide) begin
      ok_q  <= ok;
      row_o <= changed;
    end
  end

  assign busy_o      = state_q != StIdle;
  assign row_valid_o = state_q == StWrite;
  assign row_index_o = req_q.key[31:KeyIndexAt];
  assign rsp_o.ok    = ok_q;
  assign rsp_valid_o = state_q == StRespond ? 2'd1 << client_q : '0;

  `ASSERT(OneTaken, taken != 2'b11)

`ifdef FORMAL
  // The steps, for any table that only this block changes while busy_o is up: two rows of it are
  // followed, that of the key and that of the region.
  logic [roci_pkg::KeyBits-1:0] f_key_q, f_region_q;  // as they stand in the table
  (* anyseq *) logic [roci_pkg::KeyBits-1:0] f_other;
  logic       f_read_key_q, f_read_region_q, f_put_q, f_kept_q;
  logic [1:0] f_requested_q;        // requests of a client without result
  logic [1:0] f_passed_q;       // another was taken while it waited
  logic [1:0] f_waits_q;
  logic [3:0] f_clocks_q;       // clocks since it was taken, without those of a busy neighbour
  logic [roci_pkg::KeyBits-1:0] f_row_q;
  always_ff @(posedge clk_i) begin
    if (!busy_o || state_q == StLock) begin  // others may write, the last of them during the lock
      f_key_q    <= f_other;
      f_region_q <= {f_other[7:0], f_other[roci_pkg::KeyBits-1:8]};
    end
    f_read_key_q    <= rst_ni && state_q == StRead && read_ready_i;
    f_read_region_q <= rst_ni && state_q == StReadRegion && read_ready_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_requested_q <= '0;
      f_passed_q    <= '0;
      f_waits_q     <= '0;
      f_kept_q      <= 1'b0;
    end else begin
      f_requested_q <= (f_requested_q | taken) & ~rsp_valid_o;
      f_passed_q    <= (f_passed_q | (taken != '0 ? req_valid_i & ~taken : 2'b00)) & ~taken;
      f_waits_q     <= req_valid_i & ~taken;
      f_kept_q      <= row_valid_o && !row_ready_i;
    end
    if (state_q == StIdle) begin
      f_put_q    <= 1'b0;
      f_clocks_q <= '0;
    end else begin
      if (row_valid_o && row_ready_i) f_put_q <= 1'b1;
      if (!(read_valid_o && !read_ready_i) && !(row_valid_o && !row_ready_i)) begin
        f_clocks_q <= f_clocks_q + 4'd1;
      end
    end
    f_row_q <= row_o;
  end
  `ASSUME(RequestsStay, (f_waits_q & ~req_valid_i) == '0)
  `ASSUME(RowIsRead, `IMPLIES(f_read_key_q, row_i == f_key_q)
                     && `IMPLIES(f_read_region_q, row_i == f_region_q))
  `ASSERT(StateIsKnown, state_q <= StRespond)
  `ASSERT(BusyForOne, busy_o == (f_requested_q != '0) && f_requested_q != 2'b11)
  `ASSERT(ResponseGoesToItsClient, `IMPLIES(busy_o, f_requested_q == 2'd1 << client_q))
  `ASSERT(ReadBefore, f_read_key_q == (state_q == StRow)
                      && f_read_region_q == (state_q == StRegion))
  `ASSERT(DecidesOnTheKey, `IMPLIES(state_q > StRow, row_q == f_key_q))
  `ASSERT(DecidesOnTheRegion, `IMPLIES(state_q > StRegion && takes_region, region_q == f_region_q))
  `ASSERT(PutsOnce, `IMPLIES(state_q <= StWrite && busy_o, !f_put_q)
                    && `IMPLIES(state_q == StOnBus, f_put_q))
  `ASSERT(RejectedChangesNothing, `IMPLIES(state_q == StWrite || state_q == StOnBus, ok_q)
                                 && `IMPLIES(state_q == StRespond, rsp_o.ok == f_put_q))
  `ASSERT(RowIsKept, `IMPLIES(f_kept_q, row_valid_o && row_o == f_row_q))
  `ASSERT(EndsInTime, `IMPLIES(busy_o, f_clocks_q < state_q))
  `ASSERT(NobodyStarves, (f_passed_q & req_valid_i) == f_passed_q && f_passed_q != 2'b11
                         && `IMPLIES(f_passed_q[0] && state_q == StIdle, !taken[1])
                         && `IMPLIES(f_passed_q[1] && state_q == StIdle, !taken[0]))
  `ASSERT(TurnIsOfThePassed, `IMPLIES(f_passed_q[0], !turn_q) && `IMPLIES(f_passed_q[1], turn_q))
  `COVER(BindIsDone, state_q == StRespond && takes_region && rsp_o.ok && f_clocks_q == 4'd10)
  `COVER(Rejected, state_q == StRespond && !rsp_o.ok)
  `COVER(OtherClientNext, taken[1] && f_passed_q[1])
  initial assume (!rst_ni);
`endif

endmodule
