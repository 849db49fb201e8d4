#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys on one module with just the sources it needs: roci_x stands in roci_x.sv.

usage: yosys.py netlist TOP OUT [PARAMETER=VALUE...]   Verilog of what Yosys makes of TOP, and OUT.d
       yosys.py sources TOP                            the sources
"""
import pathlib
import re
import subprocess
import sys

RTL = pathlib.Path(__file__).resolve().parent
FORMAL = re.compile(r"`ifdef FORMAL\b(?:(?!`else|`ifn?def).)*?`endif", re.S)  # without an `else
ERRORS = "implicitly declared|out of bounds"  # what Yosys prints as a warning alone


def sources(top, formal=False):
    """The files of the modules that a module consists of, with `formal` those of its proof too."""
    where = {path.stem: path for path in RTL.rglob("roci_*.sv")}
    needed, todo = [], [top]
    while todo:
        path = where.get(todo.pop())
        if path is None or path in needed or path.stem == "roci_pkg":
            continue
        needed.append(path)
        code = re.sub(r"//.*", "", path.read_text())
        if not formal:
            code = FORMAL.sub("", code)
        todo += sorted(set(re.findall(r"\broci_[a-z0-9_]+(?=\s*(?:#\s*\(|u_))", code)))
    return needed


def read_script(top, parameters, formal=False, root=None):
    """Yosys commands that read a module with the sources it needs and set its parameters.

    With a root, the sources are read from a copy of this folder.
    """
    root = root or RTL
    files = " ".join(f"{root}/{path.relative_to(RTL)}" for path in sources(top, formal))
    sets = "".join(f" -set {name} {value}" for name, value in parameters.items())
    defines = f"-formal -D PROOF_OF_{top}" if formal else ""
    return (f"read_verilog -sv {defines} -I {root}/common {root}/roci_pkg.sv; "
            f"read_verilog -sv {defines} -defer -I {root}/common {files}; "
            + (f"chparam{sets} {top}; " if sets else ""))


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("netlist", "sources"):
        print(__doc__, file=sys.stderr)
        return 2
    kind, top = sys.argv[1:3]
    files = sources(top)
    if kind == "sources":
        print("\n".join(map(str, files)))
        return 0
    out = sys.argv[3]
    # Nets of one bit: in a flat netlist a record seems to follow itself, as some of its bits follow
    # others, and Verilator then leaves what follows an input in the same clock as it was.
    script = (f"{read_script(top, dict(p.split('=') for p in sys.argv[4:]))} "
              f"hierarchy -check -top {top}; proc; flatten; opt_clean; opt -fast; "
              f"check -assert; rename -top {top}; splitnets -driver; write_verilog -noattr {out}")
    pathlib.Path(out + ".d").write_text(
        f"{out}: {RTL}/roci_pkg.sv {RTL}/common/assert.svh {' '.join(map(str, files))}\n")
    return subprocess.run(["yosys", "-q", "-e", ERRORS, "-p", script]).returncode


if __name__ == "__main__":
    sys.exit(main())
