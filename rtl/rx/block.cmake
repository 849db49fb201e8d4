# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx OPTIMIZE SOAK_NETLIST WIDTHS 64 512)
add_rtl_block(rx SOAK NO_NETLIST WIDTHS 128 256)
