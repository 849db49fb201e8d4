# SPDX-License-Identifier: Apache-2.0
add_rtl_block(posted PARAMS NumQps=16 Posts=1)
