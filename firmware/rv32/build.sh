#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh COMPILER ROOT BUILD_DIR SIZES SOURCE...
# Compiles and links the firmware for roci_processor: firmware.elf, and firmware.hex for $readmemh,
# firmware.bin for a loader. SIZES names a file of lines NAME=VALUE: TextBytes, DataBytes and
# StackBytes of the memories, and the most objects of each kind, such as ROCI_MAX_QPS; another Main,
# Link and March than those of roci_processor, and the Origin of its text. Headers are also looked
# for in the folder ROCI_HEADERS, if set. Prints what text, data and stack need; fails when they do
# not fit.
set -eu
cxx=$1 root=$2 build=$3 sizes=$4
shift 4
number() { sed -n "s/^$1=//p" "$sizes"; }
value() { number "$1" | grep . || echo "$2"; }
main=$root/$(value Main firmware/rv32/main.cpp)
link=$root/$(value Link firmware/rv32/link.ld)
flags="-march=$(value March rv32imc) -mabi=ilp32 --specs=picolibc.specs -std=c++17 -Os
       -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections
       -fdata-sections -Wall -Wextra -Werror -fstack-usage -I$root
       ${ROCI_HEADERS:+-I$ROCI_HEADERS} $(sed -n 's/^ROCI_/-DROCI_/p' "$sizes")"
rm -rf "$build"
mkdir -p "$build"
objects=
for source in "$@" "$main" "$root/firmware/rv32/start.S"; do
  object=$build/$(echo "${source#"$root"/}" | tr / _).o
  # shellcheck disable=SC2086
  "$cxx" $flags -c "$source" -o "$object"
  objects="$objects $object"
done
# No libstdc++ exists for this target and none is needed.
# shellcheck disable=SC2086
"$cxx" $flags -nostartfiles -nodefaultlibs -T "$link" -Wl,--gc-sections \
  "-Wl,--defsym=__text_bytes=$(number TextBytes),--defsym=__data_bytes=$(number DataBytes)" \
  "-Wl,--defsym=__origin=$(value Origin 0)" \
  "-Wl,--defsym=__stack_bytes=$(number StackBytes)" \
  $objects -lc -lgcc -o "$build/firmware.elf"
tool() { echo "$cxx" | sed "s/g++\$/$1/"; }
"$(tool objcopy)" -O verilog --verilog-data-width=4 "$build/firmware.elf" "$build/firmware.hex"
"$(tool objcopy)" -O binary "$build/firmware.elf" "$build/firmware.bin"
"$(tool size)" -A "$build/firmware.elf" | awk '
  {bytes[$1] = $2}
  END {printf "RV32 text %d, data %d, bss %d bytes\n", bytes[".text"] + bytes[".data"],
       bytes[".data"], bytes[".bss"]}'
# Nothing recurses and no call chain has more than 16 frames: the 16 largest bound the stack.
stack=$(cat "$build"/*.su | awk -F '\t' '{print $2}' | sort -rn | head -16 |
  awk '{sum += $1} END {print sum}')
echo "RV32 stack at most $stack bytes"
if cat "$build"/*.su | grep -q 'dynamic$'; then
  echo "a frame of unbounded size" >&2
  exit 1
fi
if [ "$stack" -gt "$(number StackBytes)" ]; then
  echo "the stack may need more than StackBytes in $sizes" >&2
  exit 1
fi
