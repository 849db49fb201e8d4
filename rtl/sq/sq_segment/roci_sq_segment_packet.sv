// SPDX-License-Identifier: Apache-2.0
// The next packet of a work request: its plan, and whether it is the last. Combinational.

module roci_sq_segment_packet (
  input  roci_pkg::segment_job_t job_i,
  input  roci_pkg::wqe_t     wqe_i,
  input  logic [2:0]         pmtu_i,         // code of the path MTU of the job,
  input  logic [12:0]        mtu_i,          // and its bytes
  input  logic [15:0]        index_i,        // number of the work request
  input  logic [31:0]        offset_i,       // bytes of it segmented before
  input  logic [31:0]        remaining_i,    // and the others
  input  logic [7:0]         status_i,       // result of the check of the work request
  input  logic               one_plan_i,
  input  logic               walked_i,       // its list was walked, with the status
  input  logic [7:0]         walk_status_i,
  output roci_pkg::plan_t    plan_o,
  output logic [31:0]        part_o,         // bytes of this packet
  output logic               last_o
);

  // Each path MTU is compared with, bit by bit, and one result taken. More than the MTU: a bit
  // above its bit, or its bit and one below it.
  logic [5:1] above;
  logic       more;
  always_comb begin
    for (int k = 1; k <= 5; k++) begin
      above[k] = (remaining_i >> (8 + k)) != '0
                 || (remaining_i[7 + k] && (remaining_i << (25 - k)) != '0);
    end
    more = above[5];
    for (int k = 1; k <= 4; k++) if (pmtu_i == 3'(k)) more = above[k];
  end
  assign last_o = one_plan_i || !more;
  assign part_o = last_o ? remaining_i : 32'(mtu_i);

  always_comb begin
    plan_o             = '0;
    plan_o.qpn         = job_i.qpn;
    plan_o.epoch       = job_i.epoch;
    plan_o.wqe_index   = index_i;
    plan_o.opcode      = wqe_i.opcode;
    plan_o.first       = offset_i == '0;
    plan_o.last        = last_o;
    plan_o.signaled    = wqe_i.signaled;
    plan_o.solicited   = wqe_i.solicited;
    plan_o.fence       = wqe_i.fence;
    plan_o.status      = walked_i ? walk_status_i : status_i;
    plan_o.offset      = offset_i;
    plan_o.len         = part_o;
    plan_o.msg_len     = wqe_i.length;
    plan_o.remote_addr = wqe_i.remote_addr;
    plan_o.rkey        = wqe_i.rkey;
    plan_o.imm         = wqe_i.imm;
    plan_o.swap_add    = wqe_i.swap_add;
    plan_o.compare     = wqe_i.compare;
    plan_o.num_sge     = wqe_i.num_sge;
    plan_o.sge0_addr   = wqe_i.sge0_addr;
    plan_o.sge0_length = wqe_i.sge0_length;
    plan_o.sge0_lkey   = wqe_i.sge0_lkey;
    plan_o.has_segs    = !one_plan_i && (walked_i || remaining_i != '0)
                         && plan_o.status == roci_pkg::StatusSuccess;
  end

  logic unused;
  assign unused = &{1'b0, job_i, wqe_i};

endmodule
