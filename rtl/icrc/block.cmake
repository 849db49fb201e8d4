add_rtl_block(icrc WIDTHS 64 128 256 512)
