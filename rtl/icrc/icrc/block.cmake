# SPDX-License-Identifier: Apache-2.0
add_rtl_block(icrc WIDTHS 64 PROOF_DEPTH 1 PROOF_PARAMS DataWidth=64)
add_rtl_block(icrc SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_block(icrc WIDTHS 512)
