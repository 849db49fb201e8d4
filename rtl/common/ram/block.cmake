# SPDX-License-Identifier: Apache-2.0
add_rtl_block(ram PARAMS Width=32 Depth=16 Clear=1 Forward=1)
