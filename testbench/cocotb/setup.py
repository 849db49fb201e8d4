# SPDX-License-Identifier: Apache-2.0
"""Puts the library of the checkout's build beside the Python modules."""
import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

NAME = "libcocotbext_roce.so"
HERE = pathlib.Path(__file__).resolve().parent
VARIABLE = "COCOTBEXT_ROCE_LIBRARY"
BUILT = pathlib.Path(os.environ.get(VARIABLE, HERE.parents[1] / "build/testbench/cocotb" / NAME))


class WithLibrary(build_py):
    """build_py, and the library."""

    def run(self):
        super().run()
        if not BUILT.is_file():
            raise SystemExit(f"{BUILT} is not there: run 'cmake --build build --target "
                             f"cocotbext_roce' in the checkout, or set {VARIABLE}")
        if not self.editable_mode:
            shutil.copy(BUILT, pathlib.Path(self.build_lib) / "cocotbext/roce" / NAME)


class Native(Distribution):
    """The package is for one platform."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": WithLibrary}, distclass=Native)
