# SPDX-License-Identifier: Apache-2.0
add_rtl_block(responder PARAMS NumQps=16)
add_rtl_proof(responder_ack TOP roci_responder_ack_tb DEPTH 2 COVER 7)
add_rtl_proof(responder_oldest TOP roci_responder_oldest DEPTH 2)
