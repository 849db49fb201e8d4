add_rtl_block(cq PARAMS NumCqs=8)
