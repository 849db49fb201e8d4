add_rtl_block(responder PARAMS NumQps=16)
