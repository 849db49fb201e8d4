add_rtl_block(scatter WIDTHS 64 512)
