add_rtl_block(atomic)
