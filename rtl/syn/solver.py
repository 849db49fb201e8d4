# SPDX-License-Identifier: Apache-2.0
"""Runs a script's tests in a Python that has numpy and scipy, from PyPI into DIR/solver."""
import os
import pathlib
import sys
import unittest

from rtl.syn import pypi

SKIPPED = 77


def test():
    """Tests the script that was called with DIR; SKIPPED without a network for that."""
    programs = pypi.tools(pathlib.Path(sys.argv[1]) / "solver", pypi.SOLVE)
    if programs is None:
        print("numpy and scipy cannot be installed from PyPI")
        return SKIPPED
    if pathlib.Path(sys.prefix) != programs.parent.resolve():
        os.execv(programs / "python", [programs / "python", *sys.argv])
    return unittest.main(argv=sys.argv[:1])
