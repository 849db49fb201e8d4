// SPDX-License-Identifier: Apache-2.0
// The key table: which access to memory is allowed, and where DMA finds the memory (MR-01 to
// MR-04); and the operations of work requests on the table (MR-09 to MR-16).
//
// Throughput: one lookup per clock, round robin over the clients; an operation takes the place of
// two. Latency: three clocks from the clock in which a request is taken to its result. Results come
// in order and are always taken.
//
//   requests ----> choose --> table --> row --> rule --> result
//   operations --> key_op <-----------------'
//                     \--> row bus, by way of control --> table; then the result
//
// A reset clears the table if a row was ever written, one row a clock (NumKeys clocks); until then
// no request is taken and idle_o is down, and rows written are lost.

`include "assert.svh"

module roci_key_check #(
  parameter int unsigned NumKeys = 1024,  // rows, a power of two
  parameter int unsigned Clients = 4,     // 1 to 8
  parameter int unsigned OpClients = 2,   // 2
  parameter int unsigned KeyOps  = 1      // 0: no operations; their requests must not come
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // row bus
  input  logic                  row_write_valid_i,
  input  roci_pkg::row_write_t  row_write_i,

  // requests (key_req_t), client c at [KeyReqBits*c +: KeyReqBits]
  input  logic [Clients*roci_pkg::KeyReqBits-1:0] key_req_i,
  input  logic [Clients-1:0]    key_req_valid_i,
  output logic [Clients-1:0]    key_req_ready_o,

  // results
  output logic [roci_pkg::KeyRspBits-1:0] key_rsp_o,  // key_rsp_t, for one client
  output logic [Clients-1:0]    key_rsp_valid_o,

  // operations (key_op_req_t), client c at [KeyOpReqBits*c +: KeyOpReqBits], and their results
  input  logic [OpClients*roci_pkg::KeyOpReqBits-1:0] key_op_req_i,
  input  logic [OpClients-1:0]  key_op_req_valid_i,
  output logic [OpClients-1:0]  key_op_req_ready_o,
  output roci_pkg::key_op_rsp_t key_op_rsp_o,  // result for one client
  output logic [OpClients-1:0]  key_op_rsp_valid_o,

  // rows for the row bus; no other row of the table may go out while key_busy_o is up
  output logic                  key_busy_o,
  output roci_pkg::key_t        key_row_o,
  output logic [23:0]           key_row_index_o,
  output logic                  key_row_valid_o,
  input  logic                  key_row_ready_i,

  output logic                  idle_o
);

  `PARAM_CHECK(KeysArePowerOfTwo, NumKeys >= 2 && (NumKeys & (NumKeys - 1)) == 0)
  `PARAM_CHECK(ClientsInRange, Clients >= 1 && Clients <= 8)

  localparam int unsigned RowIndexBits = $clog2(NumKeys);
  localparam int unsigned KeyIndexAt = 8;  // below: the variant

  // Choice: the clients after the one served last come first. A client is ready when none that
  // comes before it asks, whether it asks itself or not.
  logic [Clients-1:0] after_q, served;
  logic               table_ready, take, op_read;

  for (genvar c = 0; c < Clients; c++) begin : gen_ready
    localparam logic [Clients-1:0] Lower = Clients'((1 << c) - 1);
    assign key_req_ready_o[c] = table_ready && !op_read
        && (key_req_valid_i & (after_q[c] ? after_q & Lower : after_q | Lower)
            & ~(Clients'(1) << c)) == '0;
  end

  assign served = key_req_valid_i & key_req_ready_o;
  assign take   = |served;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) after_q <= '0;
    else if (take) after_q <= ~(served | (served - 1'b1));
  end

  function automatic logic [roci_pkg::KeyReqBits-1:0] choose(
      input logic [Clients*roci_pkg::KeyReqBits-1:0] requests,
      input logic [Clients-1:0]                      one);
    choose = '0;
    for (int c = 0; c < Clients; c++) begin
      if (one[c]) begin
        choose = choose | requests[roci_pkg::KeyReqBits*c +: roci_pkg::KeyReqBits];
      end
    end
  endfunction

  roci_pkg::key_req_t asked, asked_q;
  roci_pkg::key_rsp_t result;
  logic               in_range_q;
  logic [Clients-1:0] requested_by_q, checked_by_q, result_to_q;

  logic [roci_pkg::KeyBits-1:0]    row;
  logic [roci_pkg::KeyRspBits-1:0] result_q;

  logic [RowIndexBits-1:0] op_row;  // row that key_op reads

  assign asked = choose(key_req_i, served);

  roci_deep_ram #(.Width(roci_pkg::KeyBits), .Depth(NumKeys)) u_table (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableKey
             && row_write_i.index[23:RowIndexBits] == '0),
    .write_row_i  (row_write_i.index[RowIndexBits-1:0]),
    .write_data_i (row_write_i.data[roci_pkg::KeyBits-1:0]),
    .read_i       (take || (op_read && table_ready)),
    .read_row_i   (op_read ? op_row : asked.key[KeyIndexAt +: RowIndexBits]),
    .read_data_o  (row),
    .ready_o      (table_ready)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      requested_by_q <= '0;
      checked_by_q   <= '0;
      result_to_q    <= '0;
    end else begin
      requested_by_q <= served;
      checked_by_q   <= requested_by_q;
      result_to_q    <= checked_by_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      asked_q    <= asked;
      in_range_q <= asked.key[31:KeyIndexAt+RowIndexBits] == '0;
    end
    if (|checked_by_q) result_q <= result;
  end

  roci_key_rule u_rule (
    .clk_i,
    .take_i     (|requested_by_q),
    .req_i      (asked_q),
    .row_i      (row),
    .in_range_i (in_range_q),
    .rsp_o      (result)
  );

  if (KeyOps != 0) begin : gen_op
    roci_key_op #(.RowIndexBits(RowIndexBits), .Clients(OpClients)) u_op (
      .clk_i, .rst_ni,
      .req_i        (key_op_req_i),
      .req_valid_i  (key_op_req_valid_i),
      .req_ready_o  (key_op_req_ready_o),
      .rsp_o        (key_op_rsp_o),
      .rsp_valid_o  (key_op_rsp_valid_o),
      .read_valid_o (op_read),
      .read_ready_i (table_ready),
      .read_row_o   (op_row),
      .row_i        (row),
      .busy_o       (key_busy_o),
      .row_valid_o  (key_row_valid_o),
      .row_ready_i  (key_row_ready_i),
      .row_index_o  (key_row_index_o),
      .row_o        (key_row_o)
    );
  end else begin : gen_no_op
    logic unused_op;
    assign unused_op          = &{1'b0, key_op_req_i, key_row_ready_i};
    assign key_op_req_ready_o = '0;
    assign key_op_rsp_o       = '0;
    assign key_op_rsp_valid_o = '0;
    assign op_read            = 1'b0;
    assign op_row             = '0;
    assign key_busy_o         = 1'b0;
    assign key_row_valid_o    = 1'b0;
    assign key_row_index_o    = '0;
    assign key_row_o          = '0;
    `ASSERT(NoOperation, key_op_req_valid_i == '0)
  end

  assign key_rsp_o       = result_q;
  assign key_rsp_valid_o = result_to_q;
  assign idle_o          = table_ready && !(|key_req_valid_i) && requested_by_q == '0
                           && checked_by_q == '0 && result_to_q == '0
                           && !(|key_op_req_valid_i) && !key_busy_o;

  `ASSERT(OneServed, (served & (served - 1'b1)) == '0)
  `ASSERT(SomeoneServed, `IMPLIES(table_ready && !op_read && |key_req_valid_i, take))

endmodule
