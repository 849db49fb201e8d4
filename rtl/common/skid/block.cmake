# SPDX-License-Identifier: Apache-2.0
add_rtl_block(skid PARAMS Width=16 PROOF_DEPTH 8 PROOF_PARAMS Width=4)
