# SPDX-License-Identifier: Apache-2.0
"""Yosys, nextpnr and ecppack: those of PyPI, or of a folder that has them compiled."""
import argparse
import os
import pathlib
import subprocess
import time

from rtl.syn import pypi

NAMES = ("yosys", "nextpnr-ecp5", "ecppack")
MOST_THREADS = 4  # what more bring is not worth their memory


class Failed(Exception):
    """A tool ended with an error; the text is the end of what it printed."""


class Late(Failed):
    """A tool took too long; the text says which, and how long."""


def folder(text):
    """An option's value: a folder with a tool, or more of them."""
    path = pathlib.Path(text).resolve()
    if not any(os.access(path / name, os.X_OK) for name in NAMES):
        raise argparse.ArgumentTypeError(f"{text} has none of {', '.join(NAMES)}")
    return path


class Tools:
    """The tools of PyPI, installed into a folder; in their place those that `own` has."""

    def __init__(self, installed, own=None):
        self.installed, self.own = pathlib.Path(installed).resolve(), own
        self.names = [name for name in NAMES if self.compiled(name)]  # what `own` has
        self.complete = len(self.names) == len(NAMES)
        self.bin = None if self.complete else pypi.tools(self.installed, pypi.PLACE)

    @property
    def found(self):
        """Whether all are there: False when PyPI cannot be reached."""
        return self.complete or self.bin is not None

    def compiled(self, name):
        """The program in `own`, or None."""
        path = self.own and self.own / name
        return path if path and os.access(path, os.X_OK) else None

    def threads(self, name):
        """How many threads a tool may have: those of PyPI are WebAssembly and have one."""
        return min(MOST_THREADS, os.cpu_count() or 1) if self.compiled(name) else 1

    def run(self, name, args, folder, minutes, stop=None):
        """Runs a tool in a folder, above which those of PyPI see nothing; what it printed.

        `stop` is asked about once a second; when it says so the tool is ended, and the result
        is None.
        """
        program = self.compiled(name) or self.bin / f"yowasp-{name}"
        env = {**os.environ, "YOWASP_CACHE_DIR": str(self.installed / "cache")}
        end = time.monotonic() + 60 * minutes
        with subprocess.Popen([program, *map(str, args)], cwd=folder, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while True:
                left = end - time.monotonic()
                try:
                    output = process.communicate(timeout=max(0, min(1, left)))
                except subprocess.TimeoutExpired:
                    if left > 0 and not (stop and stop()):
                        continue
                    process.kill()
                    process.communicate()
                    if left > 0:
                        return None
                    raise Late(f"{name} did not end within {minutes} minutes") from None
                return said(name, process.returncode, *output)

    def solve(self, script, args, folder):
        """Runs a Python script that needs pypi.SOLVE in a folder; what it printed."""
        programs = pypi.tools(self.installed.with_name("solver"), pypi.SOLVE)
        if programs is None:
            raise Failed("numpy, scipy and numba cannot be installed from PyPI")
        done = subprocess.run([programs / "python", script, *map(str, args)], cwd=folder,
                              capture_output=True, text=True)
        return said(script.name, done.returncode, done.stdout, done.stderr)


def said(name, status, output, errors):
    """What a program printed; raises Failed when it has failed."""
    if status:
        raise Failed(f"{name}: {(output + errors)[-3000:]}")
    return output + errors
