add_rtl_block(tx WIDTHS 64 512)
