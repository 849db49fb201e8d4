#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the netlist of a module as `yosys.py netlist` does, with nets of one bit.

usage: split_netlist.py TOP OUT [PARAMETER=VALUE...]

In a flat netlist a record seems to follow itself, as some of its bits follow others. Verilator then
leaves what follows an input in the same clock as it was.
"""
import pathlib
import subprocess
import sys

import yosys


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    top, out, *parameters = sys.argv[1:]
    script = (f"{yosys.read_script(top, dict(p.split('=') for p in parameters))} "
              f"hierarchy -check -top {top}; proc; flatten; opt_clean; opt -fast; check -assert; "
              f"rename -top {top}; splitnets -driver; write_verilog -noattr {out}")
    files = " ".join(map(str, yosys.sources(top)))
    pathlib.Path(out + ".d").write_text(
        f"{out}: {yosys.RTL}/roci_pkg.sv {yosys.RTL}/common/assert.svh {files}\n")
    return subprocess.run(["yosys", "-q", "-e", yosys.ERRORS, "-p", script], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
