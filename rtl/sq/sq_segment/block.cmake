# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=0 Blocks=256 Atomics=1 KeyOps=1)
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=1 Blocks=128 Atomics=0 KeyOps=0
              SUFFIX _compact SOAK)
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=0 Blocks=256 Atomics=1 KeyOps=1
              NO_NETLIST WIDTHS 64)
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=0 Blocks=256 Atomics=1 KeyOps=1
              SOAK WIDTHS 128 256)
