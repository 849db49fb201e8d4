# SPDX-License-Identifier: Apache-2.0
"""A simulator in the background for the tests here: its life, and pairs of programs on its nodes."""
import argparse
import json
import os
import pathlib
import random
import select
import socket
import subprocess
import time


def free_port():
    """Below the ports that the kernel gives to clients, one of which could take it meanwhile."""
    while True:
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::", random.SystemRandom().randrange(10000, 30000)))
                return probe.getsockname()[1]
            except OSError:
                pass


def listening(port):
    want = f":{port:04X} "
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as lines:
            if any(want in line and " 0A " in line for line in lines):
                return True
    return False


def until(condition, text, seconds=1.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(text)
        time.sleep(0.02)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def parser(text):
    """Options that all tests have; what is not known to a test goes to `roci up`."""
    result = argparse.ArgumentParser(description=text.splitlines()[0])
    result.add_argument("roci")
    result.add_argument("--engine", default="rtl")
    result.add_argument("--width", default="512")
    return result


class Instance:
    """Used with `with`: up at the beginning, down at the end."""

    PIPES = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __init__(self, roci, kind, options, name=None):
        self.roci = os.path.abspath(roci)
        self.name = name or f"{kind}-{os.getpid()}"
        self.options = [str(option) for option in options]

    def __enter__(self):
        self.command("up", *self.options)
        return self

    def __exit__(self, *_):
        self.command("down")

    def command(self, word, *more):
        """A subcommand of roci; what it printed."""
        done = subprocess.run([self.roci, word, "--name", self.name, *more], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"roci {word}: exit {done.returncode}: {done.stdout}")
        return done.stdout

    def status(self):
        return json.loads(self.command("status", "--json"))

    def start(self, node, line, **options):
        """A program on a node."""
        words = [self.roci, "exec", node, "--name", self.name, "--", *line.split()]
        return subprocess.Popen(words, **{**self.PIPES, **options})

    def run(self, node, line, seconds=60):
        """Exit status and text of a program on a node."""
        return self.finish(self.start(node, line), time.monotonic() + seconds)

    def start_pair(self, line, seconds=60):
        """The processes of a client on n1 and of its server on n0, in this order."""
        port = free_port()
        command = f"{line} -d roci0 -p {port}"
        server = self.start("n0", command)
        end = time.monotonic() + seconds
        while not listening(port) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        return self.start("n1", command + " 127.0.0.1"), server

    @staticmethod
    def first_line(process, seconds=60):
        """What a program prints first; one that prints nothing in that time is killed."""
        if not select.select([process.stdout], [], [], seconds)[0]:
            process.kill()
            raise AssertionError(f"{process.args[-1]} prints nothing")
        return process.stdout.readline()

    @staticmethod
    def finish(process, end):
        """Exit status and text; a process that is not at its end then is killed."""
        try:
            text, _ = process.communicate(timeout=max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0] + "\n(stopped: took too long)"
        return process.returncode, text

    def holdings(self):
        """What a run must leave as it was: objects of the adapters, descriptors of the simulator,
        and the memory it shares with processes."""
        status = self.status()
        keys = ("queue_pairs", "completion_queues", "regions", "windows", "shared_receive_queues",
                "domains")
        processes = [p for node in status["nodes"] for p in node["processes"]]
        found = {key: sum(p[key] for p in processes) for key in keys}
        pid = status["pid"]
        found["processes"] = len(processes)
        # The connection of `roci status` may not be closed yet.
        counts = []
        for _ in range(5):
            counts.append(len(os.listdir(f"/proc/{pid}/fd")))
            time.sleep(0.02)
        found["descriptors"] = min(counts)
        found["pages"] = pathlib.Path(f"/proc/{pid}/maps").read_text().count("roci-doorbells")
        return found
