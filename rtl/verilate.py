#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verilates one module into a folder, as one file of C++.

usage: verilate.py [--like HEADER] VERILATOR ROOT DIR PREFIX OPTION...

Writes DIR/PREFIX.h, DIR/all.cpp, which includes all the C++ that Verilator wrote, and
DIR/all.cpp.d, the files that they were made from. Verilator runs in ROOT and is given paths below
ROOT, so that what it writes is the same wherever the repository lies. The ports of the class stand
in the order of their names: then the classes of a module and of its netlist have the same layout,
and one object file of a test serves both.
  --like HEADER   fail when the class differs from that of HEADER
"""
import pathlib
import re
import shutil
import subprocess
import sys


PORT = re.compile(r"^ *VL_(?:IN|OUT)\w*\(&(\w+)")


def sort_ports(header):
    lines = header.read_text().splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if PORT.match(line)]
    ports = sorted((lines[at] for at in places), key=lambda line: PORT.match(line)[1])
    for at, port in zip(places, ports):
        lines[at] = port
    header.write_text("".join(lines))


def main():
    words = sys.argv[1:]
    like = None
    if words[0] == "--like":
        like = pathlib.Path(words[1])
        words = words[2:]
    verilator, root, folder, prefix, *options = words
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = [option.replace(f"{root}/", "") for option in options]
    code = subprocess.run([verilator, "--cc", "--Mdir", folder, "--prefix", prefix, *options],
                          cwd=root).returncode
    if code:
        return code
    header = folder / f"{prefix}.h"
    sort_ports(header)
    if like and header.read_text() != like.read_text():
        print(f"{header} differs from {like}: their tests cannot share object files")
        return 1
    # Verilator's own list names each file that it wrote as a target; Ninja wants the one it asked
    # for.
    listed = (folder / f"{prefix}__ver.d").read_text().split(":", 1)[1].split()
    sources = [str(root / name) for name in listed]
    target = folder / "all.cpp"
    pathlib.Path(f"{target}.d").write_text(f"{target}: {' '.join(sources)}\n")
    parts = sorted(path.name for path in folder.glob(f"{prefix}*.cpp"))
    # What runs once for an instance, and the names of the signals in waveforms: as in Verilator's
    # own makefile, the compiler does not optimize it.
    once = [name for name in parts if name.endswith("__Slow.cpp")]
    lines = [f'#include "{name}"' for name in parts if name not in once]
    lines += ['#pragma GCC optimize ("O0")', *(f'#include "{name}"' for name in once)]
    target.write_text("".join(f"{line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
