# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rq_fetch PARAMS NumQps=16 NumSrqs=8)
add_rtl_proof(rq_next TOP roci_rq_next DEPTH 1)
