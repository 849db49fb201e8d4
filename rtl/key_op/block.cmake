add_rtl_block(key_op PARAMS RowIndexBits=4 PROOF_DEPTH 1 PROOF_TOP roci_key_change)
