add_rtl_block(tx_order PARAMS Depth=8)
