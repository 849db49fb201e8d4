add_rtl_block(counters PARAMS DataWidth=128)
