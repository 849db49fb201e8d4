# SPDX-License-Identifier: Apache-2.0
"""Runs a script's tests in a Python that has numpy, scipy and numba, from PyPI into DIR/solver."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from rtl.syn import pypi

SKIPPED = 77


class ScriptTest(unittest.TestCase):
    """Tests of `script`, in a folder of their own for its files."""

    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        """A file with a text, or with JSON."""
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_script(self, *words):
        return subprocess.run([sys.executable, self.script, *words], capture_output=True, text=True)

    def run_to_out(self, *words):
        """Also gives the script an output after its words: what it printed, and the JSON there."""
        out = self.folder / "out"
        out.unlink(missing_ok=True)
        done = self.run_script(*words, out)
        return done, json.loads(out.read_text()) if out.exists() else None


def test():
    """Tests the script that was called with DIR; SKIPPED without a network for that."""
    programs = pypi.tools(pathlib.Path(sys.argv[1]) / "solver", pypi.SOLVE)
    if programs is None:
        print("numpy, scipy and numba cannot be installed from PyPI")
        return SKIPPED
    if pathlib.Path(sys.prefix) != programs.parent.resolve():
        os.execv(programs / "python", [programs / "python", *sys.argv])
    return unittest.main(argv=sys.argv[:1])
