# SPDX-License-Identifier: Apache-2.0
add_rtl_block(dma_split PROOF_DEPTH 5 PROOF_PARAMS DataWidth=64 WIDTHS 64)
add_rtl_block(dma_split PROOF_DEPTH 5 PROOF_PARAMS DataWidth=512 WIDTHS 512)
