# SPDX-License-Identifier: Apache-2.0
"""Runs cases of live faults many times, on several simulators at once."""
import collections
import itertools
import os
import pathlib
import queue
import random
import shlex
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.control import Control  # noqa: E402
from python.roci.program import free_port  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator  # noqa: E402

SECONDS = 120  # retries of the connection manager are used up after 35 s


def table_of(words):
    """A table of a script from the words of `roci fault add`."""
    lines = ["[[fault]]"]
    for word in shlex.split(words):
        field, value = word.split("=", 1)
        plain = value.lstrip("-").isdigit() or value in ("true", "false")
        lines.append(f"{field} = {value}" if plain else f'{field} = "{value}"')
    return "\n".join(lines) + "\n"


class Runner(Simulator):
    """A simulator that runs one case after the other. Programs start in the environment that `roci
    exec` gives them and faults go to the control socket, so that a run starts no other process."""

    numbers = itertools.count(1)

    def __init__(self, roci, options, programs):
        super().__init__(roci, f"faults{next(self.numbers)}", options)
        self.control = Control(self.name)
        self.programs = programs  # those that are not in PATH
        self.seconds = 0  # processor time of simulators that have ended
        self.environments = {}

    def __enter__(self):
        super().__enter__()
        for node in "n0", "n1":
            text = self.command("exec", node, "--env")
            settings = shlex.split(text.replace("export ", ""))
            self.environments[node] = {**os.environ, **dict(s.split("=", 1) for s in settings)}
        return self

    def __exit__(self, *_):
        self.seconds += processes.cpu_seconds(self.control.status()["pid"])
        super().__exit__()

    def restart(self):
        self.__exit__()
        self.__enter__()

    def status(self):
        return self.control.status()

    def start(self, node, line, **options):
        name, *words = line.split()
        command = [self.programs.get(name, name), *words]
        return subprocess.Popen(command, env=self.environments[node],
                                **{**self.PIPES, **options})

    def start_case(self, case):
        """The processes of a case: client, and server where there is one."""
        program = case["program"]
        if case.get("alone"):
            return [self.start("n1", program)]
        if "listener" not in case:
            return self.start_pair(program)
        if "port" in case:
            server = self.start_listener("n0", case["listener"], case["port"])
            return self.start("n1", program), server
        port = free_port()
        server = self.start_listener("n0", f"{case['listener']} -p {port}", port)
        return self.start("n1", f"{program} -p {port}"), server

    def run_case(self, case):
        """What is wrong with a case; empty: nothing."""
        script = [table_of(fault) for fault in filter(None, case["script"].split(" and "))]
        if script:
            self.control.add_script("".join(script))
        end = time.monotonic() + SECONDS
        results = [self.finish(process, end) for process in self.start_case(case)]
        faults = self.control.faults()
        self.control.clear_faults()
        wrong = [f"fault {fault['number']} never fired" for fault in faults if not fault["fired"]]
        sides = list(zip(results, ("client", "server")))
        for (status, text), side in sides:
            wrong += [f"{side} (exit {status}) has no '{words}':\n{text[-1500:]}"
                      for words in case.get(side, []) if words not in text]
        if wrong:
            wrong += [f"all of {side} (exit {status}):\n{text}" for (status, text), side in sides]
        if "kill" in case["script"]:  # the adapter is dead until `roci down`
            self.restart()
        return wrong


class Runs:
    """All cases `times` times, in an order that `seed` gives, so that each run of a case follows
    another one. `counts` has the runs of each case, `failed` those that failed."""

    def __init__(self, cases, times, seed):
        self.counts, self.failed = collections.Counter(), collections.Counter()
        self.took = collections.Counter()  # seconds of real time
        self.planned = queue.SimpleQueue()
        order = random.Random(seed)
        for number in range(1, times + 1):
            for at in order.sample(range(len(cases)), len(cases)) if times > 1 else range(
                    len(cases)):
                self.planned.put((number, at))
        self.cases, self.times = cases, times
        self.seconds = 0
        self.errors = []
        self.lock = threading.Lock()

    def work(self, runner):
        """Runs what is planned until nothing is left."""
        try:
            with runner:
                while True:
                    number, at = self.planned.get_nowait()
                    start = time.monotonic()
                    try:
                        wrong = runner.run_case(self.cases[at])
                    except AssertionError as error:  # a program did not begin
                        wrong = [str(error)]
                        runner.restart()
                    self.note(number, at, wrong, time.monotonic() - start)
        except queue.Empty:
            pass
        except Exception as error:  # the simulator itself failed
            self.errors.append(error)
        with self.lock:
            self.seconds += runner.seconds

    def note(self, number, at, wrong, took):
        case = self.cases[at]
        with self.lock:
            self.counts[at] += 1
            self.failed[at] += bool(wrong)
            self.took[at] += took
            done = sum(self.counts.values())
            if wrong or self.times == 1:
                print(f"{'FAIL' if wrong else 'ok  '} {took:5.1f} s  {case['shows']}: "
                      f"{case['why']}: {case['script']}", flush=True)
                print("\n".join(wrong), end="\n" if wrong else "", flush=True)
            if self.times > 1 and done % len(self.cases) == 0:
                print(f"{done} of {self.times * len(self.cases)} runs, "
                      f"{sum(self.failed.values())} failed", flush=True)

    def run(self, runners):
        threads = [threading.Thread(target=self.work, args=(runner,)) for runner in runners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def rows(self):
        """For each case: its name, runs, and those that showed what it names."""
        for at, case in enumerate(self.cases):
            fault = f"{case['program']}: {case['script'] or 'no fault'}"
            yield [case["shows"], fault, self.counts[at], self.counts[at] - self.failed[at],
                   round(self.took[at] / max(1, self.counts[at]), 2)]
