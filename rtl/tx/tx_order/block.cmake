# SPDX-License-Identifier: Apache-2.0
add_rtl_block(tx_order PARAMS Depth=8)
add_rtl_proof(tx_order TOP roci_tx_order DEPTH 3 COVER 10 PARAMS Depth=2)
