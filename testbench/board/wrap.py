#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes roci_core_tb.sv: the core in a module without ports, whose variables a bench sets.

usage: wrap.py FILE

Verilator 5.006 copies the ports of the top module at each evaluation over what was set by VPI.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.board import package  # noqa: E402


def text():
    parameters, ports = package.interface()
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield "// Written from roci_core.sv by wrap.py."
    yield f"module {package.TOP}_tb #("
    yield ",\n".join(f"  parameter int unsigned {name} = {default}"
                     for name, default, _ in parameters)
    yield ");"
    for _direction, width, name in ports:
        yield f"  logic {width} {name} /* verilator public_flat_rw */;"
    yield f"  {package.TOP} #("
    yield ",\n".join(f"    .{name}({name})" for name, _, _ in parameters)
    yield "  ) u_core ("
    yield ",\n".join(f"    .{name}" for _, _, name in ports)
    yield "  );"
    yield "endmodule"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    pathlib.Path(sys.argv[1]).write_text("".join(f"{line}\n" for line in text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
