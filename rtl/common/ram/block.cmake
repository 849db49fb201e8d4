# SPDX-License-Identifier: Apache-2.0
add_rtl_block(ram PARAMS Width=45 Depth=16 Clear=1 Forward=1 Whole=16)
add_rtl_block(ram PARAMS Width=45 Depth=16 Clear=1 Forward=1 Whole=8 SUFFIX _columns)
