# SPDX-License-Identifier: Apache-2.0
add_rtl_block(scatter WIDTHS 64 512)
add_rtl_proof(scatter TOP roci_scatter DEPTH 4 COVER 12 PARAMS DataWidth=64 Packets=2)
