# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_loop WIDTHS 64 512)
add_rtl_proof(rx_loop TOP roci_rx_loop DEPTH 16 PDR PARAMS DataWidth=16 Rows=4)
