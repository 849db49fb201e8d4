#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups under Debian's programs: mckey on three nodes, several receivers of one node and
of others, and perftest. A receiver that is killed leaves nothing.

usage: multicast.py ROCI [--engine E] [--width W]
"""
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

SECONDS = 60
COUNT = 20
NODES = 3


def members(simulator, node, group, own, count=1):
    """Receivers on a node that have joined."""
    line = f"stdbuf -oL mckey -m {group} -b {own} -C {COUNT}"
    started = [simulator.start(node, line) for _ in range(count)]
    for process in started:
        simulator.line_with(process, "joined", SECONDS)
    return started


def finish(simulator, started):
    for process in started:
        status, text = simulator.finish(process, time.monotonic() + SECONDS)
        assert status == 0, text


def check_mckey(simulator, group, addresses):
    """The node that sends has a member too."""
    started = [process for node, own, count in (("n0", addresses[0], 1), ("n1", addresses[1], 3),
                                                ("n2", addresses[2], 1))
               for process in members(simulator, node, group, own, count)]
    status, text = simulator.run("n0", f"mckey -m {group} -b {addresses[0]} -s -C {COUNT}", SECONDS)
    assert status == 0, text
    finish(simulator, started)
    print(f"ok   mckey -m {group}: {len(started)} members", flush=True)


def check_killed(simulator):
    """Nothing of a member that was killed is left, and the others receive."""
    before = simulator.holdings()
    killed, = members(simulator, "n1", "239.7.7.7", "10.0.0.2")
    others = members(simulator, "n1", "239.7.7.7", "10.0.0.2")
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    status, text = simulator.run("n0", f"mckey -m 239.7.7.7 -b 10.0.0.1 -s -C {COUNT}", SECONDS)
    assert status == 0, text
    finish(simulator, others)
    processes.until(lambda: simulator.holdings() == before,
                    f"something is left: {simulator.holdings()}, before {before}", SECONDS)
    print("ok   a member that was killed leaves nothing", flush=True)


def check_perftest(simulator):
    for line in ("ib_send_bw -c UD -g -n 100 -x 1", "ib_send_lat -c UD -g -n 100 -x 1"):
        for process in simulator.start_pair(line, SECONDS):
            status, text = simulator.finish(process, time.monotonic() + SECONDS)
            assert status == 0, (line, text)
        print(f"ok   {line}", flush=True)


def main():
    args = argument_parser(__doc__).parse_args()
    processes.need("mckey", "rdmacm-utils")
    with Simulator(args.roci, "multicast", ["--engine", args.engine, "--width", args.width,
                                            "--nodes", NODES]) as simulator:
        before = simulator.holdings()
        check_mckey(simulator, "239.1.2.3", [f"10.0.0.{i + 1}" for i in range(NODES)])
        check_mckey(simulator, "ff0e::77:1", [f"fd00::{i + 1}" for i in range(NODES)])
        check_killed(simulator)
        check_perftest(simulator)
        processes.until(lambda: simulator.holdings() == before,
                        f"something is left: {simulator.holdings()}, before {before}", SECONDS)


if __name__ == "__main__":
    main()
