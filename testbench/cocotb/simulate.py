# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of cocotb of a Python module in a simulator."""
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi  # noqa: E402

# cocotb 2 needs a newer Verilator than Debian has.
PACKAGES = ("cocotb==1.9.2", "cocotb-bus==0.3.0", "cocotbext-axi==0.1.28", "find_libpython==0.5.1")
SKIPPED = 77  # exit status of a test


class Missing(Exception):
    """The packages cannot be installed."""


class Cocotb:
    """cocotb in a virtual environment in `folder`, which is made when it is missing."""

    def __init__(self, folder, more=()):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        packages = (*PACKAGES, *more)
        programs = pypi.tools(self.folder / "venv", packages)
        if programs is None:
            raise Missing(f"{', '.join(packages)} cannot be installed from PyPI")
        self.python = programs / "python"

    def said(self, code):
        return subprocess.run([self.python, "-c", code], capture_output=True, text=True,
                              check=True).stdout.strip()

    @property
    def libraries(self):
        return self.said("import cocotb.config as c; print(c.libs_dir)")

    def run(self, command, bench, top, paths, **more):
        """Runs the tests of the module `bench` on `top`; `paths` is where Python finds modules.
        Returns the exit status of the simulator, and (name, failed, simulated us, s) of each."""
        results = self.folder / f"{bench}.xml"
        results.unlink(missing_ok=True)
        paths = [*paths, self.said("import sysconfig; print(sysconfig.get_path('purelib'))")]
        environment = {
            **os.environ, "MODULE": bench, "TOPLEVEL": top, "TOPLEVEL_LANG": "verilog",
            "COCOTB_RESULTS_FILE": str(results), "VIRTUAL_ENV": str(self.folder / "venv"),
            "LIBPYTHON_LOC": self.said("import find_libpython as f; print(f.find_libpython())"),
            "PYTHONPATH": ":".join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1",
            "COCOTB_LOG_LEVEL": "ERROR", "RANDOM_SEED": "1",
            **{name: str(value) for name, value in more.items()}}
        code = subprocess.run(command, env=environment, cwd=self.folder, check=False).returncode
        cases = (xml.etree.ElementTree.parse(results).getroot().findall(".//testcase")
                 if results.exists() else [])
        return code, [(case.get("name"), case.find("failure") is not None,
                       float(case.get("sim_time_ns")) / 1000, float(case.get("time")))
                      for case in cases]


def report(code, cases):
    """Prints the outcome of a run; returns the exit status of a test."""
    for name, failed, us, seconds in cases:
        print(f"{'failed' if failed else 'passed'} {name}, {us:.1f} us simulated, {seconds:.1f} s")
    if code or not cases:
        print(f"the simulator ended with status {code} and {len(cases)} results")
    return 1 if code or not cases or any(failed for _, failed, _, _ in cases) else 0
