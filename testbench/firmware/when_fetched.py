#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command that needs the core of roci_processor; without it the test is skipped.

usage: when_fetched.py CORE COMMAND...

CORE is the file that firmware/rv32/core.py writes. Without it the status is 77.
"""
import os
import pathlib
import sys

SKIPPED = 77


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    if not pathlib.Path(sys.argv[1]).exists():
        print("skipped: the core of the processor was not fetched from PyPI")
        return SKIPPED
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
