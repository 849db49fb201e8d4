# SPDX-License-Identifier: Apache-2.0
"""Properties of live faults that need more than the output of a program: the MSN of a NAK, which
of several processes a fault hits, numbers of messages, and packets as their receivers get them."""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port, listening  # noqa: E402
from testbench.tools.rocitest import check_pcap  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator  # noqa: E402

FIRST_PSN = 0x1000  # as the program `requests` sets it
BTH, AETH = 42, 54  # in a frame of Ethernet, IPv4 and UDP
ACK, SEND_ONLY = 0x11, 4
SECONDS = 60


def naks(capture):
    """(PSN, MSN) of each NAK of a PSN sequence error."""
    for frame in check_pcap.frames(capture):
        if len(frame) > AETH + 4 and frame[23] == 17 and frame[BTH] == ACK and frame[AETH] == 0x60:
            yield (int.from_bytes(frame[BTH + 9:BTH + 12], "big"),
                   int.from_bytes(frame[AETH + 1:AETH + 4], "big"))


def check_msn(roci, options, requests):
    """The MSN of a NAK counts the messages that the responder has completed (9.3.5)."""
    with tempfile.TemporaryDirectory() as folder:
        capture, script = pathlib.Path(folder) / "run.pcapng", pathlib.Path(folder) / "F.toml"
        wanted = []
        with Simulator(roci, "msn", [*options, "--pcap", str(capture)]) as simulator:
            # A message of 3000 bytes takes three PSNs, an atomic one; middle packets end none.
            for op, packets, offsets in (("send", 3, (0, 9, 10, 23)), ("write", 3, (2, 12, 21)),
                                         ("read", 3, (3, 21)), ("atomic", 1, (0, 4, 7))):
                script.write_text("".join(
                    "[[fault]]\naction = 'nak'\ncode = 'sequence'\nnode = 'n1'\n"
                    f"program = 'requests'\npsn_offset = {offset}\nopcode = 'request'\nnth = 1\n"
                    for offset in offsets))
                simulator.command("fault", "add", str(script))
                client, server = simulator.start_pair(f"{requests} -o {op}")
                status, text = simulator.finish(client, time.monotonic() + SECONDS)
                simulator.finish(server, time.monotonic() + SECONDS)
                assert status == 0, text
                simulator.command("fault", "clear")
                wanted += [(FIRST_PSN + offset, offset // packets) for offset in offsets]
            # A fault that is added in the middle of a connection.
            client, server = simulator.start_pair(f"{requests} -s 500 -n 600")
            simulator.line_with(client, "completion 20:")
            simulator.command("fault", "add", "action=nak", "code=sequence", "node=n1",
                              "opcode=send", "nth=5")
            status, text = simulator.finish(client, time.monotonic() + SECONDS)
            simulator.finish(server, time.monotonic() + SECONDS)
            assert status == 0, text[-500:]
            fault, = json.loads(simulator.command("fault", "list", "--json"))
            psn = fault["log"][0]["psn"]
            assert psn > FIRST_PSN + 20, psn
            wanted.append((psn, psn - FIRST_PSN))
        found = list(naks(capture))
        assert found == wanted, (found, wanted)


def check_processes(simulator, requests):
    """A fault is for the program or for the process that it names, and for no other."""
    with tempfile.TemporaryDirectory() as folder:
        second, held = pathlib.Path(folder) / "second", pathlib.Path(folder) / "held.sh"
        second.symlink_to(requests)
        held.write_text('read word; exec "$@"\n')
        fault = ("fault", "add", "action=nak", "code=access", "node=n1", "opcode=send")
        simulator.command(*fault, "program=second")
        outcomes(simulator, [simulator.start_pair(str(line)) for line in (requests, second)])
        ports = [free_port() for _ in range(2)]
        servers = [simulator.start("n0", f"{requests} -p {port}") for port in ports]
        clients = [simulator.start("n1", f"sh {held} {requests} -p {port} 127.0.0.1",
                                   stdin=subprocess.PIPE) for port in ports]
        simulator.command(*fault, f"process={clients[1].pid}")
        for client in clients:
            client.stdin.write("begin\n")
            client.stdin.flush()
        outcomes(simulator, list(zip(clients, servers)))


def outcomes(simulator, pairs):
    """The first client succeeds; all requests of the second end in error."""
    end = time.monotonic() + SECONDS
    texts = [simulator.finish(client, end)[1] for client, _ in pairs]
    for _, server in pairs:
        simulator.finish(server, end)
    assert "8 completions, 0 errors" in texts[0], texts[0]
    assert "completion 0: remote access error (10)" in texts[1], texts[1]
    assert "8 completions, 8 errors" in texts[1], texts[1]
    simulator.command("fault", "clear")


def check_numbers(simulator, requests):
    """A fault that is added in the middle of a connection learns the numbers of messages from the
    next ACK; one that stays counts the messages of the next connection anew."""
    client, server = simulator.start_pair(f"{requests} -s 1500 -n 400")
    simulator.line_with(client, "completion 20:")
    simulator.command("fault", "add", "action=nak", "code=access", "node=n1", "message=300")
    for _ in range(2):
        status, text = simulator.finish(client, time.monotonic() + SECONDS)
        simulator.finish(server, time.monotonic() + SECONDS)
        assert status == 1 and "completion 299: remote access error (10)" in text, text[-500:]
        client, server = simulator.start_pair(f"{requests} -s 1500 -n 310")
    for process in client, server:
        simulator.finish(process, time.monotonic() + SECONDS)
    simulator.command("fault", "clear")


class Relay:
    """Passes frames between two simulators by Unix sockets, and keeps those from the left."""

    def __init__(self, folder):
        self.paths = {side: (f"{folder}/{side}", f"{folder}/{side}-relay")
                      for side in ("left", "right")}
        self.sockets = {}
        for side, (_, path) in self.paths.items():
            self.sockets[side] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.sockets[side].bind(path)
        self.frames = []
        for side, other in ("left", "right"), ("right", "left"):
            threading.Thread(target=self.carry, args=(side, other), daemon=True).start()

    def carry(self, side, other):
        while True:
            frame = self.sockets[side].recv(1 << 16)
            if side == "left":
                self.frames.append(frame)
            try:
                self.sockets[other].sendto(frame, self.paths[other][0])
            except OSError:  # the simulator of that side is not up, or has ended
                pass

    def wire(self, side):
        return "--wire", "n0=dgram:{},{}".format(*self.paths[side])


def check_marks(roci, options):
    """What the receiver of a marked packet gets: CE in place of not-ECT, header checksum and ICRC
    right, by IPv4 and IPv6."""
    with tempfile.TemporaryDirectory() as folder:
        relay = Relay(folder)
        # Timers count a fiftieth of real time: the retries of a connection, 0.5 s, outlast a pause
        # of 25 s that the machine gives one of the two simulators.
        options = [*options, "--nodes", "1", "--pace", "0.02"]
        with Simulator(roci, "left", [*options, *relay.wire("left")]) as left, \
                Simulator(roci, "right", [*options, "--host", "2", *relay.wire("right")]) as right:
            left.command("fault", "add", "action=mark_ecn", "node=n0", "opcode=send", "every=2")
            for gid in 0, 1:
                port = free_port()
                line = f"ibv_rc_pingpong -d roci0 -g {gid} -n 20 -c -p {port}"
                server = right.start("n0", line)
                while not listening(port) and server.poll() is None:
                    time.sleep(0.02)
                status, text = left.run("n0", f"{line} 127.0.0.1")
                right.finish(server, time.monotonic() + SECONDS)
                assert status == 0, text
    seen = []  # version of IP and ECN field of each SEND, in the order of the link
    for frame in relay.frames:
        assert not check_pcap.complaints(frame), (check_pcap.complaints(frame), frame.hex())
        version = {b"\x08\x00": 4, b"\x86\xdd": 6}.get(frame[12:14])
        if version is None:
            continue
        opcode = frame[BTH if version == 4 else BTH + 20]
        ecn = frame[15] & 3 if version == 4 else frame[15] >> 4 & 3
        if opcode <= SEND_ONLY:
            seen.append((version, ecn))
        else:
            assert ecn == 0, frame.hex()
    # 20 messages of 4096 bytes in packets of 1024 each time.
    assert {version: sum(one == version for one, _ in seen) >= 80 for version in (4, 6)} == \
        {4: True, 6: True}, seen
    assert [ecn for _, ecn in seen] == [0, 3] * (len(seen) // 2), seen
