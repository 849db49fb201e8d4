#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pip installs the package from a checkout, with the library, for a program elsewhere.

usage: install.py LIBRARY
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARY = str(pathlib.Path(sys.argv[1]).resolve())
PROGRAM = """
from cocotbext import roce
frame = roce.Frame("RcSendOnly", b"abc", src_gid="10.0.0.1", dst_gid="10.0.0.2", psn=5).build()
assert roce.Frame.parse(frame).payload == b"abc"
assert roce.ModelDevice().conform("RQ-20").verdicts()["RQ-20"] == "pass"
print(roce.__file__)
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "cocotb"
        shutil.copytree(ROOT / "testbench/cocotb", source,
                        ignore=shutil.ignore_patterns("build", "__pycache__", "*.egg-info"))
        venv.create(folder / "env", with_pip=True, system_site_packages=True)
        pip = [folder / "env/bin/python", "-m", "pip", "install", "--quiet", "--no-index",
               "--no-build-isolation", "--no-deps"]
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("PYTHONPATH", "COCOTBEXT_ROCE_LIBRARY")}
        failed = subprocess.run([*pip, source], capture_output=True, text=True, check=False,
                                env={**environment, "COCOTBEXT_ROCE_LIBRARY": str(folder / "no")})
        assert failed.returncode and "is not there: run" in failed.stderr + failed.stdout, failed
        done = subprocess.run([*pip, source], capture_output=True, text=True, check=False,
                              env={**environment, "COCOTBEXT_ROCE_LIBRARY": LIBRARY})
        assert done.returncode == 0, done.stderr
        shutil.rmtree(source)
        done = subprocess.run([folder / "env/bin/python", "-c", PROGRAM], cwd=folder, text=True,
                              env=environment, capture_output=True, check=False)
        assert done.returncode == 0 and str(folder / "env") in done.stdout, done


if __name__ == "__main__":
    main()
