# SPDX-License-Identifier: Apache-2.0
add_rtl_block(fw_frame WIDTHS 64)
add_rtl_block(fw_frame SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_block(fw_frame WIDTHS 512
              PROOF_TOP roci_fw_filter PROOF_DEPTH 8 PROOF_SMT PROOF_PARAMS DataWidth=512)
