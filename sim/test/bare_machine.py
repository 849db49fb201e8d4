#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The project driver/examples/requests on a bare Debian 12: installs the package there, builds the
project and runs its tests, which must take less than a minute and find the bugs that are planted.

usage: bare_machine.py BUILD|DEB [--machine FOLDER]

BUILD is a build folder, whose package is made. The machine is a folder that debootstrap fills and
chroot enters, so root and a mirror of Debian are needed; with --machine one that exists is copied.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from python_package import BUGS, EXAMPLE, failures

RELEASE, MIRROR = "bookworm", "http://deb.debian.org/debian"
TOOLS = "python3-pytest g++ cmake make libibverbs-dev"
MOST_SECONDS = 60
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C",
         "DEBIAN_FRONTEND": "noninteractive"}
# The machine's own /proc, in a namespace of mounts that ends with the command.
ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec "$1"'


def run(*words, check=True, env=None):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=1800, env=env)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


class Machine:
    def __init__(self, folder):
        self.folder = folder

    def run(self, text, check=True):
        return run("unshare", "-m", "sh", "-ec", ENTER, self.folder, text, check=check, env=PLAIN)

    def timed(self, what, text, check=True):
        start = time.monotonic()
        out = self.run(text, check)
        took = time.monotonic() - start
        print(f"{what}: {took:.1f} s", flush=True)
        return took, out


def package_of(given, folder):
    if given.is_file():
        return given
    run("cpack", "--config", given / "CPackConfig.cmake", "-B", folder)
    return next(folder.glob("rocinante_*.deb"))


def check_suite(machine, name, wanted):
    """Builds the project from nothing and runs its tests; returns the seconds that it took."""
    took, out = machine.timed(f"{name}: build and tests",
                              f"rm -rf /build; cd /{name} && cmake -S . -B /build > /build.log &&"
                              " cmake --build /build >> /build.log &&"
                              " ctest --test-dir /build --output-on-failure", check=not wanted)
    bad, cases = failures(machine.folder / "build/requests.xml")
    print(f"{name}: {len(cases)} tests, failed: {bad}", flush=True)
    assert cases and bad == wanted, out
    return took


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--machine", type=pathlib.Path)
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("bare_machine.py: debootstrap and chroot need root")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine = Machine(folder / "machine")
        package = package_of(args.package.resolve(), folder / "package")
        if args.machine:
            run("cp", "-a", args.machine, machine.folder)
        else:
            run("debootstrap", "--variant=minbase", RELEASE, machine.folder, MIRROR)
        shutil.copy(package, machine.folder / "roci.deb")
        machine.timed("package and tools by apt", "apt-get update -q && apt-get install -y -q"
                      f" --no-install-recommends /roci.deb {TOOLS}")
        assert machine.run("command -v roci").strip() == "/usr/bin/roci"
        shutil.copytree(EXAMPLE, machine.folder / "requests")
        took = check_suite(machine, "requests", [])
        for number, (old, new, tests) in enumerate(BUGS.values()):
            planted = machine.folder / f"planted{number}"
            shutil.copytree(EXAMPLE, planted)
            source = (planted / "requests.cpp").read_text()
            assert source.count(old) == 1, f"the source does not have it once: {old}"
            (planted / "requests.cpp").write_text(source.replace(old, new))
            check_suite(machine, planted.name, tests)
        assert took < MOST_SECONDS, f"build and tests took {took:.1f} s"
        print(f"all good: {took:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
