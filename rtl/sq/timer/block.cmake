add_rtl_block(timer PARAMS NumQps=64)
