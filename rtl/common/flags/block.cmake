# SPDX-License-Identifier: Apache-2.0
add_rtl_block(flags PARAMS Depth=16 MaxWords=4
              PROOF_DEPTH 12 PROOF_PARAMS Depth=8 Reads=2 MaxWords=4)
