#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in simulated time: stock perftest prints what `roci bench` measures, the same digits in
each run and under load; calls of the C library about time; programs that end at a bad moment.

usage: simulated_time.py ROCI CLOCKS

CLOCKS is the program time_clocks. simulated_figures.py has the long runs.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.processes import run, until  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

# As `roci bench`: 8 queue pairs with 16 requests each, 100 ns of wire, here in two halves.
BENCH = "-F -q {pairs} -t {depth} -Q 1 --report_gbits"
WIRE = ["--time", "simulated", "--delay", "50ns"]
MEASURED = ROOT / "docs/measured/sizes.json"


def perftest(simulator, line):
    """The numbers in the row of results that the client prints."""
    end = time.monotonic() + 600
    client, server = simulator.start_pair(line)
    status, text = simulator.finish(client, end)
    other, server_text = simulator.finish(server, end)
    assert status == 0 and other == 0, text + server_text
    rows = [row.split() for row in text.splitlines() if re.fullmatch(r"[\s\d.]+", row)]
    rows = [row for row in rows if row]
    assert len(rows) == 1, text
    return [float(word) for word in rows[0]]


def goodput(simulator, operation, size, mtu, count, pairs=8, depth=16):
    words = BENCH.format(pairs=pairs, depth=depth)
    row = perftest(simulator, f"ib_{operation}_bw {words} -s {size} -m {mtu} -n {count}")
    return row[3]


def latency(simulator, program, words, count=100):
    """Typical latency that a program of perftest prints, in microseconds."""
    return perftest(simulator, f"{program} -F {words} -n {count}")[4]


def read_latency(simulator):
    """From the post of a READ of 64 bytes to its completion."""
    return latency(simulator, "ib_read_lat", "-s 64")


class Load:
    """Two processes that use all of two processors."""

    def __enter__(self):
        busy = [sys.executable, "-c", "while True: pass"]
        self.processes = [subprocess.Popen(busy) for _ in range(2)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def check_calls(simulator, clocks):
    status, text = simulator.run("n0", os.path.abspath(clocks))
    assert status == 0, text
    with Load():
        status, text = simulator.run("n0", os.path.abspath(clocks), seconds=300)
    assert status == 0, text
    print("calls of the C library: as stated, also under load", flush=True)


def joined(simulator, count):
    until(lambda: simulator.status()["time"]["processes"] == count, "the program joins", 20)


def check_killed(simulator):
    """A program that is killed while it waits, or runs, does not stop the others."""
    for line in ("sleep 1000", f"{sys.executable} -c 'while True: pass'"):
        words = ["exec", "n1", "--name", simulator.name, "--", "sh", "-c", f"exec {line}"]
        victim = subprocess.Popen([simulator.roci, *words])
        joined(simulator, 1)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        status, text = simulator.run("n0", "sleep 0.05")
        assert status == 0, text
    print("killed programs: the others go on", flush=True)


def check_killed_at_rest(simulator):
    """Likewise while the clock stands still for the program: it is stopped, and does not wait."""
    def until_still():
        sizes = [-1]
        while sizes[-1] != (size := os.fstat(out.fileno()).st_size):
            sizes.append(size)
            time.sleep(0.5)
        return sizes[-1]

    with tempfile.NamedTemporaryFile("w") as script, tempfile.TemporaryFile() as out:
        script.write("import time\nwhile True:\n    time.sleep(0.002)\n    print(1, flush=True)\n")
        script.flush()
        line = f"{sys.executable} {script.name}"
        victim = simulator.start("n1", line, stdout=subprocess.DEVNULL)
        other = simulator.start("n0", line, stdout=out)
        joined(simulator, 2)
        until(lambda: os.fstat(out.fileno()).st_size > 0, "the other program runs", 20)
        victim.send_signal(signal.SIGSTOP)
        try:
            still = until_still()
        finally:
            victim.kill()
        until(lambda: os.fstat(out.fileno()).st_size > still, "the other goes on", 20)
        other.kill()
        for process in victim, other:
            process.wait()
    print("a program killed while the clock stands still for it: the others go on", flush=True)


def check_costs(roci):
    """Each cost of --cpu appears in the latency of a READ, once."""
    found = {}
    for costs in ("post=0", "poll=2us", "doorbell=3us"):
        options = [*WIRE, "--engine", "model", "--cpu", costs]
        with Simulator(roci, "costs", options) as simulator:
            found[costs] = read_latency(simulator)
    plain = found["post=0"]
    for costs, us in (("poll=2us", 2), ("doorbell=3us", 3)):
        assert abs(found[costs] - plain - us) < 0.03, found
    print(f"costs: {found}", flush=True)


def check_posts(roci):
    """A work request that goes to the adapter with its doorbell saves a round trip to memory."""
    saved = {}
    with Simulator(roci, "posts", WIRE) as simulator:
        for program, words in (("ib_write_lat", "-s 64 -I 64"), ("ib_send_lat", "-s 32 -I 64"),
                               ("ib_read_lat", "-s 64")):
            plain = latency(simulator, program, words)
            posted = latency(simulator, f"env ROCI_POSTS=1 {program}", words)
            saved[program] = round(plain - posted, 3)
    # A round trip of 0.8 us, less the 32 words that are written.
    assert all(0.55 < us < 0.8 for us in saved.values()), saved
    print(f"posted with their doorbells, us less: {saved}", flush=True)


def check_gone(roci):
    """A program that waits for simulated time ends when the simulator does."""
    with Simulator(roci, "gone", ["--engine", "model", "--time", "simulated"]) as simulator:
        waits = simulator.start("n0", "sleep 2")
        until(lambda: simulator.status()["time"]["processes"] == 1, "the program joins", 20)
    status, text = simulator.finish(waits, time.monotonic() + 20)
    assert status == 0, text
    print("the simulator ends: so do those who wait", flush=True)


def check_options(roci):
    for words, text in ((["--time", "fast"], "neither real nor simulated"),
                        (["--time", "simulated", "--cpu", "read=1ns"], "none of doorbell=T"),
                        (["--time", "simulated", "--cpu", "post=1h"], "not a time"),
                        (["--grace", "1ms"], "--time"),
                        (["--time", "simulated", "--wire", "n0=dgram:127.0.0.1:1,127.0.0.1:2"],
                         "real time")):
        done = run(roci, "up", "--name", f"never-{os.getpid()}", *words, check=False)
        assert done.returncode == 2 and text in done.stderr, (words, done)
    print("bad options: exit 2", flush=True)


def check_quick(roci):
    """Two figures of the hardware by stock programs, twice, the second time under load."""
    figures = json.loads(MEASURED.read_text(encoding="utf-8"))
    row = next(row for row in figures["rows"] if row[0] == 4096)
    expected = row[figures["headings"].index("READ")]
    found = []
    with Simulator(roci, "figures", WIRE) as simulator:
        def both():
            found.append((goodput(simulator, "read", 4096, 1024, 64), read_latency(simulator)))
        both()
        with Load():
            both()
        check_killed(simulator)
        check_killed_at_rest(simulator)
    assert found[0] == found[1], found
    assert abs(found[0][0] / expected - 1) < 0.05, (found, expected)
    print(f"READ of 4096 bytes: {found[0][0]} Gb/s (bench {expected}); of 64: {found[0][1]} us",
          flush=True)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("clocks")
    args = parser.parse_args()
    check_options(args.roci)
    with Simulator(args.roci, "time", ["--engine", "model", "--time", "simulated"]) as simulator:
        check_calls(simulator, args.clocks)
        check_killed(simulator)
        check_killed_at_rest(simulator)
    check_gone(args.roci)
    check_costs(args.roci)
    check_posts(args.roci)
    check_quick(args.roci)
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
