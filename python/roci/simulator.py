# SPDX-License-Identifier: Apache-2.0
"""Starts and ends simulators, and runs programs on their nodes."""
import os
import pathlib
import subprocess
import tempfile
import time

from roci.control import Control, Error

SECONDS = 60  # that a program may run


class Program:
    """A program on a node; its output is read when it has ended."""

    def __init__(self, node, words, process):
        self.node, self.words, self.process = node, words, process
        self.output = None

    @property
    def status(self):
        return self.process.poll()

    def wait(self, seconds=SECONDS):
        """Waits for the end; returns the exit status. A program that takes longer is killed."""
        try:
            self.output, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.output = self.process.communicate()[0] + "\n(killed: took too long)\n"
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        if self.output is None:
            self.output = self.process.communicate()[0]


class Simulator(Control):
    """A simulator with a name of its own, from `with` to its end.

    options: those of `roci up`; `roci`: the program, by default $ROCI or `roci` in PATH."""

    count = 0

    def __init__(self, *options, roci=None, name=None, folder=None):
        Simulator.count += 1
        self.name = name or f"py-{os.getpid()}-{Simulator.count}"
        super().__init__(self.name)
        self.roci = roci or os.environ.get("ROCI", "roci")
        self.options = [str(option) for option in options]
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="roci-"))
        self.capture = self.folder / f"{self.name}.pcapng"  # complete after stop()
        self.programs = []
        self.last_status = None

    def _command(self, *words):
        done = subprocess.run([self.roci, *words], text=True, check=False, capture_output=True)
        if done.returncode != 0:
            raise Error((done.stderr or done.stdout).strip())
        return done.stdout

    def start(self):
        self._command("up", "--name", self.name, "--pcap", str(self.capture), *self.options)
        return self

    def stop(self):
        """Kills the programs that still run and ends the simulator, which completes the capture."""
        for program in self.programs:
            program.kill()
        self.last_status = self.status()
        pid = self.last_status["pid"]
        self.shut_down()
        end = time.monotonic() + SECONDS
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            time.sleep(0.01)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def run(self, node, *words):
        """Starts a program on a node."""
        process = subprocess.Popen([self.roci, "exec", node, "--name", self.name, "--",
                                    *map(str, words)], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        self.programs.append(Program(node, words, process))
        return self.programs[-1]
