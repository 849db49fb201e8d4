// SPDX-License-Identifier: Apache-2.0
// Firmware's frames: one received frame is kept for it, one of its own is sent; everything else
// goes to the host.
//
// Throughput: one beat per clock, no bubble inside a frame. Latency: that of the filter to the
// host; two clocks from the command to the first beat sent.
//
//   s_axis_rx --> filter --+--> m_axis_host
//                          +--> buffer --> RxFrameData          TxFrameData --> m_axis_fw
//
// A frame for firmware that comes while the buffer is full, or is longer than it, is dropped.

`include "assert.svh"

module roci_fw_frame #(
  parameter int unsigned DataWidth = 512  // 64 to 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   to_firmware_i,  // Control: neighbours

  // registers
  input  logic [10:0]            word_addr_i,    // byte offset in TxFrameData
  input  logic [31:0]            word_i,
  input  logic                   tx_data_i,
  input  logic                   tx_command_i,
  input  logic                   rx_pop_i,
  input  logic                   read_i,
  input  logic [10:0]            read_addr_i,
  output logic [31:0]            rx_data_o,
  output roci_pkg::tx_frame_command_reg_t tx_command_o,
  output roci_pkg::rx_frame_status_reg_t  rx_status_o,

  // in
  input  logic [DataWidth-1:0]   s_axis_rx_tdata_i,
  input  logic [DataWidth/8-1:0] s_axis_rx_tkeep_i,
  input  logic                   s_axis_rx_tlast_i,
  input  logic                   s_axis_rx_tvalid_i,
  output logic                   s_axis_rx_tready_o,

  // out
  output logic [DataWidth-1:0]   m_axis_host_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_host_tkeep_o,
  output logic                   m_axis_host_tlast_o,
  output logic                   m_axis_host_tvalid_o,
  input  logic                   m_axis_host_tready_i,
  output logic [DataWidth-1:0]   m_axis_fw_tdata_o,
  output logic [DataWidth/8-1:0] m_axis_fw_tkeep_o,
  output logic                   m_axis_fw_tlast_o,
  output logic                   m_axis_fw_tvalid_o,
  input  logic                   m_axis_fw_tready_i,

  output logic                   idle_o
);

  localparam int unsigned BeatBytes  = DataWidth / 8;
  localparam int unsigned LaneBits   = $clog2(BeatBytes);
  localparam int unsigned FrameBytes = 1536;
  localparam int unsigned Rows       = 2048 / BeatBytes;
  localparam int unsigned RowBits    = $clog2(Rows);
  localparam int unsigned Words      = DataWidth / 32;

  // Receive
  logic [DataWidth-1:0]   tdata;
  logic [DataWidth/8-1:0] tkeep;
  logic                   tlast, tvalid, tready, to_firmware;
  roci_fw_filter #(.DataWidth(DataWidth)) u_filter (
    .clk_i, .rst_ni,
    .enable_i       (to_firmware_i),
    .s_axis_tdata_i (s_axis_rx_tdata_i),
    .s_axis_tkeep_i (s_axis_rx_tkeep_i),
    .s_axis_tlast_i (s_axis_rx_tlast_i),
    .s_axis_tvalid_i(s_axis_rx_tvalid_i),
    .s_axis_tready_o(s_axis_rx_tready_o),
    .m_axis_tdata_o (tdata),
    .m_axis_tkeep_o (tkeep),
    .m_axis_tlast_o (tlast),
    .m_axis_tvalid_o(tvalid),
    .m_to_firmware_o(to_firmware),
    .m_axis_tready_i(tready)
  );
  assign m_axis_host_tdata_o  = tdata;
  assign m_axis_host_tkeep_o  = tkeep;
  assign m_axis_host_tlast_o  = tlast;
  assign m_axis_host_tvalid_o = tvalid && !to_firmware;
  assign tready               = to_firmware || m_axis_host_tready_i;

  // The buffer holds whole beats, so a frame fits when its beats do; the bytes of its last beat are
  // counted a clock later, when the frame is shown to firmware.
  localparam int unsigned FrameBeats = FrameBytes / BeatBytes;
  localparam int unsigned AtBits     = $clog2(FrameBeats);
  logic                 rx_full_q, rx_shown_q, rx_skip_q, rx_over_q, rx_beat, rx_skip;
  logic [AtBits-1:0]    rx_at_q, rx_beats_q;  // next beat of the frame; beats before its last
  logic [BeatBytes-1:0] rx_keep_q;            // bytes of the last beat
  logic [10:0]          rx_bytes_q;           // length of the frame
  logic [LaneBits:0]    rx_last_bytes;
  assign rx_beat = tvalid && to_firmware;
  assign rx_skip = rx_skip_q || rx_full_q || rx_over_q;

  // Bytes are kept from the low end, so the end of the run gives their number.
  always_comb begin
    rx_last_bytes = '0;
    for (int i = 0; i < BeatBytes; i++) begin
      if (rx_keep_q[i] && (i == BeatBytes - 1 || !rx_keep_q[(i + 1) % BeatBytes])) begin
        rx_last_bytes = rx_last_bytes | (LaneBits + 1)'(i + 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rx_full_q  <= 1'b0;
      rx_shown_q <= 1'b0;
      rx_skip_q  <= 1'b0;
      rx_over_q  <= 1'b0;
      rx_at_q    <= '0;
    end else begin
      rx_shown_q <= rx_full_q && !rx_pop_i;
      if (rx_pop_i) rx_full_q <= 1'b0;
      if (rx_beat) begin
        rx_skip_q <= rx_skip && !tlast;
        rx_over_q <= !rx_skip && !tlast && rx_at_q == AtBits'(FrameBeats - 1);
        rx_at_q   <= tlast || rx_skip ? '0 : rx_at_q + 1'b1;
        if (tlast && !rx_skip) rx_full_q <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rx_beat && tlast && !rx_skip) begin
      rx_keep_q  <= tkeep;
      rx_beats_q <= rx_at_q;
    end
    rx_bytes_q <= (11'(rx_beats_q) << LaneBits) + 11'(rx_last_bytes);
  end

  // Both frames are in block RAM whatever the number of rows: firmware is slow, and LUTs are few.
  logic [DataWidth-1:0] rx_row_q;
  logic [LaneBits-1:0]  read_lane_q;
  (* ram_style = "block" *) logic [DataWidth-1:0] rx_mem [Rows];
  always_ff @(posedge clk_i) begin
    if (rx_beat && !rx_skip) rx_mem[RowBits'(rx_at_q)] <= tdata;
    if (read_i) begin
      rx_row_q    <= rx_mem[read_addr_i[10:LaneBits]];
      read_lane_q <= read_addr_i[LaneBits-1:0];
    end
  end
  assign rx_data_o   = rx_row_q[{read_lane_q[LaneBits-1:2], 5'd0} +: 32];
  always_comb begin
    rx_status_o       = '0;
    rx_status_o.valid = rx_shown_q;
    if (rx_shown_q) rx_status_o.bytes = rx_bytes_q;
  end

  // Send
  logic                 tx_busy_q, tx_valid_q, tx_last, tx_next, tx_start;
  logic [10:0]          tx_bytes_q;
  roci_pkg::tx_frame_command_reg_t tx_word;
  logic [11:0]          tx_left_q;  // bytes from the beat shown on
  logic [RowBits-1:0]   tx_row_q;   // next row to read
  logic [DataWidth-1:0] tx_row;
  assign tx_word  = word_i;
  assign tx_start = tx_command_i && !tx_busy_q && tx_word.bytes != '0
                    && tx_word.bytes <= 11'(FrameBytes);
  assign tx_last  = tx_left_q <= 12'(BeatBytes);
  assign tx_next  = tx_busy_q && (!tx_valid_q || (m_axis_fw_tready_i && !tx_last));

  for (genvar i = 0; i < Words; i++) begin : gen_tx_lane
    (* ram_style = "block" *) logic [31:0] tx_mem [Rows];
    logic [31:0] word_q;
    assign tx_row[32*i +: 32] = word_q;
    always_ff @(posedge clk_i) begin
      if (tx_data_i && !tx_busy_q && word_addr_i[LaneBits-1:2] == (LaneBits - 2)'(i)) begin
        tx_mem[word_addr_i[10:LaneBits]] <= word_i;
      end
      if (tx_next) word_q <= tx_mem[tx_row_q];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tx_busy_q  <= 1'b0;
      tx_valid_q <= 1'b0;
      tx_bytes_q <= '0;
    end else begin
      if (tx_start) begin
        tx_busy_q  <= 1'b1;
        tx_bytes_q <= tx_word.bytes;
      end else if (tx_valid_q && m_axis_fw_tready_i && tx_last) begin
        tx_busy_q <= 1'b0;
      end
      if (tx_next) tx_valid_q <= 1'b1;
      else if (m_axis_fw_tready_i) tx_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (tx_start) begin
      tx_row_q  <= '0;
      tx_left_q <= 12'(tx_word.bytes);
    end else if (tx_next) begin
      tx_row_q <= tx_row_q + 1'b1;
      if (tx_valid_q) tx_left_q <= tx_left_q - 12'(BeatBytes);
    end
  end

  assign m_axis_fw_tdata_o  = tx_row;
  assign m_axis_fw_tlast_o  = tx_last;
  assign m_axis_fw_tvalid_o = tx_valid_q;
  for (genvar i = 0; i < BeatBytes; i++) begin : gen_keep
    assign m_axis_fw_tkeep_o[i] = tx_left_q > 12'(i);
  end
  always_comb begin
    tx_command_o       = '0;
    tx_command_o.busy  = tx_busy_q;
    tx_command_o.bytes = tx_bytes_q;
  end
  // While a frame leaves, its window reads as the beats that leave.

  assign idle_o = !tx_busy_q && !tvalid && rx_at_q == '0 && rx_full_q == rx_shown_q;

endmodule
