#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in simulated time: stock perftest prints what `roci bench` measures, the same digits in
each run and under load; calls of the C library about time; programs that end at a bad moment.

usage: simulated_time.py ROCI CLOCKS [--long | --latency | --repeated]

CLOCKS is the program time_clocks. --long compares all sizes with `roci bench --only sizes`, the
latencies with `roci bench --only latency`, ten runs of each program, and takes many minutes;
--latency is the part with the latencies, --repeated the ten runs.
"""
import json
import os
import pathlib
import re
import signal
import statistics
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
        status, text = simulator.run("n0", os.path.abspath(clocks))
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


def bench(roci, *words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        run(roci, "bench", *words, "--json", path)
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


class Errors:
    """Differences between perftest and `roci bench`, as shares; prints each as a row of a table."""

    def __init__(self, unit):
        self.unit, self.all = unit, []
        print(f"| operation | MTU | bytes | bench, {unit} | perftest, {unit} | difference |\n"
              "|---|---:|---:|---:|---:|---:|", flush=True)

    def add(self, operation, mtu, size, expected, found):
        error = found / expected - 1
        self.all.append(abs(error))
        print(f"| {operation} | {mtu} | {size} | {expected:.2f} | {found:.2f} | "
              f"{100 * error:+.1f}% |", flush=True)

    def judge(self):
        mean, worst = statistics.mean(self.all), max(self.all)
        print(f"{self.unit}: {len(self.all)} figures, mean error {100 * mean:.1f}%, "
              f"worst {100 * worst:.1f}%", flush=True)
        assert mean < 0.05 and worst < 0.10


def check_sizes(roci):
    """All sizes and operations, at two path MTUs."""
    errors = Errors("Gb/s")
    for mtu in "1024", "4096":
        rows = bench(roci, "--only", "sizes", "--mtu", mtu, "--largest", str(1 << 20))["sizes"]
        with Simulator(roci, "sizes", WIRE) as simulator:
            for row in rows:
                size, pairs = row["bytes"], row["qps"]
                if pairs == 8:
                    count, depth = max(32, min(256, (2 << 20) // size // pairs)), 16
                else:
                    count, depth = row["messages"], 4
                here = goodput(simulator, row["op"], size, row["mtu"], count, pairs, depth)
                errors.add(row["op"].upper(), row["mtu"], size, row["gbps"], here)
    errors.judge()


def check_latencies(roci):
    """The latency programs; -I 0: the payload is read from memory, as `roci bench` has it."""
    programs = {"write": "ib_write_lat -I 0", "send": "ib_send_lat -I 0", "read": "ib_read_lat",
                "fetch and add": "ib_atomic_lat -A FETCH_AND_ADD"}
    errors = Errors("us")
    for mtu in "1024", "4096":
        rows = bench(roci, "--only", "latency", "--mtu", mtu)["latency"]["programs"]
        with Simulator(roci, "latencies", WIRE) as simulator:
            for row in rows:
                words = f"-m {mtu}" + (f" -s {row['bytes']}" if row["bytes"] != 8 else "")
                here = latency(simulator, programs[row["op"].lower()], words, 20)
                name = row["op"].upper() if row["bytes"] != 8 else row["op"]
                errors.add(name, mtu, row["bytes"], row["us"], here)
    errors.judge()


def check_repeated(roci):
    """Ten runs of each program, five of them beside two busy processes: the whole row of results
    has the same digits."""
    lines = [f"ib_{name}_bw {BENCH.format(pairs=8, depth=16)} -s 4096 -m 1024 -n 32"
             for name in ("write", "send", "read")] + [
        f"ib_{name}_lat -F -n 40" + ("" if name == "atomic" else " -s 64")
        for name in ("write", "send", "read", "atomic")]
    with Simulator(roci, "repeated", WIRE) as simulator:
        for line in lines:
            runs = [tuple(perftest(simulator, line)) for _ in range(5)]
            with Load():
                runs += [tuple(perftest(simulator, line)) for _ in range(5)]
            print(f"{line}: {runs[0]}", flush=True)
            assert len(set(runs)) == 1, runs
    print(f"ten runs of {len(lines)} programs: the same digits", flush=True)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("clocks")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--latency", action="store_true")
    parser.add_argument("--repeated", action="store_true")
    args = parser.parse_args()
    if args.long or args.latency:
        check_latencies(args.roci)
    if args.long:
        check_sizes(args.roci)
    if args.long or args.repeated:
        check_repeated(args.roci)
    if args.long or args.latency or args.repeated:
        return
    check_options(args.roci)
    with Simulator(args.roci, "time", ["--engine", "model", "--time", "simulated"]) as simulator:
        check_calls(simulator, args.clocks)
        check_killed(simulator)
        check_killed_at_rest(simulator)
    check_gone(args.roci)
    check_costs(args.roci)
    check_quick(args.roci)
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
