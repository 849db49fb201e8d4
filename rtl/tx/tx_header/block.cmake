add_rtl_block(tx_header PARAMS NumQps=64 WIDTHS 64 512)
