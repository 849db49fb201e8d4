add_rtl_block(fw_frame WIDTHS 64 128 256 512)
