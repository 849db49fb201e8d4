add_rtl_block(requester PARAMS NumQps=16 PROOF_DEPTH 8 PROOF_TOP roci_requester_proof_tb)
