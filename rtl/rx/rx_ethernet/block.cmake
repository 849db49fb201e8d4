# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_ethernet PARAMS Rows=64 PROOF_DEPTH 12 PROOF_PARAMS DataWidth=16 Rows=4 WIDTHS 64)
add_rtl_block(rx_ethernet PARAMS Rows=64 WIDTHS 512)
