# SPDX-License-Identifier: Apache-2.0
add_rtl_block(fence PROOF_DEPTH 8 PROOF_PARAMS Settle=3)
