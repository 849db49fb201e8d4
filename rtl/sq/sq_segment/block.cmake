# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=0)
add_rtl_block(sq_segment PARAMS NumQps=16 Compact=1 SUFFIX _compact)
