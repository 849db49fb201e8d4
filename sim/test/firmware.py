#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The firmware as machine code on the RISC-V processor: what it does equals what the same firmware
does that was compiled for this machine; firmware that is wrong is seen.

usage: firmware.py ROCI ROCI_VERIFY MODULES COMPILER CORE [--all]

MODULES is the folder of libroci-firmware-rv32.so, COMPILER that for RV32, CORE the file that
firmware/rv32/core.py writes; without it the test is skipped (status 77). With --all it compares
every statement of conformance on both engines, and plants mistakes in the firmware.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import check_pcap, processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator  # noqa: E402

SKIPPED = 77
MODULE, TEXT = "libroci-firmware-rv32.so", "roci-firmware-rv32.hex"
# Set-up and its rejections: states, keys, completion queues, shared queues, addresses.
QUICK = ("QP-01", "QP-05", "QP-12", "MR-08", "CQ-07", "WIRE-42")


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=3600, **more)


def check_transfer(roci, folder, engine):
    """The same packets, byte by byte, in the same order."""
    data = folder / "data"
    data.write_bytes(bytes(range(256)) * 40)
    seen = {}
    for where in ("host", "rv32"):
        capture = folder / f"{engine}-{where}.pcapng"
        done = run([roci, "transfer", data, "--engine", engine, "--width", "64",
                    "--firmware", where, "--pcap", capture])
        assert done.returncode == 0, done.stdout + done.stderr
        seen[where] = list(check_pcap.frames(capture))
    assert seen["host"], "no packets"
    assert seen["host"] == seen["rv32"], f"{engine}: the packets differ"
    print(f"ok   transfer on {engine}: the same {len(seen['host'])} packets")


def verdicts(verify, folder, words, environment=None):
    """Statement and title -> verdict."""
    report = folder / "report.json"
    done = run([verify, "conform", *words, "--json", report], env=environment)
    assert report.exists(), done.stdout + done.stderr
    results = json.loads(report.read_text())
    report.unlink()
    return {(" ".join(test["ids"]), test["title"]): test["verdict"] for test in results["tests"]}


def check_conform(verify, folder, engine, words):
    host = verdicts(verify, folder, [*words, "--engine", engine])
    rv32 = verdicts(verify, folder, [*words, "--engine", engine, "--firmware", "rv32"])
    different = {test: (host.get(test), rv32.get(test)) for test in host.keys() | rv32.keys()
                 if host.get(test) != rv32.get(test)}
    assert not different, f"{engine}: verdicts differ: {different}"
    assert "pass" in host.values(), host
    print(f"ok   conform on {engine}: the same verdicts of {len(host)} tests")


def check_rest(roci):
    """A simulator in which nothing happens takes no processor time."""
    with Simulator(roci, "firmware-rest", ["--engine", "model", "--firmware", "rv32"]) as simulator:
        pid = simulator.status()["pid"]
        before = processes.cpu_seconds(pid)
        time.sleep(2)
        used = processes.cpu_seconds(pid) - before
    assert used < 0.1, f"{used:.2f} s of processor time in 2 s at rest"
    print(f"ok   at rest: {used:.2f} s of processor time in 2 s")


def plant(folder, compiler, modules, file, old, new):
    """A folder of modules with a firmware in which a text of a source was replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    tree = folder / "tree"
    for name in ("firmware", "model/spec/layout"):
        shutil.copytree(ROOT / name, tree / name)
    source = tree / "firmware" / file
    text = source.read_text()
    assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
    source.write_text(text.replace(old, new))
    sources = [path for path in sorted((tree / "firmware").rglob("*.cpp"))
               if not {"test", "rv32", "board"} & set(path.parts[len(tree.parts):])]
    done = run(["sh", tree / "firmware/rv32/build.sh", compiler, tree, folder / "build",
                tree / "firmware/rv32/simulated.txt", *sources])
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / MODULE).symlink_to(pathlib.Path(modules) / MODULE)
    shutil.copy(folder / "build/firmware.hex", folder / TEXT)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder)}


def check_planted(roci, verify, folder, compiler, modules):
    """A missing transition is a failed statement; a broken loop is reported with its place."""
    words = ["--engine", "model", "--id", "QP-01", "--id", "QP-11"]
    good = verdicts(verify, folder, words)
    wrong = plant(folder / "planted", compiler, modules, "commands/transitions.cpp",
                  "    bare(QpState::kRts, QpState::kErr),\n", "")
    bad = verdicts(verify, folder, [*words, "--firmware", "rv32"], wrong)
    failed = [test for test, result in bad.items() if result != good[test]]
    assert failed, "a firmware without RTS -> ERR was not seen"
    print(f"ok   planted: without RTS -> ERR {len(failed)} tests have another verdict")
    for new, wanted in (("for (;;) {\n    __builtin_trap();", "firmware: ebreak (0x"),
                        ("for (;;) {\n    *reinterpret_cast<volatile uint32_t*>(0x50000000) = 1;",
                         "firmware: access to 0x50000000, where nothing is, pc 0x0")):
        wrong = plant(folder / "planted", compiler, modules, "rv32/main.cpp", "for (;;) {", new)
        for command in (["transfer", "/bin/true", "--engine", "model"], ["up", "--name", "planted",
                                                                        "--engine", "model"]):
            done = run([roci, *command, "--firmware", "rv32"], env=wrong)
            reported = [line for line in done.stderr.splitlines() if wanted in line]
            assert done.returncode != 0 and reported, f"{command}: {done.stdout}{done.stderr}"
        print(f"ok   planted: {reported[0]}")


def check_absent(roci, folder, modules):
    """Without its text the processor is not made."""
    place = folder / "absent"
    place.mkdir()
    (place / MODULE).symlink_to(pathlib.Path(modules) / MODULE)
    done = run([roci, "transfer", "/bin/true", "--engine", "model", "--firmware", "rv32"],
               env={**os.environ, "LD_LIBRARY_PATH": str(place)})
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1 and TEXT in lines[0], done.stderr
    print(f"ok   {lines[0]}")


def main():
    words = [word for word in sys.argv[1:] if word != "--all"]
    if len(words) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    roci, verify, modules, compiler, core = words
    modules = pathlib.Path(modules).resolve()
    if not pathlib.Path(core).exists():
        print("skipped: the core of the processor was not fetched from PyPI")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if "--all" in sys.argv:
            check_planted(roci, verify, folder, compiler, modules)
            for engine in ("model", "rtl"):
                check_conform(verify, folder, engine, [])
            return 0
        check_transfer(roci, folder, "model")
        check_transfer(roci, folder, "rtl")
        check_conform(verify, folder, "model", [f"--id={pattern}" for pattern in QUICK])
        check_rest(roci)
        check_absent(roci, folder, modules)
    return 0


if __name__ == "__main__":
    sys.exit(main())
