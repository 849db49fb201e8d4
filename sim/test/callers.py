#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests users of libibverbs: errors of callers, events, and a hostile process.

usage: callers.py ROCI FOLDER [--engine E] [--width N] [--seed N] [--attacks N] [UP OPTIONS...]

FOLDER has verbs_callers (errors), verbs_events (events, extended completions), verbs_datagrams (UC
and UD, on the model alone) and verbs_hostile.
The attacker overwrites the doorbells and its own queues while a process on the same node and one
pair between the nodes send and check. Afterwards all processes are served as before and no object
is left.
"""
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

# Timeout of each step: far above its duration and far below that of a test.
SECONDS = 400


def attack(simulator, folder, seed):
    before = simulator.holdings()
    watcher = simulator.start("n0", f"{folder}/verbs_hostile watch", stdin=-1)
    words = simulator.first_line(watcher).split()
    assert words[:1] == ["ready"], words + [watcher.communicate()[0]]
    others = simulator.start_pair("ibv_rc_pingpong -g 0 -n 60 -c")
    attacker = simulator.start("n0", f"{folder}/verbs_hostile attack {seed} {words[1]} {words[2]}")
    end = time.monotonic() + SECONDS
    status, text = Simulator.finish(attacker, end)
    # The attacker may have harmed itself, such as by a doorbell of its own commands.
    assert "changed" not in text and "not found" not in text, text
    results = [Simulator.finish(process, end) for process in others]
    assert all(result == 0 for result, _ in results), results
    watcher.stdin.close()
    watcher.stdin = None
    result, rounds = Simulator.finish(watcher, end)
    assert result == 0 and int(rounds.split()[1]) > 0, rounds
    processes.until(lambda: simulator.holdings() == before,
                   f"not destroyed: {simulator.holdings()}, before {before}", SECONDS)
    print(f"attacker: exit {status}, {text.strip()}; watcher: {rounds.strip()} rounds", flush=True)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    parser.add_argument("--attacks", type=int, default=2)
    args, options = parser.parse_known_args()
    print(f"seed {args.seed}", flush=True)
    folder = os.path.abspath(args.folder)
    with Simulator(args.roci, "callers", ["--engine", args.engine, "--width", args.width,
                                                  *options]) as simulator:
        before = simulator.holdings()
        os.environ["TEST_ENGINE"] = args.engine
        # Those of groups take minutes on the RTL; sim.multicast_rtl has groups there.
        datagrams = "verbs_datagrams" + (" --source-file-exclude=*multicast*"
                                         if args.engine == "rtl" else "")
        for program in ["verbs_callers", "verbs_events", datagrams]:
            status, text = simulator.run("n0", f"{folder}/{program}", SECONDS)
            print(text, flush=True)
            assert status == 0, f"{program}: not as libibverbs specifies"
        processes.until(lambda: simulator.holdings() == before,
                        "objects of callers are not destroyed")
        for i in range(args.attacks):
            attack(simulator, folder, args.seed + i)
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
