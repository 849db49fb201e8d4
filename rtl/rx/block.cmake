add_rtl_block(rx WIDTHS 64 512)
