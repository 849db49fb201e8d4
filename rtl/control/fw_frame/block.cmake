# SPDX-License-Identifier: Apache-2.0
add_rtl_block(fw_frame WIDTHS 64)
add_rtl_block(fw_frame SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_block(fw_frame WIDTHS 512
              PROOF_TOP roci_fw_filter PROOF_DEPTH 8 PROOF_SMT PROOF_PARAMS DataWidth=256)
add_rtl_proof(fw_filter_512 TOP roci_fw_filter DEPTH 3 COVER 8 PARAMS DataWidth=512)
