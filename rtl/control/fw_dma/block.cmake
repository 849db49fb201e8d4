add_rtl_block(fw_dma)
