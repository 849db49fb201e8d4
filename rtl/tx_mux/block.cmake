add_rtl_block(tx_mux WIDTHS 64 512)
