# SPDX-License-Identifier: Apache-2.0
add_rtl_block(flags PARAMS Depth=16 PROOF_DEPTH 12 PROOF_PARAMS Depth=4 Reads=2)
