add_rtl_block(sge_walker)
