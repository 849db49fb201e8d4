# SPDX-License-Identifier: Apache-2.0
add_rtl_block(key_op PARAMS RowIndexBits=4 PROOF_DEPTH 3 PROOF_TOP roci_key_change)
add_rtl_proof(key_op_steps TOP roci_key_op DEPTH 3 COVER 16 PARAMS RowIndexBits=4)
