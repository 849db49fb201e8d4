# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_groups PARAMS NumQps=64 Attachments=16)
add_rtl_proof(rx_groups TOP roci_rx_groups DEPTH 10 COVER 24 PARAMS NumQps=2 Attachments=4)
