# SPDX-License-Identifier: Apache-2.0
add_rtl_block(key_check PARAMS NumKeys=64 Clients=4
              PROOF_DEPTH 2 PROOF_TOP roci_key_rule)
