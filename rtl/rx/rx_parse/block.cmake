add_rtl_block(rx_parse WIDTHS 64 512)
