# SPDX-License-Identifier: Apache-2.0
# At 64 bits a row of the RAM has two beats, at 512 bits one.
add_rtl_block(dma_bridge WIDTHS 64
              PARAMS Segs=2 SegWidth=64 ReadBytes=8192 WriteBytes=8192 TagBits=3)
add_rtl_block(dma_bridge WIDTHS 512
              PARAMS Segs=2 SegWidth=256 ReadBytes=8192 WriteBytes=8192 TagBits=4)
