#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests two `roci` processes, or one and a program of another project, over each kind of port.

usage: peer_test.py ROCI [NAME ...]     exit 77 when namespaces are not permitted on this host

It runs in a network namespace of its own, so that no interface or port of the host is touched.
"""
import filecmp
import pathlib
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import namespaces  # noqa: E402
from testbench.tools.rocitest.namespaces import Namespace  # noqa: E402
from testbench.tools.rocitest.processes import run  # noqa: E402

OURS = ["--width", "64", "--timeout", "18"]


def peer(fixture, *options, before=()):
    """A process `roci peer`."""
    return subprocess.Popen([*before, fixture.roci, "peer", *OURS, *map(str, options)],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def carry(fixture, here, there, op="write", before=(), address="127.0.0.1", meeting=None):
    """Sends a file from a process with port `there` to one with port `here`, which creates the file
    `meeting`, if given, when it is ready."""
    out = fixture.folder / "out"
    out.unlink(missing_ok=True)
    target = peer(fixture, "--wire", here, "--listen", f"{address}:7000", "--role", "responder",
                  "--op", op, "--out", out)
    end = time.monotonic() + 60
    while meeting and not meeting.exists() and time.monotonic() < end:
        time.sleep(0.05)
    source = peer(fixture, "--wire", there, "--connect", f"{address}:7000", "--op", op, "--file",
                  fixture.file, "--host", "2", "--sizes", "20000", before=before)
    output = [process.communicate(timeout=240)[0] for process in (source, target)]
    assert source.returncode == 0 and target.returncode == 0, output
    assert filecmp.cmp(fixture.file, out, shallow=False), "the received file differs"


def unix(fixture):
    a, b = fixture.folder / "a", fixture.folder / "b"
    carry(fixture, f"dgram:{a},{b}", f"dgram:{b},{a}", op="send")


def udp(fixture):
    carry(fixture, "dgram:5001,5002", "dgram:[127.0.0.1]:5002,127.0.0.1:5001")


def transfer(fixture):
    """`roci transfer` with one side here and the other in another process."""
    for op in ("write", "send"):
        out = fixture.folder / "out"
        out.unlink(missing_ok=True)
        common = [fixture.roci, "transfer", "--width", "64", "--op", op]
        target = subprocess.Popen([*common, "--wire", "dgram:5003,5004", "--listen", "7001",
                                   "--out", out], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        source = run(*common, fixture.file, "--wire", "dgram:5004,5003", "--host", "2", "--connect",
                     "127.0.0.1:7001")
        output = target.communicate(timeout=240)[0]
        assert target.returncode == 0, output
        assert filecmp.cmp(fixture.file, out, shallow=False), "the received file differs"
        sums = [line for line in (source.stdout + output).splitlines() if "sha256" in line]
        assert len(sums) == 2 and sums[0] == sums[1], (source.stdout, output)


def memif(fixture):
    """Two processes over shared memory, without privileges."""
    path = fixture.folder / "memif"
    carry(fixture, f"dpdk:net_memif0,role=server,socket={path},bsize=8192,socket-abstract=no",
                f"dpdk:net_memif0,role=client,socket={path},bsize=8192,socket-abstract=no",
          meeting=path)


def af_packet(fixture):
    """Two network namespaces and a veth pair between them."""
    with Namespace() as inside:
        run("ip", "link", "add", "va", "mtu", "4500", "type", "veth", "peer", "name", "vb", "mtu",
            "4500", "netns", str(inside.pid))
        run("ip", "address", "add", "10.9.0.1/24", "dev", "va")
        run("ip", "link", "set", "va", "up")
        run(*inside, "ip", "address", "add", "10.9.0.2/24", "dev", "vb")
        run(*inside, "ip", "link", "set", "vb", "up")
        carry(fixture, "dpdk:net_af_packet0,iface=va,framesz=8192,blocksz=16384",
                    "dpdk:net_af_packet0,iface=vb,framesz=8192,blocksz=16384",
                    before=inside, address="10.9.0.1")


def eal(fixture):
    """Arguments for the EAL are accepted; those that it rejects are reported."""
    node = peer(fixture, "--wire", "dpdk:net_ring0", "--eal", "--no-huge --file-prefix", "--listen",
                      "7002")
    text = node.communicate(timeout=60)[0]
    assert node.returncode == 1 and "roci: dpdk:net_ring0" in text, text
    for device in ("net_nothing0", "0000:99:00.0"):
        node = peer(fixture, "--wire", f"dpdk:{device}", "--listen", "7002")
        text = node.communicate(timeout=60)[0]
        assert node.returncode == 1 and f"roci: dpdk:{device}: " in text, text


def rejections(fixture):
    """An impossible request gives one line on stderr and has no effect."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("127.0.0.1", 5005))
    for options, words in [
            (["--wire", "dgram:5005,5006", "--listen", "7003"], "Address already in use"),
            (["--wire", "dgram:5007", "--listen", "7003"], "LOCAL,REMOTE"),
            (["--wire", "wifi:0", "--listen", "7003"], "no port is called"),
            (["--wire", "dgram:5007,5008"], "--listen"),
            (["--wire", "pcap:/nowhere", "--listen", "7003"], "/nowhere"),
            (["--wire", "dgram:5007,5008", "--netdev", "a_name_too_long_for_linux", "--listen",
              "7003"], "is not the name of an interface"),
            (["--wire", "dgram:5007,5008", "--netdev", "lo", "--listen", "7003"], "interface lo"),
    ]:
        node = peer(fixture, *options)
        text = node.communicate(timeout=60)[0]
        assert node.returncode in (1, 2) and words in text, (options, text)
        assert len(text.strip().splitlines()) == 1, text
    taken.close()


def unreachable(fixture):
    """Without a peer, address resolution fails in time."""
    target = peer(fixture, "--wire", "dgram:5010,5011", "--listen", "7004", "--role", "responder")
    source = peer(fixture, "--wire", "dgram:5012,5013", "--connect", "127.0.0.1:7004", "--host",
                  "2")
    for process in (source, target):
        text = process.communicate(timeout=120)[0]
        assert process.returncode == 1, text
        assert "unreachable" in text.lower() or "closed the connection" in text, text


TESTS = [unix, udp, transfer, memif, af_packet, eal, rejections, unreachable]


if __name__ == "__main__":
    sys.exit(namespaces.main(TESTS))
