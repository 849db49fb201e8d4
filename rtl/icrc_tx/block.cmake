add_rtl_block(icrc_tx WIDTHS 64 128 256 512)
