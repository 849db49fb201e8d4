#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests external ports of a simulator in the background.

usage: up_test.py ROCI [NAME ...]     exit 77 when namespaces are not permitted on this host

It runs in a network namespace of its own. The traffic is that of ping and of the verbs tools of
Debian.
"""
import itertools
import os
import pathlib
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import namespaces  # noqa: E402
from testbench.tools.rocitest.namespaces import (NODE, OTHER, Namespace,
                                                 tap_addresses,  # noqa: E402
                                                 verbs)
from python.roci.program import listening  # noqa: E402
from testbench.tools.rocitest.processes import Missing, need, run  # noqa: E402


# Timers go fifty times slower than the clock on the wall: the retries of a connection, 0.5 s,
# outlast a simulator that has to wait 25 s for a processor.
SLOW_TIMERS = ("--pace", "0.02")


def pair(fixture):
    """Stock programs between two simulators, each with one node, joined by Unix sockets."""
    need("ibv_rc_pingpong", "ibverbs-utils")
    a, b = fixture.folder / "a", fixture.folder / "b"
    with fixture.up("left", "--nodes", "1", "--wire", f"n0=dgram:{a},{b}", *SLOW_TIMERS) as left, \
            fixture.up("right", "--nodes", "1", "--host", "2", "--wire", f"n0=dgram:{b},{a}",
                       *SLOW_TIMERS) as right:
        for gid in (0, 1):
            verbs(f"ibv_rc_pingpong -g {gid} -n 20 -c", left, right)
        assert left.external_port()["port"]["sent"] > 40
        assert left.external_port()["port"]["malformed"] == 0
    assert not a.exists() and not b.exists(), "sockets are not removed"


def several(fixture):
    """A node serves a peer on its port and one inside, and another node a third, all at once."""
    need("ib_write_bw", "perftest")
    ends = [fixture.folder / name for name in "abcd"]
    a, b, c, d = ends
    with fixture.up("middle", "--nodes", "2", "--host", "10", "--wire", f"n0=dgram:{a},{b}",
            "--wire", f"n1=dgram:{c},{d}") as middle, \
            fixture.up("left", "--nodes", "1", "--host", "2", "--wire",
                       f"n0=dgram:{b},{a}") as left, \
            fixture.up("right", "--nodes", "1", "--host", "3", "--wire",
               f"n0=dgram:{d},{c}") as right:
        line = "ib_write_bw -n 20 -s 4096 -q 2 -u 18"
        pairs = [(middle, left, 18001, ("n0", "n0")), (middle, right, 18002, ("n1", "n0")),
                 (middle, middle, 18003, ("n0", "n1"))]
        servers = [(one, one.start(nodes[0], f"{line} -p {port}"), other, port, nodes)
                   for one, other, port, nodes in pairs]
        end = time.monotonic() + 60
        while not all(listening(entry[3]) for entry in servers) and time.monotonic() < end:
            time.sleep(0.05)
        clients = [other.start(nodes[1], f"{line} -p {port} 127.0.0.1")
                   for _, _, other, port, nodes in servers]
        output = [(process.communicate(timeout=240)[0], process.returncode)
                for process in clients + [entry[1] for entry in servers]]
        assert all(status == 0 for _, status in output), output


def pings(fixture):
    """Two IP stacks, each at the TAP of a node, with RoCE on the same link."""
    a, b = fixture.folder / "a", fixture.folder / "b"
    with Namespace() as inside, \
            fixture.up("left", "--nodes", "1", "--wire", f"n0=dgram:{a},{b}", "--netdev",
                       "n0=left", *SLOW_TIMERS) as left, \
            fixture.up("right", "--nodes", "1", "--host", "2", "--wire", f"n0=dgram:{b},{a}",
                       "--netdev", "n0=right", *SLOW_TIMERS, before=inside) as right:
        tap_addresses("left", f"{NODE}/24", "fd00::1/64")
        tap_addresses("right", f"{OTHER}/24", "fd00::2/64", before=inside)
        for address in (OTHER, "fd00::2"):
            run("ping", "-c", "3", "-W", "10", address)
        for address in (NODE, "fd00::1"):
            run(*inside, "ping", "-c", "3", "-W", "10", address)
        run("ping", "-c", "2", "-s", "4000", "-W", "10", OTHER)
        # The programs exchange parameters over TCP through the same link.
        need("ibv_rc_pingpong", "ibverbs-utils")
        for gid in (0, 1):
            server = right.start("n0", f"ibv_rc_pingpong -g {gid} -n 20 -c -p 18004")
            time.sleep(1)
            client = left.start("n0", f"ibv_rc_pingpong -g {gid} -n 20 -c -p 18004 {OTHER}")
            output = [process.communicate(timeout=240)[0] for process in (client, server)]
            assert client.returncode == 0 and server.returncode == 0, output


def rejections(fixture):
    """An impossible request gives one line on stderr; no simulator keeps running."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("127.0.0.1", 5005))
    name = f"rejected-{os.getpid()}"
    for words, status, output in [
            (["--wire", "n0=dgram:5005,5006"], 1, "n0: dgram: 5005: Address already in use"),
            (["--wire", "dgram:5007,5008"], 2, "names none of the 2 nodes"),
            (["--wire", "n2=dgram:5007,5008"], 2, "names none of the 2 nodes"),
            (["--wire", "n0=dgram:5007"], 1, "LOCAL,REMOTE"),
            (["--wire", "n0=wifi:0"], 1, "no port is called"),
            (["--wire", "n0=dgram:5007,5008", "--wire", "n0=dgram:5009,5010"], 2, "one already"),
            (["--wire", "n0=pcap:/nowhere"], 1, "/nowhere"),
            (["--wire", "n0=dpdk:net_nothing0"], 1, "dpdk:net_nothing0: "),
            (["--wire", "n0=dpdk:net_af_packet0,iface=nowhere"], 1, "dpdk:net_af_packet0"),
            (["--netdev", "n0=a_name_too_long_for_linux"], 1, "is not the name of an interface"),
            (["--netdev", "n1=lo"], 1, "interface lo"),
            (["--pace", "-1", "--wire", "n0=dgram:5007,5008"], 2, "--pace"),
            (["--clock", "/nowhere/clock"], 1, "/nowhere/clock: No such file"),
            (["--clock", "/dev/null"], 1, "no time of 8 bytes"),
            (["--rate", "0"], 2, "--rate"),
            (["--host", "254"], 2, "too many nodes"),
    ]:
        done = run(fixture.roci, "up", "--name", name, "--width", "64", *words, check=False)
        text = done.stderr
        assert done.returncode == status and output in text, (words, done)
        assert len(text.strip().splitlines()) == 1, text
        gone = run(fixture.roci, "status", "--name", name, check=False)
        assert "no simulator" in gone.stderr, (words, gone)
    taken.close()


def no_right(fixture):
    """A user without privileges gets the name of the missing one."""
    nobody = ["setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all",
              "--bounding-set=-all"]
    if run(*nobody, "test", "-x", fixture.roci, check=False).returncode:
        raise Missing("no other user is available")
    closed = fixture.folder / "closed"
    closed.mkdir(mode=0o700)
    for words, output in [(["--netdev", "n0=mine"], "CAP_NET_ADMIN"),
                        (["--wire", "n0=dpdk:net_tap0,iface=mine"], "Unable to create TAP"),
                        (["--wire", "n0=dpdk:net_af_packet0,iface=lo"], "AF_PACKET"),
                        (["--wire", f"n0=dgram:{closed}/a,{closed}/b"], "Permission denied")]:
        done = run(*nobody, fixture.roci, "up", "--width", "64", "--name", f"nobody-{os.getpid()}",
                   *words, check=False)
        assert done.returncode == 1 and output in done.stderr, (words, done)
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def survives_peer_loss(fixture):
    """Invalid frames from the peer, and a peer that ends and returns, do no harm."""
    need("ibv_rc_pingpong", "ibverbs-utils")
    a, b = fixture.folder / "a", fixture.folder / "b"
    with fixture.up("left", "--nodes", "1", "--wire", f"n0=dgram:{a},{b}", *SLOW_TIMERS) as left:
        # Without a peer, address resolution fails in time.
        alone = left.start("n0", "ibv_rc_pingpong -g 0 -p 18005")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            for number in range(300):
                sender.sendto(os.urandom(number * 37 % 9400), str(a))
        end = time.monotonic() + 60
        while not listening(18005) and time.monotonic() < end:
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", 18005)) as call:
            call.sendall(b"0000:000007:123456:00000000000000000000ffff0a000009\0")
            text = alone.communicate(timeout=120)[0]
        assert alone.returncode == 1 and "RTR" in text, text
        assert left.external_port()["port"]["malformed"] > 0
        with fixture.up("right", "--nodes", "1", "--host", "2", "--wire", f"n0=dgram:{b},{a}",
                        *SLOW_TIMERS) as right:
            verbs("ibv_rc_pingpong -g 0 -n 20 -c", left, right)


def peer_dies(fixture):
    """The peer ends during a transfer: an error follows, not before the timers' real time, and the
    node works with the next one."""
    need("ib_write_bw", "perftest")
    a, b = fixture.folder / "a", fixture.folder / "b"
    to_right = ["--nodes", "1", "--wire", f"n0=dgram:{a},{b}"]
    to_left = ["--nodes", "1", "--host", "2", "--wire", f"n0=dgram:{b},{a}"]
    with fixture.up("left", *to_right) as left:
        with fixture.up("right", *to_left) as right:
            line = "ib_write_bw -n 10000000 -s 64 -x 0 -p 18006"
            far = right.start("n0", line)
            end = time.monotonic() + 60
            while not listening(18006) and time.monotonic() < end:
                time.sleep(0.05)
            near = left.start("n0", f"{line} 127.0.0.1")
            while left.external_port()["port"]["received"] < 100 and time.monotonic() < end:
                time.sleep(0.1)
            gone = time.monotonic()
        text = near.communicate(timeout=120)[0]
        waited = time.monotonic() - gone
        far.communicate(timeout=120)
        assert near.returncode == 1 and "Failed status 12" in text, text
        # Eight times 4.096 us * 2^14 after the last response of the right side.
        assert waited > 0.5, f"gave up after {waited:.2f} s"
        with fixture.up("right", *to_left) as right:
            verbs("ib_write_bw -n 20 -u 18", left, right)


def peer_clock(fixture):
    """Timers go by the clock that the peer shows, not by real time."""
    need("ibv_rc_pingpong", "ibverbs-utils")
    a, b, clock = (fixture.folder / name for name in ("a", "b", "clock"))
    clock.write_bytes(bytes(8))
    with fixture.up("left", "--nodes", "1", "--engine", "model", "--clock", clock, "--wire",
                    f"n0=dgram:{a},{b}") as left:
        # Nobody has the address that it asks for.
        alone = left.start("n0", "ibv_rc_pingpong -g 0 -p 18007")
        end = time.monotonic() + 60
        while not listening(18007) and time.monotonic() < end:
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", 18007)) as call:
            call.sendall(b"0000:000007:123456:00000000000000000000ffff0a000009\0")
            time.sleep(5)
            assert alone.poll() is None, alone.communicate()[0]
            with open(clock, "r+b", buffering=0) as shown:
                for ms in range(1, 60_000):
                    shown.seek(0)
                    shown.write((ms * 1_000_000).to_bytes(8, sys.byteorder))
                    time.sleep(0.0005)
                    if alone.poll() is not None:
                        break
            text = alone.communicate(timeout=60)[0]
        assert alone.returncode == 1 and "RTR" in text, text


def slow_peer(fixture):
    """A window of 512 KiB to a peer of 1 Gb/s that is simulated a thousand times too slowly: no
    timer fires, and no packet is retransmitted; with losses it ends."""
    need("ib_write_bw", "perftest")
    a, b, clock = (fixture.folder / name for name in ("a", "b", "clock"))
    clock.write_bytes(bytes(8))
    ended = threading.Event()

    def tick():
        with open(clock, "r+b", buffering=0) as shown:
            for us in itertools.count(1):
                shown.seek(0)
                shown.write((us * 1000).to_bytes(8, sys.byteorder))
                if ended.wait(0.001):
                    return

    ticks = threading.Thread(target=tick)
    ticks.start()
    slow = ["--nodes", "1", "--engine", "model", "--rate", "1", "--clock", clock]
    try:
        for faults, line in ([], "-s 65536 -n 8 -u 10"), (["--loss", "5%"], "-s 16384 -n 8 -u 7"):
            with fixture.up("left", *slow, *faults, "--wire", f"n0=dgram:{a},{b}") as left, \
                    fixture.up("right", *slow, "--host", "2", "--wire",
                               f"n0=dgram:{b},{a}") as right:
                verbs(f"ib_write_bw -t 8 -m 1024 {line}", right, left)
                sent = left.external_port()["port"]["sent"]
            # 8 messages of 64 packets, address resolution and the end.
            assert faults or 512 <= sent < 520, sent
    finally:
        ended.set()
        ticks.join()


TESTS = [pair, several, pings, rejections, no_right, survives_peer_loss, peer_dies, peer_clock,
         slow_peer]

if __name__ == "__main__":
    sys.exit(namespaces.main(TESTS))
