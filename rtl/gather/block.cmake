add_rtl_block(gather WIDTHS 64 512)
