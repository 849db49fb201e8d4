# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_grh PARAMS Waiting=8 WIDTHS 64 512)
add_rtl_block(rx_grh PARAMS Waiting=1 SUFFIX _compact WIDTHS 64)
add_rtl_block(rx_grh PARAMS Waiting=8 SOAK NO_NETLIST WIDTHS 128 256)
