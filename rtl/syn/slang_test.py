#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads all RTL with slang, a strict front end of SystemVerilog, and expects no error.

usage: slang_test.py VENV

slang requires, among other rules that Verilator and Yosys do not check, that an identifier is
declared before it is used. Sources are read twice: as a simulator reads them, and with FORMAL,
which adds the properties of proofs. pyslang comes from PyPI into the virtual environment VENV,
which is made when it is missing. Without a network for that the test is skipped (status 77).
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

RTL = ROOT / "rtl"
REQUIREMENT = "pyslang==12.1.0"
SKIPPED = 77

# Run by the interpreter of the virtual environment, the only one that has pyslang.
READER = r"""
import sys
from pyslang.driver import Driver
driver = Driver()
driver.addStandardArgs()
sound = driver.parseCommandLine("slang " + " ".join(sys.argv[1:]))
sound = sound and driver.processOptions() and driver.parseAllSources()
if sound:
    driver.reportCompilation(driver.createCompilation(), False)
    sound = driver.reportDiagnostics(False)
sys.exit(0 if sound else 1)
"""

PLANTED = "module m(output logic o); assign o = late; logic late; assign late = 1'b0; endmodule\n"


def read(python, options, files):
    """Whether slang reads the files without an error, and what it wrote."""
    done = subprocess.run([python, "-c", READER, *options, *map(str, files)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    programs = pypi.tools(sys.argv[1], (REQUIREMENT,))
    if programs is None:
        print(f"skipped: {REQUIREMENT} cannot be installed from PyPI")
        return SKIPPED
    python = programs / "python"

    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder) / "planted.sv"
        planted.write_text(PLANTED)
        sound, said = read(python, [], [planted])
        if sound or "used before its declaration" not in said:
            print("slang accepts an identifier that is used before its declaration:\n" + said)
            return 1

    package = RTL / "roci_pkg.sv"
    files = [package, *sorted(path for path in RTL.rglob("*.sv") if path != package)]
    failed = False
    for options in [[], ["-DFORMAL"]]:
        sound, said = read(python, ["-I", str(RTL / "common"), *options], files)
        if not sound:
            failed = True
            print(f"slang {' '.join(options)}:\n{said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
