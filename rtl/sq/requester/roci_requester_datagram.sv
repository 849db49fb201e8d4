// SPDX-License-Identifier: Apache-2.0
// What is wrong with a plan of a UD queue pair: its operation (9.2.1), its length (UD-02), its
// address handle (UD-13). Found a clock before the plan is decided on, beside what the plan itself
// says.
//
// Throughput: one plan a clock. Latency: two clocks from plan_next_i, one from plan_i.

module roci_requester_datagram #(
  parameter int unsigned NumQps = 256,  // queue pairs, and as many address handles
  localparam int unsigned QpBits = $clog2(NumQps)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // row bus
  input  logic                  row_write_valid_i,
  input  roci_pkg::row_write_t  row_write_i,

  input  roci_pkg::plan_t       plan_next_i,  // the plan that may be picked,
  input  logic                  pick_i,       // and was, and is plan_i a clock later
  input  roci_pkg::plan_t       plan_i,
  input  logic                  ud_i,         // what plan_i is for
  input  roci_pkg::qp_attr_t    attr_i,

  // a clock after plan_i
  output logic                  fails_o,    // in place of the status of the plan:
  output logic [7:0]            status_o,
  output logic [7:0]            vendor_o
);

  // Address handles: valid, domain.
  roci_pkg::ud_wqe_t wqe;  // the request, as far as its fields are those of UD
  roci_pkg::ah_t     ah_row;
  logic              valid, outside_q, unused_ready;
  logic [15:0]       pd;
  always_comb begin
    wqe = '0;
    {wqe.reserved1, wqe.ah, wqe.reserved0, wqe.dest_qpn} = plan_next_i.remote_addr;
  end
  assign ah_row = row_write_i.data[roci_pkg::AhBits-1:0];
  roci_ram #(.Width(17), .Depth(NumQps), .Clear(1)) u_ah (
    .clk_i, .rst_ni,
    .write_i(row_write_valid_i && row_write_i.table_id == roci_pkg::TableAh
             && row_write_i.index < 24'(NumQps)),
    .write_row_i(row_write_i.index[QpBits-1:0]), .write_data_i({ah_row.valid, ah_row.pd}),
    .read_i(pick_i), .read_row_i(wqe.ah[QpBits-1:0]), .read_data_o({valid, pd}),
    .ready_o(unused_ready));
  always_ff @(posedge clk_i) if (pick_i) outside_q <= (wqe.ah >> QpBits) != '0;

  logic is_send, too_long, no_ah, format;
  assign is_send  = plan_i.opcode == roci_pkg::WrOpSend || plan_i.opcode == roci_pkg::WrOpSendImm;
  // Compared with each path MTU, as the attributes come out of memory late.
  logic [7:0] longer;
  for (genvar code = 0; code < 8; code++) begin : gen_mtu
    assign longer[code] = plan_i.msg_len > (32'd128 << code);
  end
  assign too_long = longer[attr_i.pmtu];
  assign no_ah    = !valid || outside_q || pd != attr_i.pd;
  assign format   = plan_i.status == roci_pkg::StatusLocQpOpErr;
  always_ff @(posedge clk_i) begin
    fails_o <= ud_i && plan_i.status != roci_pkg::StatusFatalErr
                 && (!is_send || (!format && (too_long || no_ah)));
    status_o  <= is_send && too_long ? roci_pkg::StatusLocLenErr : roci_pkg::StatusLocQpOpErr;
    vendor_o  <= !is_send ? roci_pkg::VendorErrLocalFormat
                 : too_long ? roci_pkg::VendorErrLocalLength : roci_pkg::VendorErrAddressHandle;
  end

  logic unused;
  assign unused = &{1'b0, plan_i, plan_next_i, attr_i, wqe, ah_row, row_write_i, unused_ready};

endmodule
