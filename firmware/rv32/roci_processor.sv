// SPDX-License-Identifier: Apache-2.0
// The processor of the firmware: a PicoRV32 with memory for text and data, a deadline, and a master
// on the registers of the adapter. One clock domain with the adapter.
//
//   0x00000000  text     TextBytes; reads and fetches only
//   0x10000000  data     DataBytes
//   0x40000000  adapter  4 MiB, by AXI4-Lite; an access ends with its response
//   0x80000000  own registers, see below
//
// The processor sleeps in a load from Sleep or Doze: the load ends when there is work, and nothing
// in here changes until then. What firmware may not do stops the processor for good, with cause,
// pc and a value, until reset.
module roci_processor #(
  parameter int unsigned TextBytes = 32768,           // a multiple of 4
  parameter int unsigned DataBytes = 16384,           // a multiple of 4, with the stack
  parameter              TextFile  = "firmware.hex"   // words of the text, for $readmemh
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] now_i,        // time in ns, as that of the adapter
  input  logic        attention_i,  // from the adapter
  input  logic [47:0] mac_i,        // address of the port; 0: the adapter has it
  input  logic [15:0] mtu_i,        // bytes that an Ethernet frame of the port carries
  input  logic [31:0] watchdog_i,   // clocks without a write to Alive that stop it; 0: any number

  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [21:0] m_axil_awaddr_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  output logic [31:0] m_axil_wdata_o,
  output logic [3:0]  m_axil_wstrb_o,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  input  logic [1:0]  m_axil_bresp_i,
  output logic        m_axil_arvalid_o,
  input  logic        m_axil_arready_i,
  output logic [21:0] m_axil_araddr_o,
  input  logic        m_axil_rvalid_i,
  output logic        m_axil_rready_o,
  input  logic [31:0] m_axil_rdata_i,
  input  logic [1:0]  m_axil_rresp_i,

  output logic        sleeping_o,   // in Sleep or Doze, with nothing to do
  output logic [63:0] wake_o,       // time from which it has; all ones: none
  output logic [2:0]  fault_o,      // 0: runs; 1 trap, 2 address, 3 write to text,
                                    // 4 error response, 5 watchdog, 6 Halt
  output logic [31:0] fault_pc_o,
  output logic [31:0] fault_value_o // instruction, address, address, address, 0, word written
);
  // Own registers, by word. firmware/rv32/own_registers.hpp has them for the firmware.
  localparam logic [3:0] kMacLo  = 4'd0;
  localparam logic [3:0] kMacHi  = 4'd1;
  localparam logic [3:0] kMtu    = 4'd2;
  localparam logic [3:0] kTimeLo = 4'd3;   // a read keeps the upper half for TimeHi
  localparam logic [3:0] kTimeHi = 4'd4;
  localparam logic [3:0] kWakeLo = 4'd5;   // deadline
  localparam logic [3:0] kWakeHi = 4'd6;
  localparam logic [3:0] kSleep  = 4'd7;   // until attention or the deadline
  localparam logic [3:0] kDoze   = 4'd8;   // until the deadline
  localparam logic [3:0] kAlive  = 4'd9;
  localparam logic [3:0] kHalt   = 4'd10;

  localparam int unsigned TextWords = TextBytes / 4;
  localparam int unsigned DataWords = DataBytes / 4;
  localparam int unsigned TextBits  = $clog2(TextWords);
  localparam int unsigned DataBits  = $clog2(DataWords);

  logic        trap, valid, ready, la_read;
  logic [31:0] addr, wdata, rdata, la_addr;
  logic [3:0]  wstrb;
  logic [31:0] insn, pc;

  // Unused: look-ahead writes, co-processors, interrupts, the trace; most of RVFI.
  picorv32 #(
    .ENABLE_COUNTERS (0), .ENABLE_COUNTERS64 (0), .BARREL_SHIFTER (1), .COMPRESSED_ISA (1),
    .ENABLE_FAST_MUL (1), .ENABLE_DIV (1)
  ) u_core (
    .clk (clk_i), .resetn (rst_ni), .trap (trap),
    .mem_valid (valid), .mem_instr (), .mem_ready (ready),
    .mem_addr (addr), .mem_wdata (wdata), .mem_wstrb (wstrb), .mem_rdata (rdata),
    .mem_la_read (la_read), .mem_la_write (), .mem_la_addr (la_addr),
    .mem_la_wdata (), .mem_la_wstrb (),
    .pcpi_valid (), .pcpi_insn (), .pcpi_rs1 (), .pcpi_rs2 (),
    .pcpi_wr (1'b0), .pcpi_rd (32'd0), .pcpi_wait (1'b0), .pcpi_ready (1'b0),
    .irq (32'd0), .eoi (),
    .rvfi_insn (insn), .rvfi_pc_wdata (pc),
    .trace_valid (), .trace_data ()
  );

  // Which part an access is for.
  logic write, in_text, in_data, in_adapter, in_own, stopped;
  logic [3:0] own;
  always_comb begin
    write      = wstrb != 4'd0;
    in_text    = addr[31:28] == 4'h0 && addr[27:2] < 26'(TextWords);
    in_data    = addr[31:28] == 4'h1 && addr[27:2] < 26'(DataWords);
    in_adapter = addr[31:28] == 4'h4 && addr[27:22] == 6'd0;
    in_own     = addr[31:28] == 4'h8 && addr[27:6] == 22'd0;
    own        = addr[5:2];
  end

  // Memories: read in the clock before the access, by the look-ahead of the core.
  logic [31:0] text [TextWords];
  logic [31:0] data [DataWords];
  logic [31:0] text_q, data_q;
  logic        unused_la;
  assign unused_la = ^{la_addr[1:0], addr[1:0]};
  always_ff @(posedge clk_i) begin
    if (la_read) begin
      text_q <= text[la_addr[2 +: TextBits]];
      data_q <= data[la_addr[2 +: DataBits]];
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) begin
      if (valid && in_data && !stopped && wstrb[i]) begin
        data[addr[2 +: DataBits]][8 * i +: 8] <= wdata[8 * i +: 8];
      end
    end
  end
`ifdef VERILATOR
  // A simulator has its text where it is installed: +text=FILE.
  string file;
  initial begin
    if ($value$plusargs("text=%s", file) == 0) file = TextFile;
    $readmemh(file, text);
  end
`else
  initial $readmemh(TextFile, text);
`endif

  // The master: one access at a time, as the core has.
  logic axil_done, axil_bad, address_sent_q, data_sent_q;
  always_comb begin
    m_axil_awvalid_o = valid && in_adapter && write && !address_sent_q && !stopped;
    m_axil_wvalid_o  = valid && in_adapter && write && !data_sent_q && !stopped;
    m_axil_arvalid_o = valid && in_adapter && !write && !address_sent_q && !stopped;
    m_axil_awaddr_o  = {addr[21:2], 2'b00};
    m_axil_araddr_o  = {addr[21:2], 2'b00};
    m_axil_wdata_o   = wdata;
    m_axil_wstrb_o   = wstrb;
    m_axil_bready_o  = valid && in_adapter && write;
    m_axil_rready_o  = valid && in_adapter && !write;
    axil_done        = in_adapter && (write ? m_axil_bvalid_i : m_axil_rvalid_i);
    axil_bad         = (write ? m_axil_bresp_i : m_axil_rresp_i) != 2'b00;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (valid && ready)) begin
      address_sent_q <= 1'b0;
      data_sent_q    <= 1'b0;
    end else begin
      if (write ? m_axil_awvalid_o && m_axil_awready_i : m_axil_arvalid_o && m_axil_arready_i) begin
        address_sent_q <= 1'b1;
      end
      if (m_axil_wvalid_o && m_axil_wready_i) data_sent_q <= 1'b1;
    end
  end

  // Own registers.
  logic [63:0] wake_q;
  logic [31:0] time_high_q, own_value;
  logic        due, waits;
  assign wake_o = wake_q;
  always_comb begin
    due   = now_i >= wake_q && wake_q != 64'hFFFF_FFFF_FFFF_FFFF;
    waits = in_own && !write && ((own == kSleep && !attention_i && !due) || (own == kDoze && !due));
    case (own)
      kMacLo:  own_value = mac_i[31:0];
      kMacHi:  own_value = {16'd0, mac_i[47:32]};
      kMtu:    own_value = {16'd0, mtu_i};
      kTimeLo: own_value = now_i[31:0];
      kTimeHi: own_value = time_high_q;
      default: own_value = 32'd0;
    endcase
  end
  assign sleeping_o = valid && waits && !stopped;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wake_q      <= 64'hFFFF_FFFF_FFFF_FFFF;
      time_high_q <= 32'd0;
    end else if (valid && ready && in_own) begin
      if (write && own == kWakeLo) wake_q[31:0] <= wdata;
      if (write && own == kWakeHi) wake_q[63:32] <= wdata;
      if (!write && own == kTimeLo) time_high_q <= now_i[63:32];
    end
  end

  // What ends an access, and what stops the processor.
  logic [2:0]  cause, fault_q;
  logic [31:0] idle_q, pc_q, value_q;
  assign stopped = fault_q != 3'd0;
  always_comb begin
    cause = 3'd0;
    if (trap) begin
      cause = 3'd1;
    end else if (valid && !in_text && !in_data && !in_adapter && !in_own) begin
      cause = 3'd2;
    end else if (valid && in_text && write) begin
      cause = 3'd3;
    end else if (valid && axil_done && axil_bad) begin
      cause = 3'd4;
    end else if (watchdog_i != 32'd0 && idle_q >= watchdog_i) begin
      cause = 3'd5;
    end else if (valid && in_own && write && own == kHalt) begin
      cause = 3'd6;
    end
    ready = valid && !stopped && cause == 3'd0 && (in_text || in_data || axil_done ||
                                                    (in_own && !waits));
    rdata = in_text ? text_q : in_data ? data_q : in_adapter ? m_axil_rdata_i : own_value;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q <= 3'd0;
      idle_q  <= 32'd0;
      pc_q    <= 32'd0;
      value_q <= 32'd0;
    end else begin
      idle_q <= sleeping_o || (valid && in_own && write && own == kAlive) ? 32'd0 : idle_q + 32'd1;
      if (!stopped && cause != 3'd0) begin
        fault_q <= cause;
        pc_q    <= pc;
        case (cause)
          3'd1:    value_q <= insn;
          3'd5:    value_q <= 32'd0;
          3'd6:    value_q <= wdata;
          default: value_q <= addr;
        endcase
      end
    end
  end
  assign fault_o       = fault_q;
  assign fault_pc_o    = pc_q;
  assign fault_value_o = value_q;
endmodule
