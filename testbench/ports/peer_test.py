#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two `roci` processes, or one and a program of others, over each kind of wire.

usage: peer_test.py ROCI [NAME ...]     exit 77 when this host lets nobody make namespaces

It runs in a network namespace of its own, so that no interface or port of the host is touched.
"""
import filecmp
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

OURS = ["--width", "64", "--timeout", "18"]
BYTES = 100_000


class Missing(Exception):
    """What a test needs and this host has not."""


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done


class Namespace(tuple):
    """Another network namespace: the words that run a command in it."""

    def __new__(cls):
        other = subprocess.Popen(["unshare", "--net", "sleep", "900"])
        here = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{other.pid}/ns/net") == here:
            time.sleep(0.02)
        self = super().__new__(cls, ("nsenter", "-t", str(other.pid), "--net"))
        self.other, self.pid = other, other.pid
        run(*self, "ip", "link", "set", "lo", "up")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.other.kill()
        self.other.wait()


class ProcessFixture:
    def __init__(self, roci, folder):
        self.roci, self.folder = roci, pathlib.Path(folder)
        self.file = self.folder / "file"
        self.file.write_bytes(random.Random(1).randbytes(BYTES))

    def peer(self, *options, before=()):
        return subprocess.Popen([*before, self.roci, "peer", *OURS, *map(str, options)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def carry(self, here, there, op="write", before=(), address="127.0.0.1", meeting=None):
        """A file from a process with wire `there` to one with wire `here`, which makes the file
        `meeting` when it is ready, if that is given."""
        out = self.folder / "out"
        out.unlink(missing_ok=True)
        target = self.peer("--wire", here, "--listen", f"{address}:7000", "--role", "responder",
                           "--op", op, "--out", out)
        end = time.monotonic() + 60
        while meeting and not meeting.exists() and time.monotonic() < end:
            time.sleep(0.05)
        source = self.peer("--wire", there, "--connect", f"{address}:7000", "--op", op, "--file",
                           self.file, "--host", "2", "--sizes", "20000", before=before)
        told = [process.communicate(timeout=240)[0] for process in (source, target)]
        assert source.returncode == 0 and target.returncode == 0, told
        assert filecmp.cmp(self.file, out, shallow=False), "the file that came is another one"


def unix(bench):
    a, b = bench.folder / "a", bench.folder / "b"
    bench.carry(f"dgram:{a},{b}", f"dgram:{b},{a}", op="send")


def udp(bench):
    bench.carry("dgram:5001,5002", "dgram:[127.0.0.1]:5002,127.0.0.1:5001")


def transfer(bench):
    """`roci transfer` with one side here and the other in another process."""
    for op in ("write", "send"):
        out = bench.folder / "out"
        out.unlink(missing_ok=True)
        common = [bench.roci, "transfer", "--width", "64", "--op", op]
        target = subprocess.Popen([*common, "--wire", "dgram:5003,5004", "--listen", "7001",
                                   "--out", out], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        source = run(*common, bench.file, "--wire", "dgram:5004,5003", "--host", "2", "--connect",
                     "127.0.0.1:7001")
        told = target.communicate(timeout=240)[0]
        assert target.returncode == 0, told
        assert filecmp.cmp(bench.file, out, shallow=False), "the file that came is another one"
        sums = [line for line in (source.stdout + told).splitlines() if "sha256" in line]
        assert len(sums) == 2 and sums[0] == sums[1], (source.stdout, told)


def memif(bench):
    """Two processes over shared memory, without any right."""
    path = bench.folder / "memif"
    bench.carry(f"dpdk:net_memif0,role=server,socket={path},bsize=8192,socket-abstract=no",
                f"dpdk:net_memif0,role=client,socket={path},bsize=8192,socket-abstract=no", meeting=path)


def af_packet(bench):
    """Two network namespaces and a veth pair between them."""
    with Namespace() as inside:
        run("ip", "link", "add", "va", "mtu", "4500", "type", "veth", "peer", "name", "vb", "mtu",
            "4500", "netns", str(inside.pid))
        run("ip", "address", "add", "10.9.0.1/24", "dev", "va")
        run("ip", "link", "set", "va", "up")
        run(*inside, "ip", "address", "add", "10.9.0.2/24", "dev", "vb")
        run(*inside, "ip", "link", "set", "vb", "up")
        bench.carry("dpdk:net_af_packet0,iface=va,framesz=8192,blocksz=16384",
                    "dpdk:net_af_packet0,iface=vb,framesz=8192,blocksz=16384",
                    before=inside, address="10.9.0.1")


def eal(bench):
    """Words for the EAL are taken; what it refuses is told."""
    node = bench.peer("--wire", "dpdk:net_ring0", "--eal", "--no-huge --file-prefix", "--listen",
                      "7002")
    text = node.communicate(timeout=60)[0]
    assert node.returncode == 1 and "roci: dpdk:net_ring0" in text, text
    for device in ("net_nothing0", "0000:99:00.0"):
        node = bench.peer("--wire", f"dpdk:{device}", "--listen", "7002")
        text = node.communicate(timeout=60)[0]
        assert node.returncode == 1 and f"roci: dpdk:{device}: " in text, text


def refusals(bench):
    """What cannot be is one line on stderr, and nothing else happens."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("127.0.0.1", 5005))
    for options, words in [
            (["--wire", "dgram:5005,5006", "--listen", "7003"], "Address already in use"),
            (["--wire", "dgram:5007", "--listen", "7003"], "LOCAL,REMOTE"),
            (["--wire", "wifi:0", "--listen", "7003"], "no wire is called"),
            (["--wire", "dgram:5007,5008"], "--listen"),
            (["--wire", "pcap:/nowhere", "--listen", "7003"], "/nowhere"),
            (["--wire", "dgram:5007,5008", "--netdev", "a_name_too_long_for_linux", "--listen",
              "7003"], "no name of an interface"),
            (["--wire", "dgram:5007,5008", "--netdev", "lo", "--listen", "7003"], "interface lo"),
    ]:
        node = bench.peer(*options)
        text = node.communicate(timeout=60)[0]
        assert node.returncode in (1, 2) and words in text, (options, text)
        assert len(text.strip().splitlines()) == 1, text
    taken.close()


def unreachable(bench):
    """Nobody at the other end of the wire: address resolution says so, in time."""
    target = bench.peer("--wire", "dgram:5010,5011", "--listen", "7004", "--role", "responder")
    source = bench.peer("--wire", "dgram:5012,5013", "--connect", "127.0.0.1:7004", "--host", "2")
    for process in (source, target):
        text = process.communicate(timeout=120)[0]
        assert process.returncode == 1, text
        assert "unreachable" in text.lower() or "has gone" in text, text


TESTS = [unix, udp, transfer, memif, af_packet, eal, refusals, unreachable]


def main(tests):
    roci, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.environ.get("ROCI_PORTS_TEST") != "inside":
        alone = ["unshare", "--net"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])
        if run(*alone, "true", check=False).returncode:
            print("skipped: no network namespaces on this host")
            return 77
        os.environ["ROCI_PORTS_TEST"] = "inside"
        os.execvp(alone[0], [*alone, sys.executable, *sys.argv])
    signal.alarm(900)
    run("ip", "link", "set", "lo", "up")
    failed = 0
    for test in tests:
        if names and test.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="roci-ports-") as folder:
            start = time.monotonic()
            try:
                test(ProcessFixture(roci, folder))
                verdict = "ok"
            except Missing as error:
                verdict = f"skipped: {error}"
            except (AssertionError, subprocess.TimeoutExpired) as error:
                verdict, failed = f"FAILED: {error}", failed + 1
            print(f"{test.__name__:<12} {time.monotonic() - start:5.1f} s  {verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(TESTS))
