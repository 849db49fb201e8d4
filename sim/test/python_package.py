#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package, installed by pip from a copy of the checkout: the suite of
driver/examples/requests, which must find two bugs that are planted in the program, and what the
pytest plugin reports.

usage: python_package.py ROCI [--engine E] [--width N]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import argument_parser  # noqa: E402

PYTHON = "/usr/bin/python3"  # Debian's has pip, setuptools and pytest
EXAMPLE = ROOT / "driver/examples/requests"
# Bug -> (what stands in the program, what the bug makes of it, the tests that must fail).
BUGS = {
    "no retry after RNR": (
        "attr.rnr_retry = static_cast<std::uint8_t>(options.rnr_retry);",
        "attr.rnr_retry = 0;",
        ["test_survives_rnr"]),
    "a completion is lost after a flush": (
        "    errors += done.status != IBV_WC_SUCCESS;\n",
        "    if (done.status == IBV_WC_WR_FLUSH_ERR) break;\n"
        "    errors += done.status != IBV_WC_SUCCESS;\n",
        ["test_gets_every_completion"]),
}
SUITE = '''
import os
import signal
import time

import pytest
import roci

PINGPONG = ("ibv_rc_pingpong", "-d", "roci1", "-g", 0, "-n", 20)

def test_fails(roci_fabric):
    simulator = roci_fabric(nodes=3, adapters=2, delay="200ns")
    simulator.add_fault("drop", node="n2", opcode="send", nth=2, name="hits")
    simulator.add_fault("drop", node="n1", opcode="read", name="silent")
    client, _ = simulator.run_pair(*PINGPONG, server="n1", client="n2")
    assert "20 iters" in client.output
    assert client.status == 77

def test_hangs(roci_pair):
    program = roci_pair.run("n0", "ibv_rc_pingpong", "-g", 0, "-p", roci.free_port())
    program.wait_for("local address")
    assert False, "hangs"

def test_succeeds(roci_pair):
    assert roci_pair.status()["name"] == roci_pair.name
    assert [node["name"] for node in roci_pair.status()["nodes"]] == ["n0", "n1"]
    roci_pair.set_link("n1", False)
    assert [node["link"]["up"] for node in roci_pair.status()["nodes"]] == [True, False]
    print("instance", roci_pair.name)

def test_script_is_wrong(roci_pair):
    with pytest.raises(roci.Error, match="no action") as error:
        roci_pair.add_script("[[fault]]\\naction = 'lose'", "F.toml")
    assert str(error.value).startswith("F.toml:2: ")
    with pytest.raises(roci.Error, match="n0/roci0"):
        roci_pair.set_link("n9", True)
    assert roci_pair.faults() == []

def test_faults_are_cleared(roci_pair):
    first = roci_pair.add_fault("drop", node="n0")
    second = roci_pair.add_fault("unplug", node="n1", time="1us")
    roci_pair.clear_faults(first)
    assert [fault["number"] for fault in roci_pair.faults()] == [second]
    assert "never fired" in roci_pair.stop()

def test_kills_what_hangs(roci_pair):
    program = roci_pair.run("n0", "sh", "-c", "echo begun; sleep 1000; echo not here")
    program.wait_for("begun")
    assert program.wait(0.1) == -signal.SIGKILL
    assert "took more than 0.1 s" in program.output
    quick = roci_pair.run("n0", "true")
    with pytest.raises(AssertionError, match="ended"):
        quick.wait_for("never")

def test_simulator_dies(roci_pair):
    os.kill(roci_pair.status()["pid"], signal.SIGKILL)
    time.sleep(0.1)
    roci_pair.status()
'''


def run(*words, check=True, **options):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=600, **options)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done


def install(folder, roci):
    """Installs the package; returns the environment that has it."""
    copy, site = folder / "python", folder / "site"
    shutil.copytree(ROOT / "python", copy)
    run(PYTHON, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps",
        "--quiet", "--target", site, copy)
    environment = dict(os.environ, PYTHONPATH=str(site), ROCI=os.path.abspath(roci),
                       PYTHONDONTWRITEBYTECODE="1")
    found = run(PYTHON, "-c", "import importlib.metadata as m, roci\n"
                "print(m.version('rocinante'), roci.__version__)", env=environment).stdout.split()
    printed = re.search(r"roci (\S+)", run(roci, "--version").stdout)[1]
    assert [version for version in found if not printed.startswith(version)] == [], (found, printed)
    return environment


def failures(file):
    """Names of the tests of a JUnit file, without parameters: those that failed, all."""
    cases = list(xml.etree.ElementTree.parse(file).iter("testcase"))
    bad = [case for case in cases if case.find("failure") is not None
           or case.find("error") is not None]
    return sorted({case.get("name").split("[")[0] for case in bad}), cases


def check_suite(folder, environment, options):
    """The suite as it is, and with each bug in the program."""
    programs = {"as it is": (EXAMPLE, [])}
    for name, (old, new, tests) in BUGS.items():
        copy = folder / name.replace(" ", "-")
        shutil.copytree(EXAMPLE, copy)
        source = (copy / "requests.cpp").read_text()
        assert source.count(old) == 1, f"{name}: the source does not have it once: {old}"
        (copy / "requests.cpp").write_text(source.replace(old, new))
        programs[name] = copy, tests
    started = {}
    for name, (source, _) in programs.items():
        build = folder / "build" / name.replace(" ", "-")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build)
        run("cmake", "--build", build)
        started[name] = build, time.monotonic(), subprocess.Popen(
            [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml",
             str(build / "requests.xml"), *options, str(EXAMPLE)], cwd=build, text=True,
            env=dict(environment, REQUESTS=str(build / "requests")), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
    for name, (build, start, process) in started.items():
        text = process.communicate(timeout=600)[0]
        bad, cases = failures(build / "requests.xml")
        print(f"{name}: {len(cases)} tests, {time.monotonic() - start:.1f} s, failed: {bad}")
        if bad != programs[name][1]:
            sys.exit(text[-6000:])


def check_report(folder, environment, options):
    """What the plugin reports of a test that failed, on the terminal and in JUnit's XML."""
    (folder / "test_plugin.py").write_text(SUITE)
    file = folder / "plugin.xml"
    done = run(PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml", file, "--basetemp",
               folder / "tmp", "-rP", *options, "test_plugin.py", cwd=folder, env=environment,
               check=False)
    bad, cases = failures(file)
    wanted = ["test_fails", "test_hangs", "test_simulator_dies"]
    assert bad == wanted and len(cases) == 7, done.stdout[-6000:]
    hangs = next(case for case in cases if case.get("name") == "test_hangs").find("failure").text
    assert re.search(r"^n0 queue pair 2, ibv_rc_pingpong \d+: Init", hangs, re.M), hangs
    case = next(case for case in cases if case.get("name") == "test_fails")
    for text in (done.stdout, case.find("failure").text):
        capture = re.search(r"^(/\S+\.pcapng)$", text, re.M)[1]
        assert pathlib.Path(capture).stat().st_size > 10_000, capture
        # The second packet of the client was lost; 4096 bytes are four packets.
        lost = re.search(r"^n2/roci1 to queue pair \d+ at 10\.0\.1\.2:\n"
                         r" .* us  RcSendMiddle     PSN \d+, .*lost.*\n  \.\.\.\n"
                         r"(.* PSN \d+.*\n){12}", text, re.M)
        assert lost, text
        for words in ("fault 2 'silent' (add_fault:1, drop) never fired", '"name": "hits"',
                      "n2/roci1: rx_bytes", "link lost 1", "roci n2: ibv_rc_pingpong -d roci1",
                      "20 iters in", "assert 0 == 77"):
            assert words in text, words
    name = re.search(r"instance (\S+)", done.stdout)[1]
    assert not list(pathlib.Path("/tmp").glob(f"roci-*-{name}")), f"{name} is still there"
    assert "roci capture" not in done.stdout.split("test_succeeds")[-1], done.stdout


def main():
    args = argument_parser(__doc__).parse_args()
    options = [f"--roci-engine={args.engine}", f"--roci-width={args.width}"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = install(folder, args.roci)
        check_report(folder, environment, options)
        check_suite(folder, environment, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
