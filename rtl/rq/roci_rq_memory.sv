// SPDX-License-Identifier: Apache-2.0
// Atomics and stores in host memory, and all accesses of the receive side that failed.
//
// Throughput and latency: as in roci_atomic and roci_rq_faults, and a clock more for a result.

module roci_rq_memory #(
  parameter int unsigned DataWidth = 512,  // bits of a beat of a block: 64, 128, 256 or 512
  parameter int unsigned Atomics   = 1     // 0: no atomics, and no stores of their results
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       idle_o,

  // atomics of the responder, stores of sq
  input  roci_pkg::atomic_job_t      job_i,
  input  logic                       job_valid_i,
  output logic                       job_ready_o,
  output roci_pkg::atomic_done_t     done_o,
  output logic                       done_valid_o,
  input  logic                       done_ready_i,
  input  roci_pkg::atomic_job_t      store_job_i,
  input  logic                       store_job_valid_i,
  output logic                       store_job_ready_o,
  output logic [7:0]                 store_done_o,
  input  logic [15:0]                wr_done_i,

  // accesses that failed: payload writes, READ data of packets that left, and stores
  input  roci_pkg::fault_t           write_i,
  input  logic                       write_valid_i,
  output logic                       write_ready_o,
  input  roci_pkg::sent_t            sent_i,
  input  logic                       sent_valid_i,
  output roci_pkg::fault_t           fault_o,
  output logic                       fault_write_o,  // payload was not written
  output logic                       fault_valid_o,
  input  logic                       fault_ready_i,

  // host memory
  output logic                       br_req_valid_o,
  input  logic                       br_req_ready_i,
  output roci_pkg::block_read_req_t  br_req_o,
  input  logic [DataWidth:0]         br_rsp_i,  // a beat: {error, data}
  input  logic                       br_rsp_valid_i,
  output logic                       br_rsp_ready_o,
  output logic                       bw_req_valid_o,
  input  logic                       bw_req_ready_i,
  output roci_pkg::block_write_req_t bw_req_o,
  input  logic                       bw_rsp_valid_i,
  input  roci_pkg::block_write_rsp_t bw_rsp_i
);

  roci_pkg::fault_t store_fault;
  logic             store_fault_valid, store_fault_ready, atomic_idle;

  // A result stands in a register, as the responder's choice follows from it.
  roci_pkg::atomic_done_t result;
  logic                   result_valid, result_ready;
  assign result_ready = !done_valid_o || done_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_valid_o <= 1'b0;
    else if (result_ready) done_valid_o <= result_valid;
    if (result_ready) done_o <= result;
  end
  if (Atomics != 0) begin : gen_atomic
    roci_atomic #(.DataWidth(DataWidth)) u_atomic (
      .clk_i, .rst_ni, .idle_o(atomic_idle),
      .job_i, .job_valid_i, .job_ready_o, .done_o(result),
      .done_valid_o(result_valid), .done_ready_i(result_ready),
      .store_job_i, .store_job_valid_i, .store_job_ready_o, .store_done_o, .wr_done_i,
      .br_req_valid_o, .br_req_ready_i, .br_req_o, .br_rsp_i, .br_rsp_valid_i, .br_rsp_ready_o,
      .bw_req_valid_o, .bw_req_ready_i, .bw_req_o, .bw_rsp_valid_i, .bw_rsp_i,
      .fault_o(store_fault), .fault_valid_o(store_fault_valid), .fault_ready_i(store_fault_ready)
    );
  end else begin : gen_none
    logic unused;
    assign unused = &{1'b0, job_i, job_valid_i, result_ready, store_job_i, store_job_valid_i,
                      wr_done_i, br_req_ready_i, br_rsp_i, br_rsp_valid_i, bw_req_ready_i,
                      bw_rsp_valid_i, bw_rsp_i, store_fault_ready};
    assign job_ready_o       = 1'b1;
    assign result            = '0;
    assign result_valid      = 1'b0;
    assign store_job_ready_o = 1'b1;
    assign store_done_o      = '0;
    assign br_req_valid_o    = 1'b0;
    assign br_req_o          = '0;
    assign br_rsp_ready_o    = 1'b1;
    assign bw_req_valid_o    = 1'b0;
    assign bw_req_o          = '0;
    assign store_fault       = '0;
    assign store_fault_valid = 1'b0;
    assign atomic_idle       = 1'b1;
  end

  roci_rq_faults u_faults (
    .clk_i, .rst_ni, .write_i, .write_valid_i, .write_ready_o,
    .store_i(store_fault), .store_valid_i(store_fault_valid), .store_ready_o(store_fault_ready),
    .read_qpn_i(sent_i.qpn), .read_psn_i(sent_i.psn), .read_valid_i(sent_valid_i && sent_i.error),
    .fault_o, .fault_write_o, .fault_valid_o, .fault_ready_i
  );

  assign idle_o = atomic_idle && !done_valid_o && !fault_valid_o;

endmodule
