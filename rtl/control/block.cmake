# SPDX-License-Identifier: Apache-2.0
add_rtl_block(control PARAMS NumQps=16 NumKeys=32 NumCqs=16 NumSrqs=8 WIDTHS 64)
add_rtl_block(control PARAMS NumQps=16 NumKeys=32 NumCqs=16 NumSrqs=8 SOAK_NETLIST WIDTHS 512)
