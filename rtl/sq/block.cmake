# SPDX-License-Identifier: Apache-2.0
add_rtl_block(sq PARAMS NumQps=64 LONG_TEST)
