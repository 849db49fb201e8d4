// SPDX-License-Identifier: Apache-2.0
// Firmware's window on host memory: 64 bytes read, or 1 to 64 written, by one command.
//
// Throughput: one block at a time. Latency: two clocks besides the memory's.
//
//   DmaData written --> block --> copy at go --> bw --> host memory
//   DmaData read <-- block <--------------------- br <--+

`include "assert.svh"

module roci_fw_dma #(
  parameter int unsigned DataWidth = 512  // bits of a beat of a block: 64, 128, 256 or 512
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // registers
  input  logic                       command_i,  // write to DmaCommand
  input  logic                       data_i,     // write to DmaData: of the next write
  input  logic [3:0]                 data_word_i,
  input  logic [31:0]                word_i,
  input  logic [63:0]                address_i,  // low 6 bits: 0, or bit 5 of a short write
  output roci_pkg::dma_command_reg_t command_o,
  input  logic                       read_i,       // read of DmaData: of the last read
  input  logic [3:0]                 read_word_i,
  output logic [31:0]                read_data_o,  // a clock later

  // host memory
  output logic                       bw_req_valid_o,
  input  logic                       bw_req_ready_i,
  output roci_pkg::block_write_req_t bw_req_o,
  input  logic                       bw_rsp_valid_i,
  output logic                       br_req_valid_o,
  input  logic                       br_req_ready_i,
  output roci_pkg::block_read_req_t  br_req_o,
  input  logic [DataWidth:0]         br_rsp_i,  // a beat: {error, data}
  input  logic                       br_rsp_valid_i,
  output logic                       br_rsp_ready_o,

  output logic                       idle_o
);

  typedef enum logic [2:0] {StIdle, StRead, StReadWait, StWrite, StWriteWait} state_e;
  state_e       state_q;
  roci_pkg::dma_command_reg_t command_word;
  logic [19:0]  pasid_q;
  logic         write_q, error_q, short_write;
  logic [6:0]   bytes_q;
  logic [63:5]  addr_q;
  logic [511:0] written_q, sent_q;
  logic [2:0]   beat_q;
  logic         beat, last_beat;

  assign command_word = word_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      pasid_q <= '0;
      write_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (command_i) begin
            pasid_q <= command_word.pasid;
            write_q <= command_word.write;
            if (command_word.go) begin
              error_q <= 1'b0;
              state_q <= command_word.write ? StWrite : StRead;
            end
          end
        end
        StRead: if (br_req_ready_i) state_q <= StReadWait;
        StReadWait: begin
          if (br_rsp_valid_i) begin
            error_q <= error_q || br_rsp_i[DataWidth];
            if (last_beat) state_q <= StIdle;
          end
        end
        StWrite:     if (bw_req_ready_i) state_q <= StWriteWait;
        StWriteWait: if (bw_rsp_valid_i) state_q <= StIdle;
        default:     state_q <= StIdle;
      endcase
    end
  end

  // A loop, because a part at a variable place becomes a shifter of all 512 bits.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= '0;
    else if (data_i) begin
      for (int i = 0; i < 16; i++) if (data_word_i == 4'(i)) written_q[32*i +: 32] <= word_i;
    end
  end
  // What is read stands in a memory by beats, one beat in a register, and is 0 until the first
  // block came.
  localparam int unsigned Beats    = 512 / DataWidth;
  localparam int unsigned Words    = DataWidth / 32;  // in a beat
  localparam int unsigned WordBits = $clog2(Words);
  localparam int unsigned RowBits  = Beats > 1 ? $clog2(Beats) : 1;
  logic [DataWidth-1:0] read;
  logic [3:0]           read_word_q;
  logic                 there_q;
  assign beat      = br_rsp_valid_i && br_rsp_ready_o;
  assign last_beat = beat_q == 3'(Beats - 1);
  if (Beats == 1) begin : gen_register
    always_ff @(posedge clk_i) if (beat) read <= br_rsp_i[DataWidth-1:0];
  end else begin : gen_memory
    logic unused_ready;
    roci_ram #(.Width(DataWidth), .Depth(1 << RowBits)) u_read (
      .clk_i, .rst_ni, .write_i(beat), .write_row_i(beat_q[RowBits-1:0]),
      .write_data_i(br_rsp_i[DataWidth-1:0]), .read_i,
      .read_row_i(RowBits'(read_word_i >> WordBits)), .read_data_o(read), .ready_o(unused_ready));
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q  <= '0;
      there_q <= 1'b0;
    end else if (beat) begin
      beat_q  <= last_beat ? '0 : beat_q + 3'd1;
      there_q <= 1'b1;
    end
    if (read_i) read_word_q <= read_word_i;
  end
  assign read_data_o = there_q ? read[32*(32'(read_word_q) % Words) +: 32] : '0;

  // Address and data of a command stay although firmware prepares the next one.
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && command_i) begin
      addr_q  <= address_i[63:5];
      sent_q  <= written_q;
      bytes_q <= command_word.bytes;
      if (command_word.bytes == '0 || command_word.bytes[6]) bytes_q <= 7'(roci_pkg::BlockBytes);
    end
  end

  always_comb begin
    command_o       = '0;
    command_o.go    = state_q != StIdle;
    command_o.write = write_q;
    command_o.error = error_q;
    command_o.pasid = pasid_q;
  end
  assign bw_req_valid_o      = state_q == StWrite;
  assign short_write         = bytes_q <= 7'(roci_pkg::BlockBytes / 2);
  assign bw_req_o.addr       = {addr_q[63:6], addr_q[5] && short_write, 5'd0};
  assign bw_req_o.pasid      = pasid_q;
  assign bw_req_o.data       = sent_q;
  assign bw_req_o.bytes      = bytes_q;
  assign br_req_valid_o      = state_q == StRead;
  assign br_req_o.addr       = {addr_q[63:6], 6'd0};
  assign br_req_o.pasid      = pasid_q;
  assign br_req_o.count      = 5'd1;
  assign br_rsp_ready_o = state_q == StReadWait;
  assign idle_o          = state_q == StIdle;

  logic unused;
  assign unused = ^address_i[4:0];

endmodule
