# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rq PARAMS NumQps=16 NumSrqs=8 Compact=0 OPTIMIZE SOAK_NETLIST)
add_rtl_block(rq PARAMS NumQps=16 NumSrqs=8 Compact=0 OPTIMIZE NO_NETLIST WIDTHS 64)
add_rtl_block(rq PARAMS NumQps=16 NumSrqs=8 Compact=1 SUFFIX _compact OPTIMIZE NO_NETLIST WIDTHS 64)
add_rtl_block(rq PARAMS NumQps=16 NumSrqs=8 Compact=0 OPTIMIZE NO_NETLIST SOAK WIDTHS 128 256)
