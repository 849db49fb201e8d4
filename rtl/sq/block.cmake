# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq PARAMS NumQps=64 Compact=0 LONG_TEST)
add_rtl_block(sq PARAMS NumQps=64 Compact=1 SUFFIX _compact NO_NETLIST LONG_TEST)
