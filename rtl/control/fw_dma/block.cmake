# SPDX-License-Identifier: Apache-2.0
add_rtl_block(fw_dma)
add_rtl_block(fw_dma NO_NETLIST WIDTHS 64)
