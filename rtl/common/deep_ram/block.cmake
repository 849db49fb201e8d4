# SPDX-License-Identifier: Apache-2.0
add_rtl_block(deep_ram PARAMS Width=32 Depth=16 Forward=1)
add_rtl_proof(deep_ram TOP roci_deep_ram DEPTH 12 PDR PARAMS Width=2 Depth=4)
