# SPDX-License-Identifier: Apache-2.0
add_rtl_block(responder_decide PROOF_DEPTH 3)
