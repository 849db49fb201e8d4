# SPDX-License-Identifier: Apache-2.0
add_rtl_block(rq_absent PARAMS Atomics=0 KeyOps=0 Srq=0 NO_NETLIST)
