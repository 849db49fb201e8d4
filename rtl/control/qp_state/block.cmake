add_rtl_block(qp_state PARAMS NumQps=16)
