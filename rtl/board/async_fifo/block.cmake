# SPDX-License-Identifier: Apache-2.0
add_rtl_block(async_fifo PARAMS Width=16 Depth=8 PROOF_DEPTH 12 PROOF_PARAMS Width=2 Depth=4)
