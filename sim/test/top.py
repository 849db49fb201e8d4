#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live view `roci top`, and `roci status --queue-pairs`, while a program works under a fault.

usage: top.py ROCI REQUESTS [--engine E] [--width N]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.processes import until  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

# The middle packet of the second message is lost: the responder sends a NAK for the gap, the
# requester returns to its PSN once, and no timer expires.
FAULT = "action=drop node=n1 program=requests opcode=send position=middle nth=2".split()
CLIENT = {"retries": 1, "timeouts": 0, "naks_sent": 0, "naks_received": 1}
SERVER = {"retries": 0, "timeouts": 0, "naks_sent": 1, "naks_received": 0}


def rows(view, heading):
    """The lines of a table, each as a dictionary; `heading` is in its first line."""
    lines = view.splitlines()
    at = next(i for i, line in enumerate(lines) if heading in line)
    for line in lines[at + 1:]:
        if not line.startswith("n"):
            return
        yield dict(zip(lines[at].split(), line.split()))


def check(simulator, client, server):
    """While the client is stopped."""
    status = json.loads(simulator.command("status", "--json", "--queue-pairs"))
    pairs = [node["queue_pairs"] for node in status["nodes"]]
    assert [len(list) for list in pairs] == [1, 1], pairs
    for (pair,), process, wanted in zip(pairs, (server, client), (SERVER, CLIENT)):
        assert (pair["state"], pair["pid"], pair["nth"]) == ("Rts", process.pid, 1), pair
        assert wanted.items() <= pair["counters"].items(), (pair, wanted)
    assert "queue_pairs" not in simulator.status()["nodes"][0]
    text = simulator.command("top", "--times", "2", "--interval", "0.05")
    views = text.split(f"{simulator.name}: ")[1:]
    assert len(views) == 2, text
    for view in views:
        assert "fault 1 (drop): " in view and ", 1 hit" in view, view
        down, up = rows(view, "FRAMES-IN")
        assert (down["LINK"], down["LOST"], up["LOST"]) == ("up", "0", "1"), view
        of_server, of_client = rows(view, "NAKS-IN")
        for row, process, wanted in ((of_server, server, SERVER), (of_client, client, CLIENT)):
            assert (row["STATE"], int(row["PID"])) == ("Rts", process.pid), view
            assert row["PROGRAM"] == "requests", view
            found = [int(row[name]) for name in ("RETRIES", "TIMEOUTS", "NAKS-OUT", "NAKS-IN")]
            assert found == list(wanted.values()), (view, wanted)
    return int(of_client["OUT"])


def check_rate(simulator, client, before):
    """The client goes on, and later views have more packets, and a rate."""
    words = [simulator.roci, "top", "--name", simulator.name, "--interval", "0.05"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as top:
        try:
            while "fault 1" not in top.stdout.readline():
                pass
            client.send_signal(signal.SIGCONT)
            for line in top.stdout:
                words = line.split()
                if len(words) > 8 and words[4] == str(client.pid) and float(words[8]) > 0:
                    assert int(words[6]) > before, line
                    return
            raise AssertionError("no view has a rate")
        finally:
            top.kill()


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("requests")
    args, options = begin(parser)
    with Simulator(args.roci, "top", options) as simulator:
        simulator.command("fault", "add", *FAULT)
        client, server = simulator.start_pair(f"{os.path.abspath(args.requests)} -n 4000")
        try:
            simulator.line_with(client, "completion 20:")
            client.send_signal(signal.SIGSTOP)
            check_rate(simulator, client, check(simulator, client, server))
        finally:
            client.kill()
            simulator.finish(server, time.monotonic() + 60)
        until(lambda: not list(rows(simulator.command("top", "--times", "1"), "NAKS-IN")),
              "queue pairs of processes that ended are shown", 20)
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
