#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills one side of a perftest pair in mid-transfer, again and again.

usage: killed.py ROCI [--engine E] [--width N] [--times N] [--seed N] [UP OPTIONS...]

The other side must end by itself, with RETRY_EXC_ERR or a flush where it had outstanding requests.
The objects of the killed process must be destroyed, within a second on a machine that is not
loaded (the longest time is printed). Every fifth time another pair communicates meanwhile and must
not be affected. At the end the adapters have the same objects as at the beginning.
"""
import collections
import pathlib
import random
import re
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

# Programs that send until they are stopped. Without -b a side that only receives would wait for
# ever. Outstanding requests are retransmitted at every timeout, so there are few (-t).
LINES = [f"{line} -n 1000000" for line in (
    "ib_write_bw -b -s 65536 -t 4", "ib_send_bw -b -s 4096 -t 16", "ib_read_bw -s 65536 -t 4",
    "ib_write_bw -q 8 -b -s 8192 -t 4", "ib_atomic_bw -t 16", "ib_send_bw -b -s 8192 -t 8 -e",
    "ib_read_lat")]
SECONDS = 600
PATIENCE = 10


def frames(simulator):
    return [node["port"]["tx_frames"] for node in simulator.status()["nodes"]]


def in_transfer(simulator, pids):
    """Both processes have queue pairs, and frames have left since."""
    def have_queue_pairs():
        processes = [p for node in simulator.status()["nodes"] for p in node["processes"]]
        return len([p for p in processes if p["pid"] in pids and p["queue_pairs"] > 0]) == 2
    processes.until(have_queue_pairs, "no queue pairs", SECONDS)
    before = frames(simulator)
    processes.until(lambda: min(b - a for a, b in zip(before, frames(simulator))) > 50,
                   "nothing is transferred", SECONDS)


def kill_one(simulator, line, victim):
    """Returns how the side that was not killed ended."""
    pair = simulator.start_pair(line)
    in_transfer(simulator, [process.pid for process in pair])
    time.sleep(random.uniform(0, 0.3))
    pair[victim].send_signal(signal.SIGKILL)
    pair[victim].communicate()
    dead, start = pair[victim].pid, time.monotonic()
    processes.until(lambda: all(p["pid"] != dead for node in simulator.status()["nodes"]
                               for p in node["processes"]),
                    "objects of the killed process are not destroyed", PATIENCE)
    simulator.longest = max(simulator.longest, time.monotonic() - start)
    status, text = Simulator.finish(pair[1 - victim], time.monotonic() + SECONDS)
    assert "stopped" not in text, f"the other side does not end: {text[-500:]}"
    assert status != 0, f"the other side succeeded: {text[-500:]}"
    found = re.search(r"Failed status (\d+)", text)
    if found is None:  # it waited for the other on its TCP connection
        return "TCP connection closed"
    assert found.group(1) in ("5", "12"), text[-500:]
    return "RETRY_EXC_ERR" if found.group(1) == "12" else "WR_FLUSH_ERR"


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    args, options = parser.parse_known_args()
    print(f"seed {args.seed}", flush=True)
    random.seed(args.seed)
    ends = collections.Counter()
    with Simulator(args.roci, "killed", ["--engine", args.engine, "--width", args.width,
                                                 *options]) as simulator:
        simulator.longest = 0.0
        before = simulator.holdings()
        for i in range(args.times):
            line, victim = LINES[i % len(LINES)], i // len(LINES) % 2
            witness = simulator.start_pair("ibv_rc_pingpong -g 0 -n 20 -c") if i % 5 == 0 else ()
            start = time.monotonic()
            how = kill_one(simulator, line, victim)
            ends[how] += 1
            for process in witness:
                status, text = Simulator.finish(process, time.monotonic() + SECONDS)
                assert status == 0, f"a pair beside it: {text[-500:]}"
            print(f"{i + 1:3} {'client' if victim == 0 else 'server'} of {line}: {how},"
                  f" {time.monotonic() - start:.1f} s", flush=True)
            processes.until(lambda: simulator.holdings() == before,
                           f"left: {simulator.holdings()}, before {before}", PATIENCE)
        assert simulator.run("n0", "ibv_devinfo")[0] == 0
    print(f"{args.times} killed, {dict(ends)}; objects before and after: {before};"
          f" destroyed after {simulator.longest:.2f} s at most")
    if args.times >= 2 * len(LINES):
        assert ends["RETRY_EXC_ERR"] > 0, "no program saw RETRY_EXC_ERR"


if __name__ == "__main__":
    sys.exit(main())
