# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq_sched PARAMS NumQps=16)
