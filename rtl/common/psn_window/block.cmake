# SPDX-License-Identifier: Apache-2.0
add_rtl_block(psn_window PROOF_DEPTH 2)
