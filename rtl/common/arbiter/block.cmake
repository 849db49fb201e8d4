add_rtl_block(arbiter PARAMS Clients=4 PROOF_DEPTH 12)
