// SPDX-License-Identifier: Apache-2.0
// Register file: decodes writes and reads of the AXI4-Lite slave, holds the plain registers, and
// hands commands, windows and doorbells to the blocks that act on them.
//
// Throughput: a doorbell per clock as long as its receiver is ready; other writes one per clock.
// Latency: one clock from the bus to a doorbell, three to read data.
//
//   AXI-Lite --> axil --> wr --> doorbells, strobes, registers
//                    \--> rd --> mux of registers and windows --> R
//
// Registers not in the map read 0 and ignore writes.
`include "assert.svh"

module roci_regs #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned NumQps    = 256,
  parameter int unsigned NumKeys   = 1024,
  parameter int unsigned NumCqs    = 256,
  parameter int unsigned NumSrqs   = 64,
  parameter int unsigned Absent    = 0,    // bits by Option: what the engine does not have
  parameter int unsigned Attachments = 256  // to multicast groups; 0: none
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [63:0]            now_i,

  // in: writes and reads from the bus
  input  logic [roci_pkg::RegisterAddressBits-1:0] wr_addr_i,
  input  logic [31:0]            wr_data_i,
  input  logic                   wr_valid_i,
  output logic                   wr_ready_o,
  input  logic [roci_pkg::RegisterAddressBits-1:0] rd_addr_i,
  input  logic                   rd_valid_i,
  output logic                   rd_done_o,
  output logic [31:0]            rd_data_o,

  // out: doorbells
  output roci_pkg::doorbell_t    sq_doorbell_o,
  output logic                   sq_doorbell_valid_o,
  input  logic                   sq_doorbell_ready_i,
  output roci_pkg::doorbell_t    rq_doorbell_o,
  output logic                   rq_doorbell_valid_o,
  input  logic                   rq_doorbell_ready_i,
  output roci_pkg::doorbell_t    srq_doorbell_o,  // the SRQ in place of the queue pair
  output logic                   srq_doorbell_valid_o,
  input  logic                   srq_doorbell_ready_i,
  output roci_pkg::cq_doorbell_t cq_doorbell_o,
  output logic                   cq_doorbell_valid_o,
  input  logic                   cq_doorbell_ready_i,
  output roci_pkg::post_word_t   post_word_o,
  output logic                   post_word_valid_o,

  // out: a write of this clock, with one strobe per register or window that acts
  output logic [10:0]            word_addr_o,  // byte offset in the window
  output logic [31:0]            word_o,
  output logic                   table_command_o,
  output logic                   table_data_o,
  output logic                   fence_command_o,
  output logic                   dma_command_o,
  output logic                   dma_data_o,
  output logic                   tx_command_o,
  output logic                   tx_data_o,
  output logic                   rx_pop_o,
  output logic                   counter_select_o,
  output logic                   eq_size_o,
  output logic                   eq_consumer_o,
  output logic                   eq_status_o,
  output roci_pkg::event_req_t   event_post_o,
  output logic                   event_post_valid_o,
  input  logic                   event_post_ready_i,

  // out: plain registers
  output roci_pkg::control_reg_t control_o,
  output logic [63:0]            eq_base_o,
  output logic [63:0]            dma_address_o,

  // in: what the other blocks show
  input  roci_pkg::table_command_reg_t table_command_i,
  input  logic [31:0]            table_data_i,
  input  logic                   fence_busy_i,
  input  roci_pkg::dma_command_reg_t dma_command_i,
  input  logic [31:0]            dma_data_i,
  input  roci_pkg::tx_frame_command_reg_t tx_command_i,
  input  roci_pkg::rx_frame_status_reg_t rx_status_i,
  input  logic [31:0]            rx_data_i,
  input  roci_pkg::eq_size_reg_t eq_size_i,
  input  logic [15:0]            eq_consumer_i,
  input  logic                   eq_overflow_i,
  input  logic [4:0]             counter_select_i,
  input  logic [63:0]            counter_i,
  input  roci_pkg::event_req_t   engine_event_i,
  input  logic                   engine_event_valid_i,
  output logic                   engine_event_ready_o,
  output logic                   read_window_o,  // a window is read, at read_addr_o: *_data_i come
  output logic [10:0]            read_addr_o,    // a clock later

  output logic                   attention_o
);

  localparam int unsigned AddrBits = roci_pkg::RegisterAddressBits;
  localparam int unsigned FrameBits = 11;  // byte address in a frame window
  localparam logic [FrameBits-1:0] FrameBytes = 11'd1536;
  localparam logic [31:0] Id = 32'h524F4349;
  localparam logic [31:0] Version = 32'd1;

  // Writes: doorbells
  logic is_bell, bell_ready;
  roci_regs_bells #(.NumQps(NumQps), .NumSrqs(NumSrqs)) u_bells (
    .wr_addr_i, .wr_data_i, .wr_valid_i, .is_bell_o(is_bell), .ready_o(bell_ready),
    .sq_doorbell_o, .sq_doorbell_valid_o, .sq_doorbell_ready_i,
    .rq_doorbell_o, .rq_doorbell_valid_o, .rq_doorbell_ready_i,
    .srq_doorbell_o, .srq_doorbell_valid_o, .srq_doorbell_ready_i,
    .cq_doorbell_o, .cq_doorbell_valid_o, .cq_doorbell_ready_i, .post_word_o, .post_word_valid_o);

  // Whether an address lies in one of the windows of frames.
  function automatic logic in_frame(input logic [AddrBits-1:0] addr,
                                    input logic [AddrBits-1:0] window);
    in_frame = addr[FrameBits-1:0] < FrameBytes
               && {addr[AddrBits-1:FrameBits], {FrameBits{1'b0}}} == window;
  endfunction

  // Writes: registers and windows
  logic [AddrBits-1:0] word_addr;
  logic                write;
  assign word_addr = {wr_addr_i[AddrBits-1:2], 2'b00};
  assign write     = wr_valid_i && !is_bell;

  roci_pkg::control_reg_t       control_word;
  roci_pkg::admin_size_reg_t    size_word;
  roci_pkg::event_post_reg_t    event_word;
  roci_pkg::fence_command_reg_t fence_word;
  roci_pkg::eq_status_reg_t     status_word;
  assign control_word = wr_data_i;
  assign size_word    = wr_data_i;
  assign event_word   = wr_data_i;
  assign fence_word   = wr_data_i;
  assign status_word  = wr_data_i;

  assign event_post_o.kind   = event_word.kind;
  assign event_post_o.number = event_word.number;
  assign event_post_valid_o  = write && word_addr == roci_pkg::RegEventPost;

  always_comb begin
    wr_ready_o = bell_ready;
    if (!is_bell && word_addr == roci_pkg::RegEventPost) wr_ready_o = event_post_ready_i;
  end

  assign word_addr_o      = word_addr[FrameBits-1:0];
  assign word_o           = wr_data_i;
  assign table_command_o  = write && word_addr == roci_pkg::RegTableCommand;
  assign table_data_o     = write
                            && word_addr[AddrBits-1:6] == roci_pkg::WinTableData[AddrBits-1:6];
  assign fence_command_o  = write && word_addr == roci_pkg::RegFenceCommand && fence_word.go;
  assign dma_command_o    = write && word_addr == roci_pkg::RegDmaCommand;
  assign dma_data_o       = write && word_addr[AddrBits-1:6] == roci_pkg::WinDmaData[AddrBits-1:6];
  assign tx_command_o     = write && word_addr == roci_pkg::RegTxFrameCommand;
  assign tx_data_o        = write && in_frame(word_addr, roci_pkg::WinTxFrameData);
  assign rx_pop_o         = write && word_addr == roci_pkg::RegRxFramePop && wr_data_i[0];
  assign counter_select_o = write && word_addr == roci_pkg::RegCounterSelect;
  assign eq_size_o        = write && word_addr == roci_pkg::RegEqSize;
  assign eq_consumer_o    = write && word_addr == roci_pkg::RegEqConsumer;
  assign eq_status_o      = write && word_addr == roci_pkg::RegEqStatus && status_word.overflow;

  roci_pkg::control_reg_t    control_q;     // reserved bits stay 0
  roci_pkg::admin_size_reg_t admin_size_q;
  logic [63:0] admin_base_q, admin_reply_q, eq_base_q, dma_address_q;
  logic [15:0] admin_doorbell_q, admin_done_q;
  logic [47:0] mac_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      control_q        <= '0;
      admin_base_q     <= '0;
      admin_reply_q    <= '0;
      admin_size_q     <= '0;
      admin_doorbell_q <= '0;
      admin_done_q     <= '0;
      eq_base_q        <= '0;
      dma_address_q    <= '0;
      mac_q            <= '0;
    end else if (write) begin
      case (word_addr)
        roci_pkg::RegControl: begin
          control_q.enable     <= control_word.enable;
          control_q.neighbours <= control_word.neighbours;
        end
        roci_pkg::RegAdminBaseLo:   admin_base_q[31:0]   <= wr_data_i;
        roci_pkg::RegAdminBaseHi:   admin_base_q[63:32]  <= wr_data_i;
        roci_pkg::RegAdminReplyLo:  admin_reply_q[31:0]  <= wr_data_i;
        roci_pkg::RegAdminReplyHi:  admin_reply_q[63:32] <= wr_data_i;
        roci_pkg::RegAdminSize: begin
          admin_size_q.log   <= size_word.log;
          admin_size_q.pasid <= size_word.pasid;
        end
        roci_pkg::RegAdminDoorbell: admin_doorbell_q     <= wr_data_i[15:0];
        roci_pkg::RegAdminDone:     admin_done_q         <= wr_data_i[15:0];
        roci_pkg::RegEqBaseLo:      eq_base_q[31:0]      <= wr_data_i;
        roci_pkg::RegEqBaseHi:      eq_base_q[63:32]     <= wr_data_i;
        roci_pkg::RegDmaAddressLo:  dma_address_q[31:0]  <= wr_data_i;
        roci_pkg::RegDmaAddressHi:  dma_address_q[63:32] <= wr_data_i;
        roci_pkg::RegMacLo:         mac_q[31:0]          <= wr_data_i;
        roci_pkg::RegMacHi:         mac_q[47:32]         <= wr_data_i[15:0];
        default: ;
      endcase
    end
  end

  assign control_o     = control_q;
  assign eq_base_o     = eq_base_q;
  assign dma_address_o = dma_address_q;

  // Words that nobody writes
  roci_pkg::parameters_reg_t   parameters;
  roci_pkg::parameters2_reg_t  parameters2;
  roci_pkg::attention_reg_t    attention;
  roci_pkg::engine_event_reg_t engine_event;
  roci_regs_status #(
    .DataWidth(DataWidth), .NumQps(NumQps), .NumKeys(NumKeys), .NumCqs(NumCqs), .NumSrqs(NumSrqs),
    .Absent(Absent)
  ) u_status (
    .command_i(admin_doorbell_q != admin_done_q), .frame_i(rx_status_i.valid),
    .event_i(engine_event_i), .event_valid_i(engine_event_valid_i),
    .parameters_o(parameters), .parameters2_o(parameters2), .attention_o(attention),
    .engine_event_o(engine_event));
  assign attention_o = |attention;

  // Reads: first clock mux and start of the windows' memories, second clock response.
  logic [AddrBits-1:0] read_addr;
  logic                second_q, first, from_rx_q, from_table_q, from_dma_q;
  logic [31:0]         plain_q, time_hi_q;
  assign read_addr     = {rd_addr_i[AddrBits-1:2], 2'b00};
  assign first         = rd_valid_i && !second_q;
  assign read_window_o = first;
  assign read_addr_o   = read_addr[FrameBits-1:0];
  assign engine_event_ready_o = first && read_addr == roci_pkg::RegEngineEvent;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      second_q  <= 1'b0;
      time_hi_q <= '0;
    end else begin
      second_q <= first;
      if (first && read_addr == roci_pkg::RegTimeLo) time_hi_q <= now_i[63:32];
    end
  end

  always_ff @(posedge clk_i) begin
    if (first) begin
      from_rx_q    <= in_frame(read_addr, roci_pkg::WinRxFrameData);
      from_table_q <= read_addr[AddrBits-1:6] == roci_pkg::WinTableData[AddrBits-1:6];
      from_dma_q   <= read_addr[AddrBits-1:6] == roci_pkg::WinDmaData[AddrBits-1:6];
      case (read_addr)
        roci_pkg::RegId:            plain_q <= Id;
        roci_pkg::RegVersion:       plain_q <= Version;
        roci_pkg::RegParameters:    plain_q <= parameters;
        roci_pkg::RegParameters2:   plain_q <= parameters2;
        roci_pkg::RegParameters3:   plain_q <= Attachments == 0 ? '0 : 32'($clog2(Attachments));
        roci_pkg::RegControl:       plain_q <= control_q;
        roci_pkg::RegTimeLo:        plain_q <= now_i[31:0];
        roci_pkg::RegTimeHi:        plain_q <= time_hi_q;
        roci_pkg::RegAdminBaseLo:   plain_q <= admin_base_q[31:0];
        roci_pkg::RegAdminBaseHi:   plain_q <= admin_base_q[63:32];
        roci_pkg::RegAdminReplyLo:  plain_q <= admin_reply_q[31:0];
        roci_pkg::RegAdminReplyHi:  plain_q <= admin_reply_q[63:32];
        roci_pkg::RegAdminSize:     plain_q <= admin_size_q;
        roci_pkg::RegAdminDoorbell: plain_q <= 32'(admin_doorbell_q);
        roci_pkg::RegAdminDone:     plain_q <= 32'(admin_done_q);
        roci_pkg::RegEqBaseLo:      plain_q <= eq_base_q[31:0];
        roci_pkg::RegEqBaseHi:      plain_q <= eq_base_q[63:32];
        roci_pkg::RegEqSize:        plain_q <= eq_size_i;
        roci_pkg::RegEqConsumer:    plain_q <= 32'(eq_consumer_i);
        roci_pkg::RegEqStatus:      plain_q <= 32'(eq_overflow_i);
        roci_pkg::RegAttention:     plain_q <= attention;
        roci_pkg::RegTableCommand:  plain_q <= table_command_i;
        roci_pkg::RegFenceCommand:  plain_q <= 32'(fence_busy_i);
        roci_pkg::RegEngineEvent:   plain_q <= engine_event;
        roci_pkg::RegDmaAddressLo:  plain_q <= dma_address_q[31:0];
        roci_pkg::RegDmaAddressHi:  plain_q <= dma_address_q[63:32];
        roci_pkg::RegDmaCommand:    plain_q <= dma_command_i;
        roci_pkg::RegTxFrameCommand: plain_q <= tx_command_i;
        roci_pkg::RegRxFrameStatus: plain_q <= rx_status_i;
        roci_pkg::RegMacLo:         plain_q <= mac_q[31:0];
        roci_pkg::RegMacHi:         plain_q <= 32'(mac_q[47:32]);
        roci_pkg::RegCounterSelect: plain_q <= 32'(counter_select_i);
        roci_pkg::RegCounterLo:     plain_q <= counter_i[31:0];
        roci_pkg::RegCounterHi:     plain_q <= counter_i[63:32];
        default:                    plain_q <= '0;
      endcase
    end
  end

  assign rd_done_o = second_q;
  always_comb begin
    rd_data_o = plain_q;
    if (from_rx_q) rd_data_o = rx_data_i;
    if (from_table_q) rd_data_o = table_data_i;
    if (from_dma_q) rd_data_o = dma_data_i;
  end

endmodule
