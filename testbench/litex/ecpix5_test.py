#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The board in simulation, joined to a simulated adapter and to the IP stack of this host.

usage: ecpix5_test.py ROCI FOLDER [NAME ...]     exit 77 without what it needs

FOLDER is what ecpix5_build.py made. The tests run in a network namespace of their own: ping and ARP
are those of Linux, the client is the program of driver/examples/board on libibverbs.
"""
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.litex.ecpix5_build import ADDRESS, MAC  # noqa: E402
from testbench.litex.path import Clock  # noqa: E402
from testbench.tools.rocitest import namespaces  # noqa: E402
from testbench.tools.rocitest.namespaces import NODE, tap_addresses  # noqa: E402
from testbench.tools.rocitest.processes import run  # noqa: E402

FOLDER = "ROCI_ECPIX5"
SECONDS = 1700
TAP = "tap5"
MTU = 1024
LEAST_RATE = 900  # Mb/s of payload at that path MTU; a full link has 926
# Codes of the transport timeout, in the time of the board. ACKs of messages of 64 KiB come each
# 0.57 ms; 4.2 ms of silence are a loss.
TIMEOUT, LOSSY_TIMEOUT = 10, 7
LONGEST = 4096  # bytes that the buffer after the MAC holds
# Who has the address of the board? For 10.0.0.9.
REQUEST = bytes.fromhex("ffffffffffff 525400000009 0806 0001 0800 06 04 0001"
                        "525400000009 0a000009 000000000000 0a000005")


class Board:
    """The verilated board; the other end of its wire is free."""

    def __init__(self, folder, ends, every, image="program.bin", options=()):
        self.socket, self.other = ends
        self.clock, self.console = (self.socket.with_name(name) for name in ("clock", "console"))
        self.process = subprocess.Popen(
            [folder / "build/board", *options, folder / image, self.socket, self.other, str(every),
             self.clock, self.console],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=folder)
        line = self.process.stdout.readline()
        assert line == "ready\n", f"the board does not start: {line}"

    def wait_for_program(self):
        """Until it replies to ARP; it takes milliseconds of simulated time to begin."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
            peer.bind(str(self.other))
            peer.settimeout(1)
            for at in range(300):
                # A second request would wait where only one has room.
                if at % 30 == 0:
                    peer.sendto(REQUEST, str(self.socket))
                with contextlib.suppress(socket.timeout):
                    if peer.recv(2048)[12:14] == REQUEST[12:14]:
                        break
            else:
                raise AssertionError("the board does not reply to ARP")
        self.other.unlink()

    def send(self, frame):
        """A frame on the wire, as if the peer had sent it."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(frame, str(self.socket))

    def wait(self, ms, until=lambda: False):
        """For so long in its own time, or until something is so; whether it is."""
        clock = Clock(self.clock)
        end = clock.ns() + ms * 1_000_000
        while not until() and clock.ns() < end:
            time.sleep(0.05)
        return until()

    def printed(self):
        """All that stands at the console."""
        return self.console.read_text(errors="replace")

    def wait_for_line(self, text, ms):
        assert self.wait(ms, lambda: text in self.printed()), f"no {text!r} in: {self.printed()}"

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def toggle_link(self):
        self.process.send_signal(signal.SIGUSR1)

    def toggle_rate(self):
        self.process.send_signal(signal.SIGUSR2)

    def end(self):
        """What the bench counted."""
        self.process.send_signal(signal.SIGTERM)
        text = self.process.communicate(timeout=60)[0]
        assert self.process.returncode == 0, text
        print(f"  {text.strip()}")
        return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", text)}


class Rig:
    """A board, and a host with an adapter and an IP stack on its wire."""

    def __init__(self, board, host, client):
        self.board, self.host, self.client = board, host, client

    def on_host(self, *words, check=True, seconds=SECONDS):
        line = " ".join(map(str, (self.client, "-t", 20, "-w", TIMEOUT, *words)))
        process = self.host.start("n0", line)
        text = process.communicate(timeout=seconds)[0]
        assert not check or process.returncode == 0, text
        print("  " + text.strip().replace("\n", "\n  "))
        return text

    def check(self, size, count, *words):
        text = self.on_host("-s", size, "-n", count, *words, ADDRESS, "check")
        assert f"{size * count} bytes compared" in text, text

    def status(self):
        text = self.on_host(ADDRESS, "status")
        return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", text)}

    def ping(self, count=2, size=56, check=True):
        """Whether there was a reply to one of `count` requests."""
        return run("ping", "-c", str(count), "-s", str(size), "-W", "100", ADDRESS,
                   check=check).returncode == 0


def folder():
    """Where ecpix5_build.py made the board."""
    return pathlib.Path(os.environ[FOLDER])


def ends(fixture):
    """The sockets of the board and of the host."""
    return fixture.folder / "board", fixture.folder / "host"


@contextlib.contextmanager
def rig(fixture, *options, every=0, board=None):
    """`board`, when it is not the usual one, has its ends in ends(fixture)."""
    board = board or Board(folder(), ends(fixture), every)
    try:
        board.wait_for_program()
        pathlib.Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
        # Its timers and its link have the time of the board, however fast that is simulated.
        with fixture.up("host", "--nodes", "1", "--engine", "model", "--rate", "1", "--clock",
                        board.clock, "--wire", f"n0=dgram:{board.other},{board.socket}", "--netdev",
                        f"n0={TAP}", *options) as host:
            tap_addresses(TAP, f"{NODE}/24")
            # A board that is simulated needs more time than IPv4 gives a neighbour.
            pathlib.Path(f"/proc/sys/net/ipv4/neigh/{TAP}/retrans_time_ms").write_text("20000")
            yield Rig(board, host, folder() / "client")
    finally:
        board.kill()


def quick(fixture):
    """ARP, ping, 4 KiB written and read; counters."""
    with rig(fixture) as one:
        one.ping(count=1, size=1000)
        neighbours = run("ip", "neigh", "show", "dev", TAP).stdout
        assert f"{ADDRESS} lladdr {MAC}" in neighbours, neighbours
        one.check(4096, 1)
        counts = one.status()
        assert counts["link"] == 1 and counts["connections"] == 0, counts
        assert counts["pings"] >= 1 and counts["requests"] >= 3, counts
        assert not any(counts[name] for name in ("link_downs", "wrong_fcs", "wrong_preamble",
                                                 "rx_lost", "tx_lost", "frames_wrong",
                                                 "wrong_rate")), counts
        one.board.end()


def goodput(counted, way):
    """Mb/s of payload, from the first frame with a full one to the last."""
    return counted[f"full_{way}"] * MTU * 8000 / counted[f"{way}_ns"]


def long(fixture):
    """1 MiB each way at the rate of the link, without a packet that is sent twice."""
    with rig(fixture) as one:
        # A window of 512 KiB: packets arrive without a pause, and the engine takes all of them.
        one.check(65536, 16)
        counts = one.status()
        assert counts["rx_lost"] == 0 and counts["roce_dropped"] == 0, counts
        counted = one.board.end()
        assert counted["full_in"] == counted["full_out"] == 16 * 65536 // MTU, counted
        rates = [goodput(counted, way) for way in ("in", "out")]
        print(f"  WRITE {rates[0]:.1f} Mb/s, READ {rates[1]:.1f} Mb/s of payload")
        assert min(rates) > LEAST_RATE, rates
    with rig(fixture) as one:
        one.check(1000, 30, "-o", 123)
        one.board.end()


def loss(fixture):
    """1 MiB each way with 5% of packets lost and 5% late, each way."""
    with rig(fixture, "--loss", "5%", "--reorder", "5%") as one:
        one.check(16384, 64, "-w", LOSSY_TIMEOUT)
        counted = one.board.end()
        # Without a loss each packet is there once.
        assert min(counted["full_in"], counted["full_out"]) > 16384 * 64 // MTU, counted


def bad_input(fixture):
    """Damaged frames, frames that are too long, a link that goes down or comes up at another rate:
    counted, and all goes on."""
    with rig(fixture, every=7) as one:
        one.check(4096, 8, "-w", LOSSY_TIMEOUT)
        one.ping(count=10, check=False)
        # Longer than the buffer after the MAC; than the frame buffer; no frame at all.
        header = bytes.fromhex(MAC.replace(":", "")) + bytes(6)
        for ethertype, length in ((0x0800, LONGEST + 100), (0x88B5, 3000), (0x0800, 14),
                                  (0x0800, 40), (0x0806, 30), (0x86DD, 60)):
            frame = header + ethertype.to_bytes(2, "big") + bytes(length)
            one.board.send(frame[:length])
        one.board.wait(2)
        before = one.status()
        one.board.toggle_link()
        with subprocess.Popen(["ping", "-q", "-c", "1", "-W", str(SECONDS), ADDRESS]) as ping:
            one.board.wait(20)  # with a reply, which takes 2 ms, it ends
            ended = ping.poll()
            ping.kill()
        assert ended is None, "a reply over a link that is down"
        one.board.toggle_link()
        one.ping()
        one.board.toggle_rate()
        one.board.wait(2)
        one.board.toggle_rate()
        one.ping()
        one.check(4096, 2)
        after = one.status()
        counted = one.board.end()
        assert after["link_downs"] == 2 and after["link"] == 1, after
        assert before["wrong_rate"] == 0 and after["wrong_rate"] == 1, after
        assert before["rx_lost"] >= 1 and before["frames_lost"] >= 1, before
        assert counted["damaged"] >= 4, counted
        assert 0 <= counted["damaged"] - after["wrong_fcs"] <= 1, (counted, after)


TESTS = [quick, long, loss, bad_input]


def main(tests=TESTS):
    # Within the namespace the program runs again, without FOLDER.
    if FOLDER not in os.environ:
        os.environ[FOLDER] = str(pathlib.Path(sys.argv.pop(2)).resolve() / "ecpix5")
    if not (folder() / "build/board").exists():
        print("skipped: the board was not built")
        return 77
    return namespaces.main(tests, SECONDS)


if __name__ == "__main__":
    sys.exit(main())
