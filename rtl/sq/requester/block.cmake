# SPDX-License-Identifier: Apache-2.0
add_rtl_block(requester PARAMS NumQps=16)
add_rtl_proof(requester TOP roci_requester_proof_tb DEPTH 2 COVER 11)
add_rtl_proof(requester_flight TOP roci_requester_flight DEPTH 3 COVER 14 PARAMS NumQps=4 Depth=4)
