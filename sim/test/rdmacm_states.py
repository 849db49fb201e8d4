#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills one side of an rdma_cm connection in each of its states.

usage: rdmacm_states.py ROCI [--engine E] [--width N] [--times N] [--seed N] [UP OPTIONS...]

The states: addresses are resolved; the REQ was sent; the REP was sent; established; the DREQ was
sent. The other side must get the event that librdmacm has for it, and end. Nothing may be left then
of queue pairs, processes, channels, identifiers and, after TIMEWAIT, connections.
"""
import pathlib
import queue
import random
import signal
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, begin, seeded_parser  # noqa: E402

SIDE = pathlib.Path(__file__).with_name("rdmacm_side.py")
SECONDS = 60
TIME_WAIT = 20
# (state, side that is killed): the word that the other side gets first, and the line that it then
# prints; None: no word, no line.
CASES = {
    ("resolving", "client"): (None, None),
    ("resolving", "server"): ("go", "event REJECTED"),
    ("requested", "client"): ("go", "failed"),
    ("requested", "server"): (None, "event REJECTED"),
    ("replied", "client"): (None, "event REJECTED"),
    ("replied", "server"): (None, "event REJECTED"),
    ("established", "client"): (None, "event DISCONNECTED"),
    ("established", "server"): (None, "event DISCONNECTED"),
    ("disconnecting", "client"): (None, None),
    ("disconnecting", "server"): (None, "event DISCONNECTED"),
}


class Side:
    def __init__(self, simulator, node, role, state, port):
        line = f"{sys.executable} {SIDE} {role} {state} {port}"
        self.process = simulator.start(node, line, stdin=-1)
        self.role, self.lines, self.queue = role, [], queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.queue.put(line)
        self.queue.put("")

    def line(self, wanted):
        """Reads lines until one begins with `wanted`."""
        end = time.monotonic() + SECONDS
        try:
            while not self.lines or self.lines[-1]:
                self.lines.append(self.queue.get(timeout=max(0, end - time.monotonic())))
                if self.lines[-1].startswith(wanted):
                    return
        except queue.Empty:
            pass
        self.process.kill()
        raise AssertionError(f"{self.role}: no line '{wanted}' in {self.lines}")

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def end(self):
        self.tell("end")
        self.line("done")
        assert self.process.wait(SECONDS) == 0, f"{self.role}: {self.lines}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def managers(simulator):
    """Channels, identifiers and connections of all nodes."""
    nodes = [node["connection_manager"] for node in simulator.status()["nodes"]]
    return [sum(node[key] for node in nodes) for key in ("channels", "identifiers", "connections")]


def kill_one(simulator, state, victim, port):
    first, wanted = CASES[state, victim]
    server = Side(simulator, "n0", "server", state, port)
    server.line("listening")
    client = Side(simulator, "n1", "client", state, port)
    for side in (server, client):
        side.line("reached")
    time.sleep(random.uniform(0, 0.05))
    dead, other = (server, client) if victim == "server" else (client, server)
    dead.kill()
    if first:
        processes.until(lambda: managers(simulator)[0] == 1, "the channel is open", SECONDS)
        other.tell(first)
    if wanted:
        other.line(wanted)
    other.end()


def main():
    parser = seeded_parser(__doc__)
    parser.add_argument("--times", type=int, default=20)
    args, options = begin(parser)
    processes.need("rping", "rdmacm-utils")
    cases = list(CASES)
    with Simulator(args.roci, "rdmacm-states", options) as simulator:
        before = simulator.holdings()
        for i in range(args.times):
            state, victim = cases[i % len(cases)]
            start = time.monotonic()
            kill_one(simulator, state, victim, 7300 + i)
            print(f"{i + 1:3} {state:13} {victim} killed, {time.monotonic() - start:.1f} s",
                  flush=True)
            processes.until(lambda: managers(simulator)[:2] == [0, 0],
                            f"channels and identifiers left: {managers(simulator)}", SECONDS)
            processes.until(lambda: simulator.holdings() == before,
                            f"left: {simulator.holdings()}, before {before}", SECONDS)
        processes.until(lambda: managers(simulator) == [0, 0, 0],
                        f"connections left: {managers(simulator)}", TIME_WAIT)
    print(f"{args.times} killed; nothing left")


if __name__ == "__main__":
    sys.exit(main())
