add_rtl_block(dma_tags PARAMS TagBits=3 RowBits=5 UnitBits=1 MaxRows=12 InfoBits=4)
