#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's programs of rdma_cm on two simulators that a wire joins: server on one, client on the
other.

usage: rdmacm_wire.py ROCI [--engine E] [--width N] [UP OPTIONS...]

Beside the pairs of rdmacm.py: peers that are not there, and messages that are lost one by one.
Nothing may be left then in either simulator.
"""
import contextlib
import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from sim.test import rdmacm  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

# Port space of TCP and of UDP: programs of server and client, and what is lost once each.
LOST = [(("rping -s -a {to} -p {{port}} -C 2", "rping -c -a {to} -p {{port}} -C 2"),
         ["REQ", "REP", "RTU", "DREQ", "DREP"]),
        (("udaddy -b {to} -C 5", "udaddy -s {to} -C 5"), ["SIDR_REQ", "SIDR_REP"])]
# One side may be gone before it repeats its last message.
REPEATED = ["REQ", "REP", "RTU", "SIDR_REQ", "SIDR_REP"]


class Joined:
    """Two simulators with the calls of one: n0 is the node of the first, n1 that of the second."""

    def __init__(self, sides):
        self.sides = dict(zip(("n0", "n1"), sides))
        self.finish, self.first_line = Simulator.finish, Simulator.first_line

    def start(self, node, line, **options):
        return self.sides[node].start("n0", line, **options)

    def start_listener(self, node, line, port):
        return self.sides[node].start_listener("n0", line, port)

    def run(self, node, line, seconds=60):
        return self.sides[node].run("n0", line, seconds)

    def holdings(self):
        return [side.holdings() for side in self.sides.values()]

    def managers(self):
        return [side.status()["nodes"][0]["connection_manager"] for side in self.sides.values()]


@contextlib.contextmanager
def joined(roci, options):
    """Two simulators of one node each, 10.0.0.1 and 10.0.0.2."""
    with tempfile.TemporaryDirectory(prefix="roci-cm-") as folder, contextlib.ExitStack() as stack:
        ends = [f"{folder}/{name}" for name in "ab"]
        sides = []
        for host, (here, there) in enumerate((ends, ends[::-1]), 1):
            words = ["--nodes", "1", "--host", host, "--wire", f"n0=dgram:{here},{there}"]
            sides.append(stack.enter_context(Simulator(roci, f"wire{host}", [*options, *words])))
        yield Joined(sides)


def absent(simulator):
    """Nobody has the address: ADDR_ERROR after the time that rping gives, 2 s."""
    began = time.monotonic()
    status, text = simulator.run("n1", "rping -c -a 10.0.0.77 -C 1")
    assert status != 0 and "ADDR_ERROR, error -110" in text, (status, text)
    assert time.monotonic() - began >= 2, "rping gives the address 2 s"
    print("ok    nobody has the address: ADDR_ERROR, -ETIMEDOUT", flush=True)


def lose(simulator, lines, message, port, to):
    """The first message of its kind is lost on its way into the simulator of the client."""
    fault = ["action=drop", f"cm={message}", "nth=1"]
    side = simulator.sides["n1"]
    side.command("fault", "add", *fault)
    assert rdmacm.run_pair(simulator, [line.format(to=to) for line in lines], port), message
    found = json.loads(side.command("fault", "list", "--json"))
    side.command("fault", "clear")
    assert found[0]["fired"] == 1, found
    assert found[0]["matched"] >= (2 if message in REPEATED else 1), found
    print(f"ok    {message} lost, IP address {to}", flush=True)


def main():
    args, options = begin(argument_parser(__doc__))
    processes.need("rping", "rdmacm-utils")
    lossless = not any(option.startswith("--loss") for option in options)
    bad, port = 0, 7400
    with joined(args.roci, options) as simulator:
        before = simulator.holdings()
        for lines in rdmacm.PAIRS + (rdmacm.DATAGRAMS if lossless else []):
            port += 1
            attempts = 1 if lossless else 3
            bad += not any(rdmacm.run_pair(simulator, lines, port) for _ in range(attempts))
        bad += not rdmacm.run_rejected(simulator, 7300)
        bad += not rdmacm.run_killed(simulator, 7301)
        if lossless:
            absent(simulator)
            for lines, messages in LOST:
                for i, message in enumerate(messages):
                    port += 1
                    lose(simulator, lines, message, port, ("10.0.0.1", "fd00::1")[i % 2])
        processes.until(lambda: simulator.holdings() == before,
                        f"something is left: {simulator.holdings()}, before {before}", 60)
        managers = simulator.managers()
        left = [[one[key] for key in ("channels", "identifiers", "malformed", "dropped")]
                for one in managers]
        assert left == [[0] * 4] * 2, managers
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
