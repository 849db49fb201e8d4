# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_grh WIDTHS 64 512)
add_rtl_block(rx_grh SOAK NO_NETLIST WIDTHS 128 256)
