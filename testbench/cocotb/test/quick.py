#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cocotbext-roce without a simulator: frames, peers with faults, judge, tests of conformance.

usage: quick.py [--all], with PYTHONPATH=testbench/cocotb

Frames are compared with captures of Linux Soft-RoCE, and ICRCs with those that scapy computes. With
--all: every test of conformance on the model, and each planted bug over all of them.
"""
import ctypes
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import planted
from cocotbext import roce
from cocotbext.roce import library, verbs
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap

ROOT = pathlib.Path(__file__).resolve().parents[3]

ALL = "--all" in sys.argv[1:]
CAPTURES = ROOT / "model/packet/testdata/captures"
QUICK_IDS = "RQ-05 RQ-20 RQ-21 RSP-01 RSP-05 RSP-13 RSP-32 WIRE-19 QP-12"
QUICK_BUGS = ("a wrong MSN", "no AckReq", "a wrong immediate")
SEED = 1
ICRCS = 40  # checked by scapy, which takes 2 ms for each; of IPv6 it knows none


def icrc_by_scapy(data):
    built = Ether(data[:-4] + bytes(4))
    return built[BTH].compute_icrc(bytes(built[BTH]))


def structs():
    """The Python structs are those of the C headers."""
    header = (ROOT / "testbench/verify/conform/agent/protocol.h").read_text()
    for name, fields in verbs.STRUCTS.items():
        body = re.sub(r"/\*.*?\*/", "", re.search(rf"struct {name} {{(.*?)}};", header, re.S)[1],
                      flags=re.S)
        names = []
        for kind, declared in re.findall(r"(uint64_t|struct agent_path)\s+([^;]+);", body):
            names += verbs.PATH if "path" in kind else re.split(r",\s*", declared.strip())
        assert tuple(names) == fields, (name, names)
    operations = re.findall(r"^  kAgent(\w+)(?: = 1)?,", header.split("enum agent_op")[1], re.M)
    assert [one.name.replace("_", "").lower() for one in verbs.Op] == \
        [one.lower() for one in operations if one != "Ops"], operations
    header = (ROOT / "testbench/cocotb/library/cocotbext_roce.h").read_text()
    for name, struct in (("roce_packet", library.Packet), ("roce_peer_options",
                                                           library.PeerOptions),
                         ("roce_run", library.Run)):
        body = re.sub(r"/\*.*?\*/", "", re.search(rf"struct {name} {{(.*?)}};", header, re.S)[1],
                      flags=re.S)
        names = [re.sub(r"\[.*", "", one).strip(" *") for declared in re.findall(
            r"(?:uint\w+|const char\*?)\s+([^;]+);", body) for one in declared.split(",")]
        assert names == [field for field, _ in struct._fields_], (name, names)


def load_errors():
    """A library that is missing, foreign or of another version: one clear error."""
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "other.so"
        foreign = pathlib.Path(folder) / "foreign.so"
        for path, code in ((other, "unsigned roce_abi(void) { return 99; }"),
                           (foreign, "int x;")):
            subprocess.run(["cc", "-shared", "-fPIC", "-o", path, "-xc", "-"], input=code,
                           text=True, check=True)
        for path, words in ((pathlib.Path(folder) / "no.so", "build it in the checkout"),
                            (other, "has version 99"), (foreign, "not a library of"),
                            (ROOT / "LICENSE", "not a library of")):
            done = subprocess.run([sys.executable, "-c", "import cocotbext.roce"],
                                  env={**os.environ, library.VARIABLE: str(path),
                                       "PYTHONPATH": str(ROOT / "testbench/cocotb")},
                                  capture_output=True, text=True, check=False)
            last = done.stderr.splitlines()[-1]
            assert done.returncode == 1 and "LibraryError" in last and words in last, done.stderr


def frames():
    """Frames of Soft-RoCE come out as they went in; those that a rule forbids have an error."""
    genuine = checked = 0
    for path in sorted(CAPTURES.glob("[!r]*.pcap")):  # those of raw* have frames made by hand
        for number, packet in enumerate(rdpcap(str(path), count=400 if ALL else 40)):
            data = bytes(packet)
            frame = roce.Frame.parse(data)
            if frame.opcode is None or frame.error or roce.lint(data):
                continue
            assert frame.build() == data, (path.name, number, roce.describe(data))
            genuine += 1
            if number % 40 == 7 and frame.network == library.IPV4 and checked < ICRCS:
                assert icrc_by_scapy(data) == data[-4:]
                checked += 1
                broken = bytearray(data)
                broken[-5] ^= 1
                assert roce.Frame.parse(broken).error == "wrong ICRC"
                assert roce.seal(broken) != bytes(broken)
    assert genuine > 1000 and checked == ICRCS, (genuine, checked)
    assert roce.Frame.parse(b"").error == roce.Frame.parse(bytes(60)).error
    for bad in (dict(opcode=0xFF), dict(network=3)):
        try:
            roce.Frame(**{"opcode": "RcAck", **bad}).build()
            raise AssertionError(bad)
        except ValueError:
            pass
    return genuine


def exchange(seed, forth, back, timeout=8):
    """WRITE, READ, SEND and atomics of two peers through faults; memory must be as expected."""
    rng = random.Random(seed)
    a = roce.Peer("10.0.0.1", mac=1, next_hop=2)
    b = roce.Peer("10.0.0.2", mac=2, next_hop=1)
    pair, other = a.queue_pair(psn=rng.randrange(1 << 24)), b.queue_pair(psn=rng.randrange(1 << 24))
    roce.connect(pair, other, path_mtu=256, timeout=timeout)
    judge = roce.Judge()
    link = roce.Link(a, b, (forth, back), judge)
    source = rng.randbytes(20000)
    a.memory[:20000] = source
    for _ in range(4):
        size, at = rng.randrange(1, 6000), rng.randrange(8000)
        other.receive(200000, 8000)
        count = len(pair.completions)
        pair.write(at, size, b.base + 100000 + at, b.key)
        pair.read(300000, size, b.base + 100000 + at, b.key)
        pair.fetch_add(400000, 3, b.base + 500000, b.key)
        pair.send(at, size)
        assert link.run(lambda: len(pair.completions) == count + 4), (seed, pair.completions)
        assert {one.status for one in pair.completions} == {0}, (seed, pair.completions)
        expected = source[at:at + size]
        assert b.memory[100000 + at:100000 + at + size] == expected
        assert a.memory[300000:300000 + size] == expected
        assert b.memory[200000:200000 + size] == expected
    assert int.from_bytes(b.memory[500000:500008], "little") == 12
    judge.check()
    for _, _, data in link.frames[:ICRCS // 4]:
        assert icrc_by_scapy(data) == data[-4:]
    return link


def peers():
    """Transfers through each fault, and that the faults occurred."""
    F = roce.Faults
    for seed, rules in enumerate(((roce.drop, {}), (roce.duplicate, {"after": 3}),
                                  (roce.reorder, {}), (roce.corrupt, {})), SEED):
        act, words = rules
        forth, back = (F(act(chance=0.05, **words), seed=seed + extra) for extra in (0, 100))
        exchange(seed, forth, back)
        assert forth.fired and back.fired, act
    third = F(roce.drop(opcode="RcWriteMiddle", nth=3))
    link = exchange(9, third, F())
    naks = [data for _, side, data in link.frames if side == 1 and roce.Frame.parse(data).is_nak]
    assert third.fired == 1 and len(naks) >= 1
    rejected_by_the_bench()


def rejected_by_the_bench():
    """A NAK in the responder's name ends the request; a congestion mark stays with a right ICRC."""
    a = roce.Peer("10.0.0.1", mac=1, next_hop=2)
    pair = a.queue_pair(psn=5)
    pair.connect("10.0.0.2", 77, 9)
    pair.write(0, 10, 0x1000, 0x1)
    request, = a.frames()
    marked, = roce.Faults(roce.mark()).apply(request)
    assert roce.Frame.parse(marked).traffic_class & 3 == 3 and not roce.Frame.parse(marked).error
    a.receive(roce.nak(request, pair.number, roce.faults.NAK_SEQUENCE + 2))
    list(a.frames())
    assert pair.completions[0].status == verbs.REM_ACCESS_ERR, pair.completions


def judged():
    """The judge finds a retransmission with other contents, and a gap is no finding."""
    judge = roce.Judge()
    fields = {"src_gid": "10.0.0.1", "dst_gid": "10.0.0.2", "dest_qp": 3, "psn": 8,
              "ack_req": True}
    for payload in (b"abcd", b"abce"):
        judge.take(roce.Frame("RcSendOnly", payload, **fields).build())
    assert [one.statement for one in judge.findings] == ["RQ-20"], judge.findings
    try:
        judge.check()
        raise RuntimeError("nothing was found")
    except AssertionError as found:
        assert "frame 2 breaks RQ-20" in str(found)


def conformance():
    """The model passes; what a Device does not have is not testable; its exceptions come out."""
    report = roce.ModelDevice().conform("" if ALL else QUICK_IDS)
    report.check()
    verdicts = report.verdicts()
    assert list(verdicts.values()).count("pass") >= (180 if ALL else 9), verdicts
    if ALL:
        print("\n".join(report.lines()))

    class Without(roce.ModelDevice):
        def request(self, operation, words, data):
            if operation == verbs.Op.REG_MR:
                raise roce.NotSupported("this adapter registers nothing")
            return super().request(operation, words, data)

    report = Without().conform("RQ-20")
    assert report.verdicts()["RQ-20"] == "not testable here", report.tests
    assert report.tests[0]["reason"] == "this adapter registers nothing"
    report = roce.conform(roce.Device(), roce.ModelDevice(), lambda: 0, lambda ns: None, "RQ-20")
    assert "no protection domains" in report.tests[0]["reason"], report.tests

    class Broken(roce.ModelDevice):
        def request(self, operation, words, data):
            if operation == verbs.Op.SEND:
                raise KeyError("a mistake of the bench")
            return super().request(operation, words, data)

    for device, ids, kind in ((Broken(), "RQ-20", KeyError), (roce.ModelDevice(), "XX-1", None)):
        try:
            report = device.conform(ids)
            assert kind is None and "no test cites" in report.lost, report.lost
        except KeyError as mistake:
            assert kind is KeyError and "a mistake of the bench" in str(mistake)


def bugs():
    """Each planted bug breaks the statements that are about it, and no others."""
    for name, (change, ids) in planted.BUGS.items():
        if not ALL and name not in QUICK_BUGS:
            continue
        report = roce.ModelDevice(change=change).conform("" if ALL else ids)
        broken = [one for one, verdict in report.verdicts().items() if verdict == "FAIL"]
        assert not report.lost and broken == ids.split(), (name, broken, report.lost)
        print(f"{name}: {ids}")


def main():
    print(f"seed {SEED}, cocotbext-roce {roce.version()}, {ctypes.sizeof(library.Packet)} bytes")
    for test in (structs, load_errors, frames, peers, judged, conformance, bugs):
        test()
        print(f"passed {test.__name__}")


if __name__ == "__main__":
    main()
