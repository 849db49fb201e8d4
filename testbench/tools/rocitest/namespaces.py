# SPDX-License-Identifier: Apache-2.0
"""Tests that run in a network namespace of their own, so that they touch no interface and no port
of the host."""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from python.roci.program import listening
from testbench.tools.rocitest.processes import Missing, run
from testbench.tools.rocitest.simulator import Simulator

NODE, OTHER = "10.0.0.1", "10.0.0.2"
BYTES = 100_000


class Namespace(tuple):
    """Another network namespace: the words that run a command in it."""

    def __new__(cls):
        other = subprocess.Popen(["unshare", "--net", "sleep", "900"])
        here = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{other.pid}/ns/net") == here:
            time.sleep(0.02)
        self = super().__new__(cls, ("nsenter", "-t", str(other.pid), "--net"))
        self.other, self.pid = other, other.pid
        run(*self, "ip", "link", "set", "lo", "up")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.other.kill()
        self.other.wait()


class Fixture:
    """Argument of each test: `roci`, a folder of its own, and a file with random bytes in it."""

    def __init__(self, roci, folder):
        self.roci, self.folder = roci, pathlib.Path(folder)
        self.file = self.folder / "file"
        self.file.write_bytes(random.Random(1).randbytes(BYTES))

    def up(self, name, *options, before=()):
        """A simulator in the background, for `with`."""
        return Simulator(self.roci, name, ["--width", "64", *options], before=before)


def verbs(line, server, client, port=18000):
    """A verbs program with its server on node n0 of one simulator and its client on n0 of
    another."""
    first = server.start("n0", f"{line} -p {port}")
    end = time.monotonic() + 60
    while not listening(port) and first.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    second = client.start("n0", f"{line} -p {port} 127.0.0.1")
    output = [process.communicate(timeout=240)[0] for process in (second, first)]
    assert first.returncode == 0 and second.returncode == 0, output


def tap_addresses(name, *addresses, before=()):
    for address in addresses:
        flags = ["nodad"] if ":" in address else []
        run(*before, "ip", "address", "add", address, "dev", name, *flags)


def isolate(mark):
    """Continues in a network namespace of its own. Returns False where the host permits none."""
    if os.environ.get(mark) == "inside":
        run("ip", "link", "set", "lo", "up")
        return True
    alone = ["unshare", "--net"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
    if run(*alone, "true", check=False).returncode:
        return False
    os.environ[mark] = "inside"
    return os.execvp(alone[0], [*alone, sys.executable, *sys.argv])


def main(tests, seconds=900):
    """Runs the tests that the command line names, or all: PROGRAM ROCI [NAME ...], which ends after
    `seconds`. Exit status 77 when this host permits no network namespaces."""
    roci, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not isolate("ROCI_PORTS_TEST"):
        print("skipped: no network namespaces on this host")
        return 77
    signal.alarm(seconds)
    failed = 0
    for test in tests:
        if names and test.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="roci-ports-") as folder:
            start = time.monotonic()
            try:
                test(Fixture(roci, folder))
                verdict = "ok"
            except Missing as error:
                verdict = f"skipped: {error}"
            except (AssertionError, subprocess.TimeoutExpired) as error:
                verdict, failed = f"FAILED: {error}", failed + 1
            print(f"{test.__name__:<12} {time.monotonic() - start:5.1f} s  {verdict}", flush=True)
    return 1 if failed else 0
