#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the written files of the core with tools that nobody here wrote.

usage: package_test.py slang|fusesoc VENV

slang elaborates what roci_core.f lists, and nothing else, with default parameters; without one of
its files it must fail. FuseSoC resolves roci_core.core, copies its files and lints them with
Verilator. The ports that slang finds are those of component.xml. The tool comes from PyPI into the
virtual environment VENV, made when it is missing. Without a network the test is skipped, with
status 77.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.syn import pypi, slang_test  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TOP = "roci_core"
NAME = "rocinante:roce:core"
FUSESOC = ("fusesoc==2.4.7",)
NAMESPACE = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
SKIPPED = 77

# Run by the interpreter that has pyslang: errors, then a line for each port of the top.
READER = r"""
import sys
from pyslang.driver import Driver
driver = Driver()
driver.addStandardArgs()
if not (driver.parseCommandLine("slang " + " ".join(sys.argv[1:])) and driver.processOptions()
        and driver.parseAllSources()):
    sys.exit(1)
compilation = driver.createCompilation()
driver.reportCompilation(compilation, False)
if not driver.reportDiagnostics(False):
    sys.exit(1)
for port in compilation.getRoot().topInstances[0].body.portList:
    print("port", port.name, port.direction.name.lower(), port.type.bitWidth)
"""


def listed():
    """Options and sources of roci_core.f, with paths from here."""
    lines = [line for line in (HERE / f"{TOP}.f").read_text().splitlines()
             if line and not line.startswith("//")]
    includes = [HERE / line.removeprefix("+incdir+") for line in lines if line.startswith("+")]
    return ["-I" + str(path) for path in includes], [HERE / l for l in lines if l[0] != "+"]


def slang(python):
    options, files = listed()
    run = [python, "-c", READER, *options, "--top", TOP]
    done = subprocess.run([*run, *map(str, files)], capture_output=True, text=True)
    if done.returncode:
        print(done.stdout + done.stderr)
        return 1
    missing = subprocess.run([*run, *map(str, files[:-1])], capture_output=True, text=True)
    if missing.returncode == 0:
        print(f"slang accepts the list without {files[-1]}")
        return 1
    found = set(re.findall(r"^port (\w+) (in|out) (\d+)$", done.stdout, re.M))
    described = ports(dict(parameters()))
    for port in sorted(found ^ described):
        print(f"{' '.join(port)}: only {'slang' if port in found else 'component.xml'} has it")
    print(f"{len(files)} files, {len(found)} ports")
    return 1 if found != described or not found else 0


def component():
    return xml.etree.ElementTree.parse(HERE / "component.xml").getroot()


def parameters():
    for one in component().findall("./x:parameters/x:parameter", NAMESPACE):
        yield one.find("x:name", NAMESPACE).text, int(one.find("x:value", NAMESPACE).text)


def ports(values):
    """(name, direction, bits) of each port of component.xml, with these parameters."""
    found = set()
    for port in component().findall(".//x:ports/x:port", NAMESPACE):
        bounds = [eval(port.find(f".//x:{side}", NAMESPACE).text.replace("/", "//"), {}, values)
                  if port.find(f".//x:{side}", NAMESPACE) is not None else 0
                  for side in ("left", "right")]
        found.add((port.find("x:name", NAMESPACE).text, port.find(".//x:direction", NAMESPACE).text,
                   str(bounds[0] - bounds[1] + 1)))
    return found


def fusesoc(programs):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([programs / "fusesoc", "--cores-root", HERE, "run", "--build-root",
                               folder, "--target", "lint", NAME], capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode:
            print(said)
        return done.returncode


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("slang", "fusesoc"):
        print(__doc__, file=sys.stderr)
        return 2
    packages = (slang_test.REQUIREMENT,) if sys.argv[1] == "slang" else FUSESOC
    programs = pypi.tools(sys.argv[2], packages)
    if programs is None:
        print(f"skipped: {packages[0]} cannot be installed from PyPI")
        return SKIPPED
    return slang(programs / "python") if sys.argv[1] == "slang" else fusesoc(programs)


if __name__ == "__main__":
    sys.exit(main())
