add_rtl_block(dma WIDTHS 64 512)
