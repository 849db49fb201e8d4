# SPDX-License-Identifier: Apache-2.0
add_rtl_block(mac_rx PARAMS Bytes=2048 WIDTHS 64)
add_rtl_block(mac_rx PARAMS Bytes=2048 SOAK WIDTHS 512)
