#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes with two adapters: names, addresses, traffic, connection manager, events and cables belong
to one adapter each; a program that stripes over both goes on when one cable is pulled.

usage: adapters.py ROCI VERBS_STRIPES [--engine E] [--width N]
"""
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port, listening  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

SECONDS = 120


def frames(simulator):
    """Frames that each adapter has sent, by name."""
    return {node["name"]: node["port"]["tx_frames"] for node in simulator.status()["nodes"]}


def senders(simulator, action):
    """Adapters that send during an action."""
    before = frames(simulator)
    action()
    return {name for name, count in frames(simulator).items() if count != before[name]}


def check_names(simulator, _):
    names = simulator.output("n1", "ls", "/sys/class/infiniband", "/sys/class/infiniband_verbs")
    for name in ("roci0", "roci1", "uverbs_roci0", "uverbs_roci1"):
        assert name in names.split(), names
    text = simulator.output("n1", "ibv_devinfo", "-v")
    for words in (("hca_id:\troci0", "hca_id:\troci1", "::ffff:10.0.0.2", "::ffff:10.0.1.2",
                   "fd00::2", "fd00:0:0:1::2", "5054:00ff:fe00:0002", "5054:00ff:fe00:0102")):
        assert words in text, (words, text)
    bus = simulator.output("n1", "readlink", "-f", "/sys/class/infiniband/roci1/device")
    assert bus.strip() == "/sys/devices/pci524f:00/524f:00:01.0", bus


def check_traffic(simulator, _):
    """Only the adapters that a program names have traffic."""
    def pair(device):
        port = free_port()
        line = f"ib_write_bw -F -n 20 -d {device} -p {port}"
        server = simulator.start("n0", line)
        processes.until(lambda: listening(port), "the server does not listen", SECONDS)
        results = [simulator.run("n1", line + " 127.0.0.1", SECONDS),
                   simulator.finish(server, time.monotonic() + SECONDS)]
        assert all(status == 0 for status, _ in results), results
    for device in ("roci0", "roci1"):
        used = senders(simulator, lambda name=device: pair(name))
        assert used == {f"n0/{device}", f"n1/{device}"}, used


def check_manager(simulator, _):
    """rdma_cm takes the adapter that is on the network of the address."""
    def pair(address):
        server = simulator.start_listener("n0", f"rping -s -a {address} -C 3", 7174)
        results = [simulator.run("n1", f"rping -c -a {address} -C 3", SECONDS),
                   simulator.finish(server, time.monotonic() + SECONDS)]
        assert all(status == 0 for status, _ in results), results
    for address, device in (("10.0.0.1", "roci0"), ("10.0.1.1", "roci1"),
                            ("fd00:0:0:1::1", "roci1")):
        used = senders(simulator, lambda to=address: pair(to))
        assert used == {f"n0/{device}", f"n1/{device}"}, (address, used)


def line_of(process, begin_with):
    """The next line that begins so; the end of the output is an error."""
    while True:
        line = process.stdout.readline()
        assert line, f"{process.args[-1]} ended before it printed '{begin_with}'"
        if line.startswith(begin_with):
            return line


def check_stripes(simulator, program):
    sides = [simulator.start(node, f"{program} {role}", stdin=-1)
             for node, role in (("n0", "server"), ("n1", "client"))]
    lines = [[line_of(side, "stripes: ") for _ in range(2)] for side in sides]
    for side, peers in zip(sides, reversed(lines)):
        side.stdin.write("".join(peers))
        side.stdin.flush()
    server, client = sides
    for side in sides:
        line_of(side, "connected")
    line_of(client, "running")
    assert "down" in simulator.command("link", "n1/roci1", "down")
    files = [f"/sys/class/infiniband/{name}/ports/1/state" for name in ("roci0", "roci1")]
    states = simulator.output("n1", "cat", *files).split("\n")[:2]
    assert states == ["4: ACTIVE", "1: DOWN"], states
    assert line_of(client, "lost") == "lost roci1\n"
    assert line_of(client, "roci0:") == "roci0:\n"
    events = line_of(client, "roci1:")
    assert events.startswith("roci1: port error"), events  # then that of its queue pair
    count = line_of(client, "wrote").split()[1]
    server.stdin.write(count + "\n")
    server.stdin.flush()
    assert line_of(server, "all stripes") and server.wait(SECONDS) == 0
    client.stdin.close()
    client.stdin = None
    assert client.wait(SECONDS) == 0
    simulator.command("link", "n1", "up")
    assert all(node["link"]["up"] for node in simulator.status()["nodes"])


def check_errors(simulator, _):
    for words, text in ((("link", "n1/roci2", "down"), "no node 'n1/roci2'"),
                        (("link", "n2", "down"), "no node 'n2'"),
                        (("exec", "n0/roci1", "--", "true"), "sees all of its adapters")):
        try:
            simulator.command(words[0], *words[1:])
        except AssertionError as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"{words} succeeds")


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("stripes")
    args, options = begin(parser)
    stripes = os.path.abspath(args.stripes)
    with Simulator(args.roci, "adapters", [*options, "--adapters", 2]) as simulator:
        before = simulator.holdings()
        for check in (check_names, check_errors, check_traffic, check_manager, check_stripes):
            start = time.monotonic()
            check(simulator, stripes)
            print(f"ok {check.__name__}, {time.monotonic() - start:.1f} s", flush=True)
        processes.until(lambda: simulator.holdings() == before, "something is left", SECONDS)


if __name__ == "__main__":
    sys.exit(main())
