# SPDX-License-Identifier: Apache-2.0
add_rtl_block(atomic)
add_rtl_block(atomic NO_NETLIST WIDTHS 64 256)
