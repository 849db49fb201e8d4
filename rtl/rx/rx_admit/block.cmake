# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_admit PARAMS NumQps=64 Compact=0 WIDTHS 64 512)
add_rtl_block(rx_admit PARAMS NumQps=64 Compact=1 SUFFIX _compact WIDTHS 64)
