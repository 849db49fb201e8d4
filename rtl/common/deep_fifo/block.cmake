# SPDX-License-Identifier: Apache-2.0
add_rtl_block(deep_fifo PARAMS Width=16 Depth=8 PROOF_DEPTH 8 PROOF_PARAMS Width=4 Depth=4)
