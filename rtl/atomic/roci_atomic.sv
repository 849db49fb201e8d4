// Read-modify-write of 8 bytes in host memory, and plain stores of 8 bytes; one at a time, so that
// atomics are indivisible against one another.
//
// Latency: one memory read and, if something changes, one write. Up to 16 orders wait.
//
//   job (responder) --+--> 16 jobs --> wait for payload --> block read --> compute --> write --> done
//   job (store) ------+        +-------------------------------------------------------^

`include "assert.svh"

module roci_atomic (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     idle_o,

  // in: compare and swap, fetch and add; answered on done_o in order
  input  roci_pkg::atomic_job_t    job_i,
  input  logic                     job_valid_i,
  output logic                     job_ready_o,
  output roci_pkg::atomic_done_t   done_o,
  output logic                     done_valid_o,
  input  logic                     done_ready_i,

  // in: stores; counted when in memory
  input  roci_pkg::atomic_job_t    store_job_i,
  input  logic                     store_job_valid_i,
  output logic                     store_job_ready_o,
  output logic [7:0]               store_done_o,

  input  logic [15:0]              wr_done_i,

  // host memory
  output logic                     br_valid_o,
  input  logic                     br_ready_i,
  output logic [63:0]              br_addr_o,
  output logic [19:0]              br_pasid_o,
  output logic [4:0]               br_count_o,
  input  logic [511:0]             br_data_i,
  input  logic                     br_error_i,
  input  logic                     br_data_valid_i,
  output logic                     br_data_ready_o,
  output logic                     bw_valid_o,
  input  logic                     bw_ready_i,
  output logic [63:0]              bw_addr_o,
  output logic [19:0]              bw_pasid_o,
  output logic [511:0]             bw_data_o,
  output logic [6:0]               bw_bytes_o,
  input  logic                     bw_done_i,
  input  logic                     bw_error_i,    // with done: not written

  // a store that was not written; it is counted when this is taken
  output roci_pkg::fault_t         fault_o,
  output logic                     fault_valid_o,
  input  logic                     fault_ready_i
);

  localparam logic [1:0] OpStore = 2'd0, OpCompareSwap = 2'd1;

  // ---------------------------------------------------------------- waiting orders
  roci_pkg::atomic_job_t in_job, job;
  logic                  take_job, take_store, turn_q;  // turn_q: stores go first when both wait
  logic                  in_ready, job_valid, job_pop;
  logic [4:0]            job_level;

  assign job_ready_o       = in_ready && !(turn_q && store_job_valid_i);
  assign store_job_ready_o = in_ready && !(!turn_q && job_valid_i);
  assign take_job          = job_valid_i && job_ready_o;
  assign take_store        = store_job_valid_i && store_job_ready_o;
  assign in_job            = take_store ? store_job_i : job_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= 1'b0;
    else if (take_job || take_store) turn_q <= take_job;
  end

  roci_fifo #(.Width(roci_pkg::AtomicJobBits), .Depth(16)) u_jobs (
    .clk_i, .rst_ni,
    .in_data_i(in_job), .in_valid_i(take_job || take_store), .in_ready_o(in_ready),
    .out_data_o(job), .out_valid_o(job_valid), .out_ready_i(job_pop), .level_o(job_level)
  );

  // ---------------------------------------------------------------- one at a time
  typedef enum logic [2:0] {StWait, StRead, StData, StWrite, StWritten, StDone, StFault} state_e;
  state_e      state_q, state_d;
  logic [63:0] word, word_q, result;
  logic        error_q;
  logic        payload_done, change;
  logic [15:0] behind;
  logic [7:0]  store_done_q;

  assign behind       = wr_done_i - job.ticket;
  assign payload_done = job.op == OpStore || signed'(behind) >= 16'sd0;  // stores have no ticket
  assign word         = br_data_i[64*job.addr[5:3] +: 64];
  assign result       = job.op == OpStore || job.op == OpCompareSwap ? job.operand
                                                                     : word_q + job.operand;
  assign change       = job.op != OpCompareSwap || word == job.compare;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StWait:    if (job_valid && payload_done) state_d = job.op == OpStore ? StWrite : StRead;
      StRead:    if (br_ready_i) state_d = StData;
      StData:    if (br_data_valid_i) state_d = change && !br_error_i ? StWrite : StDone;
      StWrite:   if (bw_ready_i) state_d = StWritten;
      StWritten: if (bw_done_i) state_d = job.op != OpStore ? StDone : bw_error_i ? StFault : StWait;
      StDone:    if (done_ready_i) state_d = StWait;
      StFault:   if (fault_ready_i) state_d = StWait;
      default:   state_d = StWait;
    endcase
  end
  assign job_pop = state_q != StWait && state_d == StWait;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StWait;
      store_done_q <= '0;
    end else begin
      state_q <= state_d;
      if ((state_q == StWritten || state_q == StFault) && state_d == StWait) store_done_q <= store_done_q + 1'b1;
    end
    if (state_q == StData) begin
      word_q  <= word;
      error_q <= br_error_i;
    end
    if (state_q == StWritten && bw_done_i && bw_error_i) error_q <= 1'b1;
  end

  assign br_valid_o      = state_q == StRead;
  assign br_addr_o       = {job.addr[63:6], 6'd0};
  assign br_pasid_o      = job.pasid;
  assign br_count_o      = 5'd1;
  assign br_data_ready_o = state_q == StData;
  assign bw_valid_o      = state_q == StWrite;
  assign bw_addr_o       = job.addr;
  assign bw_pasid_o      = job.pasid;
  assign bw_data_o       = 512'(result);
  assign bw_bytes_o      = 7'd8;
  assign done_valid_o    = state_q == StDone;
  assign done_o.qpn      = job.qpn;
  assign done_o.slot     = job.slot;
  assign done_o.original = word_q;
  assign done_o.error    = error_q;
  assign store_done_o    = store_done_q;
  assign fault_valid_o   = state_q == StFault;
  assign fault_o.qpn     = job.qpn;
  assign fault_o.psn     = '0;
  assign fault_o.response = 1'b1;
  assign idle_o          = job_level == '0 && !job_valid_i && !store_job_valid_i;

  `ASSERT(StoresAreStores, `IMPLIES(store_job_valid_i, store_job_i.op == OpStore))
  `ASSERT(AtomicsAreAligned, `IMPLIES(state_q == StRead, job.addr[2:0] == 3'd0))

endmodule
