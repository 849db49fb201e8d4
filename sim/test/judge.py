#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges captures of transfers with `roci conform --pcap`, and captures that it cannot read.

usage: judge.py ROCI ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FAULTS = ["--loss", "2%", "--duplicate", "1%", "--reorder", "2%"]


def main():
    roci, root = sys.argv[1], pathlib.Path(sys.argv[2])

    def judge(*words):
        return subprocess.run([roci, "conform", "--pcap", *map(str, words)], capture_output=True,
                              text=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        data.write_bytes((root / "LICENSE").read_bytes() * 30)
        report = folder / "report.json"

        def transfer(*options):
            subprocess.run([roci, "transfer", data, "--engine", "model", "--pcap",
                            folder / "x.pcapng", *options], check=True, capture_output=True)
            got = judge(folder / "x.pcapng", "--json", report)
            return got, json.loads(report.read_text())[0]

        for op in "write", "send", "read":
            for options in [], ["--qps", "4", *FAULTS], ["--mtu", "256", "--ipv6", *FAULTS]:
                got, numbers = transfer("--op", op, *options)
                assert got.returncode == 0 and numbers["findings"] == [], got.stdout
                assert numbers["requests"] > 0 and numbers["paired"] > 0, numbers
        captures = root / "model/packet/testdata/captures"
        got = judge(captures / "mix_clean.pcap", captures / "raw_framing.pcap", "--json", report)
        assert got.returncode == 1 and "frame 1      WIRE-36  wrong ICRC" in got.stdout, got
        clean, framing = json.loads(report.read_text())
        assert clean["findings"] == [] and framing["findings"][0]["frame"] == 1

        whole = (captures / "rawq_read.pcap").read_bytes()
        short = folder / "short.pcap"
        short.write_bytes(whole[:-7])
        got = judge(short, "--json", report)
        assert got.returncode == 2 and "cannot read" in got.stderr, got
        assert "frame 31" in got.stdout, got.stdout  # what is before the end is judged
        assert json.loads(report.read_text())[0]["frames"] == 47
        other = folder / "other.pcap"
        other.write_bytes(whole[:20] + (113).to_bytes(4, "little") + whole[24:])  # Linux cooked
        for file, text in (other, "not an Ethernet capture"), (folder / "none", "none"), (
                data, "data"):
            got = judge(file)
            assert got.returncode == 2 and text in got.stderr and got.stdout == "", got
        got = judge(captures / "mix_clean.pcap", "--id", "RQ")
        assert got.returncode == 2 and "--id" in got.stderr, got  # a statement of an engine's test


if __name__ == "__main__":
    main()
