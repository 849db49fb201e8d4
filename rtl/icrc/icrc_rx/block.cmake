# SPDX-License-Identifier: Apache-2.0
add_rtl_block(icrc_rx WIDTHS 64 512)
add_rtl_block(icrc_rx SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_proof(icrc_rx TOP roci_icrc_rx DEPTH 5 COVER 9 PARAMS DataWidth=64)
