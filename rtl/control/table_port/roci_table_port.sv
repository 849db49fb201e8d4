// SPDX-License-Identifier: Apache-2.0
// Firmware's access to the tables: the row in TableData is put on the row bus, or a row is read
// into it, by TableCommand. Also the source of the row bus, on which changes of state travel as
// well.
//
// Throughput: one command at a time. Latency: a write three clocks to the row bus, of QpAttr and
// QpState a few more for the state, and a clock for each word of the copy; a read of an own copy
// four clocks and one for each word, of live state until both engines responded and four more.
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
  parameter int unsigned NumSrqs = 64,
  parameter int unsigned QpCounters = 1,    // 0: no counters of queue pairs
  parameter int unsigned Attachments = 256  // to multicast groups; 0: none
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // registers
  input  logic                 command_i,    // write to TableCommand
  input  logic                 data_i,       // write to TableData
  input  logic [3:0]           data_word_i,  // which word of it
  input  logic [31:0]          word_i,
  output roci_pkg::table_command_reg_t command_o,
  input  logic                 read_i,       // read of TableData
  input  logic [3:0]           read_word_i,
  output logic [31:0]          read_data_o,  // a clock later

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

  output logic                 cq_valid_o,  // restart of the ring of row_o
  output logic [roci_pkg::CqBits-1:0] cq_o,
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
    StIdle, StStart, StState, StClear, StCq, StRow, StCopy, StRam, StRamEnd, StCount, StLive,
    StLoad, StSrqLive, StCqLive
  } state_e;

  state_e       state_q;
  roci_pkg::table_command_reg_t command_word;
  logic [23:0]  row_q;
  logic [3:0]   table_q;
  logic         write_q, live_done;
  logic [511:0] data_q;
  logic [3:0]   word_q, last_word;  // word that is read or loaded, and the last one of a row

  // Rows are copied and read by words.
  logic copied;  // the table has a copy
  assign copied    = table_q == roci_pkg::TableQpAttr || table_q == roci_pkg::TableKey
                     || table_q == roci_pkg::TableCq || table_q == roci_pkg::TableSrq;
  assign last_word = table_q == roci_pkg::TableQpAttr || table_q == roci_pkg::TableKey ? 4'd9
                                                                                      : 4'd3;

  // The table is known and the row is in range.
  logic         in_qps, known;
  assign in_qps = (row_q >> QpBits) == '0;
  always_comb begin
    case (table_q)
      roci_pkg::TableQpAttr, roci_pkg::TableQpState: known = in_qps;
      roci_pkg::TableAv, roci_pkg::TableQpService, roci_pkg::TableAh: known = in_qps && write_q;
      roci_pkg::TableGid: known = (row_q >> 4) == '0 && write_q;
      roci_pkg::TableMulticast: known = (row_q >> $clog2(Attachments)) == '0 && write_q;
      roci_pkg::TableQpCounters, roci_pkg::TableQpLive: known = in_qps && !write_q;
      roci_pkg::TableKey: known = (row_q >> KeyBits) == '0;
      roci_pkg::TableCq:  known = (row_q >> CqBits) == '0;
      roci_pkg::TableSrq: known = (row_q >> SrqBits) == '0;
      roci_pkg::TableSrqLive: known = (row_q >> SrqBits) == '0 && !write_q;
      roci_pkg::TableCqLive:  known = (row_q >> CqBits) == '0 && !write_q;
      default:            known = 1'b0;
    endcase
  end

  assign command_word = word_i;
  always_comb begin
    command_o          = '0;
    command_o.go       = state_q != StIdle;
    command_o.write    = write_q;
    command_o.table_id = table_q;
    command_o.row      = row_q;
  end
  assign cq_o      = data_q[roci_pkg::CqBits-1:0];
  assign idle_o    = state_q == StIdle && !row_write_valid_o;
  assign row_o     = row_q;

  assign state_valid_o   = state_q == StState;
  assign state_write_o   = write_q && table_q == roci_pkg::TableQpState;
  assign state_qpn_o     = row_q;
  assign state_o         = data_q[roci_pkg::QpStateBits-1:0];
  assign clear_valid_o   = state_q == StClear;
  assign cq_valid_o      = state_q == StCq;
  assign count_valid_o   = state_q == StCount;

  assign live_srq_valid_o = state_q == StSrqLive;
  assign live_cq_valid_o  = state_q == StCqLive;

  logic row_go, key_go, copying, reads_key;
  assign reads_key   = table_q == roci_pkg::TableKey && !write_q;
  assign key_ready_o = !change_valid_i && !copying
                       && !(reads_key && (state_q == StRam || state_q == StRamEnd));
  assign key_go      = key_valid_i && key_ready_o;
  assign row_go      = state_q == StRow && !change_valid_i && !key_valid_i && !copying
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
            row_q   <= command_word.row;
            table_q <= command_word.table_id;
            write_q <= command_word.write;
            if (command_word.go) state_q <= StStart;
          end
        end
        StStart: begin
          if (!known) state_q <= StIdle;
          else if (!(reads_key && (copying || key_go))) begin
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
            if (table_q == roci_pkg::TableQpState) state_q <= write_q ? StIdle : StLoad;
            else state_q <= state_i == roci_pkg::QpReset ? StClear : StRow;
          end
        end
        StClear: if (clear_done_i) state_q <= StRow;
        StCq:    if (cq_ready_i) state_q <= StRow;
        StRow:   if (row_go) state_q <= copied ? StCopy : StIdle;
        StCopy:  if (!copying) state_q <= StIdle;
        StRam:   if (word_q == last_word) state_q <= StRamEnd;
        StLoad:  if (word_q == (table_q == roci_pkg::TableQpLive ? 4'd3 : 4'd1)) state_q <= StIdle;
        StRamEnd: state_q <= StIdle;
        StCount: if (count_done_i) state_q <= StIdle;
        StLive:  if (live_done) state_q <= StLoad;
        StSrqLive: if (live_srq_ready_i) state_q <= StLoad;
        StCqLive:  if (live_cq_ready_i) state_q <= StLoad;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) word_q <= '0;
    else if (state_q == StRam || state_q == StLoad) word_q <= word_q + 4'd1;
    else word_q <= '0;
  end

  // Own copies
  logic [31:0] copy;
  logic        ram_q;       // a word of the copy is there
  logic [3:0]  ram_word_q;
  always_ff @(posedge clk_i) begin
    ram_q      <= rst_ni && state_q == StRam;
    ram_word_q <= word_q;
  end
  roci_table_copies #(
    .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs)
  ) u_copies (
    .clk_i, .rst_ni,
    .start_i      (key_go || (row_go && copied)),
    .table_i      (key_go ? roci_pkg::TableKey : table_q),
    .row_i        (key_go ? key_index_i : row_q),
    .data_i       (row_write_o.data[319:0]),
    .copying_o    (copying),
    .read_i       (state_q == StRam),
    .read_table_i (table_q),
    .read_row_i   (row_q), .read_word_i(word_q),
    .data_o       (copy)
  );

  // State of a queue pair, of an SRQ or of a completion queue: two words, four of a queue pair live
  logic [31:0] live;
  logic [63:0] other;
  logic        set_state, set_srq, set_cq;
  assign set_state = state_q == StState && state_done_i && !write_q;
  assign set_srq   = state_q == StSrqLive && live_srq_ready_i;
  assign set_cq    = state_q == StCqLive && live_cq_ready_i;
  assign other     = set_cq ? 64'(live_cq_i) : set_srq ? 64'(live_srq_i) : 64'(state_i);
  roci_table_live u_live (
    .clk_i, .rst_ni, .request_i(state_q == StLive), .done_o(live_done),
    .other_i(set_state || set_srq || set_cq), .other_data_i(other),
    .word_i(word_q[1:0]), .data_o(live),
    .live_sq_valid_o, .live_sq_ready_i, .live_sq_i, .live_rq_valid_o, .live_rq_ready_i, .live_rq_i);

  // TableData: written by words, loaded by reads, 0 where the table has nothing.
  roci_table_data #(.Pairs(QpCounters)) u_data (
    .clk_i, .rst_ni,
    .clear_i(state_q == StStart && !write_q),
    .write_i(data_i), .write_word_i(data_word_i), .write_data_i(word_i),
    .load_i(ram_q || state_q == StLoad), .load_word_i(ram_q ? ram_word_q : word_q),
    .load_data_i(ram_q ? copy : live),
    .pair_i(state_q == StCount && count_pair_i), .pair_index_i(count_index_i),
    .pair_data_i(count_data_i), .data_o(data_q), .read_i, .read_word_i, .read_data_o);

  // Row bus. A table takes only the bits that its rows have; the others are of any row.
  always_ff @(posedge clk_i) begin
    row_write_valid_o <= rst_ni && (row_go || key_go || change_valid_i);
    if (change_valid_i) begin
      row_write_o.table_id <= roci_pkg::TableQpState;
      row_write_o.index    <= change_qpn_i;
    end else if (key_go) begin
      row_write_o.table_id <= roci_pkg::TableKey;
      row_write_o.index    <= key_index_i;
    end else if (row_go) begin
      row_write_o.table_id <= table_q;
      row_write_o.index    <= row_q;
    end
    if (row_go) row_write_o.data[511:roci_pkg::KeyBits] <= data_q[511:roci_pkg::KeyBits];
    if (row_go || key_go) begin
      row_write_o.data[roci_pkg::KeyBits-1:0] <= key_go ? key_i : data_q[roci_pkg::KeyBits-1:0];
    end
    if (change_valid_i) row_write_o.data[roci_pkg::QpStateBits-1:0] <= change_state_i;
  end

  `ASSERT(OneRowAClock, !(row_go && (key_go || change_valid_i)) && !(key_go && change_valid_i))
  `ASSERT(KeyRowHasLock, `IMPLIES(key_valid_i, key_busy_i))

endmodule
