#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The board in simulation against Linux Soft-RoCE, in a guest of testbench/verify/interop.

usage: ecpix5_guest.py ROCI FOLDER CACHE [NAME ...]     exit 77 without what it needs

FOLDER is what ecpix5_build.py made, CACHE keeps the guest. Guest and board are joined by the wire
of path.py. The client is the program of driver/examples/board on the guest's libibverbs, ping and
ARP are the guest's.
"""
import contextlib
import functools
import http.server
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.litex import ecpix5_test  # noqa: E402
from testbench.litex.ecpix5_build import ADDRESS, MAC  # noqa: E402
from testbench.litex.hostile import Hostile  # noqa: E402
from testbench.litex.path import BOARD, Clock, Path  # noqa: E402
from testbench.tools.rocitest import check_pcap, namespaces  # noqa: E402
from testbench.verify.interop import image, machine  # noqa: E402

FOLDER, CACHE, SOAK = "ROCI_ECPIX5", "ROCI_GUEST_CACHE", "ROCI_SOAK_MS"
SECONDS = 3400
TIMES = 1000  # the guest's clock is at most this many times as fast as the board's
# Timeouts of the guest's queue pairs: 17 s and 2.1 s of its time are at least 17 and 2.1 ms of the
# board's. A window of Soft-RoCE, 128 packets, takes 1.1 ms on the link. Of messages of 4 KiB only
# 32 packets are in flight: all that are have to be retransmitted after a loss.
TIMEOUT, LOSSY_TIMEOUT, LOSSY_BYTES = 22, 19, 4096
HOSTILE_NS = 100_000
# Among so many hostile frames are enough for the program to take the room of a ping or two.
PINGS = 10
MIB = 1 << 20


class Follower:
    """Stops a guest whenever its clock is ahead of TIMES the time of the board, for `with`.

    So timers of the guest leave the board at least a known time, however slowly it is simulated.
    """

    def __init__(self, guest, clock):
        self.guest, self.clock, self.ended = guest, clock, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        begin_ns, runs, ran, last = self.clock.ns(), True, 0.0, time.monotonic()
        while not self.ended.wait(0.003):
            now = time.monotonic()
            ran, last = ran + (now - last if runs else 0), now
            ahead = ran * 1e9 > (self.clock.ns() - begin_ns) * TIMES
            if ahead == runs:
                runs = not ahead
                self.guest.monitor.do("cont" if runs else "stop")
        if not runs:
            self.guest.monitor.do("cont")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def give(guest, program, folder):
    """Copies a program, with the libraries that it needs, to /opt/client of the guest."""
    with tarfile.open(folder / "files.tar", "w", dereference=True) as archive:
        archive.add(program, "opt/client")
        for library in image.libraries(program):
            archive.add(library, str(library)[1:])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://10.0.2.2:{server.server_address[1]}/files.tar"
    guest.check(f"cd / && wget -q -O - {url} | tar x", 300)
    server.shutdown()


class Rig:
    """A board and a guest on a wire."""

    def __init__(self, board, guest, path):
        self.board, self.guest, self.path = board, guest, path

    def client(self, *words):
        line = " ".join(map(str, ("/opt/client -t 20 -d rxe0 -w", TIMEOUT, *words)))
        text = self.guest.check(line, SECONDS)
        print("  " + text.strip().replace("\n", "\n  "), flush=True)
        return text

    def check(self, size, count, *words):
        text = self.client("-s", size, "-n", count, *words, ADDRESS, "check")
        assert f"{size * count} bytes compared" in text, text

    def status(self):
        text = self.client(ADDRESS, "status")
        return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", text)}

    def ping(self, count=2):
        """A reply to one of them, at least: the guest's second is a millisecond of the board, whose
        program has room for two frames and takes 1.2 ms for each."""
        self.guest.check(f"ping -c {count} -W 20 {ADDRESS}", SECONDS)
        assert MAC in self.guest.check(f"ip neigh show to {ADDRESS}"), "no neighbour"


@contextlib.contextmanager
def rig(fixture, **faults):
    folder, cache = (pathlib.Path(os.environ[name]) for name in (FOLDER, CACHE))
    # What QEMU waits to send when it is stopped is lost.
    pathlib.Path("/proc/sys/net/unix/max_dgram_qlen").write_text("2000")
    names = {name: fixture.folder / name for name in ("board", "to_board", "guest", "to_guest")}
    board = ecpix5_test.Board(folder, (names["board"], names["to_guest"]), 0)
    capture = fixture.folder / "wire.pcapng"
    try:
        board.wait_for_program()
        with machine.Guest(cache, fixture.folder, names["guest"], names["to_board"]) as guest:
            print(f"  guest: Linux {guest.release}, booted in {guest.boot_seconds:.1f} s")
            give(guest, folder / "client", fixture.folder)
            # A board that is simulated replies later than a neighbour has to.
            guest.check("echo 100000 >/proc/sys/net/ipv4/neigh/wire/retrans_time_ms; "
                        "echo 100000000 >/proc/sys/net/ipv4/neigh/wire/base_reachable_time_ms")
            with Path((names["board"], names["to_guest"]), (names["guest"], names["to_board"]),
                      board.clock, capture, **faults) as path, Follower(guest, Clock(board.clock)):
                yield Rig(board, guest, path)
        for name, counts in path.counts().items():
            print(f"  frames {name}: {counts}")
    except machine.GuestError as error:
        raise AssertionError(str(error)) from None
    finally:
        board.kill()
    judge(fixture, capture)


def judge(fixture, capture):
    """Each frame of the board is legal, and the board does not break a rule first."""
    good = 0
    for number, frame in enumerate(check_pcap.frames(capture, interface=BOARD), 1):
        wrong = check_pcap.complaints(frame)
        assert not wrong, f"frame {number} of the board: {', '.join(wrong)}"
        good += wrong is not None
    report = fixture.folder / "judged.json"
    subprocess.run([fixture.roci, "conform", "--pcap", capture, "--json", report],
                   stdout=subprocess.DEVNULL, check=False)
    findings = json.loads(report.read_text())[0]["findings"]
    for finding in findings[:3]:
        print(f"  {finding}")
    assert not findings or findings[0]["packet"].split(" ")[0] == machine.IPV4, findings[0]
    print(f"  {good} RoCE frames of the board are legal, {len(findings)} findings")


def quick(fixture):
    """Ping, 1 MiB written, read and compared, a full link each way."""
    with rig(fixture) as one:
        one.ping()
        one.check(65536, 16)
        counts = one.status()
        assert counts["rx_lost"] == 0 and counts["roce_dropped"] == 0, counts
        assert counts["connections"] == 0 and counts["pings"] >= 1, counts
        counted = one.board.end()
        rates = [MIB * 8000 / counted[f"{way}_ns"] for way in ("in", "out")]
        print(f"  WRITE {rates[0]:.1f} Mb/s, READ {rates[1]:.1f} Mb/s of payload")
        assert counted["full_in"] == counted["full_out"] == MIB // 1024, counted
        assert min(rates) > ecpix5_test.LEAST_RATE, rates


def loss(fixture):
    """1 MiB each way with 5% of packets lost and 5% late, each way."""
    with rig(fixture, loss=0.05, reorder=0.05) as one:
        one.ping()
        one.check(LOSSY_BYTES, MIB // LOSSY_BYTES, "-w", LOSSY_TIMEOUT)
        counted = one.board.end()
        assert min(counted["full_in"], counted["full_out"]) > MIB // 1024, counted


def soak(fixture):
    """Transfers of many sizes with a hostile frame each 0.1 ms beside them."""
    attacker, dice = Hostile(MAC, ADDRESS, machine.IPV4, HOSTILE_NS, seed=1), random.Random(2)
    with rig(fixture, attacker=attacker) as one:
        one.ping(PINGS)
        begin_ns, runs, moved = one.path.clock.ns(), 0, 0
        end_ns = begin_ns + int(os.environ.get(SOAK, 100)) * 1_000_000
        while one.path.clock.ns() < end_ns:
            size = dice.choice((1, 1000, 1024, 4096, 16384, 65536))
            count, offset = min(64, MIB // 4 // size), dice.randrange(4096)
            one.check(size, count, "-o", offset, "-m", dice.choice((256, 1024, 2048)))
            runs, moved = runs + 1, moved + 2 * size * count
        took_ms = (one.path.clock.ns() - begin_ns) / 1e6
        one.ping(PINGS)
        counts = one.status()
        one.board.end()
    print(f"  {took_ms:.1f} ms, {runs} connections, {moved} bytes compared; hostile frames: "
          f"{sum(attacker.kinds.values())}, {attacker.kinds}")
    assert counts["link"] == 1 and counts["link_downs"] == 0 and counts["connections"] == 0, counts
    # Some are on their way when the counters are read; repeated ones are dropped by the queue pair.
    dropped = sum(attacker.kinds.get(kind.__name__, 0) for kind in attacker.OF_CONNECTION
                  if kind is not Hostile.repeated)
    assert counts["roce_dropped"] > 0.9 * dropped and counts["frames_wrong"] > 0, counts
    assert counts["wrong_fcs"] == counts["wrong_preamble"] == counts["tx_lost"] == 0, counts


TESTS = [quick, loss, soak]


def main():
    # Within the namespace the program runs again, without FOLDER and CACHE.
    if FOLDER not in os.environ:
        os.environ[FOLDER] = str(pathlib.Path(sys.argv.pop(2)).resolve() / "ecpix5")
        os.environ[CACHE] = str(pathlib.Path(sys.argv.pop(2)).resolve())
    if not (pathlib.Path(os.environ[FOLDER]) / "build/board").exists():
        print("skipped: the board was not built")
        return 77
    try:
        image.build(os.environ[CACHE])
    except image.Missing as error:
        print(f"skipped: {error}")
        return 77
    return namespaces.main(TESTS, SECONDS)


if __name__ == "__main__":
    sys.exit(main())
