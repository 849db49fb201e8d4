# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of RDMA programs. A failed test has the status, the faults with the packets that
they hit, the outputs of the programs and the path of the capture in its report."""
import json

import pytest

from roci.simulator import Simulator

KEY = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("roci")
    group.addoption("--roci-engine", default="model", help="engine of the adapters: model or rtl")


@pytest.fixture
def roci_fabric(request, tmp_path):
    """A function that starts a simulator: roci_fabric("--nodes", 3). It ends with the test."""
    started = request.node.stash.setdefault(KEY, [])

    def start(*options):
        engine = request.config.getoption("--roci-engine")
        simulator = Simulator("--engine", engine, *options, folder=tmp_path)
        started.append(simulator.start())
        return simulator

    yield start
    for simulator in started:
        if simulator.last_status is None:
            simulator.stop()


@pytest.fixture
def roci_pair(roci_fabric):
    """A simulator with two nodes, n0 and n1."""
    return roci_fabric()


def describe(simulator):
    """(title, text) of what helps to find the cause of a failure."""
    simulator.stop()
    status = simulator.last_status
    yield "capture", str(simulator.capture)
    yield "faults", json.dumps(status["faults"], indent=1)
    yield "adapters", json.dumps([{key: node[key] for key in ("name", "link", "port")}
                                  for node in status["nodes"]], indent=1)
    for program in simulator.programs:
        yield f"{program.node}: {' '.join(map(str, program.words))}", program.output or ""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when != "call" or not report.failed:
        return
    for simulator in item.stash.get(KEY, []):
        if simulator.last_status is None:
            report.sections += [(f"roci {title}", text) for title, text in describe(simulator)]
