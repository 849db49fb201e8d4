# SPDX-License-Identifier: Apache-2.0
"""Where the RTL stands, and the parameters of configurations."""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
# rtl of the checkout; pip puts a copy beside the modules.
ROOT = HERE / "rtl" if (HERE / "rtl").is_dir() else HERE.parents[2]
LIST = ROOT / "board/roci_core.f"
SIZES = ROOT / "syn/small.txt"
PARAMETER = re.compile(r"^\s*parameter int unsigned (\w+)\s*=\s*(\d+)", re.M)


def small():
    """Parameters of the smallest engine, for an LFE5U-85F, with 64 bits."""
    found = re.findall(r"^(\w+)=(\d+)$", SIZES.read_text(), re.M)
    return {"DataWidth": 64} | {name: int(value) for name, value in found}


def defaults():
    """All parameters of roci_core with their default values."""
    text = (ROOT / "board/roci_core.sv").read_text()
    return {name: int(value) for name, value in PARAMETER.findall(text)}


def listed():
    """(folders of included files, sources) of roci_core.f."""
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("//")]
    paths = [(LIST.parent / line.removeprefix("+incdir+")).resolve() for line in lines]
    includes = [path for path, line in zip(paths, lines) if line.startswith("+incdir+")]
    return includes, [path for path in paths if path not in includes]


def needed():
    """All files that the package reads."""
    includes, files = listed()
    return [LIST, SIZES, *files, *(path for folder in includes for path in folder.glob("*.svh"))]
