#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`roci conform --pcap`: CNPs that scapy built, and files that are no whole captures of Ethernet.

usage: captures.py ROCI
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from scapy.contrib.roce import cnp
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter, PcapWriter, RawPcapReader

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOUND = ROOT / "model/packet/testdata/captures/loss_write_middle.pcap"
ROCI = sys.argv[1]
RAW_IP = 101  # a link type


def judge(*words):
    """Exit status, output and the report."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        done = subprocess.run([ROCI, "conform", *map(str, words), "--json", report.name],
                              capture_output=True, text=True, check=False, timeout=60)
        text = pathlib.Path(report.name).read_text(encoding="utf-8")
    return done.returncode, done.stdout + done.stderr, json.loads(text) if text else None


def cnps(folder):
    """Their spacing is judged by the interval that is stated, for each queue pair alone."""
    file = folder / "cnps.pcapng"
    with PcapNgWriter(str(file)) as writer:
        for us, pair in ((0, 7), (20, 8), (60, 7), (90, 8), (109, 7)):
            frame = (Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") /
                     IP(src="10.0.0.1", dst="10.0.0.2", flags="DF", ttl=64) /
                     UDP(sport=0xC001, dport=4791, chksum=0) / cnp(dqpn=pair))
            frame.time = 1_700_000_000 + us / 1_000_000
            writer.write(frame)
    status, text, report = judge("--pcap", file)
    assert status == 0 and report[0]["cnps"] == 5 and not report[0]["findings"], text
    assert abs(report[0]["cnp_interval_ns"] - 49_000) <= 1000 and "us apart" in text, report
    status, text, report = judge("--pcap", file, "--cnp-interval", "55us")
    assert status == 1, text
    assert [(one["frame"], one["statement"]) for one in report[0]["findings"]] == [
        (5, "CC-02")], text
    status, text, _ = judge("--cnp-interval", "50us")
    assert status == 2 and "--cnp-interval needs --pcap or --bridge" in text, text


def bad_files(folder):
    """One clear error and status 2; what is before the damage is judged and reported."""
    whole = SOUND.read_bytes()
    frames = list(RawPcapReader(str(SOUND)))
    status, text, report = judge("--pcap", SOUND)
    assert status == 0 and report[0]["frames"] == len(frames), text

    half = folder / "half.pcap"
    half.write_bytes(whole[:len(whole) // 2])
    status, text, report = judge("--pcap", SOUND, half, SOUND)
    assert status == 2 and f"cannot read {half}" in text, text
    assert len(report) == 2 and report[0]["frames"] == len(frames), report
    assert 0 < report[1]["frames"] < len(frames), report

    with PcapWriter(str(folder / "raw.pcap"), linktype=RAW_IP) as writer:
        for data, _ in frames:
            writer.write(data[14:])
    with PcapWriter(str(folder / "short.pcap"), linktype=1, snaplen=60) as writer:
        writer.write_header(None)
        for data, _ in frames:
            writer.write_packet(data[:60], sec=1, usec=0, caplen=len(data[:60]),
                                wirelen=len(data))
    (folder / "empty.pcap").write_bytes(b"")
    for name, words in (("raw.pcap", "not an Ethernet capture"), ("empty.pcap", "cannot read"),
                        ("missing.pcap", "No such file"), (".", "cannot read")):
        status, text, report = judge("--pcap", folder / name)
        assert status == 2 and words in text and report == [], (name, status, text)
    status, text, _ = judge("--pcap", ROOT / "LICENSE")
    assert status == 2 and "cannot read" in text, text
    # Frames that were captured in part are counted, and not judged.
    status, text, report = judge("--pcap", folder / "short.pcap")
    assert status == 0 and report[0]["truncated"] > 0, text


def main():
    with tempfile.TemporaryDirectory() as name:
        for test in (cnps, bad_files):
            test(pathlib.Path(name))
            print(f"passed {test.__name__}")


if __name__ == "__main__":
    main()
