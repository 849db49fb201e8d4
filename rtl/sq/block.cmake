add_rtl_block(sq PARAMS NumQps=64)
