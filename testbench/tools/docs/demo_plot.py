#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plot in README.md with the one that the demo writes; runs are deterministic.

usage: demo_plot.py ROCI [--write]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PICTURE = pathlib.Path(__file__).resolve().parents[3] / "docs/images/demo_write.svg"


def main():
    roci = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="roci-demo-") as folder:
        run = subprocess.run([roci, "demo", "--dir", folder], capture_output=True, text=True)
        if run.returncode:
            print(run.stderr, end="")
            return 77 if "is not there: build it" in run.stderr else 1
        plot = pathlib.Path(folder) / "write.svg"
        if plot.read_bytes() == PICTURE.read_bytes():
            return 0
        if "--write" not in sys.argv:
            print(f"{PICTURE} differs from the plot of the demo: run {sys.argv[0]} ROCI --write")
            return 1
        shutil.copyfile(plot, PICTURE)
        return 0


if __name__ == "__main__":
    sys.exit(main())
