# SPDX-License-Identifier: Apache-2.0
"""Processes of up_peer on a simulator in the background. Reads the command line of up.py."""
import json
import os
import signal
import subprocess
import sys
import time

ROCI, PEER = sys.argv[1:3]
OPTIONS = sys.argv[3:]
SEED = time.time_ns() % 10**6
if "--seed" in OPTIONS:
    SEED = int(OPTIONS.pop(OPTIONS.index("--seed") + 1))
KILLS = int(OPTIONS.pop(OPTIONS.index("--kills") + 1)) if "--kills" in OPTIONS else 2
OPTIONS = [o for o in OPTIONS if o not in ("--seed", "--kills")]
NAME = f"test-{os.getpid()}"


def roci(*words, check=True):
    done = subprocess.run([ROCI, *words], capture_output=True, text=True, timeout=120)
    if check and done.returncode != 0:
        sys.exit(f"roci {' '.join(words)}: {done.returncode} {done.stdout}{done.stderr}")
    return done


def status():
    return json.loads(roci("status", "--name", NAME, "--json").stdout)


def expect(is_so, text):
    if not is_so:
        raise AssertionError(text)


class Peer:
    """A process of up_peer on a node."""

    def __init__(self, node):
        self.process = subprocess.Popen([ROCI, "exec", "--name", NAME, node, "--", PEER], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.qpn, self.gid, self.address, self.key = self.reply("ready").split()[1:]

    def reply(self, start=""):
        line = self.process.stdout.readline().strip()
        expect(line.startswith(start), f"{start} expected, got '{line}'")
        return line

    def write(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def call(self, text, wanted="ok"):
        self.write(text)
        got = self.reply()
        expect(got == wanted, f"{text}: {wanted} expected, got '{got}'")

    def connect(self, peer, timeout=14):
        self.call(f"connect {peer.qpn} {peer.gid} {peer.address} {peer.key} {timeout}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)


def pair(timeout=14, nodes=("n0", "n1")):
    a, b = Peer(nodes[0]), Peer(nodes[1])
    a.connect(b, timeout)
    b.connect(a, timeout)
    return a, b


def objects(node):
    keys = ("queue_pairs", "completion_queues", "regions", "domains")
    found = status()["nodes"][node]["processes"]
    return [[p[k] for k in keys] for p in found]
