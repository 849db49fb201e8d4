# SPDX-License-Identifier: Apache-2.0
add_rtl_block(dma_align PROOF_DEPTH 6 PROOF_PARAMS DataWidth=32 WIDTHS 64)
add_rtl_block(dma_align WIDTHS 512)
