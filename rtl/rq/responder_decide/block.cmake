add_rtl_block(responder_decide PROOF_DEPTH 3)
