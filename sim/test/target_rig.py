# SPDX-License-Identifier: Apache-2.0
"""roci0, the model engine, as a foreign adapter: a simulator whose node n0 ends in a wire, and an
agent on it."""
import contextlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator  # noqa: E402


class Target:
    def __init__(self, roci, agent, folder, name, engine=("--engine", "model")):
        self.roci, self.program, self.engine = roci, agent, engine
        self.ends = [folder / f"{name}-{side}" for side in "ab"]
        self.name, self.folder, self.stack = name, folder, contextlib.ExitStack()

    def __enter__(self):
        here, there = self.ends
        self.simulator = self.stack.enter_context(Simulator(
            self.roci, self.name, [*self.engine, "--nodes", "1", "--wire",
                                   f"n0=dgram:{here},{there}"]))
        self.port = free_port()
        self.agent = self.simulator.start("n0", f"{self.program} {self.port}")
        self.stack.callback(self.stop)
        assert "listening" in Simulator.first_line(self.agent)
        return self

    def __exit__(self, *_):
        self.stack.close()

    def stop(self):
        self.agent.kill()
        self.agent.wait()

    @property
    def wire(self):
        return f"dgram:{self.ends[1]},{self.ends[0]}"

    def conform(self, *ids, wire=None, options=()):
        return judge(self.roci, self.folder / f"{self.name}.json", self.port, wire or self.wire,
                     *ids, options=options)


def command(roci, report, port, wire, *ids, options=()):
    report.unlink(missing_ok=True)
    return [roci, "conform", "--target", f"127.0.0.1:{port}", "--wire", wire, "--json", str(report),
            *[word for one in ids for word in ("--id", one)], *map(str, options)]


def judge(roci, report, port, wire, *ids, options=()):
    """Exit status, output, and report, if there is one."""
    done = subprocess.run(command(roci, report, port, wire, *ids, options=options), text=True,
                          timeout=3600, capture_output=True, check=False)
    found = json.loads(report.read_text()) if report.exists() else None
    return done.returncode, done.stdout + done.stderr, found
