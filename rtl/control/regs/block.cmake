# SPDX-License-Identifier: Apache-2.0
add_rtl_block(regs PARAMS DataWidth=64 NumQps=16 NumKeys=32 NumCqs=16 NumSrqs=8)
add_rtl_proof(axil TOP roci_axil DEPTH 4 COVER 16 PDR PARAMS AddrBits=2)
