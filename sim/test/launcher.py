#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the launcher `roci` in a small tree: which packages and targets a command needs, and twenty
calls at once while a simulator runs and the program is built anew.

usage: launcher.py ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

DEMO = {"roci", "roci-nic-512"}
TARGETS = {
    "demo": DEMO,
    "demo --engine model": {"roci"},
    "demo --waveforms": DEMO | {"roci-nic-512-traced"},
    "demo --help": {"roci"},
    "demo --firmware rv32": DEMO | {"roci-firmware-rv32"},
    "conform --engine model --firmware=rv32": {"roci", "roci-verify", "roci-firmware-rv32"},
    "transfer FILE --width=64": {"roci", "roci-nic-64"},
    "transfer FILE --width 64 --trace x.fst": {"roci", "roci-nic-64-traced"},
    "soak --width 256": {"roci", "roci-verify", "roci-nic-256"},
    "bench --width 128": {"roci", "roci-nic-128"},
    "bench": DEMO,
    "up": DEMO | {"roci-verbs"},
    "up --engine model": {"roci", "roci-verbs"},
    "up --engine model --wire n0=dpdk:net_tap0": {"roci", "roci-verbs", "ports_dpdk"},
    "exec n0 -- program --width 64": {"roci", "roci-verbs"},
    "status": {"roci"},
    "conform": {"roci", "roci-verify", "roci-nic-64"},
    "conform --pcap FILE": {"roci", "roci-verify"},
    "conform --compare A B": {"roci", "roci-verify"},
    "soak --engine model": {"roci", "roci-verify"},
    "interop --quick": DEMO | {"roci-verbs", "roci-verify", "roci-nic-64"},
    "--version": {"roci"},
    "": {"roci"},
    "test": {"all"},
}
# Packages that only some commands may install.
SPECIAL = {
    "yosys": {"test"}, "z3": {"test"}, "tshark": {"test"},
    "gcc-riscv64-unknown-elf": {"test", *(command for command, targets in TARGETS.items()
                                          if "roci-firmware-rv32" in targets)},
    "qemu-system-x86": {"test", "interop --quick"},
    "libdpdk-dev": {"test", "up --engine model --wire n0=dpdk:net_tap0"},
    "verilator": {command for command, targets in TARGETS.items()
                  if any("nic" in target or "rv32" in target or target == "all"
                         for target in targets)},
}
FAKES = {  # an empty machine: nothing is installed, and all requests are recorded
    "dpkg-query": "exit 1",
    "apt-get": 'echo "apt $*" >>"$RECORD"',
    "cmake": 'echo "cmake $*" >>"$RECORD"; mkdir -p build/sim; touch build/build.ninja\n'
             'printf "#!/bin/sh\\n" >build/sim/roci; chmod +x build/sim/roci',
    "ctest": "exit 0",
    "sudo": 'while [ "$1" = -n ]; do shift; done; exec "$@"',
}
STUB = """cmake_minimum_required(VERSION 3.25)
project(stub LANGUAGES CXX)
include(cmake/replace.cmake)
add_executable(roci main.cpp)
set_target_properties(roci PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/sim)
add_custom_target(roci-verbs)
add_custom_target(roci-nic-512)
"""
PROGRAM = """#include <unistd.h>
#include <cstdio>
#include <cstring>
int main(int, char** words) {
  std::puts("version VERSION");
  std::fflush(stdout);
  if (std::strcmp(words[1], "up") == 0) pause();
}
"""
CALLS = 20


def make_tree(root, folder, cmake_lists):
    shutil.copy(root / "roci", folder)
    shutil.copy(root / "CMakePresets.json", folder)
    (folder / "cmake").mkdir()
    shutil.copy(root / "cmake/replace.cmake", folder / "cmake")
    (folder / "CMakeLists.txt").write_text(cmake_lists)


def check_needs(root, folder):
    """Packages and targets of each command, by programs that record how they are called."""
    make_tree(root, folder, "")
    (folder / "bin").mkdir()
    for name, text in FAKES.items():
        path = folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    record = folder / "record"
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", RECORD=str(record))
    wrong = []
    for command, targets in TARGETS.items():
        shutil.rmtree(folder / "build", ignore_errors=True)
        record.write_text("")
        subprocess.run([folder / "roci", *command.split()], cwd=folder, env=environment, check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = [line.split() for line in record.read_text().splitlines()]
        installed = {word for line in lines if line[0] == "apt" for word in line}
        built = next(line for line in lines if "--target" in line)
        found = set(built[built.index("--target") + 1:])
        if found != targets:
            wrong.append(f"{command}: builds {sorted(found)}, not {sorted(targets)}")
        for package, commands in SPECIAL.items():
            if (package in installed) != (command in commands):
                state = "installed" if package in installed else "not installed"
                wrong.append(f"{command}: {package} is {state}")
    return wrong


def check_calls_at_once(root, folder):
    """The program is built anew once, under twenty callers and beside a running simulator."""
    make_tree(root, folder, STUB)
    (folder / "bin").mkdir()
    (folder / "bin/dpkg-query").write_text(
        '#!/bin/sh\nwhile [ "$1" != "${1#-}" ]; do shift; [ "$1" = "${1#$}" ] && shift; done\n'
        'for p in "$@"; do echo "ii  $p"; done\n')
    (folder / "bin/dpkg-query").chmod(0o755)
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
    source = folder / "main.cpp"
    log = folder / "build/.ninja_log"
    start = lambda word: subprocess.Popen([folder / "roci", word], cwd=folder, env=environment,
                                          text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    links = lambda: sum("\tsim/roci\t" in line for line in log.read_text().splitlines())
    source.write_text(PROGRAM.replace("VERSION", "1"))
    wrong = []
    simulator = start("up")
    try:
        line = simulator.stdout.readline()
        if line != "version 1\n":
            return [f"the simulator did not start: {line!r} {simulator.communicate()[1]}"]
        before = links()
        time.sleep(0.01)  # times of files are compared
        source.write_text(PROGRAM.replace("VERSION", "2"))
        callers = [start("demo") for _ in range(CALLS)] + [start("status") for _ in range(CALLS)]
        for number, caller in enumerate(callers):
            out, err = caller.communicate(timeout=120)
            good = ("version 2\n",) if number < CALLS else ("version 1\n", "version 2\n")
            if caller.returncode != 0 or out not in good:
                wrong.append(f"caller {number}: {caller.returncode} {out!r} {err!r}")
        if links() != before + 1:
            wrong.append(f"linked {links() - before} times")
        if simulator.poll() is not None:
            wrong.append(f"the simulator ended with {simulator.returncode}")
    finally:
        simulator.kill()
        simulator.communicate()
    return wrong


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = []
    for check in (check_needs, check_calls_at_once):
        with tempfile.TemporaryDirectory() as name:
            wrong += check(root, pathlib.Path(name))
    print("\n".join(wrong) or f"{len(TARGETS)} commands and {2 * CALLS} calls at once: all good")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
