# SPDX-License-Identifier: Apache-2.0
add_rtl_block(tx_header PARAMS NumQps=64 WIDTHS 64 512)
