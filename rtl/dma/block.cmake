# SPDX-License-Identifier: Apache-2.0
add_rtl_block(dma PARAMS Compact=0 FetchBlocks=256 OPTIMIZE SOAK_NETLIST WIDTHS 64 512)
add_rtl_block(dma PARAMS Compact=1 FetchBlocks=128 SUFFIX _compact OPTIMIZE NO_NETLIST WIDTHS 64)
add_rtl_proof(dma_read_mux TOP roci_dma_read_mux DEPTH 3 COVER 7)
add_rtl_proof(dma_write_mux TOP roci_dma_write_mux DEPTH 3 COVER 10 PARAMS DataWidth=16)
