#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# size.sh COMPILER ROOT BUILD_DIR MAX_TEXT SOURCE...
# Compiles and links the firmware for RV32, prints text, data and stack, fails above MAX_TEXT.
set -eu
cxx=$1 root=$2 build=$3 max_text=$4
shift 4
flags="-march=rv32imc -mabi=ilp32 --specs=picolibc.specs -std=c++17 -Os -ffreestanding
       -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections -fdata-sections
       -Wall -Wextra -Werror -fstack-usage -I$root"
rm -rf "$build"
mkdir -p "$build"
objects=
for source in "$@"; do
  object=$build/$(echo "${source#"$root"/}" | tr / _).o
  # shellcheck disable=SC2086
  "$cxx" $flags -c "$source" -o "$object"
  objects="$objects $object"
done
# Room for the code and the tables of the largest adapter; the linker script is picolibc's.
# No libstdc++ exists for this target and none is needed.
# shellcheck disable=SC2086
"$cxx" $flags -nodefaultlibs -Wl,--gc-sections \
  -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x40000 \
  -Wl,--defsym=__ram=0x80100000,--defsym=__ram_size=0x80000,--defsym=__stack_size=0x1000 \
  $objects -lc -lgcc -o "$build/firmware.elf"
size=$(echo "$cxx" | sed 's/g++$/size/')
text=$("$size" "$build/firmware.elf" | awk 'NR == 2 {print $1}')
"$size" "$build/firmware.elf" |
  awk 'NR == 2 {printf "RV32 text %d, data %d, bss %d bytes\n", $1, $2, $3}'
# Nothing recurses and no call chain has more than 16 frames: the 16 largest bound the stack.
cat "$build"/*.su | awk -F '\t' '{print $2}' | sort -rn | head -16 |
  awk '{sum += $1; if (NR == 1) top = $1} END {
    printf "RV32 stack at most %d bytes (largest frame %d)\n", sum, top}'
if cat "$build"/*.su | grep -q 'dynamic$'; then
  echo "a frame of unbounded size" >&2
  exit 1
fi
if [ "$text" -gt "$max_text" ]; then
  echo "text is above $max_text bytes" >&2
  exit 1
fi
