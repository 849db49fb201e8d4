#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verilates one module into a folder, as one file of C++.

usage: verilate.py VERILATOR ROOT DIR PREFIX OPTION...

Writes DIR/PREFIX.h, DIR/all.cpp, which includes all the C++ that Verilator wrote, and
DIR/all.cpp.d,
the files that they were made from. Verilator runs in ROOT and is given paths below ROOT, so that
what
it writes is the same wherever the repository lies.
"""
import pathlib
import shutil
import subprocess
import sys


def main():
    verilator, root, folder, prefix, *options = sys.argv[1:]
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = [option.replace(f"{root}/", "") for option in options]
    code = subprocess.run([verilator, "--cc", "--Mdir", folder, "--prefix", prefix, *options],
                          cwd=root).returncode
    if code:
        return code
    # Verilator's own list names each file that it wrote as a target; Ninja wants the one it asked
    # for.
    listed = (folder / f"{prefix}__ver.d").read_text().split(":", 1)[1].split()
    sources = [str(root / name) for name in listed]
    target = folder / "all.cpp"
    pathlib.Path(f"{target}.d").write_text(f"{target}: {' '.join(sources)}\n")
    parts = sorted(path.name for path in folder.glob(f"{prefix}*.cpp"))
    target.write_text("".join(f'#include "{name}"\n' for name in parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
