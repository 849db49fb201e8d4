add_rtl_block(rx_buffer PARAMS Rows=64 WIDTHS 64 512)
