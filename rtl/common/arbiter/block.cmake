# SPDX-License-Identifier: Apache-2.0
add_rtl_block(arbiter PARAMS Clients=4 PROOF_DEPTH 12)
