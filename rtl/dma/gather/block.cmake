# SPDX-License-Identifier: Apache-2.0
add_rtl_block(gather WIDTHS 64 512)
add_rtl_proof(gather TOP roci_gather DEPTH 5 COVER 8 PARAMS DataWidth=32)
