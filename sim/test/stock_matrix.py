#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian's programs beside ibv_* and plain perftest, which stock.py has: perftest with rdma_cm and
multicast, the programs of rdmacm-utils, TCP programs over rsockets, qperf, fio, libfabric. Server
on n0, client on n1, each in a network namespace whose interface has the address of its node.

usage: stock_matrix.py ROCI [--engine E] [--width N] [--only TEXT] [--seconds N] [--markdown]
                       [UP OPTIONS...]

Both sides of a row must end with exit status 0, except servers that serve for ever (`endless`),
which are stopped and must run until then. At the end nothing may be held that was not before.
Rows of programs that are not installed are left out, those of perftest and rdmacm-utils excepted.
With --loss, rows of datagrams are left out, and a row has three attempts, as rdmacm.py explains.
"""
import pathlib
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port, listening  # noqa: E402
from sim.test import rdmacm  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.namespaces import Namespace, isolate, tap_addresses  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

# A program of each package that the launcher does not install.
OPTIONAL = {"iperf": "iperf", "qperf": "qperf", "fio": "fio", "libfabric-bin": "fi_pingpong"}
RSOCKETS = "/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so"
# What a program prints when a row is to be run again. Perftest and qperf name a port, or begin the
# second of two connections, before they listen on it.
AGAIN = (*rdmacm.TOO_EARLY, "RDMA_CM_EVENT_REJECTED", "failed to connect", rdmacm.NO_CLOCK)


@dataclass(frozen=True)
class Row:
    package: str
    server: str
    client: str
    ready: str = "cm"       # the server listens by rdma_cm or TCP on the port; or prints this text
    port: int = 0           # a port that the program does not let one choose
    datagrams: bool = False
    endless: bool = False   # the server serves for ever
    quick: bool = False     # also where a simulator is slow


def perftest():
    tools = [f"ib_{kind}_{what}" for what in ("bw", "lat")
             for kind in ("write", "read", "send", "atomic")]
    def row(line, client="", **more):
        return Row("perftest", f"{line} -p {{port}}", f"{line} -p {{port}} {client or '10.0.0.1'}",
                   **more)
    for tool in tools:
        yield row(f"{tool} -d roci0 -R -n 50", quick=tool in ("ib_write_bw", "ib_read_lat"))
    for options in ("ib_send_bw -d roci0 -R -b", "ib_send_bw -d roci0 -R -e",
                    "ib_write_bw -d roci0 -R -q 4", "ib_write_bw -d roci0 -z",
                    "ib_send_bw -d roci0 -R --use-srq"):
        yield row(f"{options} -n 50")
    for tool in ("ib_send_bw", "ib_send_lat"):
        yield row(f"{tool} -d roci0 -R -c UD -s 1024 -n 20", datagrams=True, quick=True)
        # The group of perftest is one of IPv6, which the GID must be too.
        yield row(f"{tool} -d roci0 -g -c UD -x 1 -s 1024 -n 20", "10.0.0.1", ready="tcp",
                  datagrams=True, quick=True)
        for srq in ("", " --use-srq"):
            yield row(f"{tool} -d roci0 -c UD -s 1024 -n 20{srq}", "10.0.0.1", ready="tcp",
                      datagrams=True)
    for tool in ("ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat"):
        yield row(f"{tool} -d roci0 -c UC -s 4096 -n 20", "10.0.0.1", ready="tcp", datagrams=True)
    yield row("ib_send_bw -d roci0 -c UC -s 4096 -n 20 --use-srq", "10.0.0.1", ready="tcp",
              datagrams=True)


def rdmacm_utils(folder):
    def row(server, client, **more):
        return Row("rdmacm-utils", server, client, **more)
    for own, peer in (("10.0.0.1", "10.0.0.1"), ("fd00::1", "fd00::1")):
        yield row(f"rping -s -a {own} -p {{port}} -C 5 -V",
                  f"rping -c -a {peer} -p {{port}} -C 5 -V", quick=True)
    yield row("ucmatose -p {port} -c 4 -C 5 -S 1000",
              "ucmatose -s 10.0.0.1 -p {port} -c 4 -C 5 -S 1000", quick=True)
    yield row("udaddy -c 2 -C 5 -S 1000", "udaddy -s 10.0.0.1 -c 2 -C 5 -S 1000", port=7174,
              datagrams=True, quick=True)
    for group, own, other in (("239.1.2.3", "10.0.0.1", "10.0.0.2"),
                              ("ff0e::5:1", "fd00::1", "fd00::2")):
        yield row(f"stdbuf -oL mckey -m {group} -b {own} -C 5",
                  f"mckey -m {group} -b {other} -s -C 5", ready="joined", datagrams=True,
                  quick=True)
    yield row("rdma_server -p {port}", "rdma_client -s 10.0.0.1 -p {port}", quick=True)
    yield row("rdma_xserver -p {port} -c r", "rdma_xclient -s 10.0.0.1 -p {port} -c r")
    yield row("cmtime -p {port} -c 20", "cmtime -s 10.0.0.1 -p {port} -c 20", endless=True)
    for mode in ("", " -T b", " -T n"):
        yield row(f"rstream -S 4096 -C 10 -p {{port}}{mode}",
                  f"rstream -s 10.0.0.1 -S 4096 -C 10 -p {{port}}{mode}", quick=not mode)
    yield row("rstream -C 100 -p {port}", "rstream -s 10.0.0.1 -C 100 -p {port}")  # all sizes
    yield row("riostream -S 4096 -C 10 -p {port}", "riostream -s 10.0.0.1 -S 4096 -C 10 -p {port}",
              quick=True)
    yield row("rcopy -p {port}", f"rcopy {folder}/from 10.0.0.1:{folder}/to -p {{port}}",
              endless=True)


def over_rsockets(line):
    return f"env LD_PRELOAD={{preload}}:{RSOCKETS} {line}"


def sockets():
    yield Row("iperf", over_rsockets("iperf -s -B 10.0.0.1 -p {port}"),
              over_rsockets("iperf -c 10.0.0.1 -p {port} -n 4M"), endless=True)


QPERF = ["rc_bw", "rc_bi_bw", "rc_lat", "rc_rdma_read_bw", "rc_rdma_read_lat", "rc_rdma_write_bw",
         "rc_rdma_write_lat", "rc_rdma_write_poll_lat", "rc_compare_swap_mr", "rc_fetch_add_mr",
         "ver_rc_compare_swap", "ver_rc_fetch_add"]


def qperf():
    for test in QPERF:
        yield Row("qperf", "qperf -lp {port}", f"qperf -lp {{port}} -cm1 -t 1 10.0.0.1 {test}",
                  ready="tcp", endless=True, quick=test in ("rc_bw", "rc_lat"))


def fio():
    """The side that reads is the server, whatever the verb. Its depth is that of all messages: fio
    connects without RNR retries. Threads, so that the program ends when it is killed."""
    server = "fio --thread --name=s --ioengine=rdma --port={port} --rw=read --bs=64k --size=4m"
    client = ("fio --thread --name=c --ioengine=rdma --hostname=10.0.0.1 --port={port} --verb=%s "
              "--rw=write --bs=64k --size=4m --iodepth=8")
    for verb in ("write", "read", "send"):
        yield Row("fio", f"{server} --iodepth=64", client % verb, quick=verb == "read")


def libfabric():
    """ofi_rxm asks for completion queues of 384 entries, twice, for each of 256 peers: more than an
    adapter has here. FI_UNIVERSE_SIZE is its option for the number of peers."""
    for provider, kind, domain, before in (
            ("verbs", "dgram", "roci0-dgram", ""), ("verbs", "msg", "roci0", ""),
            ("verbs;ofi_rxd", "rdm", "roci0-dgram", ""),
            ("verbs;ofi_rxm", "rdm", "roci0", "env FI_UNIVERSE_SIZE=64 ")):
        line = f"{before}fi_pingpong -p {provider} -d {domain} -e {kind} -I 20 -S 1024"
        yield Row("libfabric-bin", f"{line} -B {{port}}", f"{line} -P {{port}} 10.0.0.1",
                  ready="tcp", datagrams=kind == "dgram", quick=kind == "msg")


def rows(folder):
    absent = [package for package, program in OPTIONAL.items() if not shutil.which(program)]
    if absent:
        print(f"left out, not installed: {', '.join(absent)}")
    return [row for row in (*perftest(), *rdmacm_utils(folder), *sockets(), *qperf(), *fio(),
                            *libfabric()) if row.package not in absent]


def join(apart):
    """Gives each namespace an interface with the address of its node, and joins the two."""
    processes.run("ip", "link", "add", "node", "type", "veth", "peer", "name", "node", "netns",
                  str(apart.pid))
    for number, before in ((1, ()), (2, apart)):
        processes.run(*before, "ip", "link", "set", "node", "up")
        tap_addresses("node", f"10.0.0.{number}/24", f"fd00::{number}/64", before=before)


class Runner:
    def __init__(self, simulator, apart, seconds):
        self.simulator, self.apart, self.seconds = simulator, " ".join(apart), seconds
        words = simulator.command("exec", "n0", "--env")
        self.preload = next(line.split("LD_PRELOAD=")[1].strip().strip("'\";")
                            for line in words.splitlines() if "LD_PRELOAD=" in line)

    def serve(self, row, port, end):
        server = self.simulator.start("n0", row.server.format(port=port, preload=self.preload))
        if row.ready not in ("cm", "tcp"):
            self.simulator.line_with(server, row.ready, self.seconds)
        while row.ready in ("cm", "tcp") and server.poll() is None and time.monotonic() < end:
            if listening(port) if row.ready == "tcp" else port in self.simulator.listening("n0"):
                break
            time.sleep(0.02)
        return server

    def once(self, row):
        """None when both sides succeeded, else what they printed."""
        port = row.port or free_port()
        end = time.monotonic() + self.seconds
        server = self.serve(row, port, end)
        line = row.client.format(port=port, preload=self.preload)
        client = self.simulator.start("n1", f"{self.apart} {line}")
        status, text = self.simulator.finish(client, end)
        if status or row.endless:
            gone = server.poll()
            server.kill()
            theirs = server.communicate()[0]
            if status == 0 and gone in (None, 0):
                return None
            return f"client, exit {status}: {text[-700:]}\nserver, exit {gone}: {theirs[-700:]}"
        status, theirs = self.simulator.finish(server, end)
        return None if status == 0 else f"server, exit {status}: {theirs[-900:]}"

    def run(self, row, attempts):
        start = time.monotonic()
        for _ in range(attempts):
            wrong = self.once(row)
            while wrong and any(text in wrong for text in AGAIN) and attempts > 0:
                attempts -= 1
                wrong = self.once(row)
            if not wrong:
                break
        return time.monotonic() - start, wrong


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--only", default="", help="rows with this text")
    parser.add_argument("--quick", action="store_true", help="the rows for a slow simulator")
    parser.add_argument("--seconds", type=int, default=90, help="for one row")
    parser.add_argument("--markdown", action="store_true", help="print a table for a page")
    args, options = begin(parser)
    if not isolate("ROCI_STOCK_MATRIX"):
        print("skipped: no network namespaces on this host")
        return 77
    lossy = any(option.startswith("--loss") for option in options)
    wrong, table = [], []
    with tempfile.TemporaryDirectory() as folder, Namespace() as apart, \
            Simulator(args.roci, "matrix", options) as simulator:
        join(apart)
        pathlib.Path(folder, "from").write_bytes(random.Random(1).randbytes(300_000))
        runner = Runner(simulator, apart, args.seconds)
        before = simulator.holdings()
        for row in rows(folder):
            if (args.only not in f"{row.package} {row.client}" or (lossy and row.datagrams)
                    or (args.quick and not row.quick)):
                continue
            seconds, text = runner.run(row, 3 if lossy else 2)
            print(f"{'ok  ' if not text else 'FAIL'} {seconds:6.1f} s  {row.client}", flush=True)
            if text:
                print(f"  {text}".replace("\n", "\n  "), flush=True)
                wrong.append(row.client)
            table.append((replace(row, client=row.client.replace(folder, "DIR")), not text))
        copied = pathlib.Path(folder, "to")
        if copied.exists() and copied.read_bytes() != pathlib.Path(folder, "from").read_bytes():
            print("FAIL rcopy made a file with other contents")
            wrong.append("rcopy")
        processes.until(lambda: simulator.holdings() == before,
                        f"something is left: {simulator.holdings()}, before {before}", 60)
    if args.markdown:
        for row, good in table:
            print(f"| {row.package} | `{row.client}` | {'succeeds' if good else 'fails'} |")
    print(f"{len(table) - len(wrong)} of {len(table)} rows succeeded")
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main())
