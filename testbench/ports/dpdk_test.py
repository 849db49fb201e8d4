#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests each kind of DPDK port, with programs of other projects at its end.

usage: dpdk_test.py ROCI [NAME ...]     exit 77 when namespaces are not permitted on this host

It runs in a network namespace of its own. dpdk-testpmd or the kernel replies to ping; tshark reads
the received frames.
"""
import contextlib
import pathlib
import signal
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import namespaces  # noqa: E402
from testbench.tools.rocitest.namespaces import (NODE, OTHER, Namespace,  # noqa: E402
                                                 tap_addresses)
from testbench.tools.rocitest.processes import need, run  # noqa: E402

TESTPMD = ["dpdk-testpmd", "-l", "0,1", "--no-huge", "-m", "64", "--no-pci", "--no-shconf",
           "--no-telemetry", "--log-level=4"]


@contextlib.contextmanager
def testpmd(*words, mode):
    """DPDK's own program forwarding on one port."""
    need("dpdk-testpmd", "dpdk")
    process = subprocess.Popen(
        [*TESTPMD, *words, "--", f"--forward-mode={mode}", "--nb-cores=1", "--auto-start",
         "--stats-period=1", "--total-num-mbufs=4096"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.output = process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            process.output = process.communicate()[0]


def check_ping(address, seconds=60, by=None):
    """Pings until a reply comes; then ten pings must get replies without a loss."""
    end = time.monotonic() + seconds
    while run("ping", "-c", "1", "-W", "2", address, check=False).returncode:
        gone = by is not None and by.poll() is not None
        assert not gone, f"testpmd ended: {by.stdout.read()}"
        assert time.monotonic() < end, f"no reply from {address}"
    text = run("ping", "-c", "10", "-i", "0.2", "-W", "10", address).stdout
    assert " 0% packet loss" in text, text


def memif_testpmd(fixture):
    """dpdk-testpmd replies to ARP and ping over shared memory: each frame crosses the adapter."""
    path = fixture.folder / "memif"
    with fixture.up("memif", "--nodes", "1", "--netdev", "n0=node", "--wire",
            f"n0=dpdk:net_memif0,role=server,socket={path},bsize=8192") as node:
        tap_addresses("node", f"{NODE}/24")
        with testpmd(f"--vdev=net_memif0,role=client,socket={path},bsize=8192",
                     mode="icmpecho") as process:
            check_ping(OTHER, by=process)
            counts = node.external_port()["port"]
        assert counts["sent"] >= 11 and counts["received"] >= 11, counts
        assert "RX-packets" in process.output, process.output


def tap_port(fixture):
    """A DPDK TAP port: the kernel's IP stack in another namespace at the node's port."""
    with Namespace() as inside, \
            fixture.up("tap", "--nodes", "1", "--netdev", "n0=node", "--wire",
               "n0=dpdk:net_tap0,iface=dtap") as node:
        tap_addresses("node", f"{NODE}/24", "fd00::1/64")
        run("ip", "link", "set", "dtap", "netns", str(inside.pid))
        run(*inside, "ip", "link", "set", "dtap", "up")
        tap_addresses("dtap", f"{OTHER}/24", "fd00::2/64", before=inside)
        check_ping(OTHER)
        check_ping("fd00::2")
        run(*inside, "ping", "-c", "3", "-W", "10", NODE)
        assert node.external_port()["port"]["received"] >= 20


def ring_port(fixture):
    """A DPDK ring port returns every frame: the node receives its own frames without harm."""
    with fixture.up("ring", "--nodes", "1", "--netdev", "n0=node", "--wire",
            "n0=dpdk:net_ring0") as node:
        tap_addresses("node", f"{NODE}/24")
        run("ping", "-c", "3", "-W", "1", OTHER, check=False)
        counts = node.external_port()
        assert counts["port"]["sent"] >= 3, counts
        assert counts["port"]["received"] == counts["port"]["sent"], counts
        assert counts["tap"]["sent"] >= 3, counts  # broadcasts came back to the host


def capture_of(path, *frames):
    """A file in the classic format of libpcap."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def pcap_port(fixture):
    """DPDK's capture port: replays a request and records the reply, which tshark reads."""
    need("tshark", "tshark")
    requests, replies = fixture.folder / "in.pcap", fixture.folder / "out.pcap"
    peer = "525400000002"
    arp = ("ffffffffffff" + peer + "0806" + "0001080006040001" + peer + "0a000002" +
           "000000000000" + "0a000001")
    solicitation = ("3333ff000001" + peer + "86dd" + "6000000000203aff" + "fd" + "00" * 14 + "02" +
                    "ff0200000000000000000001ff000001" + "87002d43" + "00" * 4 + "fd" + "00" * 14 +
                    "01" + "0101" + peer)
    for request, shown, reply in [(arp, "arp.src.proto_ipv4", NODE),
                                    (solicitation, "icmpv6.nd.na.target_address", "fd00::1")]:
        capture_of(requests, bytes.fromhex(request))
        with fixture.up("pcap", "--nodes", "1", "--wire",
                f"n0=dpdk:net_pcap0,rx_pcap={requests},tx_pcap={replies}") as node:
            end = time.monotonic() + 20
            while node.external_port()["port"]["sent"] < 1 and time.monotonic() < end:
                time.sleep(0.1)
        output = run("tshark", "-r", replies,
                     "-Y", "arp.opcode == 2 || icmpv6.checksum.status == 1",
                     "-T", "fields", "-e", "eth.dst", "-e", shown).stdout
        assert output.split() == ["52:54:00:00:00:02", reply], output


def af_packet_testpmd(fixture):
    """dpdk-testpmd at the other end of a veth pair."""
    run("ip", "link", "add", "va", "type", "veth", "peer", "name", "vb")
    for name in ("va", "vb"):
        run("ip", "link", "set", name, "up")
    with fixture.up("veth", "--nodes", "1", "--netdev", "n0=node", "--wire",
            "n0=dpdk:net_af_packet0,iface=va"):
        tap_addresses("node", f"{NODE}/24")
        with testpmd("--vdev=net_af_packet0,iface=vb", mode="icmpecho") as process:
            check_ping(OTHER, by=process)


TESTS = [memif_testpmd, tap_port, ring_port, pcap_port, af_packet_testpmd]

if __name__ == "__main__":
    sys.exit(namespaces.main(TESTS))
