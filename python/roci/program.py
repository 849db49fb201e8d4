# SPDX-License-Identifier: Apache-2.0
"""A program on a node of a simulator."""
import collections
import os
import random
import signal
import socket
import subprocess
import threading
import time

SECONDS = 60  # that a program may run
FIRST, LAST = 10000, 30000  # ports below the range that the kernel gives to clients
SHARE = 1000  # ports of one process
LOCK = threading.Lock()


class Ports:
    """The TCP ports that this process gives to its programs. Each process has a share of its own,
    which an abstract socket reserves until it ends: a program may not listen yet when another
    process looks for a port. Where all shares are taken, each process chooses from all ports."""

    def __init__(self):
        self.pid = os.getpid()
        self.given = collections.deque(maxlen=SHARE // 2)
        self.first, self.last = FIRST, LAST
        for first in range(FIRST, LAST, SHARE):
            reserved = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                reserved.bind(f"\0roci-ports-{first}")
            except OSError:
                reserved.close()
                continue
            self.reserved, self.first, self.last = reserved, first, first + SHARE
            break

    def free(self):
        """A port on which nothing listens, and which was not given lately."""
        while True:
            port = random.SystemRandom().randrange(self.first, self.last)
            if port in self.given:
                continue
            with socket.socket(socket.AF_INET6) as probe:
                try:
                    probe.bind(("::", port))
                except OSError:
                    continue
            self.given.append(port)
            return port


PORTS = None


def free_port():
    """A free TCP port, for a program of this process."""
    global PORTS
    with LOCK:
        if PORTS is None or PORTS.pid != os.getpid():
            PORTS = Ports()
        return PORTS.free()


def listening(port):
    """Whether a process listens on a TCP port."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as lines:
            if any(f":{port:04X} " in line and " 0A " in line for line in lines):
                return True
    return False


class Program:
    """A program on a node; `file` receives what it prints."""

    def __init__(self, command, node, words, file):
        self.node, self.words, self.file = node, words, file
        with open(file, "wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def __str__(self):
        return f"{self.node}: {' '.join(map(str, self.words))}"

    @property
    def output(self):
        """What it has printed so far, on both streams."""
        with open(self.file, encoding="utf-8", errors="replace") as found:
            return found.read()

    @property
    def status(self):
        """Exit status; None while it runs; -9 after it was killed."""
        return self.process.poll()

    def _until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if self.status is not None and not condition():
                raise AssertionError(f"{self} ended (exit {self.status}) before {what}:\n"
                                     f"{self.output}")
            if time.monotonic() > end:
                raise AssertionError(f"{self}: not {what} within {seconds} s:\n{self.output}")
            time.sleep(0.005)

    def wait_for(self, text, seconds=SECONDS):
        """Waits until it has printed a text."""
        self._until(lambda: text in self.output, seconds, f"it printed '{text}'")

    def wait_for_port(self, port, seconds=SECONDS):
        """Waits until a process listens on a TCP port."""
        self._until(lambda: listening(port), seconds, f"port {port} is listened on")

    def wait(self, seconds=SECONDS):
        """Waits for the end; returns the exit status. A program that takes longer is killed."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            with open(self.file, "a", encoding="utf-8") as out:
                out.write(f"\n(killed: took more than {seconds} s)\n")
            return self.status

    def kill(self):
        """Kills it and the processes that it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
