// SPDX-License-Identifier: Apache-2.0
// Two shells, whose ports a bench of cocotb drives by VPI.

module roci_taxi_pair #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned PcieWidth = 64
);
  roci_taxi_side #(.DataWidth(DataWidth), .PcieWidth(PcieWidth)) left ();
  roci_taxi_side #(.DataWidth(DataWidth), .PcieWidth(PcieWidth)) right ();
endmodule

// One shell, with its ports as variables.
module roci_taxi_side #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned PcieWidth = 64
);
  localparam int unsigned Keep = PcieWidth / 32;
  localparam bit          Wide = PcieWidth == 512;  // other widths have the same sidebands

  taxi_axis_if #(.DATA_W(PcieWidth), .KEEP_EN(1), .KEEP_W(Keep), .USER_EN(1),
                 .USER_W(Wide ? 183 : 85)) cq ();
  taxi_axis_if #(.DATA_W(PcieWidth), .KEEP_EN(1), .KEEP_W(Keep), .USER_EN(1),
                 .USER_W(Wide ? 81 : 33)) cc ();
  taxi_axis_if #(.DATA_W(PcieWidth), .KEEP_EN(1), .KEEP_W(Keep), .USER_EN(1),
                 .USER_W(Wide ? 137 : 62)) rq ();
  taxi_axis_if #(.DATA_W(PcieWidth), .KEEP_EN(1), .KEEP_W(Keep), .USER_EN(1),
                 .USER_W(Wide ? 161 : 75)) rc ();
  taxi_axis_if #(.DATA_W(DataWidth), .USER_EN(1)) mac_axis_tx ();
  taxi_axis_if #(.DATA_W(DataWidth), .USER_EN(1)) mac_axis_rx ();

  logic pcie_clk, pcie_rst, mac_tx_clk, mac_rx_clk, attention;
  logic [5:0] pcie_rq_seq_num0, pcie_rq_seq_num1;
  logic pcie_rq_seq_num_vld0, pcie_rq_seq_num_vld1;
  logic [2:0] cfg_max_payload, cfg_max_read_req, cfg_fc_sel;
  logic [3:0] cfg_rcb_status, cfg_mgmt_byte_enable;
  logic [9:0] cfg_mgmt_addr;
  logic [7:0] cfg_mgmt_function_number, cfg_fc_ph, cfg_fc_nph;
  logic [31:0] cfg_mgmt_write_data, cfg_mgmt_read_data;
  logic cfg_mgmt_write, cfg_mgmt_read, cfg_mgmt_read_write_done;
  logic [11:0] cfg_fc_pd;

  logic [3:0] cfg_interrupt_msi_enable;
  logic [11:0] cfg_interrupt_msi_mmenable;
  logic cfg_interrupt_msi_mask_update, cfg_interrupt_msi_sent, cfg_interrupt_msi_fail;
  logic [31:0] cfg_interrupt_msi_data, cfg_interrupt_msi_int, cfg_interrupt_msi_pending_status;
  logic [1:0] cfg_interrupt_msi_select, cfg_interrupt_msi_pending_status_function_num;
  logic cfg_interrupt_msi_pending_status_data_enable, cfg_interrupt_msi_tph_present;
  logic [2:0] cfg_interrupt_msi_attr;
  logic [1:0] cfg_interrupt_msi_tph_type;
  logic [7:0] cfg_interrupt_msi_tph_st_tag, cfg_interrupt_msi_function_number;

  // Up to 128 bits the smallest engine, above that one with buffers for 100 Gb/s.
  localparam bit Fast = DataWidth > 128;
  roci_taxi_shell #(
    .DataWidth(DataWidth), .Compact(Fast ? 0 : 1), .TxBuffer(Fast ? 16384 : 8192),
    .RxBuffer(Fast ? 65536 : 32768), .MacBuffer(Fast ? 16384 : 8192),
    .BufferBytes(Fast ? 65536 : 16384)
  ) u_shell (
    .s_axis_pcie_cq(cq), .m_axis_pcie_cc(cc), .m_axis_pcie_rq(rq), .s_axis_pcie_rc(rc), .*);
endmodule
