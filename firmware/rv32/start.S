# SPDX-License-Identifier: Apache-2.0
# After reset: clears what has no initial value, copies what has one, and calls main, which does not
# return. The bounds are multiples of 16 bytes (link.ld).
  .section .start, "ax"
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_top
  la a0, __bss_start
  la a1, __bss_end
1:
  bgeu a0, a1, 2f
  sw zero, 0(a0)
  sw zero, 4(a0)
  sw zero, 8(a0)
  sw zero, 12(a0)
  addi a0, a0, 16
  j 1b
2:
  la a0, __data_start
  la a1, __data_end
  la a2, __data_source
3:
  bgeu a0, a1, 4f
  lw a3, 0(a2)
  sw a3, 0(a0)
  addi a0, a0, 4
  addi a2, a2, 4
  j 3b
4:
  call main
5:
  ebreak
  j 5b
