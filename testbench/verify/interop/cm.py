# SPDX-License-Identifier: Apache-2.0
"""Scenarios with Debian's programs of rdma_cm on both ends, which meet by the connection manager
alone: ours, and that of the guest's kernel."""
import contextlib
import json
import time

from testbench.verify.interop.programs import Failed, forget
from testbench.verify.interop.stock import (InteropSimulator, check_neighbours, end, guest_end)

FIRST_PORT = 7200
FIXED_PORT = 7174  # udaddy takes no other one
ADDRESSES = {4: ("10.0.0.1", "10.0.0.2"), 6: ("fd00::1", "fd00::2")}  # ours, the guest's
# With loss a program fails now and then on any adapter: it destroys its queue pair with the last
# message, and nobody is left to acknowledge the retransmission of that message.
LOSSY_RUNS = 3
# Perftest connects twice. Its client waits for a fixed time before the second connection, which a
# slow server does not listen for yet: it is rejected, by REJ or by SIDR_REP.
TOO_EARLY = ("RDMA_CM_EVENT_REJECTED; error: 8", "RDMA_CM_EVENT_UNREACHABLE; error: 1")
EARLY_RUNS = 5


def guest_server(guest, line, port, seconds):
    """Starts a program in the guest, and returns when it listens by rdma_cm."""
    guest.check(f"""
rm -f /tmp/stock.status
({line} >/tmp/stock.out 2>&1; echo $? >/tmp/stock.status) &
i=0
until rdma resource show cm_id | grep -q 'LISTEN.*src-addr [^ ]*:{port} '; do
  [ -f /tmp/stock.status ] && cat /tmp/stock.out && exit 1
  i=$((i + 1)); [ $i -gt {10 * seconds} ] && rdma resource show cm_id && exit 1
  usleep 100000
done""", seconds + 20)


def free_guest(guest, seconds):
    """Waits until the guest holds no identifier and no queue pair of a program."""
    guest.check(f"""
i=0
until ! rdma resource show qp | grep -q 'pid ' && ! rdma resource show cm_id | grep -q 'pid '; do
  i=$((i + 1)); [ $i -gt {10 * seconds} ] && rdma resource show qp && exit 1
  usleep 100000
done""", seconds + 20)


class Pair:
    """One line of a scenario, with the roles of this run."""

    def __init__(self, runner, scenario, role, line, port):
        self.guest, self.seconds = runner.guest, scenario["seconds"]
        self.role, self.port = role, port if "{port}" in line else FIXED_PORT
        server = ADDRESSES[scenario["family"]][role == "client"]
        self.server, self.client = (
            part.strip().format(server=server, port=port) for part in line.split("|"))

    def run(self, simulator, log, title):
        """Raises Failed unless both programs end with 0."""
        for _ in range(EARLY_RUNS):
            ours, theirs, text = self.run_once(simulator, log, title)
            if not (self.client.startswith("ib_") and any(early in text for early in TOO_EARLY)):
                break
        if ours or theirs:
            raise Failed(f"{title}: our {self.role} ends with {ours}, the guest's side with "
                         f"{theirs}; see cm.log")
        free_guest(self.guest, 20)

    def run_once(self, simulator, log, title):
        """Exit status of our end and of the guest's, and what the client printed."""
        began = time.monotonic()
        if self.role == "client":
            guest_server(self.guest, self.server, self.port, self.seconds)
            process = simulator.start("n0", self.client)
            text = end(process, self.seconds)
            status, output = guest_end(self.guest, 3 if process.returncode else 20)
            if status:
                self.guest.run(f"kill -9 $(pidof {self.server.split()[0]})")
        else:
            process = simulator.start_listener("n0", self.server, self.port)
            status, output = self.guest.run(f"timeout {self.seconds} {self.client}",
                                            self.seconds + 20)
            text = end(process, 20)
        printed = text if self.role == "client" else output
        log.write(f"== {title}: {time.monotonic() - began:.1f} s\n"
                  f"-- ours: {process.returncode}\n{text}-- the guest's: {status}\n{output}")
        return process.returncode, status, printed


def lose(simulator, message):
    """The first message of its kind is lost."""
    simulator.command("fault", "add", "action=drop", f"cm={message}", "nth=1")


# A program that has sent its DREQ may end before the retransmission, and in Linux that ends it too.
REPEATED = ["REQ", "REP", "RTU", "SIDR_REQ", "SIDR_REP"]


def check_lost(simulator, message, title):
    """The fault hit a message, and its sender repeated that one."""
    faults = json.loads(simulator.command("fault", "list", "--json"))
    simulator.command("fault", "clear")
    least = 2 if message in REPEATED else 1
    if [fault["fired"] for fault in faults] != [1] or faults[0]["matched"] < least:
        raise Failed(f"{title}: {faults}")


def check_rest(simulator):
    """Our connection manager holds no identifier, and dropped nothing of what Linux sent."""
    limit = time.monotonic() + 30
    while True:
        manager = simulator.status()["nodes"][0]["connection_manager"]
        left = {key: manager[key] for key in ("channels", "identifiers", "malformed", "dropped")}
        if not any(left.values()):
            return
        if time.monotonic() > limit:
            raise Failed(f"left in our connection manager: {left}")
        time.sleep(0.2)


def run(runner, scenario, role, folder):
    """Runs all lines of a scenario in order; returns the capture."""
    if scenario.get("neighbours"):
        forget(runner.guest)
    runs = LOSSY_RUNS if "loss" in scenario else 1
    port = FIRST_PORT
    with InteropSimulator(runner.options.roci, runner.wire, folder, scenario) as simulator, \
            open(folder / "cm.log", "w", buffering=1) as log:
        for message in scenario.get("lost", [None]):
            for line in scenario["cm"]:
                for attempt in range(1, runs + 1):
                    port += 1
                    pair = Pair(runner, scenario, role, line, port)
                    title = f"{pair.client}" + (f", {message} lost" if message else "")
                    if message:
                        lose(simulator, message)
                    with contextlib.ExitStack() as stack:
                        if attempt < runs:
                            stack.enter_context(contextlib.suppress(Failed))
                        pair.run(simulator, log, title)
                        break
                if message:
                    check_lost(simulator, message, title)
        check_rest(simulator)
    if scenario.get("neighbours"):  # the client resolves first
        check_neighbours(simulator.pcap, "server" if role == "client" else "client",
                         scenario["family"])
    return simulator.pcap
