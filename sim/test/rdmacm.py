#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's programs of rdma_cm on two nodes: server on n0, client on n1, no TCP between them.

usage: rdmacm.py ROCI [--engine E] [--width N] [--only TEXT] [--attempts N] [UP OPTIONS...]

Both sides of a pair must end with exit status 0. Then nothing may be held that was not before.

With packet loss a pair can fail on any adapter: these programs destroy their queue pair as soon as
the last message has arrived, and when its acknowledgement was lost, nobody is left to acknowledge
the retransmission (RETRY_EXC_ERR at the peer). --attempts repeats such a pair.
"""
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

# Server on n0, client on n1; {port} is another for each pair.
PAIRS = [
    ("rping -s -a 10.0.0.1 -p {port} -C 10", "rping -c -a 10.0.0.1 -p {port} -C 10"),
    ("rping -s -a 10.0.0.1 -p {port} -C 3 -V -S 60000",
     "rping -c -a 10.0.0.1 -p {port} -C 3 -V -S 60000"),
    ("rping -s -a fd00::1 -p {port} -C 3", "rping -c -a fd00::1 -p {port} -C 3"),
    ("ucmatose -p {port} -c 4 -C 5 -S 1000", "ucmatose -s 10.0.0.1 -p {port} -c 4 -C 5 -S 1000"),
    ("rdma_server -p {port}", "rdma_client -s 10.0.0.1 -p {port}"),
    ("rstream -S 4096 -C 10 -p {port}", "rstream -s 10.0.0.1 -S 4096 -C 10 -p {port}"),
    ("riostream -S 4096 -C 10 -p {port}", "riostream -s 10.0.0.1 -S 4096 -C 10 -p {port}"),
    ("ib_write_bw -R -n 50 -p {port}", "ib_write_bw -R -n 50 -p {port} 10.0.0.1"),
    ("ib_read_lat -R -n 50 -p {port}", "ib_read_lat -R -n 50 -p {port} 10.0.0.1"),
]
# Datagram services; what is lost stays lost.
DATAGRAMS = [
    ("udaddy -c 4 -C 5 -S 1000", "udaddy -s 10.0.0.1 -c 4 -C 5 -S 1000"),
    ("udaddy -b 10.0.0.1 -C 100", "udaddy -s 10.0.0.1 -C 100"),
    ("ib_send_bw -c UD -R -n 50 -p {port}", "ib_send_bw -c UD -R -n 50 -p {port} 10.0.0.1"),
]
# Perftest connects twice. Its client waits for a fixed time before the second connection, which its
# server may not listen for yet on a busy machine: nobody listens, by REJ or by SIDR_REP.
TOO_EARLY = ("RDMA_CM_EVENT_REJECTED; error: 8", "RDMA_CM_EVENT_UNREACHABLE; error: 1")
# Perftest compares the processor's clock with the time of day, and gives up when the two do not go
# together on a busy machine.
NO_CLOCK = "Can't produce a report"
SECONDS = 60
DEFAULT_PORT = 7174  # Udaddy takes no other one in Debian 12.
CONNECTIONS = 50


def run_pair(simulator, lines, port):
    start = time.monotonic()
    line = lines[0].format(port=port)
    server = simulator.start_listener("n0", line, port if "{port}" in lines[0] else DEFAULT_PORT)
    client = simulator.start("n1", lines[1].format(port=port))
    results = [simulator.finish(client, start + SECONDS)]
    if results[0][0] != 0:
        server.kill()
    results.append(simulator.finish(server, start + SECONDS))
    early = any(text in results[0][1] for text in TOO_EARLY)
    no_clock = any(NO_CLOCK in text for _, text in results)
    if lines[0].startswith("ib_") and (early or no_clock):
        why = "too early" if early else "the clock could not be measured"
        print(f"     {time.monotonic() - start:6.1f} s  {why}, again: {lines[1]}", flush=True)
        return run_pair(simulator, lines, port)
    good = all(status == 0 for status, _ in results)
    print(f"{'ok  ' if good else 'FAIL'} {time.monotonic() - start:6.1f} s  {lines[1]}", flush=True)
    for name, (status, text) in zip(("client", "server"), results if not good else []):
        print(f"  {name}, exit {status}:\n{text[-1500:]}", flush=True)
    return good


def run_rejected(simulator, port):
    """Nobody listens: the client is rejected, and ends."""
    status, text = simulator.run("n1", f"rping -c -a 10.0.0.1 -p {port} -C 1")
    good = status != 0 and "reject" in text.lower()
    print(f"{'ok  ' if good else 'FAIL'}          rejected: {text.splitlines()[:2]}", flush=True)
    return good


def run_endless(simulator, port):
    """cmtime: many connections at once. Its server waits for events until it is stopped."""
    server = simulator.start_listener("n0", f"cmtime -p {port}", port)
    status, text = simulator.run("n1", f"cmtime -s 10.0.0.1 -p {port} -c {CONNECTIONS}", SECONDS)
    running = server.poll() is None
    server.terminate()
    server.communicate()
    good = status == 0 and running
    print(f"{'ok  ' if good else 'FAIL'}          cmtime, {CONNECTIONS} connections: {text[-300:]}",
          flush=True)
    return good


def run_killed(simulator, port):
    """The client is killed while it is connected: the server learns of it, and ends."""
    server = simulator.start_listener("n0", f"rping -s -a 10.0.0.1 -p {port}", port)
    client = simulator.start("n1", f"rping -c -a 10.0.0.1 -p {port} -v")
    simulator.first_line(client, SECONDS)
    client.send_signal(signal.SIGKILL)
    client.communicate()
    status, text = simulator.finish(server, time.monotonic() + SECONDS)
    good = "took too long" not in text
    print(f"{'ok  ' if good else 'FAIL'}          killed: the server ends, {status}", flush=True)
    return good


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--only", default="", help="pairs with this text")
    parser.add_argument("--attempts", type=int, default=1, help="runs of a pair until one passes")
    args, options = begin(parser)
    processes.need("rping", "rdmacm-utils")
    bad, port = 0, 7200
    with Simulator(args.roci, "rdmacm", options) as simulator:
        before = simulator.holdings()
        lossless = not any(option.startswith("--loss") for option in options)
        pairs = PAIRS + (DATAGRAMS if lossless else [])
        for lines in pairs:
            port += 1
            if args.only in lines[0]:
                bad += not any(run_pair(simulator, lines, port) for _ in range(args.attempts))
        if not args.only:
            bad += not run_rejected(simulator, 7100)
            bad += not run_killed(simulator, 7101)
            bad += not run_endless(simulator, 7102)
        processes.until(lambda: simulator.holdings() == before,
                        f"something is left: {simulator.holdings()}, before {before}", SECONDS)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
