# SPDX-License-Identifier: Apache-2.0
"""A simulator in the background: start and end, and programs on its nodes."""
import argparse
import json
import os
import pathlib
import random
import select
import subprocess
import threading
import time

from python.roci.program import free_port, listening


def argument_parser(text):
    """Options that all tests have; a test passes the others to `roci up`."""
    result = argparse.ArgumentParser(description=text.splitlines()[0])
    result.add_argument("roci")
    result.add_argument("--engine", default="rtl")
    result.add_argument("--width", default="512")
    return result


def seeded_parser(text):
    """Likewise, with --seed, which is another one each time."""
    result = argument_parser(text)
    result.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    return result


def begin(parser):
    """(arguments, options of `roci up`) from the command line; prints and sets the seed."""
    args, options = parser.parse_known_args()
    if "seed" in args:
        print(f"seed {args.seed}", flush=True)
        random.seed(args.seed)
    width = [] if args.engine == "model" else ["--width", args.width]
    return args, ["--engine", args.engine, *width, *options]


class Simulator:
    """Used with `with`: up at the beginning, down at the end. `before` are words ahead of each
    command, such as those of a Namespace."""

    ERROR = AssertionError  # raised when a command fails
    PIPES = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __init__(self, roci, kind, options, name=None, before=()):
        self.roci, self.before = os.path.abspath(roci), before
        self.name = name or f"{kind}-{os.getpid()}"
        self.options = [str(option) for option in options]

    def __enter__(self):
        self.command("up", *self.options)
        return self

    def __exit__(self, *_):
        self.command("down")

    def command(self, word, *more):
        """Runs a subcommand of roci and returns its output."""
        done = subprocess.run([*self.before, self.roci, word, "--name", self.name, *more],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, timeout=120)
        if done.returncode != 0:
            raise self.ERROR(f"roci {word}: exit {done.returncode}: {done.stdout}")
        return done.stdout

    def status(self):
        return json.loads(self.command("status", "--json"))

    def external_port(self, node=0):
        """Counters of a node's connections to the outside."""
        return self.status()["nodes"][node]["external_port"]

    def start(self, node, line, **options):
        """A program on a node."""
        words = [*self.before, self.roci, "exec", node, "--name", self.name, "--", *line.split()]
        return subprocess.Popen(words, **{**self.PIPES, **options})

    def start_listener(self, node, line, port, seconds=60):
        """A program that listens by rdma_cm, once it does so or has ended."""
        server = self.start(node, line)
        end = time.monotonic() + seconds
        while server.poll() is None and port not in self.listening(node):
            assert time.monotonic() < end, f"{line} does not listen on {port}"
            time.sleep(0.02)
        return server

    def listening(self, node):
        """Ports on which programs of a node listen by rdma_cm."""
        manager = next(n["connection_manager"] for n in self.status()["nodes"]
                       if n["node"] == node and n["connection_manager"])
        return [service["port"] for service in manager["listening"]]

    def output(self, node, *words, seconds=60):
        """Output of a program on a node that must succeed."""
        command = [*self.before, self.roci, "exec", node, "--name", self.name, "--", *words]
        done = subprocess.run(command, timeout=seconds, check=False, **self.PIPES)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def run(self, node, line, seconds=60):
        """Exit status and output of a program on a node."""
        return self.finish(self.start(node, line), time.monotonic() + seconds)

    def start_pair(self, line, seconds=60):
        """Starts a client on n1 and its server on n0; returns the processes in this order."""
        port = free_port()
        command = f"{line} -d roci0 -p {port}"
        server = self.start("n0", command)
        end = time.monotonic() + seconds
        while not listening(port) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        return self.start("n1", command + " 127.0.0.1"), server

    @staticmethod
    def first_line(process, seconds=60):
        """First line of a program's output; a program that prints nothing in that time is
        killed."""
        if not select.select([process.stdout], [], [], seconds)[0]:
            process.kill()
            raise AssertionError(f"{process.args[-1]} prints nothing")
        return process.stdout.readline()

    @staticmethod
    def line_with(process, text, seconds=60):
        """The next line of a program's output that has the text; a program that does not print it
        in that time is killed."""
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        seen = []
        for line in iter(process.stdout.readline, ""):
            seen.append(line)
            if text in line:
                timer.cancel()
                return line
        timer.cancel()
        raise AssertionError(f"{process.args[-1]} does not print '{text}': {''.join(seen)}")

    @staticmethod
    def finish(process, end):
        """Exit status and output; a process that has not ended by then is killed."""
        try:
            text, _ = process.communicate(timeout=max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0] + "\n(stopped: took too long)"
        return process.returncode, text

    def holdings(self):
        """Returns everything that a run must leave unchanged: objects of the adapters,
        descriptors of the simulator, and the memory that it shares with processes."""
        status = self.status()
        keys = ("queue_pairs", "completion_queues", "regions", "windows", "shared_receive_queues",
                "address_handles", "domains")
        processes = [p for node in status["nodes"] for p in node["processes"]]
        found = {key: sum(p[key] for p in processes) for key in keys}
        pid = status["pid"]
        found["processes"] = len(processes)
        # A busy simulator has not closed the connections of `roci status` yet.
        counts = []
        for _ in range(20):
            counts.append(len(os.listdir(f"/proc/{pid}/fd")))
            time.sleep(0.03)
        found["descriptors"] = min(counts)
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
        found["pages"] = maps.count("roci-doorbells")
        found["rings"] = maps.count("roci-rings")
        return found
