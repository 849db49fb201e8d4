# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq PARAMS NumQps=64 Compact=0 FetchBlocks=256 Posts=1 OPTIMIZE SOAK_NETLIST)
add_rtl_block(sq PARAMS NumQps=64 Compact=1 FetchBlocks=128 Posts=0 SUFFIX _compact
              OPTIMIZE NO_NETLIST SOAK)
add_rtl_block(sq PARAMS NumQps=64 Compact=0 FetchBlocks=256 Posts=1 OPTIMIZE NO_NETLIST WIDTHS 64)
add_rtl_block(sq PARAMS NumQps=64 Compact=0 FetchBlocks=256 Posts=1
              OPTIMIZE NO_NETLIST SOAK WIDTHS 128 256)
