#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges two guests with Linux Soft-RoCE, connected by `roci conform --bridge`, which loses,
corrupts, reorders, duplicates and marks their packets while stock programs run.

usage: rxe_bridge.py --roci PROGRAM --cache DIR [--out DIR] [--report PAGE]

With --report the findings go into a page, between its two marks. Exit status 0: the run is
complete, whatever the findings; 2: it is not.
"""
import argparse
import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

import rxe
from rxe import image, machine

BEGIN, END = "<!-- bridge -->", "<!-- end of bridge -->"
TIMEOUT = "18"  # code: 1.07 s, far above delays of a guest, so that a retry by NAK is another
JITTER = "500ms"
PERFTEST = f"-d rxe0 -x {{gid}} -F -u {TIMEOUT}"
SECONDS = 120

# The line of a program, and what happens to its packets.
RUNS = {
    "WRITE": (f"ib_write_bw {PERFTEST} -m 1024 -s 8192 -n 20", """
        drop      n0 request nth=5
        corrupt   n0 request nth=20
        reorder   n0 RcWriteMiddle nth=40
        duplicate n1 ack nth=3
        mark_ecn  n0 request every=7"""),
    "the end of a WRITE": (f"ib_write_bw {PERFTEST} -m 1024 -s 8192 -n 5", """
        drop      n0 RcWriteLast nth=5"""),
    "READ": (f"ib_read_bw {PERFTEST} -m 1024 -s 8192 -n 10 -o 1", """
        drop      n1 read_response nth=7
        duplicate n1 read_response nth=20
        drop      n0 RcReadRequest nth=6"""),
    "SEND": ("ibv_rc_pingpong -d rxe0 -g {gid} -m 1024 -s 4096 -n 20", """
        drop      n0 request nth=9
        drop      n1 ack nth=5
        corrupt   n1 request nth=30"""),
}


def script_of(rules):
    """Rules of docs/live_faults.md."""
    for line in rules.split("\n")[1:]:
        action, node, opcode, when = line.split()
        yield (f'[[fault]]\naction = "{action}"\nnode = "{node}"\nopcode = "{opcode}"\n'
               + when.replace("=", " = ") + "\n")


def command_of(line, guest):
    """With the index of the guest's IPv4 address among the GIDs of its port."""
    file = guest.check("grep -l ffff:0a00:000 /sys/class/infiniband/rxe0/ports/1/gids/*")
    return line.format(gid=pathlib.PurePath(file.split()[0]).name)


def judged(options, guests, ends, name, number):
    """The report of the bridge about a run."""
    line, rules = RUNS[name]
    script, report = options.out / f"{number}.toml", options.out / f"{number}.json"
    script.write_text("\n".join(script_of(rules)))
    report.unlink(missing_ok=True)
    timer = ["--timeout", TIMEOUT] if f"-u {TIMEOUT}" in line else []
    wires = [f"dgram:{bridge},{guest}" for bridge, guest in ends]
    with subprocess.Popen([options.roci, "conform", "--bridge", *wires, "--rules", script, *timer,
                           "--jitter", JITTER, "--json", report, "--record",
                           options.out / f"{number}.pcapng"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bridge:
        try:
            if "is open" not in (said := bridge.stderr.readline()):
                raise machine.GuestError(f"no bridge: {said}")
            first, second = guests
            second.check(f"{command_of(line, second)} >/tmp/server.log 2>&1 & sleep 2")
            status, text = first.run(f"{command_of(line, first)} {machine.IPV4}", SECONDS)
            second.run(f"kill -9 $(pidof {line.split()[0]})")
        finally:
            bridge.send_signal(signal.SIGINT)
            printed = "".join(bridge.communicate(timeout=60))
    (options.out / f"{number}.txt").write_text(f"{text}\nstatus {status}\n{printed}")
    if not report.exists():
        raise machine.GuestError(f"no report of the bridge, see {options.out}/{number}.txt")
    found = json.loads(report.read_text())
    idle = [fault["action"] for fault in found["faults"] if not fault["fired"]]
    if idle:
        raise machine.GuestError(f"{name}: no packet for {', '.join(idle)}: {text}")
    return status, found


def rows(results):
    """The lines of the page between its marks."""
    yield from ("| run | faults | retransmitted packets | program | findings |",
                "|---|---|---|---|---|")
    for name, (status, found) in results.items():
        faults = ", ".join(f"{one['action']} {one['fired']}" for one in found["faults"])
        again = sum(end["retransmitted"] for end in found["ends"])
        findings = sorted({f"{one['statement']}, {one['end']} end: {one['text']}"
                           for one in found["findings"]})
        yield (f"| `{RUNS[name][0].format(gid='IPv4')}` | {faults} | {again} | "
               f"{'completes' if status == 0 else f'status {status}'} | "
               f"{rxe.cell('; '.join(findings) or 'none')} |")


def main():
    parser = argparse.ArgumentParser(description="two guests with Soft-RoCE and a bridge")
    parser.add_argument("--roci", required=True, help="the program")
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder of the guest")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("roci-rxe-bridge"),
                        help="folder for reports and captures [roci-rxe-bridge]")
    parser.add_argument("--report", type=pathlib.Path, help="page to write the findings into")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.cache = options.cache.resolve()
    try:
        with tempfile.TemporaryDirectory(prefix="roci-rxe-") as sockets, \
                contextlib.ExitStack() as stack:
            ends = [(f"{sockets}/bridge{host}", f"{sockets}/guest{host}") for host in (1, 2)]
            guests = [stack.enter_context(machine.Guest(
                options.cache, options.out / f"guest{host}", guest, bridge, host=host))
                for host, (bridge, guest) in enumerate(ends, 1)]
            results = {name: judged(options, guests, ends, name, number)
                       for number, name in enumerate(RUNS)}
    except (image.Missing, machine.GuestError, OSError, ValueError) as error:
        print(f"rxe_bridge.py: {error}", file=sys.stderr)
        return 2
    lines = list(rows(results))
    if options.report:
        head, rest = options.report.read_text().split(BEGIN, 1)
        options.report.write_text("\n".join([head + BEGIN, *lines, END + rest.split(END, 1)[1]]))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
