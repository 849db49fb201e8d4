#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the layer rules: an #include or module may only point down.

usage: layers_test.py ROOT [FILE...]   checks every source under ROOT; exit 1 on a violation
"""
import pathlib
import re
import sys

# Folder -> folders whose headers it may include (itself always).
ALLOWED = {
    "model/spec": [],
    "model/packet": ["model/spec", "model/transport"],
    "model/transport": ["model/spec"],
    "model/nic": ["model/spec", "model/packet", "model/transport"],
    "firmware": [],
    "driver": ["model/spec"],
    "testbench": ["model/spec", "model/packet", "model/transport", "model/nic", "driver", "firmware",
                  "rtl"],
    "sim": ["model/spec", "model/packet", "model/transport", "driver", "testbench"],
    "rtl": ["model/spec", "model/packet", "model/transport"],
}
# How each folder's headers are named in an #include.
PREFIX = {
    "spec/": "model/spec",
    "packet/": "model/packet",
    "transport/": "model/transport",
    "nic/": "model/nic",
    "firmware/": "firmware",
    "hal/": "firmware",
    "driver/": "driver",
    "testbench/": "testbench",
    "sim/": "sim",
    "common/": "rtl",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def owner(path):
    text = path.as_posix()
    return next((layer for layer in sorted(ALLOWED, key=len, reverse=True)
                 if text.startswith(layer + "/")), None)


def violations(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix not in (".cpp", ".hpp", ".h") or relative.parts[0].startswith("build"):
            continue
        layer = owner(relative)
        if layer is None:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(2)
            target = next((t for p, t in PREFIX.items() if name.startswith(p)), None)
            if target and target != layer and target not in ALLOWED[layer]:
                yield f"{relative}:{number}: {layer} must not include {name} ({target})"
            if name.startswith("systemc") or name == "tlm.h":
                if layer not in ("testbench", "sim"):
                    yield f"{relative}:{number}: {layer} must not know SystemC"
            if name.startswith(("verilated", "Vroci")) and layer not in ("testbench", "rtl"):
                yield f"{relative}:{number}: {layer} must not know verilated models"


def user_type_arrays(root):
    """Yosys 0.23 drops the dimension of an array whose element is a user type, without a word."""
    pattern = re.compile(r"\b[a-z0-9_]+_[te](\s*\[|\s+[a-z0-9_]+\s*\[)")
    for path in sorted((root / "rtl").rglob("*.sv")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            if pattern.search(code):
                yield f"{path.relative_to(root)}:{number}: array of a user type: {code.strip()}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(violations(root)) + list(user_type_arrays(root))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
