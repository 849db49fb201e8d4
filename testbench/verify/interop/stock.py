# SPDX-License-Identifier: Apache-2.0
"""Scenarios in which Debian's own verbs programs run on both ends: `roci exec` here, Soft-RoCE
there."""
import contextlib
import json
import re
import subprocess
import time

from python.roci.program import listening
from testbench.tools.rocitest import check_pcap
from testbench.tools.rocitest.simulator import Simulator
from testbench.verify.interop.programs import TAP, Failed, forget, give_addresses

GUEST_PORT = 18515  # port of the guest's servers, forwarded to the guest
OUR_GIDS = {4: 0, 6: 1}
LINK = ["loss", "duplicate", "reorder", "seed", "width", "engine"]


class InteropSimulator(Simulator):
    """A simulator in the background whose node n0 is linked to the guest."""

    ERROR = Failed

    def __init__(self, roci, wire, folder, scenario):
        self.pcap = folder / "wire.pcapng"
        self.pcap.unlink(missing_ok=True)
        self.netdev = bool(scenario.get("netdev"))
        words = ["--nodes", scenario.get("nodes", 1), "--wire", f"n0=dgram:{wire[0]},{wire[1]}",
                 "--pcap", self.pcap, "--pace", scenario.get("pace", 1)]
        for key in LINK:
            if key in scenario:
                words += ["--" + key, scenario[key]]
        if self.netdev:
            words += ["--netdev", f"n0={TAP}"]
        super().__init__(roci, "interop", words)

    def __enter__(self):
        super().__enter__()
        if self.netdev:
            give_addresses()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Failed, subprocess.TimeoutExpired):
            super().__exit__()


def gid_index(guest, family):
    """Index of the guest's address among the GIDs of its port."""
    table = guest.check("grep . /sys/class/infiniband/rxe0/ports/1/gids/* 2>/dev/null; true")
    wanted = ("0000:0000:0000:0000:0000:ffff:0a00:0002" if family == 4
              else "fd00:0000:0000:0000:0000:0000:0000:0002")
    for line in table.splitlines():
        found = re.search(r"/(\d+):(\S+)$", line)
        if found and found.group(2) == wanted:
            return int(found.group(1))
    raise Failed(f"the guest has no GID {wanted}: {table}")


def command_line(line, device, index, port, server=""):
    """Returns the command line of one side of a scenario."""
    gid = "-g" if line.startswith("ibv_") else "-x"
    return f"{line} -d {device} {gid} {index} -p {port} {server}".strip()


def guest_server(guest, line, seconds):
    """Starts a program in the guest, and returns when it listens."""
    guest.check(f"""
rm -f /tmp/stock.status
({line} >/tmp/stock.out 2>&1; echo $? >/tmp/stock.status) &
i=0
until grep -qi ':{GUEST_PORT:04x} .* 0A ' /proc/net/tcp /proc/net/tcp6; do
  [ -f /tmp/stock.status ] && cat /tmp/stock.out && exit 1
  i=$((i + 1)); [ $i -gt {10 * seconds} ] && echo 'does not listen' && exit 1
  usleep 100000
done""", seconds + 20)


def guest_end(guest, seconds):
    """Returns exit status and output of the program that guest_server() started."""
    text = guest.check(f"""
i=0
until [ -s /tmp/stock.status ]; do
  i=$((i + 1)); [ $i -gt {10 * seconds} ] && break
  usleep 100000
done
cat /tmp/stock.status 2>/dev/null || echo {TIMED_OUT}
cat /tmp/stock.out""", seconds + 20)
    status, _, output = text.partition("\n")
    return int(status), output


def end(process, seconds):
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0] + f"\n(stopped after {seconds} s)"


# perftest measures the frequency of the cycle counter and ends with 1 when it cannot, which happens
# in a guest whose host is busy.
NO_REPORT = "Can't produce a report"
MOST_RUNS = 3
TIMED_OUT = 124


def pair(guest, simulator, line, role, family, seconds, log):
    """Runs one line on both ends; `role` is ours. Raises Failed."""
    for _ in range(MOST_RUNS):
        ours, text, theirs, output = pair_once(guest, simulator, line, role, family, seconds, log)
        if not lost_last_acknowledge(guest, line, role, ours, theirs) and \
                NO_REPORT not in text + output:
            break
    if ours or theirs:
        raise Failed(f"{line}: our {role} ends with {ours}, the guest's side with {theirs}; see "
                     "stock.log")


def lost_last_acknowledge(guest, line, role, ours, theirs):
    """Whether our client succeeded while the guest's server still waits; that one is ended then.
    Our program destroys its queue pair when the last message is there. A guest that is slow has
    begun to retransmit by then and may drop the acknowledge of it, and Soft-RoCE repeats without
    end, since it takes seven retries for infinitely many."""
    if role != "client" or ours != 0 or theirs != TIMED_OUT:
        return False
    guest.check(f"kill -9 $(pidof {line.split()[0]}); true")
    return True


def pair_once(guest, simulator, line, role, family, seconds, log):
    """Exit status and output of our end, and of the guest's. Raises Failed."""
    began = time.monotonic()
    theirs, ours = gid_index(guest, family), OUR_GIDS[family]
    if role == "client":
        guest_server(guest, command_line(line, "rxe0", theirs, GUEST_PORT), seconds)
        port = guest.ports[GUEST_PORT]
        process = simulator.start("n0", command_line(line, "roci0", ours, port, "127.0.0.1"))
        text = end(process, seconds)
        status, output = guest_end(guest, 20)
    else:
        process = simulator.start("n0", command_line(line, "roci0", ours, GUEST_PORT))
        limit = time.monotonic() + seconds
        while not listening(GUEST_PORT):
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                raise Failed(f"{line}: our server: {process.stdout.read()}")
            time.sleep(0.02)
        status, output = guest.run(
            f"timeout {seconds} " + command_line(line, "rxe0", theirs, GUEST_PORT, "10.0.2.2"),
            seconds + 20)
        text = end(process, 20)
    log.write(f"== {line}: {time.monotonic() - began:.1f} s\n-- ours: {process.returncode}\n{text}"
              f"-- the guest's: {status}\n{output}")
    return process.returncode, text, status, output


def check_neighbours(pcap, role, family):
    """A server resolves first, since it knows its peer first: one of the two sides requested the
        other's address and got a reply."""
    requests, replies = ("arp.opcode == 1", "arp.opcode == 2") if family == 4 else \
        ("icmpv6.type == 135", "icmpv6.type == 136")
    ours, theirs = "frame.interface_id == 0", "frame.interface_id == 1"
    requesting, replying = (ours, theirs) if role == "server" else (theirs, ours)
    for condition in (f"{requesting} && {requests}", f"{replying} && {replies}"):
        if not check_pcap.count(pcap, condition):
            raise Failed(f"{pcap}: no frame with {condition}")


def run(runner, scenario, role, folder):
    """Runs all lines of a scenario in order; returns the capture."""
    if scenario.get("neighbours"):
        forget(runner.guest)
    with InteropSimulator(runner.options.roci, runner.wire, folder, scenario) as simulator:
        with open(folder / "stock.log", "w", buffering=1) as log:
            for line in scenario["stock"]:
                pair(runner.guest, simulator, line, role, scenario["family"], scenario["seconds"],
                     log)
        (folder / "status.json").write_text(json.dumps(simulator.status(), indent=1) + "\n")
    if scenario.get("neighbours"):
        check_neighbours(simulator.pcap, role, scenario["family"])
    return simulator.pcap
