# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rq_fetch PARAMS NumQps=16 NumSrqs=8)
add_rtl_block(rq_fetch PARAMS NumQps=16 NumSrqs=8 NO_NETLIST WIDTHS 64)
add_rtl_block(rq_fetch PARAMS NumQps=16 NumSrqs=8 SOAK WIDTHS 128 256)
add_rtl_proof(rq_next TOP roci_rq_next DEPTH 2 COVER 4)
add_rtl_proof(rq_seen TOP roci_rq_seen DEPTH 8 COVER 10 PDR PARAMS NumQps=2)
