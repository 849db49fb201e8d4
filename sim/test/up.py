#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A simulator in the background: two processes exchange data, one is killed, one is hostile.

usage: up.py ROCI UP_PEER [--seed N] [--kills N] [UP OPTIONS...]
"""
import json
import os
import pathlib
import random
import signal
import sys
import time

from up_hostile import check_hostile, check_noise_on_own_queue
from up_peers import KILLS, NAME, OPTIONS, SEED, expect, objects, pair, roci, status

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.processes import ended, until  # noqa: E402


def check_conversation():
    a, b = pair()
    expect(objects(0) == [[1, 2, 1, 1]], f"objects of n0: {objects(0)}")
    for length in (1, 4096, 65536):
        seed = random.randrange(1 << 30)
        b.call(f"receive 0 {length}")
        b.call("arm")
        a.call(f"fill 0 {length} {seed}")
        a.call(f"send 0 {length} 0")
        a.call("sent", "Success 0")
        b.call("event", "1 mine")
        b.call("received", f"Success {length}")
        b.call(f"check 0 {length} {seed}")
        a.call(f"write 0 {length} 100000")
        a.call("sent", "Success 0")
        b.call(f"check 100000 {length} {seed}")
        a.call(f"read 200000 {length} 100000")
        a.call("sent", f"Success {length}")
        a.call(f"check 200000 {length} {seed}")
    a.close()
    b.close()


def check_one_node():
    """Two processes on one node: frames come back from the switch."""
    a, b = pair(nodes=("n1", "n1"))
    expect(len(objects(1)) == 2 and objects(0) == [], "processes of n1")
    seed = random.randrange(1 << 30)
    a.call(f"fill 0 20000 {seed}")
    a.call("write 0 20000 4096")
    a.call("sent", "Success 0")
    b.call(f"check 4096 20000 {seed}")
    # The queue pair of another process: neither commands nor doorbells reach it.
    b.call(f"steal {a.qpn}", "rejected")
    for _ in range(3):
        a.call("write 0 20000 4096")
        a.call("sent", "Success 0")
    a.close()
    b.close()


def check_kill():
    for victim_sends in (True, False) * (KILLS // 2):
        a, b = pair(timeout=10)
        victim, other = (a, b) if victim_sends else (b, a)
        victim.write("stream 100000" if victim_sends else "received")
        other.write("stream 100000")
        time.sleep(random.uniform(0.05, 0.3))
        victim.kill()
        got = other.reply()
        expect(got in ("RetryExcErr", "WrFlushErr"), f"other side of a killed process: '{got}'")
        other.close()
        until(lambda: objects(0) == [] and objects(1) == [],
              "objects of the killed process are not destroyed")


def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def ticks_in_a_second(pid):
    before = cpu_ticks(pid)
    time.sleep(1)
    return cpu_ticks(pid) - before


def main():
    print(f"seed {SEED}", flush=True)
    random.seed(SEED)
    for words, text in ((("status", "--name", NAME), "no simulator"),
                        (("down", "--name", NAME), "no simulator"),
                        (("exec", "--name", NAME, "n0", "--", "true"), "no simulator"),
                        (("up", "--name", "../x"), "is not a name"),
                        (("up", "--nodes", "0"), "--nodes")):
        failed = roci(*words, check=False)
        expect(failed.returncode != 0 and text in failed.stderr
               and failed.stderr.count("\n") == 1,
               f"{words}: {failed.stderr}")
    roci("up", "--name", NAME, *OPTIONS)
    try:
        again = roci("up", "--name", NAME, check=False)
        expect(again.returncode != 0 and "is running already" in again.stderr, again.stderr)
        stranger = roci("exec", "--name", NAME, "n7", "--", "true", check=False)
        expect(stranger.returncode != 0 and "no node 'n7'" in stranger.stderr, stranger.stderr)
        missing = roci("exec", "--name", NAME, "n0", "--", "/nonexistent", check=False)
        expect(missing.returncode == 127, f"missing program: {missing.returncode}")
        variables = roci("exec", "--name", NAME, "n1", "--env").stdout
        expect("export ROCI_NODE='n1'" in variables, variables)

        first = status()
        pid, path = first["pid"], first["socket"]
        directory = pathlib.Path(path).parent
        expect(directory.stat().st_mode & 0o777 == 0o700, "directory is open to others")
        descriptors = lambda: len(os.listdir(f"/proc/{pid}/fd"))
        maps = lambda: pathlib.Path(f"/proc/{pid}/maps").read_text().count("roci-doorbells")
        time.sleep(0.2)  # the connection of the last `roci` is closed
        at_rest = descriptors()
        for check in (check_conversation, check_one_node, check_kill, lambda: check_hostile(path),
                      lambda: check_noise_on_own_queue(path)):
            start = time.monotonic()
            check()
            until(lambda: objects(0) == [] and objects(1) == [], "objects are not destroyed")
            until(lambda: descriptors() <= at_rest, f"descriptors: {at_rest}, now {descriptors()}")
            expect(maps() == 0, "doorbell pages stay mapped")
            print(f"{getattr(check, '__name__', '?')}: {time.monotonic() - start:.1f} s",
                  flush=True)

        # The engine first does what is left of the last check.
        until(lambda: ticks_in_a_second(pid) <= 1, "an idle simulator uses processor time")
        check_stale = NAME + "-stale"
        roci("up", "--name", check_stale, *OPTIONS)
        dead = json.loads(roci("status", "--name", check_stale, "--json").stdout)["pid"]
        os.kill(dead, signal.SIGKILL)
        until(lambda: ended(dead), "alive")
        gone = roci("status", "--name", check_stale, check=False)
        expect(gone.returncode != 0 and "no simulator" in gone.stderr, gone.stderr)
        roci("up", "--name", check_stale, *OPTIONS)
        roci("down", "--name", check_stale)
    except (AssertionError, TimeoutError):
        print(roci("status", "--name", NAME, check=False).stdout)
        print(directory.joinpath("log").read_text())
        raise
    finally:
        roci("down", "--name", NAME, check=False)
    expect(not directory.exists(), f"{directory} stays")
    expect(ended(pid), "the simulator is still running")
    print("all good")


if __name__ == "__main__":
    main()
