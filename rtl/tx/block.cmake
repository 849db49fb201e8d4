# SPDX-License-Identifier: Apache-2.0
add_rtl_block(tx PARAMS Compact=0 SOAK_NETLIST WIDTHS 64 512)
add_rtl_block(tx PARAMS Compact=0 SOAK NO_NETLIST WIDTHS 128 256)
add_rtl_block(tx PARAMS Compact=1 SUFFIX _compact NO_NETLIST SOAK WIDTHS 64)
