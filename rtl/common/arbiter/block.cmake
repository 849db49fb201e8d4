# SPDX-License-Identifier: Apache-2.0
add_rtl_block(arbiter PARAMS Clients=4 PROOF_DEPTH 12)
add_rtl_proof(arbiter_pairs TOP roci_arbiter_pairs DEPTH 2 COVER 6 PARAMS Clients=5)
