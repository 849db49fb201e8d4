add_rtl_block(rx_ethernet PARAMS Rows=64 WIDTHS 64 512)
