#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A simulator in the background: two processes talk, one dies, one is hostile, all goes away.

usage: up.py ROCI UP_PEER [--seed N] [--kills N] [UP OPTIONS...]
"""
import ctypes
import json
import mmap
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROCI, PEER = sys.argv[1:3]
OPTIONS = sys.argv[3:]
SEED = time.time_ns() % 10**6
if "--seed" in OPTIONS:
    SEED = int(OPTIONS.pop(OPTIONS.index("--seed") + 1))
KILLS = int(OPTIONS.pop(OPTIONS.index("--kills") + 1)) if "--kills" in OPTIONS else 2
OPTIONS = [o for o in OPTIONS if o not in ("--seed", "--kills")]
NAME = f"test-{os.getpid()}"
WELCOME_BYTES = 8 + 8 + 160 + 16 + 8 + 8


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
        self.qpn, self.gid, self.address, self.key = self.answer("ready").split()[1:]

    def answer(self, start=""):
        line = self.process.stdout.readline().strip()
        expect(line.startswith(start), f"{start} expected, got '{line}'")
        return line

    def tell(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def ask(self, text, wanted="ok"):
        self.tell(text)
        got = self.answer()
        expect(got == wanted, f"{text}: {wanted} expected, got '{got}'")

    def connect(self, peer, timeout=14):
        self.ask(f"connect {peer.qpn} {peer.gid} {peer.address} {peer.key} {timeout}")

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


def until(condition, text, seconds=1.0):
    """A second is what a process may linger after its end."""
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, text)


def objects(node):
    keys = ("queue_pairs", "completion_queues", "regions", "domains")
    found = status()["nodes"][node]["processes"]
    return [[p[k] for k in keys] for p in found]


def check_conversation():
    a, b = pair()
    expect(objects(0) == [[1, 2, 1, 1]], f"objects of n0: {objects(0)}")
    for length in (1, 4096, 65536):
        seed = random.randrange(1 << 30)
        b.ask(f"receive 0 {length}")
        b.ask("arm")
        a.ask(f"fill 0 {length} {seed}")
        a.ask(f"send 0 {length} 0")
        a.ask("sent", "Success 0")
        b.ask("event", "1 mine")
        b.ask("received", f"Success {length}")
        b.ask(f"check 0 {length} {seed}")
        a.ask(f"write 0 {length} 100000")
        a.ask("sent", "Success 0")
        b.ask(f"check 100000 {length} {seed}")
        a.ask(f"read 200000 {length} 100000")
        a.ask("sent", f"Success {length}")
        a.ask(f"check 200000 {length} {seed}")
    a.close()
    b.close()


def check_one_node():
    """Two processes on one node: frames come back from the switch."""
    a, b = pair(nodes=("n1", "n1"))
    expect(len(objects(1)) == 2 and objects(0) == [], "processes of n1")
    seed = random.randrange(1 << 30)
    a.ask(f"fill 0 20000 {seed}")
    a.ask("write 0 20000 4096")
    a.ask("sent", "Success 0")
    b.ask(f"check 4096 20000 {seed}")
    # The queue pair of another process: neither commands nor doorbells reach it.
    b.ask(f"steal {a.qpn}", "refused")
    for _ in range(3):
        a.ask("write 0 20000 4096")
        a.ask("sent", "Success 0")
    a.close()
    b.close()


def check_kill():
    for victim_sends in (True, False) * (KILLS // 2):
        a, b = pair(timeout=10)
        victim, other = (a, b) if victim_sends else (b, a)
        victim.tell("stream 100000" if victim_sends else "received")
        other.tell("stream 100000")
        time.sleep(random.uniform(0.05, 0.3))
        victim.kill()
        got = other.answer()
        expect(got in ("RetryExcErr", "WrFlushErr"), f"other side of a killed process: '{got}'")
        other.close()
        until(lambda: objects(0) == [] and objects(1) == [], "objects of the dead stay")


class Hostile:
    """Speaks the protocol by hand."""

    def __init__(self, path, node=b"n0", probe=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(5)
        self.socket.connect(path)
        self.words = (ctypes.c_uint64 * 2)(1, 0)
        self.probe = ctypes.addressof(self.words) if probe is None else probe
        self.node = node

    def hello(self):
        self.socket.send(struct.pack("<IIII16sQ", 1, 7, 0x49434F52, 2, self.node, self.probe))
        data, fds, _, _ = socket.recv_fds(self.socket, 256, 1)
        expect(len(data) == WELCOME_BYTES, f"welcome of {len(data)} bytes")
        refusal, = struct.unpack_from("<I", data, 8)
        return refusal, fds, struct.unpack_from("<Q", data, WELCOME_BYTES - 8)[0]

    def ended(self):
        """The simulator has closed the connection."""
        try:
            while self.socket.recv(4096):
                pass
            return True
        except TimeoutError:
            return False
        except OSError:
            return True


def check_hostile(path):
    a, b = pair()
    # Bytes before Hello, of every length.
    for length in [1, 7, 8, 9, 40, 41, 300, 5000] + [random.randrange(1, 300) for _ in range(30)]:
        h = Hostile(path)
        h.socket.send(random.randbytes(length))
        h.socket.close()
    # Hello that cannot be answered well.
    expect(Hostile(path, node=b"n9").hello()[0] == 2, "node n9 was welcome")
    expect(Hostile(path, node=b"x" * 16).hello()[0] == 2, "an endless name was welcome")
    expect(Hostile(path, probe=8).hello()[0] == 4, "a probe at address 8 was good")
    # Bytes after it, with descriptors that nobody asked for.
    for _ in range(60):
        h = Hostile(path)
        expect(h.hello()[0] == 0, "not welcome")
        message = struct.pack("<II", random.randrange(1, 10), 5) + random.randbytes(random.choice(
            [0, 4, 8, 20, 32, 64, 120, 128, 200]))
        if message[:4] == struct.pack("<I", 8) and len(message) == 8:
            continue  # that would be `roci down`
        with open(os.devnull, "rb") as nothing:
            socket.send_fds(h.socket, [message], [nothing.fileno()] * random.randrange(4))
        if random.random() < 0.5:
            h.socket.close()
    # A flood without reading a single answer.
    h = Hostile(path)
    h.hello()
    h.socket.settimeout(0.05)
    command = struct.pack("<IIII120s", 2, 1, 1, 0, b"")  # QueryDevice
    try:
        for _ in range(5000):
            h.socket.send(command)
    except OSError:
        pass
    # A doorbell page of noise, while the others talk.
    noisy = Hostile(path)
    refusal, fds, size = noisy.hello()
    expect(refusal == 0, "not welcome")
    page = mmap.mmap(fds[0], size)
    for name in ("truncate", "grow"):
        try:
            os.ftruncate(fds[0], 0 if name == "truncate" else 2 * size)
            raise AssertionError(f"{name} of the doorbell page worked")
        except PermissionError:
            pass
    for round in range(20):
        page[0:size] = random.randbytes(size)
        page[0:4] = struct.pack("<I", 3)
        noisy.socket.send(struct.pack("<II", 3, 0))  # Wake
        seed = random.randrange(1 << 30)
        a.ask(f"fill 0 4096 {seed}")
        a.ask("write 0 4096 4096")
        a.ask("sent", "Success 0")
        b.ask(f"check 4096 4096 {seed}")
    page.close()
    os.close(fds[0])
    a.close()
    b.close()


def check_noise_on_own_queue(path):
    """A process that owns a queue pair and rings it with noise harms nobody else."""
    a, b = pair()
    victim = Peer("n0")
    pid = [p["pid"] for p in status()["nodes"][0]["processes"] if p["pid"] == victim.process.pid]
    expect(pid != [], "the process is not in the status")
    maps = pathlib.Path(f"/proc/{pid[0]}/maps").read_text().splitlines()
    line = next(m for m in maps if "roci-doorbells" in m)
    first, last = (int(x, 16) for x in line.split()[0].split("-"))
    with open(f"/proc/{pid[0]}/mem", "r+b", buffering=0) as memory:
        for _ in range(10):
            memory.seek(first)
            memory.write(random.randbytes(4096 * ((last - first) // 4096)))
            memory.seek(first)
            memory.write(struct.pack("<II", 1, 0))
            seed = random.randrange(1 << 30)
            a.ask(f"fill 0 4096 {seed}")
            a.ask("write 0 4096 4096")
            a.ask("sent", "Success 0")
            b.ask(f"check 4096 4096 {seed}")
    victim.kill()
    a.close()
    b.close()


def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def main():
    print(f"seed {SEED}", flush=True)
    random.seed(SEED)
    for words, text in ((("status", "--name", NAME), "no simulator"),
                        (("down", "--name", NAME), "no simulator"),
                        (("exec", "--name", NAME, "n0", "--", "true"), "no simulator"),
                        (("up", "--name", "../x"), "is no name"),
                        (("up", "--nodes", "0"), "--nodes")):
        refused = roci(*words, check=False)
        expect(refused.returncode != 0 and text in refused.stderr
               and refused.stderr.count("\n") == 1,
               f"{words}: {refused.stderr}")
    roci("up", "--name", NAME, *OPTIONS)
    try:
        again = roci("up", "--name", NAME, check=False)
        expect(again.returncode != 0 and "is up already" in again.stderr, again.stderr)
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
            until(lambda: objects(0) == [] and objects(1) == [], "objects stay")
            until(lambda: descriptors() <= at_rest, f"descriptors: {at_rest}, now {descriptors()}")
            expect(maps() == 0, "doorbell pages stay mapped")
            print(f"{getattr(check, '__name__', '?')}: {time.monotonic() - start:.1f} s",
                  flush=True)

        before = cpu_ticks(pid)
        time.sleep(1)
        expect(cpu_ticks(pid) - before <= 1, "an idle simulator takes processor time")
        check_stale = NAME + "-stale"
        roci("up", "--name", check_stale, *OPTIONS)
        dead = json.loads(roci("status", "--name", check_stale, "--json").stdout)["pid"]
        os.kill(dead, signal.SIGKILL)
        until(lambda: not os.path.exists(f"/proc/{dead}") or
              pathlib.Path(f"/proc/{dead}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z",
              "alive")
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
    expect(not os.path.exists(f"/proc/{pid}") or  # nobody may have waited for it
           pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z",
           "the simulator lives")
    print("all good")


if __name__ == "__main__":
    main()
