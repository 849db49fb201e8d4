# SPDX-License-Identifier: Apache-2.0
add_rtl_block(tx WIDTHS 64 512)
add_rtl_block(tx NO_NETLIST WIDTHS 128 256)
