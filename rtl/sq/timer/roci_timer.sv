// SPDX-License-Identifier: Apache-2.0
// One timer per queue pair: transport timeout (RQ-31) or RNR wait (RQ-27).
//
// Throughput: one command every two clocks; one that makes a deadline earlier than the tree holds
// costs log2(NumQps) + 2 clocks more. Nine commands wait in front. An expiry is reported within
// log2(NumQps) + 8 clocks, if no other comes first.
//
//   commands --> queue --> its time --> row of the queue pair --> decide --> row
//                                           ^                       +-----> tree, only for an
//   tree: earliest -------------------------+                       |       earlier time
//                                                                   +-----> event
//
// The row holds the deadline that counts. The tree may hold an earlier one: putting a timer off or
// stopping it only writes the row, and the tree is corrected when its time comes. A
// stopped timer at the root is taken out at once when nothing else is to do, so that
// next_deadline_o is not the time of a timer that does not run.

`include "assert.svh"

module roci_timer #(
  parameter int unsigned NumQps = 1024  // a power of two, 16 to 2048
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [63:0]            now_i,  // ns; may skip ahead

  input  roci_pkg::timer_cmd_t   timer_cmd_i,
  input  logic                   timer_cmd_valid_i,
  output logic                   timer_cmd_ready_o,

  output roci_pkg::timer_event_t timer_event_o,
  output logic                   timer_event_valid_o,
  input  logic                   timer_event_ready_i,

  output logic [63:0]            next_deadline_o,  // ns; all ones: none
  output logic                   idle_o            // until next_deadline_o or a command
);

  `PARAM_CHECK(QpsInRange, NumQps >= 2 && (NumQps & (NumQps - 1)) == 0)

  localparam int unsigned QpBits = $clog2(NumQps);
  localparam logic [63:0] Never = {64{1'b1}};

  // A row, all zero after reset; the code is that of a Start that came after the expiry. The time
  // in the tree stands in a memory of its own, inverted: it is written a clock later, when it is
  // known whether the deadline is earlier.
  typedef struct packed {
    logic [63:0] deadline;
    logic        running;
    logic        rnr;
    logic        expired;
    logic        again;
    logic [4:0]  code;
  } row_t;
  localparam int unsigned RowBits = 64 + 4 + 5;

  function automatic logic [63:0] timeout(input logic [4:0] code);
    timeout = 64'd4096 << code;
  endfunction

  // 9.7.5.2.8: 10 us times 1, 2, 3, 4, 6, 8, 12, ...; code 0 is the longest.
  function automatic logic [63:0] rnr_time(input logic [4:0] code);
    logic [63:0] unit;
    unit = code[0] ? 64'd30_000 : 64'd20_000;
    if (code == 5'd0)      rnr_time = 64'd655_360_000;
    else if (code == 5'd1) rnr_time = 64'd10_000;
    else                   rnr_time = unit << ((code - 5'd2) >> 1);
  endfunction

  typedef enum logic [2:0] {StIdle, StDecide, StAgain, StCompare, StExpire, StTree} state_e;
  state_e state_q;

  // Commands
  logic [roci_pkg::TimerCmdBits-1:0] queued_word;
  logic                              queued_valid, queued_take, head_valid, head_take;
  logic [3:0]                        queued_level;
  roci_pkg::timer_cmd_t              head, queued;  // head of the queue; next one, with time_q
  logic [63:0]                       time_q;        // from the command to its deadline
  logic [1:0]                        op_q;
  logic [4:0]                        code_q;

  roci_fifo #(.Width(roci_pkg::TimerCmdBits), .Depth(8)) u_commands (
    .clk_i, .rst_ni,
    .in_data_i(timer_cmd_i),
    .in_valid_i(timer_cmd_valid_i),
    .in_ready_o(timer_cmd_ready_o),
    .out_data_o(queued_word),
    .out_valid_o(head_valid),
    .out_ready_i(head_take),
    .level_o(queued_level)
  );
  assign head      = queued_word;
  assign head_take = !queued_valid || queued_take;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) queued_valid <= 1'b0;
    else if (head_take) queued_valid <= head_valid;
    if (head_take) begin
      queued <= head;
      time_q <= head.op == roci_pkg::TimerOpRnr ? rnr_time(head.code) : timeout(head.code);
    end
  end

  // Rows
  logic               row_write, row_read, rows_ready, listed_write, unused_listed_ready;
  logic [QpBits-1:0]  qp_q, row_at;
  logic [RowBits-1:0] row_word;
  row_t               row, row_d;

  roci_ram #(.Width(RowBits), .Depth(NumQps), .Clear(1)) u_rows (
    .clk_i, .rst_ni,
    .write_i(row_write),
    .write_row_i(qp_q),
    .write_data_i(row_d),
    .read_i(row_read),
    .read_row_i(row_at),
    .read_data_o(row_word),
    .ready_o(rows_ready)
  );
  assign row = row_word;

  logic [63:0]       listed_n, tree_time, first_time;
  logic              tree_set, tree_ready;
  logic [QpBits-1:0] first_qp;
  roci_ram #(.Width(64), .Depth(NumQps), .Clear(1)) u_listed (
    .clk_i, .rst_ni,
    .write_i(listed_write),
    .write_row_i(qp_q),
    .write_data_i(~tree_time),
    .read_i(row_read),
    .read_row_i(row_at),
    .read_data_o(listed_n),
    .ready_o(unused_listed_ready)
  );

  // Tree
  roci_timer_tree #(.Leaves(NumQps)) u_tree (
    .clk_i, .rst_ni,
    .set_i(tree_set),
    .set_leaf_i(qp_q),
    .set_time_i(tree_time),
    .ready_o(tree_ready),
    .first_time_o(first_time),
    .first_leaf_o(first_qp)
  );

  // What to do next: put an earlier deadline into the tree, else an expiry or a command, which take
  // turns when both wait. due_q may be that of the root before: its row is looked at for nothing.
  logic due, due_q, doubt_q, doubt, look, take, ready, turn_q, event_free;
  logic sooner_q;  // the deadline of the command that was decided is earlier than the tree has it

  assign ready       = state_q == StIdle && rows_ready && tree_ready && !sooner_q;
  assign due         = now_i >= first_time && first_time != Never;
  assign event_free  = !timer_event_valid_o;
  assign doubt       = doubt_q && first_time != Never;
  assign look        = ready && event_free && ((due_q && turn_q)
                                               || ((due_q || doubt) && !queued_valid));
  assign take        = ready && queued_valid && !look;
  assign queued_take = take;
  assign row_read    = look || take;
  assign row_at      = look ? first_qp : queued.qpn[QpBits-1:0];

  // Decisions
  logic [63:0] deadline_q;          // deadline of the command, from when it was taken
  logic        arms, again, fires_q, moved_q;

  assign arms  = op_q == roci_pkg::TimerOpRnr
                 || (op_q == roci_pkg::TimerOpRestart && code_q != '0)
                 || (op_q == roci_pkg::TimerOpStart && code_q != '0
                     && !row.running && !row.expired);
  assign again = op_q == roci_pkg::TimerOpStop && row.expired && row.again;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sooner_q <= 1'b0;
    else sooner_q <= state_q == StDecide && arms && deadline_q < ~listed_n;
    due_q   <= due;
    fires_q <= row.running && row.deadline <= now_i;
    moved_q <= row.deadline != first_time;
  end

  always_comb begin
    row_d     = row;
    row_write = 1'b0;
    tree_set  = sooner_q;
    tree_time = deadline_q;
    unique case (state_q)
      StDecide: begin
        if (arms) begin
          row_d.running  = 1'b1;
          row_d.expired  = 1'b0;
          row_d.again    = 1'b0;
          row_d.rnr      = op_q == roci_pkg::TimerOpRnr;
          row_d.deadline = deadline_q;
        end else if (op_q == roci_pkg::TimerOpStart) begin
          if (row.expired) begin
            row_d.again = 1'b1;
            row_d.code  = code_q;
          end
        end else begin
          row_d.running = 1'b0;
          row_d.expired = 1'b0;
          row_d.again   = 1'b0;
        end
        row_write = !again;
      end
      StExpire: begin
        tree_set  = fires_q || !row.running || moved_q;
        tree_time = row.running && !fires_q ? row.deadline : Never;
        row_write = fires_q;
        if (fires_q) begin
          row_d.running = 1'b0;
          row_d.expired = 1'b1;
          row_d.again   = 1'b0;
        end
      end
      default: ;
    endcase
  end
  assign listed_write = tree_set;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q             <= StIdle;
      doubt_q             <= 1'b0;
      turn_q              <= 1'b0;
      timer_event_valid_o <= 1'b0;
    end else begin
      if (timer_event_valid_o && timer_event_ready_i) timer_event_valid_o <= 1'b0;
      unique case (state_q)
        StIdle: begin
          if (sooner_q) state_q <= StTree;
          else if (look) begin
            state_q <= StCompare;
            turn_q  <= 1'b0;
            doubt_q <= 1'b0;
          end else if (take) begin
            state_q <= StDecide;
            turn_q  <= 1'b1;
          end
        end
        StDecide: begin
          // A Stop that is a Restart is decided a second time, as a Restart.
          state_q <= again ? StAgain : StIdle;
          if (row_write && !row_d.running && qp_q == first_qp) doubt_q <= 1'b1;
        end
        StAgain:   state_q <= StDecide;  // its row is still in the register of the memory
        StCompare: state_q <= StExpire;
        StExpire: begin
          state_q <= tree_set ? StTree : StIdle;
          if (fires_q) timer_event_valid_o <= 1'b1;
        end
        default: begin  // StTree
          if (tree_ready) begin
            state_q <= StIdle;
            doubt_q <= 1'b1;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (look) qp_q <= first_qp;
    if (take) begin
      qp_q   <= queued.qpn[QpBits-1:0];
      op_q   <= queued.op;
      code_q <= queued.code;
    end
    if (take || state_q == StAgain) begin
      deadline_q <= now_i + (state_q == StAgain ? timeout(code_q) : time_q);
    end
    if (state_q == StDecide && again) begin
      op_q   <= roci_pkg::TimerOpRestart;
      code_q <= row.code;
    end
    if (state_q == StExpire && fires_q) begin
      timer_event_o.rnr <= row.rnr;
      timer_event_o.qpn <= 24'(qp_q);
    end
  end

  assign next_deadline_o = first_time;
  assign idle_o          = ready && !due && !doubt && queued_level == '0 && !queued_valid
                           && !timer_cmd_valid_i && event_free;

  logic unused;
  assign unused = unused_listed_ready;

  `ASSERT(QpInRange, `IMPLIES(timer_cmd_valid_i, (timer_cmd_i.qpn >> QpBits) == '0))

endmodule
