add_rtl_block(psn_window PROOF_DEPTH 2)
