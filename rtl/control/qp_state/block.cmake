# SPDX-License-Identifier: Apache-2.0
add_rtl_block(qp_state PARAMS NumQps=16)
