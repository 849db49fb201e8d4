#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries a file in every way that `roci transfer` offers, and checks each with other tools: exit
status, the bytes with Python's own comparison, the capture with
testbench/tools/rocitest/check_pcap.py.

usage: transfer_matrix.py ROCI FILE [--quick] [--jobs N] [--keep DIR]
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parents[2] / "testbench/tools/rocitest/check_pcap.py"


def cases(file, quick):
    ops, mtus, families = ["write", "send", "read"], [256, 1024, 4096], [[], ["--ipv6"]]
    losses, widths = ["0", "1%", "5%"], [64, 512]
    for n, (op, mtu, family, loss, width) in enumerate(
            itertools.product(ops, mtus, families, losses, widths)):
        if quick and n % 13:
            continue
        yield file, ["--op", op, "--mtu", str(mtu), "--loss", loss, "--width", str(width)] + family
    for width, op in itertools.product(widths, ops):
        yield file, ["--op", op, "--qps", "16", "--loss", "1%", "--width", str(width)]


def small_files(folder, quick):
    for n, size in enumerate((0, 1, 3, 4095, 4096, 4097)):
        path = folder / f"bytes{size}"
        path.write_bytes(bytes((i * 37 + size) & 0xFF for i in range(size)))
        mtus = ("256", "4096")
        for op in ("write", "send", "read"):
            for mtu in mtus[n % 2:n % 2 + 1] if quick else mtus:
                yield str(path), ["--op", op, "--mtu", mtu, "--loss", "1%"]


def run(roci, folder, number, case):
    file, options = case
    out, pcap = folder / f"{number}.out", folder / f"{number}.pcapng"
    command = [roci, "transfer", file, "--seed", str(number + 1), "--out", str(out), "--pcap",
               str(pcap)] + options
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    trouble = ""
    if done.returncode:
        trouble = f"exit {done.returncode}: {done.stdout.strip().splitlines()[-1:]}"
    elif out.read_bytes() != pathlib.Path(file).read_bytes():
        trouble = "bytes differ"
    else:
        check = subprocess.run([sys.executable, CHECK, pcap],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if check.returncode:
            trouble = "capture: " + check.stdout.strip().splitlines()[0]
    for path in (out, pcap):
        path.unlink(missing_ok=True)
    return trouble, " ".join(command[1:5] + options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roci")
    parser.add_argument("file")
    parser.add_argument("--quick", action="store_true",
                        help="one case in 13 of the large file, one path MTU for each small one")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    bad = total = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        every = list(cases(args.file, args.quick)) + list(small_files(folder, args.quick))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = pool.map(lambda item: run(args.roci, folder, *item), enumerate(every))
            for trouble, text in results:
                total += 1
                bad += bool(trouble)
                print(f"{'FAIL' if trouble else 'ok  '} {text}  {trouble}", flush=True)
    print(f"{total - bad} of {total} transfers arrived")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
