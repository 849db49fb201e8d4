#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Descriptors of rdma_cm channels: dup, fork, and identifiers that move to another channel.

usage: rdmacm_channels.py ROCI [--engine E] [--width N] [UP OPTIONS...]
       rdmacm_channels.py --program NAME PORT        one program, on a node

Each program of n0 meets the client on n1; both must end with exit status 0, and nothing may be
left.
"""
import itertools
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rdmacm_library import Channels, accept, call, connect  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

SECONDS = 60
PAIRS = 300  # identifiers that each process makes while the other does the same


def say(text):
    print(text, flush=True)


def close(channels, *ids):
    for identifier in ids:
        call("rdma_destroy_id", identifier)
    channels.destroy()


def client(port):
    """Connects, waits until the server disconnects, and ends."""
    channels = Channels()
    identifier = channels.resolve("10.0.0.1", port)
    channels.route(identifier)
    connect(identifier)
    channels.event("CONNECT_RESPONSE")
    call("rdma_establish", identifier)
    channels.event("DISCONNECTED")
    call("rdma_disconnect", identifier)
    close(channels, identifier)


def serve(channels, identifier):
    accept(identifier)
    channels.event("ESTABLISHED")
    call("rdma_disconnect", identifier)
    channels.event("DISCONNECTED")


def dup(port):
    """The descriptor that the library made is closed; a copy of it stays."""
    channels = Channels()
    listener = channels.listen(port)
    say("listening")
    first = channels.fd
    channels.channel.contents.fd = os.dup(first)
    os.close(first)
    identifier = channels.event("CONNECT_REQUEST")[1]
    serve(channels, identifier)
    close(channels, identifier, listener)


def fork(port):
    """A child accepts and disconnects; its end leaves the channel to its parent."""
    channels = Channels()
    listener = channels.listen(port)
    say("listening")
    identifier = channels.event("CONNECT_REQUEST")[1]
    child = os.fork()
    if child == 0:
        accept(identifier)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    channels.event("ESTABLISHED")
    call("rdma_disconnect", identifier)
    channels.event("DISCONNECTED")
    close(channels, identifier, listener)


def both(port):
    """Parent and child use a channel at the same time; a second child is killed meanwhile."""
    channels = Channels()
    listener = channels.listen(port)

    def make():
        for _ in range(PAIRS):
            identifier = channels.create()
            call("rdma_bind_addr", identifier, b"\2\0" + bytes(14))
            call("rdma_destroy_id", identifier)
    child = os.fork()
    if child == 0:
        make()
        os._exit(0)
    victim = os.fork()
    if victim == 0:
        while True:
            make()
    make()
    assert os.waitpid(child, 0)[1] == 0
    os.kill(victim, 9)
    os.waitpid(victim, 0)
    make()
    say("listening")
    identifier = channels.event("CONNECT_REQUEST")[1]
    serve(channels, identifier)
    close(channels, identifier, listener)


def migrate(port):
    """A connection moves to a channel of its own; that of its listener is closed."""
    channels, others = Channels(), Channels()
    listener = channels.listen(port)
    say("listening")
    identifier = channels.event("CONNECT_REQUEST")[1]
    accept(identifier)
    time.sleep(1)  # ESTABLISHED waits in the channel, and moves too
    call("rdma_migrate_id", identifier, others.channel)
    close(channels, listener)
    others.event("ESTABLISHED")
    call("rdma_disconnect", identifier)
    others.event("DISCONNECTED")
    close(others, identifier)


def listen(port):
    """Rejects, accepts and ignores requests in turn, until it is stopped."""
    channels = Channels()
    channels.listen(port)
    say("listening")
    for turn in itertools.count():
        name, identifier, _ = channels.event(seconds=None)
        if name != "CONNECT_REQUEST":
            call("rdma_destroy_id", identifier)
        elif turn % 3 == 0:
            call("rdma_reject", identifier, None, 0)
            call("rdma_destroy_id", identifier)
        elif turn % 3 == 1:
            accept(identifier)


PROGRAMS = {"listen": listen, "client": client, "dup": dup, "fork": fork, "both": both,
            "migrate": migrate}


def managers(simulator):
    nodes = [node["connection_manager"] for node in simulator.status()["nodes"]]
    return [node[key] for node in nodes for key in ("channels", "identifiers", "connections")]


def run(simulator, name, port):
    line = f"{sys.executable} {__file__} --program"
    server = simulator.start("n0", f"{line} {name} {port}")
    assert simulator.first_line(server, SECONDS).strip() == "listening", server.communicate()[0]
    ends = [simulator.run("n1", f"{line} client {port}", SECONDS),
            Simulator.finish(server, time.monotonic() + SECONDS)]
    assert [status for status, _ in ends] == [0, 0], f"{name}: {ends}"
    processes.until(lambda: not any(managers(simulator)), f"left: {managers(simulator)}", SECONDS)
    print(f"{name}: ok", flush=True)


def main():
    args, options = begin(argument_parser(__doc__))
    processes.need("rping", "rdmacm-utils")
    with Simulator(args.roci, "rdmacm-channels", options) as simulator:
        before = simulator.holdings()
        for port, name in enumerate(("dup", "fork", "both", "migrate"), 7501):
            run(simulator, name, port)
        processes.until(lambda: simulator.holdings() == before,
                        f"left: {simulator.holdings()}, before {before}", SECONDS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        PROGRAMS[sys.argv[2]](int(sys.argv[3]))
    else:
        sys.exit(main())
