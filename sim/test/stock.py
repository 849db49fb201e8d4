#!/usr/bin/env python3
"""Runs Debian's own verbs programs on two nodes of a simulator in the background.

usage: stock.py ROCI [--engine E] [--width N] [--all] [--loss P] [--reorder P] [--only TEXT]

Each line of the list is a program: its server on n0, its client on n1. Both must end with exit
status 0 within the time; what they compare or verify themselves counts. --all runs the long list.
"""
import argparse
import os
import socket
import subprocess
import sys
import time

PINGPONG = ["ibv_rc_pingpong -g 0 -n 100 -c", "ibv_rc_pingpong -g 0 -n 100 -e",
            "ibv_srq_pingpong -g 0 -n 100 -c"]
PERFTEST = ["ib_write_bw -n 50", "ib_read_bw -n 50", "ib_send_bw -n 50", "ib_atomic_bw -n 50",
            "ib_write_lat -n 50", "ib_read_lat -n 50", "ib_send_lat -n 50", "ib_atomic_lat -n 50"]
QUICK = PINGPONG + [f"{p} -s 4096" if "atomic" not in p else p for p in PERFTEST]
LONG = PINGPONG + [
    f"ibv_rc_pingpong -g {gid} -n 20 -s {size} -m {mtu} -c"
    for gid in (0, 1) for mtu in (256, 512, 1024, 2048, 4096) for size in (1, 4096, 65536)
] + ["ibv_rc_pingpong -g 0 -n 5 -s 1048576 -c"] + PERFTEST + [
    f"{tool} -n 20 {options}"
    for tool in ("ib_write_bw", "ib_read_bw", "ib_send_bw")
    for options in ("-b", "-q 8", "-e", "-m 1024", "-m 4096", "-s 1", "-s 1000000")
    if not (tool == "ib_write_bw" and options == "-e")
] + ["ib_send_bw -n 20 --use-srq", "ib_write_bw -n 50 -s 64 -I 64", "ib_send_lat -n 20 -e",
     "ib_atomic_bw -n 50 -A CMP_AND_SWAP", "ib_atomic_bw -n 20 -q 8", "ib_write_bw -a -n 5",
     "ib_send_lat -a -n 5"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listening(port):
    want = f":{port:04X} "
    with open("/proc/net/tcp") as table:
        if any(want in line and " 0A " in line for line in table):
            return True
    with open("/proc/net/tcp6") as table:
        return any(want in line and " 0A " in line for line in table)


class Instance:
    def __init__(self, roci, options):
        self.roci, self.name = roci, f"stock-{os.getpid()}"
        subprocess.run([roci, "up", "--name", self.name, *options], check=True,
                       stdout=subprocess.DEVNULL)

    def command(self, node, command):
        return [self.roci, "exec", node, "--name", self.name, "--", *command.split()]

    def pair(self, line, seconds):
        """Exit statuses and texts of server and client."""
        port = free_port()
        command = f"{line} -d roci0 -p {port}"
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        server = subprocess.Popen(self.command("n0", command), **pipes)
        end = time.monotonic() + seconds
        while not listening(port) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        client = subprocess.Popen(self.command("n1", command + " 127.0.0.1"), **pipes)
        results = []
        for process in (client, server):
            try:
                text, _ = process.communicate(timeout=max(1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                text = process.communicate()[0] + f"\n(stopped after {seconds} s)"
            results.append((process.returncode, text))
        return results

    def down(self):
        subprocess.run([self.roci, "down", "--name", self.name], check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roci")
    parser.add_argument("--engine", default="rtl")
    parser.add_argument("--width", default="512")
    parser.add_argument("--loss", default="0")
    parser.add_argument("--reorder", default="0")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=120, help="for one program")
    args = parser.parse_args()
    instance = Instance(os.path.abspath(args.roci),
                        ["--engine", args.engine, "--width", args.width, "--loss", args.loss,
                         "--reorder", args.reorder])
    bad = 0
    lines = [line for line in (LONG if args.all else QUICK) if args.only in line]
    try:
        for line in lines:
            start = time.monotonic()
            (client, client_text), (server, server_text) = instance.pair(line, args.seconds)
            good = client == 0 and server == 0
            bad += not good
            print(f"{'ok  ' if good else 'FAIL'} {time.monotonic() - start:6.1f} s  {line}",
                  flush=True)
            if not good:
                print(f"  server, exit {server}:\n{server_text[-600:]}")
                print(f"  client, exit {client}:\n{client_text[-600:]}", flush=True)
    finally:
        instance.down()
    print(f"{len(lines) - bad} of {len(lines)} programs ended well")
    return 1 if bad or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
