# SPDX-License-Identifier: Apache-2.0
add_rtl_block(dma_tags PARAMS TagBits=3 RowBits=5 MaxRows=12 InfoBits=4
              PROOF_DEPTH 14
              PROOF_PARAMS TagBits=1 RowBits=3 MaxRows=4 InfoBits=1)
