add_rtl_block(rq_queue PARAMS NumQps=16)
