add_rtl_block(dma_align WIDTHS 64 512)
