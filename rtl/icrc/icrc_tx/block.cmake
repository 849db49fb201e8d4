# SPDX-License-Identifier: Apache-2.0
add_rtl_block(icrc_tx PROOF_DEPTH 9 PROOF_PARAMS DataWidth=64 WIDTHS 64)
add_rtl_block(icrc_tx SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_block(icrc_tx WIDTHS 512)
