# SPDX-License-Identifier: Apache-2.0
"""What tests of wires share: simulators in the background with a wire, and programs on their nodes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from peer_test import Missing, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sim" / "test"))
from instance import listening  # noqa: E402

NODE, OTHER = "10.0.0.1", "10.0.0.2"


def need(program, package):
    if not shutil.which(program):
        raise Missing(f"{program} is missing: apt-get install {package}")


class Up:
    """One simulator in the background."""

    def __init__(self, bench, name, *options, before=()):
        self.roci, self.name, self.before = bench.roci, f"{name}-{os.getpid()}", before
        self.call("up", "--width", "64", *options)

    def call(self, command, *words):
        return run(*self.before, self.roci, command, "--name", self.name, *words).stdout

    def start(self, line, node="n0"):
        return subprocess.Popen(
            [*self.before, self.roci, "exec", "--name", self.name, node, "--", *line.split()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def outlet(self, node=0):
        return json.loads(self.call("status", "--json"))["nodes"][node]["outlet"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("down")


def verbs(line, server, client, port=18000, nodes=("n0", "n0")):
    """A verbs program with its server on one node and its client on another."""
    first = server.start(f"{line} -p {port}", nodes[0])
    end = time.monotonic() + 60
    while not listening(port) and first.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    second = client.start(f"{line} -p {port} 127.0.0.1", nodes[1])
    told = [process.communicate(timeout=240)[0] for process in (second, first)]
    assert first.returncode == 0 and second.returncode == 0, told


def tap_addresses(name, *addresses, before=()):
    for address in addresses:
        flags = ["nodad"] if ":" in address else []
        run(*before, "ip", "address", "add", address, "dev", name, *flags)
