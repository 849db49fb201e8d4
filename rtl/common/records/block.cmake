# SPDX-License-Identifier: Apache-2.0
add_rtl_block(records PARAMS Width=16 Depth=1 PROOF_DEPTH 4 PROOF_PARAMS Width=4 Depth=1)
add_rtl_block(records PARAMS Width=16 Depth=4 SUFFIX _4)
