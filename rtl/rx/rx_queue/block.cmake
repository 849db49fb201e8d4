# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rx_queue PARAMS Width=40 Depth=16 PROOF_DEPTH 14 PROOF_PARAMS Width=4 Depth=4)
