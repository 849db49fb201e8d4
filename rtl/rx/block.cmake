# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx LONG_TEST WIDTHS 64 512)
add_rtl_block(rx NO_NETLIST WIDTHS 128 256)
