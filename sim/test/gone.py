#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ends a simulator while programs use it: all of them must end.

usage: gone.py ROCI FOLDER [--engine E] [--width N] [UP OPTIONS...]

FOLDER has verbs_gone, which checks every call. Meanwhile pairs of stock programs are in
mid-transfer, polling and waiting for events; all must end by themselves within seconds, with an
error. Once by `kill -9` of the simulator, once by `roci down`; then a new one replaces it.
"""
import os
import pathlib
import re
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

LINES = ["ib_write_bw -b -n 1000000 -s 8192 -t 4", "ib_send_bw -n 1000000 -s 4096 --use-srq",
         "ib_send_bw -b -n 1000000 -s 4096 -e", "ib_read_bw -n 1000000 -s 8192 -t 4",
         "ib_atomic_bw -n 1000000 -t 4", "ib_send_lat -n 1000000",
         "ibv_rc_pingpong -g 0 -n 1000000",
         "ibv_rc_pingpong -g 0 -n 1000000 -e"]
SECONDS = 10


def transfers(simulator, pairs):
    """Every process of the pairs has queue pairs, and frames have left both nodes since."""
    pids = {process.pid for pair in pairs for process in pair}

    def all_there():
        nodes = simulator.status()["nodes"]
        have = {p["pid"] for node in nodes for p in node["processes"] if p["queue_pairs"] > 0}
        return pids <= have
    processes.until(all_there, "no queue pairs", 300)

    def frames():
        return [node["port"]["tx_frames"] for node in simulator.status()["nodes"]]
    before = frames()
    processes.until(lambda: min(b - a for a, b in zip(before, frames())) > 200,
                   "nothing is transferred", 300)
    for process in (process for pair in pairs for process in pair):
        assert process.poll() is None, process.communicate()[0]


def end_simulator(simulator, how):
    """Returns the process that was killed; 0: none."""
    if how == "down":
        simulator.command("down")
        return 0
    pid = simulator.status()["pid"]
    os.kill(pid, signal.SIGKILL)
    return pid


def check(roci, folder, options, how):
    simulator = Simulator(roci, "gone", options)
    simulator.__enter__()
    running = []
    try:
        user = simulator.start("n1", f"{folder}/verbs_gone")
        watcher = simulator.start("n0", "ibv_asyncwatch -d roci0")
        running = [user, watcher]
        for process, word in ((user, "ready"), (watcher, "async")):
            line = simulator.first_line(process)
            assert word in line, line + process.communicate()[0]
        pairs = []
        for line in LINES:
            pairs.append(simulator.start_pair(line, 120))
            running += pairs[-1]
        transfers(simulator, pairs)
    except BaseException:
        for process in running:
            process.kill()
        simulator.command("down")
        raise
    start = time.monotonic()
    killed = end_simulator(simulator, how)
    results = [simulator.finish(process, start + SECONDS) for process in running]
    took = time.monotonic() - start
    for (status, text), process in zip(results, running):
        assert "stopped: took too long" not in text, (
            f"{process.args[-1]} does not end: {text[-600:]}")
    (status, text), (watched, seen) = results[:2]
    assert status == 0 and "all good" in text, f"verbs_gone: exit {status}: {text}"
    assert watched != 0 and "fatal" in seen.lower(), f"ibv_asyncwatch: exit {watched}: {seen}"
    for line, client, server in zip(LINES, results[2::2], results[3::2]):
        for side, (status, text) in (("client", client), ("server", server)):
            assert 0 < status < 128, f"{side} of {line}: exit {status}: {text[-600:]}"
    flushed = sum(re.search(r"[Ff]ailed status .*\b5\b", text) is not None for _, text in results)
    assert flushed > 0, f"no program saw a flush: {results}"
    print(f"ok  {how}: {len(running)} programs ended within {took:.1f} s, {flushed} by a flush",
          flush=True)
    processes.until(lambda: killed == 0 or processes.ended(killed), "the simulator runs on")
    with simulator:  # the directory of the killed simulator is reused
        for process in simulator.start_pair("ibv_rc_pingpong -g 0 -n 20 -c"):
            status, text = simulator.finish(process, time.monotonic() + 60)
            assert status == 0, text


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder")
    args, options = parser.parse_known_args()
    options = ["--engine", args.engine, "--width", args.width, *options]
    for how in ("kill", "down"):
        check(args.roci, os.path.abspath(args.folder), options, how)


if __name__ == "__main__":
    sys.exit(main())
