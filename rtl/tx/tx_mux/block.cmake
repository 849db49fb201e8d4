# SPDX-License-Identifier: Apache-2.0
add_rtl_block(tx_mux PROOF_DEPTH 8 PROOF_PARAMS DataWidth=16 HeaderBits=48 WIDTHS 64)
add_rtl_block(tx_mux WIDTHS 512)
