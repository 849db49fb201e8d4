# SPDX-License-Identifier: Apache-2.0
add_rtl_block(table_port PARAMS NumQps=16 NumKeys=32 NumCqs=16 QpCounters=1)
add_rtl_block(table_port PARAMS NumQps=16 NumKeys=32 NumCqs=16 QpCounters=0 SUFFIX _plain)
