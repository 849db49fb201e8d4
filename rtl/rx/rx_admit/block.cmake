add_rtl_block(rx_admit PARAMS NumQps=64 WIDTHS 64 512)
