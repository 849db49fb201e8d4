# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of RDMA programs. The report of a failed test, also in JUnit's XML, has the
path of the capture, the last packets to each queue pair, the faults with the packets that they hit,
the counters of the adapters and the outputs of the programs."""
import json

import pytest

from .capture import last_packets
from .control import Error
from .simulator import Simulator

STARTED = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("roci")
    group.addoption("--roci-engine", default="model", choices=("model", "rtl"),
                    help="engine of the adapters (default: model)")
    group.addoption("--roci-width", default="512", choices=("64", "128", "256", "512"),
                    help="data path of the engine rtl, bits (default: 512)")


@pytest.fixture
def roci_fabric(request, tmp_path):
    """A function that starts a simulator: roci_fabric(nodes=3, adapters=2). Its arguments are the
    options of `roci up`. The simulator ends with the test."""
    started = request.node.stash.setdefault(STARTED, [])
    option = request.config.getoption

    def start(**settings):
        settings.setdefault("engine", option("--roci-engine"))
        if settings["engine"] != "model":
            settings.setdefault("width", option("--roci-width"))
        simulator = Simulator(folder=tmp_path, **settings)
        started.append(simulator.start())
        return simulator

    yield start
    for simulator in started:
        simulator.stop()


@pytest.fixture
def roci_pair(roci_fabric):
    """A simulator with two nodes, n0 and n1, each with the adapter roci0."""
    return roci_fabric()


def counters_of(node):
    """The counters of an adapter that are not 0, as a line."""
    port = node["port"] or {}
    counts = {**port, **port.get("drops", {}),
              **{f"link {key}": n for key, n in node["link"].items()}, "drops": 0}
    return f"{node['name']}: " + ", ".join(f"{key} {n}" for key, n in counts.items() if n)


def queue_pairs_of(node):
    """A line for each queue pair of a program that still runs, with its counters that are not 0."""
    for pair in node["queue_pairs"]:
        counts = ", ".join(f"{key} {n}" for key, n in (pair["counters"] or {}).items() if n)
        yield (f"{node['name']} queue pair {pair['number']}, {pair['program']} {pair['pid']}: "
               f"{pair['state']}, {counts}")


def describe(simulator):
    """(title, text) of what helps to find the cause of a failure. Ends the simulator."""
    try:
        silent = simulator.stop()
    except Error as error:
        silent = f"{error}\n"
    yield from describe_simulator(simulator, silent)
    for program in simulator.programs:
        yield str(program), f"exit {program.status}\n{program.output}"


def describe_simulator(simulator, silent):
    """(title, text) of capture and counters of a simulator that has ended. `silent`: the faults
    that never fired, as it reported them, or its error."""
    status = simulator.last_status
    yield "capture", f"{simulator.capture}\n" if simulator.capture.exists() else "none\n"
    if simulator.capture.exists():
        yield "last packets", "\n".join(last_packets(simulator.capture)) + "\n"
    if status is None:  # it had ended before
        yield "simulator", silent
        return
    if status["faults"]:
        yield "faults", json.dumps(status["faults"], indent=1) + "\n" + silent
    yield "adapters", "\n".join(map(counters_of, status["nodes"])) + "\n"
    pairs = [line for node in status["nodes"] for line in queue_pairs_of(node)]
    if pairs:
        yield "queue pairs", "\n".join(pairs) + "\n"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when != "call" or not report.failed:
        return
    # pytest prints the sections of longrepr and writes them into JUnit's XML.
    add = getattr(report.longrepr, "addsection", lambda *section: report.sections.append(section))
    for simulator in item.stash.get(STARTED, []):
        for title, text in describe(simulator):
            add(f"roci {title}", text)
