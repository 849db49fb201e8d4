#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs rdma-core's own Python tests (Debian package python3-pyverbs) on one node.

usage: pyverbs.py ROCI [--engine E] [--width N] [--file NAME]

One process for each file of tests. A file passes when at least as many of its cases pass as
EXPECTED states and none fails; the tests themselves skip what the adapter does not have (XRC, raw
packets). The tests draw their parameters at random, without a seed.
"""
import argparse
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path("/usr/share/doc/rdma-core/tests")
# Passing cases of each file; docs/verbs.md explains why the others are skipped.
EXPECTED = {"addr": 3, "atomic": 7, "cq": 4, "cq_events": 2, "cqex": 4, "device": 13, "fork": 1,
            "mr": 12, "pd": 4, "qp": 21, "qpex": 17, "relaxed_ordering": 2,
            "cuda_dmabuf": 0, "flow": 0, "odp": 0, "parent_domain": 1, "rss_traffic": 0,
            "shared_pd": 0, "tag_matching": 0, "rdmacm": 10}
# What the tests of rdma_cm ask for the address of the device's interface: that of the node.
IP = """#!/bin/sh
echo '[{"addr_info": [{"local": "10.0.0.1"}], "address": "52:54:00:00:00:01"}]'
"""


def copy_tests(target):
    shutil.copytree(SOURCE, target)
    for packed in target.glob("*.gz"):
        (target / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    (target / "ip").write_text(IP)
    (target / "ip").chmod(0o755)


def run(roci, name, folder, test):
    environment = os.environ | {"PATH": f"{folder}/tests:{os.environ['PATH']}"}
    command = [roci, "exec", "n0", "--name", name, "--", "/usr/bin/python3", "tests/run_tests.py",
               "--dev", "roci0", "--gid", "0", "-v", f"tests.test_{test}"]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
    except subprocess.TimeoutExpired as late:
        return 0, 0, 1, (late.stdout or b"").decode() + "\n(stopped)"
    total = re.search(r"^Ran (\d+) test", done.stdout, re.M)
    if total is None:
        return 0, 0, 1, done.stdout + f"\n(exit {done.returncode})"
    count = {word: int(number) for word, number in
             re.findall(r"(failures|errors|skipped)=(\d+)", done.stdout)}
    bad = count.get("failures", 0) + count.get("errors", 0)
    skipped = count.get("skipped", 0)
    return int(total.group(1)) - bad - skipped, skipped, bad, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roci")
    parser.add_argument("--engine", default="rtl")
    parser.add_argument("--width", default="512")
    parser.add_argument("--file")
    args = parser.parse_args()
    roci, name = os.path.abspath(args.roci), f"pyverbs-{os.getpid()}"
    files = {args.file: EXPECTED[args.file]} if args.file else EXPECTED
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copy_tests(pathlib.Path(folder) / "tests")
        subprocess.run([roci, "up", "--name", name, "--engine", args.engine, "--width",
                        args.width], check=True, stdout=subprocess.DEVNULL)
        try:
            for test, expected in files.items():
                passed, skipped, bad, text = run(roci, name, folder, test)
                good = passed >= expected and bad == 0
                wrong += not good
                print(f"{'ok  ' if good else 'FAIL'} {test:17} {passed:3} pass, {skipped:3} skipped"
                      f", {bad} fail; {expected} expected to pass", flush=True)
                if not good:
                    print(text[-3000:], flush=True)
        finally:
            subprocess.run([roci, "down", "--name", name], check=True, stdout=subprocess.DEVNULL)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
