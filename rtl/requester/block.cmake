add_rtl_block(requester PARAMS NumQps=16)
