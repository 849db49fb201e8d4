// SPDX-License-Identifier: Apache-2.0
// Firmware's access to the tables: the row in TableData is put on the row bus, or a row is read
// into it, by TableCommand. Also the source of the row bus, on which changes of state travel as
// well.
//
// Throughput: one command at a time. Latency: a write three clocks, of QpAttr and QpState a few
// more for the state; a read of an own copy four clocks, of live state until both engines
// responded.
//
//   TableCommand --> +--> row bus              <-- changes of state from qp_state (served first),
//                    |                             rows of key operations (next)
//                    +--> copies of QpAttr, Key, Cq, Srq
//                    +--> qp_state, cq (restart of a ring), counters, live state of the engines
//
// A row out of range is not written and reads 0. Av is write only and reads 0. While a key
// operation is in flight, firmware's rows of the key table wait: what the operation read must hold.

`include "assert.svh"

module roci_table_port #(
  parameter int unsigned NumQps  = 256,
  parameter int unsigned NumKeys = 1024,
  parameter int unsigned NumCqs  = 256,
  parameter int unsigned NumSrqs = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // registers
  input  logic                 command_i,    // write to TableCommand
  input  logic                 data_i,       // write to TableData
  input  logic [3:0]           data_word_i,  // which word of it
  input  logic [31:0]          word_i,
  output logic [31:0]          command_o,
  output logic [511:0]         data_o,

  // states: one request; done is a pulse, with the state before the change
  output logic                 state_valid_o,
  output logic                 state_write_o,
  output logic [23:0]          state_qpn_o,
  output logic [2:0]           state_o,
  input  logic                 state_done_i,
  input  logic [2:0]           state_i,
  // changes of state for the row bus
  input  logic                 change_valid_i,  // goes out in the next clock
  input  logic [23:0]          change_qpn_i,
  input  logic [2:0]           change_state_i,

  output logic                 cq_valid_o,  // restart of the ring of row_o with data_o
  input  logic                 cq_ready_i,

  // rows of key operations for the row bus: on it in the clock after ready
  input  logic                 key_busy_i,
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic [23:0]          key_index_i,  // in range
  input  roci_pkg::key_t       key_i,

  // counters: clear, or read in four pairs
  output logic                 clear_valid_o,
  input  logic                 clear_done_i,
  output logic                 count_valid_o,
  input  logic                 count_done_i,   // with the last pair
  input  logic                 count_pair_i,  // a pair of counters is on count_data_i
  input  logic [1:0]           count_index_i,
  input  logic [127:0]         count_data_i,

  // live state
  output logic [23:0]          row_o,
  output logic                 live_sq_valid_o,
  input  logic                 live_sq_ready_i,
  input  roci_pkg::qp_live_t   live_sq_i,
  output logic                 live_rq_valid_o,
  input  logic                 live_rq_ready_i,
  input  roci_pkg::qp_live_t   live_rq_i,
  output logic                 live_srq_valid_o,
  input  logic                 live_srq_ready_i,
  input  roci_pkg::srq_live_t  live_srq_i,
  output logic                 live_cq_valid_o,
  input  logic                 live_cq_ready_i,
  input  roci_pkg::cq_live_t   live_cq_i,

  // row bus
  output logic                 row_write_valid_o,
  output roci_pkg::row_write_t row_write_o,

  output logic                 idle_o
);

  localparam int unsigned QpBits  = $clog2(NumQps);
  localparam int unsigned KeyBits = $clog2(NumKeys);
  localparam int unsigned CqBits  = $clog2(NumCqs);
  localparam int unsigned SrqBits = $clog2(NumSrqs);

  typedef enum logic [3:0] {
    StIdle, StStart, StState, StClear, StCq, StRow, StRam, StLoad, StCount, StLive, StSrqLive,
    StCqLive
  } state_e;

  state_e       state_q;
  logic [23:0]  row_q;
  logic [3:0]   table_q;
  logic         write_q, sq_done_q, rq_done_q;
  logic [511:0] data_q;

  // The table is known and the row is in range.
  logic         in_qps, known;
  assign in_qps = (row_q >> QpBits) == '0;
  always_comb begin
    case (table_q)
      roci_pkg::TableQpAttr, roci_pkg::TableQpState: known = in_qps;
      roci_pkg::TableAv:                             known = in_qps && write_q;
      roci_pkg::TableQpCounters, roci_pkg::TableQpLive: known = in_qps && !write_q;
      roci_pkg::TableKey: known = (row_q >> KeyBits) == '0;
      roci_pkg::TableCq:  known = (row_q >> CqBits) == '0;
      roci_pkg::TableSrq: known = (row_q >> SrqBits) == '0;
      roci_pkg::TableSrqLive: known = (row_q >> SrqBits) == '0 && !write_q;
      roci_pkg::TableCqLive:  known = (row_q >> CqBits) == '0 && !write_q;
      default:            known = 1'b0;
    endcase
  end

  assign command_o = {state_q != StIdle, write_q, 2'd0, table_q, row_q};
  assign data_o    = data_q;
  assign idle_o    = state_q == StIdle && !row_write_valid_o;
  assign row_o     = row_q;

  assign state_valid_o   = state_q == StState;
  assign state_write_o   = write_q && table_q == roci_pkg::TableQpState;
  assign state_qpn_o     = row_q;
  assign state_o         = data_q[roci_pkg::QpStateBits-1:0];
  assign clear_valid_o   = state_q == StClear;
  assign cq_valid_o      = state_q == StCq;
  assign count_valid_o   = state_q == StCount;
  assign live_sq_valid_o = state_q == StLive && !sq_done_q;
  assign live_rq_valid_o = state_q == StLive && !rq_done_q;

  assign live_srq_valid_o = state_q == StSrqLive;
  assign live_cq_valid_o  = state_q == StCqLive;

  logic row_go, key_go;
  assign key_ready_o = !change_valid_i;
  assign key_go      = key_valid_i && key_ready_o;
  assign row_go      = state_q == StRow && !change_valid_i && !key_valid_i
                       && !(key_busy_i && table_q == roci_pkg::TableKey);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      row_q   <= '0;
      table_q <= '0;
      write_q <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (command_i) begin
            row_q   <= word_i[23:0];
            table_q <= word_i[27:24];
            write_q <= word_i[30];
            if (word_i[31]) state_q <= StStart;
          end
        end
        StStart: begin
          if (!known) state_q <= StIdle;
          else begin
            case (table_q)
              roci_pkg::TableQpState:    state_q <= StState;
              roci_pkg::TableQpAttr:     state_q <= write_q ? StState : StRam;
              roci_pkg::TableCq:         state_q <= write_q ? StCq : StRam;
              roci_pkg::TableQpCounters: state_q <= StCount;
              roci_pkg::TableQpLive:     state_q <= StLive;
              roci_pkg::TableSrqLive:    state_q <= StSrqLive;
              roci_pkg::TableCqLive:     state_q <= StCqLive;
              default:                   state_q <= write_q ? StRow : StRam;
            endcase
          end
        end
        // A new generation of a queue pair begins with its attributes: its counters start at 0.
        StState: begin
          if (state_done_i) begin
            if (table_q == roci_pkg::TableQpState) state_q <= StIdle;
            else state_q <= state_i == roci_pkg::QpReset ? StClear : StRow;
          end
        end
        StClear: if (clear_done_i) state_q <= StRow;
        StCq:    if (cq_ready_i) state_q <= StRow;
        StRow:   if (row_go) state_q <= StIdle;
        StRam:   state_q <= StLoad;
        StLoad:  state_q <= StIdle;
        StCount: if (count_done_i) state_q <= StIdle;
        StLive: begin
          if ((sq_done_q || live_sq_ready_i) && (rq_done_q || live_rq_ready_i)) state_q <= StLoad;
        end
        StSrqLive: if (live_srq_ready_i) state_q <= StIdle;
        StCqLive:  if (live_cq_ready_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      sq_done_q <= 1'b0;
      rq_done_q <= 1'b0;
    end else begin
      if (live_sq_valid_o && live_sq_ready_i) sq_done_q <= 1'b1;
      if (live_rq_valid_o && live_rq_ready_i) rq_done_q <= 1'b1;
    end
  end

  // Own copies
  logic [511:0] copy;
  roci_table_copies #(
    .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs)
  ) u_copies (
    .clk_i, .rst_ni,
    .table_i     (table_q),
    .row_i       (row_q),
    .write_i     (row_go),
    .data_i      (data_q),
    .read_i      (state_q == StRam),
    .data_o      (copy),
    .key_write_i (key_go),
    .key_index_i,
    .key_i
  );

  // What the two engines know of a queue pair
  roci_pkg::qp_live_t live_q;
  always_ff @(posedge clk_i) begin
    if (live_sq_valid_o && live_sq_ready_i) begin
      live_q.sq_psn       <= live_sq_i.sq_psn;
      live_q.sq_una_psn   <= live_sq_i.sq_una_psn;
      live_q.sq_completed <= live_sq_i.sq_completed;
      live_q.sq_idle      <= live_sq_i.sq_idle;
    end
    if (live_rq_valid_o && live_rq_ready_i) begin
      live_q.rq_psn <= live_rq_i.rq_psn;
      live_q.msn    <= live_rq_i.msn;
    end
  end

  // TableData: written by words, loaded by reads, 0 where the table has nothing. A loop over the
  // words, because a part at a variable place becomes a shifter of all 512 bits.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) data_q <= '0;
    else if (data_i) begin
      for (int i = 0; i < 16; i++) if (data_word_i == 4'(i)) data_q[32*i +: 32] <= word_i;
    end else begin
      case (state_q)
        StStart: if (!write_q) data_q <= '0;
        StState: if (state_done_i && !write_q) begin
          data_q[roci_pkg::QpStateBits-1:0] <= state_i;
        end
        StLoad: data_q <= table_q == roci_pkg::TableQpLive ? 512'(live_q) : copy;
        StSrqLive: if (live_srq_ready_i) data_q <= 512'(live_srq_i);
        StCqLive:  if (live_cq_ready_i) data_q <= 512'(live_cq_i);
        StCount: begin
          for (int i = 0; i < 4; i++) begin
            if (count_pair_i && count_index_i == 2'(i)) data_q[128*i +: 128] <= count_data_i;
          end
        end
        default: ;
      endcase
    end
  end

  // Row bus
  always_ff @(posedge clk_i) begin
    if (!rst_ni) row_write_valid_o <= 1'b0;
    else row_write_valid_o <= row_go || key_go || change_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (change_valid_i) begin
      row_write_o.table_id <= roci_pkg::TableQpState;
      row_write_o.index    <= change_qpn_i;
      row_write_o.data     <= 512'(change_state_i);
    end else if (key_go) begin
      row_write_o.table_id <= roci_pkg::TableKey;
      row_write_o.index    <= key_index_i;
      row_write_o.data     <= 512'(key_i);
    end else if (row_go) begin
      row_write_o.table_id <= table_q;
      row_write_o.index    <= row_q;
      row_write_o.data     <= data_q;
    end
  end

  `ASSERT(OneRowAClock, !(row_go && (key_go || change_valid_i)) && !(key_go && change_valid_i))
  `ASSERT(KeyRowHasLock, `IMPLIES(key_valid_i, key_busy_i))

endmodule
