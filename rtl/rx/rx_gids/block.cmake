# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_gids)
