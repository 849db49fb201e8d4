add_rtl_block(sq_cut PARAMS NumQps=16)
