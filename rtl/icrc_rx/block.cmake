add_rtl_block(icrc_rx WIDTHS 64 512)
add_rtl_block(icrc_rx NO_NETLIST WIDTHS 128 256)
