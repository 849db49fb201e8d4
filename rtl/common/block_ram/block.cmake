# SPDX-License-Identifier: Apache-2.0
add_rtl_block(block_ram PARAMS Blocks=8 WIDTHS 64 128 256 512)
