#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile datagrams to the connection manager of a node and to a UD queue pair of a program, beside
a connection that must not notice.

usage: rdmacm_hostile.py ROCI [--engine E] [--width N] [--datagrams N] [--seed N] [UP OPTIONS...]

The datagrams enter by the external port of n0: random bytes, captured messages of Soft-RoCE with
changed bytes, requests for services with and without a listener, from unknown hosts and in the name
of n1; and frames that are no datagrams of QP1. A quarter goes to the queue pair of an
ibv_ud_pingpong instead, with other Q_Keys, other opcodes or a wrong ICRC. They do not have the GUID
of n1: a REQ with address, GUID and queue pair of a peer ends its connection as stale, as the
specification demands. The witness is a connection of rping between n0 and n1, and new connections
beside it. At the end each datagram to QP1 is in a counter, the ibv_ud_pingpong, stopped meanwhile,
goes on, and nothing is left.
"""
import json
import pathlib
import random
import select
import signal
import socket
import struct
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port, listening  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.roce import checksum, with_icrc  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, begin, seeded_parser  # noqa: E402

PROGRAMS = pathlib.Path(__file__).with_name("rdmacm_channels.py")
CAPTURES = ROOT / "model/packet/testdata/captures"
SECONDS = 120
QKEY, PORT, WITNESS_PORT = 0x80010000, 7401, 7400
NODE_MAC, OUTSIDE_MAC = bytes.fromhex("525400000001"), bytes.fromhex("525400000099")
SOURCES = ["10.0.0.2", "10.0.0.9", "10.0.0.200"]
DATAGRAM, HEADER = 256, 24
UD_SEND, UD_QKEY = 0x64, 0x11111111  # the opcode; the Q_Key of ibv_ud_pingpong
UD = "ibv_ud_pingpong -e -g 0"
REQ, SERVICE, GUID = 0x10, HEADER + 8, HEADER + 16  # attribute; places in a REQ


def captured():
    """Payload of each datagram to QP1 in the captures."""
    found = []
    for name in ("cm_rping", "cm_reject", "cm_udaddy", "cm_ucmatose"):
        data, at = (CAPTURES / f"{name}.pcap").read_bytes(), 24
        while at < len(data):
            size, = struct.unpack_from("<I", data, at + 8)
            frame = data[at + 16:at + 16 + size]
            at += 16 + size
            if size == 322 and frame[42] == 0x64 and frame[47:50] == b"\0\0\1":
                found.append(frame[62:62 + DATAGRAM])
    return found


def frame_of(source, payload, qpn=1, qkey=QKEY, wrong=False, opcode=UD_SEND):
    """A datagram over IPv4; with `wrong`, a bit of its ICRC is."""
    pad = -len(payload) % 4
    bth = struct.pack("!BBHII", opcode, pad << 4, 0xFFFF, qpn, random.randrange(1 << 24))
    body = bth + struct.pack("!II", qkey, 1) + payload + bytes(pad)
    udp = struct.pack("!HHHH", 0xC000 | random.randrange(1 << 14), 4791, 8 + len(body) + 4, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + 8 + len(body) + 4, random.randrange(1 << 16),
                     0x4000, 64, 17, 0, socket.inet_aton(source), socket.inet_aton("10.0.0.1"))
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    frame = bytearray(with_icrc(NODE_MAC + OUTSIDE_MAC + b"\x08\x00" + ip + udp + body + bytes(4)))
    frame[-4] ^= wrong
    return bytes(frame)


class Attack:
    def __init__(self, victim):
        self.victim = victim
        self.messages = captured()
        self.requests = [m for m in self.messages if m[17] == REQ]
        self.counted = 0  # datagrams that the connection manager must count

    def message(self):
        """Not for the service of the witness: rping takes a second request for its first."""
        message = bytearray(self.any_message())
        if message[SERVICE + 6:SERVICE + 8] == WITNESS_PORT.to_bytes(2, "big"):
            message[SERVICE + 6] ^= 0x80
        return bytes(message)

    def any_message(self):
        kind = random.random()
        if kind < 0.1:
            return random.randbytes(DATAGRAM)
        if kind < 0.2:  # a message with random contents
            return struct.pack("!BBBBHHQHHI", 1, 7, 2, 3, 0, 0, random.getrandbits(64),
                               random.randrange(0x0F, 0x1C), 0, 0) + random.randbytes(232)
        message = bytearray(random.choice(self.messages if kind < 0.7 else self.requests))
        struct.pack_into("!Q", message, 8, random.getrandbits(64))
        if kind > 0.99:  # a request that the listener gets
            message[GUID:GUID + 8] = random.randbytes(8)
            struct.pack_into("!Q", message, SERVICE, 0x01060000 | PORT)
            message[HEADER:HEADER + 4] = random.randbytes(4)
            message[HEADER + 33:HEADER + 35] = random.randbytes(2)  # queue pair
            return bytes(message)
        for _ in range(random.choice([0, 1, 1, 2, 8])):
            message[random.randrange(DATAGRAM)] = random.randrange(256)
        if message[17] == REQ:
            message[GUID:GUID + 8] = random.randbytes(8)
        message[HEADER:HEADER + 8] = random.randbytes(8)  # IDs
        return bytes(message)

    def datagram(self, source):
        """For the UD queue pair, which must not receive it."""
        payload, kind = random.randbytes(random.randrange(1025)), random.randrange(3)
        if kind == 0:
            return frame_of(source, payload, self.victim, random.getrandbits(32) & ~UD_QKEY)
        if kind == 1:
            return frame_of(source, payload, self.victim, UD_QKEY, wrong=True)
        opcode = random.choice([n for n in range(256) if n & ~1 != UD_SEND])
        return frame_of(source, payload, self.victim, UD_QKEY, opcode=opcode)

    def frame(self):
        source, kind = random.choice(SOURCES), random.random()
        if random.randrange(4) == 0:
            return self.datagram(source)
        if kind < 0.02:
            return frame_of(source, self.message(), wrong=True)
        if kind < 0.04:
            return frame_of(source, self.message(), qpn=random.randrange(2, 1 << 24))
        if kind < 0.06:
            return frame_of(source, random.randbytes(random.randrange(0, 1024) & ~255 | 7))
        self.counted += 1
        if kind < 0.08:
            return frame_of(source, self.message(), qkey=random.getrandbits(32) | 1)
        return frame_of(source, self.message())


def drain(wire):
    try:
        while True:
            wire.recv(16384)
    except BlockingIOError:
        pass


def counts(simulator, node=0):
    return simulator.status()["nodes"][node]["connection_manager"]


def connection(simulator, port):
    server = simulator.start_listener("n0", f"rping -s -a 10.0.0.1 -p {port} -C 3", port)
    ends = [simulator.run("n1", f"rping -c -a 10.0.0.1 -p {port} -C 3", SECONDS),
            Simulator.finish(server, time.monotonic() + SECONDS)]
    assert [status for status, _ in ends] == [0, 0], f"a new connection: {ends}"


def put(wire, frame):
    """The simulator takes frames as fast as it can."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        drain(wire)
        try:
            wire.send(frame)
            return
        except BlockingIOError:
            select.select([], [wire], [], 1)
    raise AssertionError("the simulator takes no frames")


class Datagrams:
    """An ibv_ud_pingpong without end on the two nodes, which can be stopped."""

    def __init__(self, simulator):
        self.simulator = simulator
        port = free_port()
        self.server = simulator.start("n0", f"{UD} -n 100000000 -p {port}")
        processes.until(lambda: listening(port), "no server of ibv_ud_pingpong", SECONDS)
        self.client = simulator.start("n1", f"{UD} -n 100000000 -p {port} 127.0.0.1")
        processes.until(self.sent, "no datagrams", SECONDS)
        self.number, self.seen = self.queue_pair()["number"], 0

    def queue_pair(self):
        """The server's; {}: there is none."""
        nodes = json.loads(self.simulator.command("status", "--json", "--queue-pairs"))["nodes"]
        own = [pair for pair in nodes[0]["queue_pairs"] if pair["pid"] == self.server.pid]
        return own[0] if own else {}

    def sent(self):
        return self.queue_pair().get("counters", {}).get("tx_packets", 0)

    def stop(self):
        self.client.send_signal(signal.SIGSTOP)
        self.seen = -1
        while self.seen != self.sent():
            self.seen = self.sent()
            time.sleep(0.1)

    def go_on(self):
        """The server has received nothing meanwhile, and does so now."""
        assert self.sent() == self.seen, f"the UD queue pair has received: {self.queue_pair()}"
        self.client.send_signal(signal.SIGCONT)
        processes.until(lambda: self.sent() > self.seen + 10,
                        f"UD stands still: {self.queue_pair()}", SECONDS)

    def end(self):
        for process in (self.client, self.server):
            process.kill()
            process.communicate()


def attack(simulator, wire, number, victim):
    """Sends the datagrams; returns how many the connection manager must have counted."""
    hostile, sent = Attack(victim), 0
    while sent < number:
        put(wire, hostile.frame())
        sent += 1
        if sent % (number // 4) == 0:
            print(f"{sent} sent, {counts(simulator)}", flush=True)
    return hostile.counted


def run(simulator, folder, number):
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    wire.setblocking(False)
    wire.bind(f"{folder}/outside")
    wire.connect(f"{folder}/inside")
    before = simulator.holdings()
    listener = simulator.start_listener(
        "n0", f"{sys.executable} {PROGRAMS} --program listen {PORT}", PORT)
    server = simulator.start_listener("n0", f"rping -s -a 10.0.0.1 -p {WITNESS_PORT}",
                                      WITNESS_PORT)
    witness = simulator.start("n1", f"rping -c -v -V -a 10.0.0.1 -p {WITNESS_PORT}",
                              stdout=-3, stderr=-1)
    processes.until(lambda: counts(simulator)["received"] == 2, "no REQ and RTU of the witness",
                    SECONDS)
    datagrams = Datagrams(simulator)
    datagrams.stop()
    first, replies = counts(simulator), counts(simulator, 1)["sent"]
    wanted = attack(simulator, wire, number, datagrams.number)

    def received():
        drain(wire)
        status = [node["connection_manager"] for node in simulator.status()["nodes"]]
        # n1 rejects what n0 sends it in response to messages in its name.
        return (sum(status[0][key] - first[key] for key in ("received", "dropped")) -
                (status[1]["sent"] - replies))
    try:
        processes.until(lambda: received() == wanted, "", SECONDS)
    except AssertionError:
        raise AssertionError(f"{received()} counted of {wanted}") from None
    for process in (witness, server, listener):
        assert process.poll() is None, f"{process.args[-1]} has ended: {process.communicate()}"
    violations = simulator.status()["nodes"][0]["port"]["qkey_violations"]
    assert violations > number // 24, f"{violations} wrong Q_Keys counted"
    datagrams.go_on()
    datagrams.end()
    frames = [node["port"]["tx_frames"] for node in simulator.status()["nodes"]]
    processes.until(lambda: all(now["port"]["tx_frames"] > was for now, was in
                                zip(simulator.status()["nodes"], frames)),
                    "the witness transfers nothing", SECONDS)
    connection(simulator, WITNESS_PORT + 9)
    for process in (witness, server, listener):
        process.terminate()
        process.communicate()
    print(f"{number} sent, {wanted} for QP1: {counts(simulator)}", flush=True)

    def left():
        drain(wire)
        nodes = [node["connection_manager"] for node in simulator.status()["nodes"]]
        return [node[key] for node in nodes for key in ("channels", "identifiers", "connections")]
    processes.until(lambda: not any(left()), f"left: {left()}", SECONDS)
    processes.until(lambda: simulator.holdings() == before,
                    f"left: {simulator.holdings()}, before {before}", SECONDS)


def main():
    parser = seeded_parser(__doc__)
    parser.add_argument("--datagrams", type=int, default=100_000)
    args, options = begin(parser)
    processes.need("rping", "rdmacm-utils")
    with tempfile.TemporaryDirectory(prefix="roci-cm-") as folder:
        wire = ["--wire", f"n0=dgram:{folder}/inside,{folder}/outside"]
        with Simulator(args.roci, "rdmacm-hostile", [*wire, *options]) as simulator:
            run(simulator, folder, args.datagrams)


if __name__ == "__main__":
    sys.exit(main())
