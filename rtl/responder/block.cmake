add_rtl_block(responder PARAMS NumQps=16 PROOF_DEPTH 3 PROOF_TOP roci_responder_ack_tb)
