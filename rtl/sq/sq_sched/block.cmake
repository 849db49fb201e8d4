add_rtl_block(sq_sched PARAMS NumQps=16)
