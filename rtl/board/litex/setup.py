# SPDX-License-Identifier: Apache-2.0
"""Puts the RTL of the checkout beside the Python modules."""
import importlib.util
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent


def sources():
    """roci_litex/sources.py by itself, without LiteX."""
    spec = importlib.util.spec_from_file_location("sources", HERE / "roci_litex/sources.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class WithRtl(build_py):
    """build_py, and the RTL."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        rtl = sources()
        for path in rtl.needed():
            copy = pathlib.Path(self.build_lib) / "roci_litex/rtl" / path.relative_to(rtl.ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)


setup(cmdclass={"build_py": WithRtl})
