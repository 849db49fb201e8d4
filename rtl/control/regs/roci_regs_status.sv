// SPDX-License-Identifier: Apache-2.0
// Words of the registers that nobody writes: parameters of the engine, what firmware should attend
// to, and the engine's next event.
//
// Throughput: combinational.
module roci_regs_status #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned NumQps    = 256,
  parameter int unsigned NumKeys   = 1024,
  parameter int unsigned NumCqs    = 256,
  parameter int unsigned NumSrqs   = 64,
  parameter int unsigned Absent    = 0     // bits by Option: what the engine does not have
) (
  input  logic                          command_i,  // an admin command waits
  input  logic                          frame_i,    // a frame for firmware waits
  input  roci_pkg::event_req_t          event_i,
  input  logic                          event_valid_i,

  output roci_pkg::parameters_reg_t     parameters_o,
  output roci_pkg::parameters2_reg_t    parameters2_o,
  output roci_pkg::attention_reg_t      attention_o,
  output roci_pkg::engine_event_reg_t   engine_event_o
);

  always_comb begin
    parameters_o            = '0;
    parameters_o.beat_bytes = 8'(DataWidth / 8);
    parameters_o.log_qps    = 8'($clog2(NumQps));
    parameters_o.log_keys   = 8'($clog2(NumKeys));
    parameters_o.log_cqs    = 8'($clog2(NumCqs));
    parameters2_o           = '0;
    parameters2_o.log_srqs  = 8'($clog2(NumSrqs));
    parameters2_o.uc        = 1'b1;
    parameters2_o.ud        = 1'b1;
    parameters2_o.log_ahs   = 8'($clog2(NumQps));  // an address handle for each queue pair
    parameters2_o.absent    = 6'(Absent);
  end

  always_comb begin
    attention_o       = '0;
    attention_o.admin = command_i;
    attention_o.frame = frame_i;
    attention_o.engine_event = event_valid_i;
    engine_event_o    = '0;
    if (event_valid_i) begin
      engine_event_o.valid  = 1'b1;
      engine_event_o.kind   = event_i.kind[6:0];
      engine_event_o.number = event_i.number;
    end
  end

  logic unused;
  assign unused = event_i.kind[7];

endmodule
