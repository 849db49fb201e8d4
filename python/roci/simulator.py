# SPDX-License-Identifier: Apache-2.0
"""Starts and ends simulators, and runs programs on their nodes."""
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile

from . import capture
from .control import Control, Error
from .program import SECONDS, Program, free_port


def words_of(settings):
    """Options of `roci up` from keyword arguments: host_devices=True, loss="1%"."""
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not False:
                yield from [option] if one is True else [option, str(one)]


class Simulator(Control):
    """A simulator with a name of its own, from `with` to its end.

    settings: the options of `roci up`, such as nodes=3, adapters=2, engine="model", loss="1%".
    program: the program roci; default: $ROCI, or `roci` in PATH.
    folder: where capture and outputs go; default: a temporary one that stays."""

    numbers = itertools.count(1)

    def __init__(self, *, program=None, folder=None, **settings):
        super().__init__(f"py-{os.getpid()}-{next(self.numbers)}")
        self.roci = program or os.environ.get("ROCI", "roci")
        self.settings = settings
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="roci-"))
        self.capture = self.folder / f"{self.name}.pcapng"  # is there after stop()
        self.programs = []
        self.last_status = None  # the status at stop(); None: it had ended before
        self.running = False

    def command(self, word, *more):
        """Runs a command of roci; returns what it prints."""
        done = subprocess.run([self.roci, word, "--name", self.name, *map(str, more)], text=True,
                              check=False, capture_output=True)
        if done.returncode != 0:
            raise Error((done.stderr or done.stdout).strip())
        return done.stdout

    def start(self):
        """Starts it; `with` does this."""
        self.command("up", "--pcap", self.capture, *words_of(self.settings))
        self.running = True
        return self

    def stop(self):
        """Kills the programs that still run and ends the simulator, which completes the capture.
        Returns what `roci down` prints: the faults that never fired."""
        if not self.running:
            return ""
        self.running = False
        try:
            self.last_status = self.status(queue_pairs=True)
            for program in self.programs:
                program.kill()
            return self.command("down")
        except Error as error:  # it was killed, or it failed
            for program in self.programs:
                program.kill()
            directory = pathlib.Path(self.path).parent
            log = directory / "log"
            text = log.read_text(errors="replace") if log.exists() else ""
            shutil.rmtree(directory, ignore_errors=True)
            raise Error(f"{error}\nlog of the simulator:\n{text}") from error

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def run(self, node, *words):
        """Starts a program on a node and returns it while it runs."""
        file = self.folder / f"{self.name}-{len(self.programs) + 1}-{node}.txt"
        command = [self.roci, "exec", node, "--name", self.name, "--", *map(str, words)]
        self.programs.append(Program(command, node, words, file))
        return self.programs[-1]

    def run_pair(self, *words, server="n0", client="n1", port="-p", seconds=SECONDS):
        """Runs a program of client and server, as those of perftest, to its end: the client with
        127.0.0.1 in addition, both with a free port after the option `port`. Returns (client,
        server)."""
        number = free_port()
        listener = self.run(server, *words, port, number)
        listener.wait_for_port(number, seconds)
        caller = self.run(client, *words, port, number, "127.0.0.1")
        caller.wait(seconds)
        listener.wait(seconds)
        return caller, listener

    def packets(self):
        """The RoCE packets of the capture, after stop()."""
        return list(capture.packets(self.capture))
