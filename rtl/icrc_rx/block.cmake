add_rtl_block(icrc_rx WIDTHS 64 512)
