# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq_segment PARAMS NumQps=16)
