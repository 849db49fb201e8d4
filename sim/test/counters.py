#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the counters of a port in sysfs against the capture of its link, which has the frames as
they were on the wire, and by perftest, which keeps the files open.

usage: counters.py ROCI [--engine E] [--width N]
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.check_pcap import frames  # noqa: E402
from testbench.tools.rocitest.processes import until  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

PORT = "/sys/class/infiniband/roci0/ports/1"
READ = f"""
import glob, json
print(json.dumps({{name[len("{PORT}/"):]: int(open(name).read())
                  for name in glob.glob("{PORT}/*counters/*")}}))
"""
# Names of the Linux kernel (drivers/infiniband/core/sysfs.c).
KERNEL = ["port_xmit_data", "port_xmit_packets", "port_rcv_data", "port_rcv_packets",
          "port_rcv_errors", "excessive_buffer_overrun_errors", "link_downed"]


def read(simulator, node):
    text = simulator.output(node, sys.executable, "-c", READ)
    return json.loads(text)


def settled(simulator, downed):
    """The counters of both nodes when two readings are the same and the files have what the
    adapters counted, and how often each link went down. Where a reading of the adapters takes
    long, the files follow late."""
    found = [{}]

    def same():
        ports = [node["port"] for node in simulator.status()["nodes"]]
        now = [read(simulator, node) for node in ("n0", "n1")]
        found[0], last = now, found[0]
        return now == last and all(
            node["counters/port_xmit_packets"] == port["tx_frames"]
            and node["counters/port_rcv_packets"] == port["rx_frames"]
            and node["counters/link_downed"] == times
            for node, port, times in zip(now, ports, downed))
    until(same, "the files do not become what the adapters counted", 60)
    return found[0]


def check_perftest(simulator):
    """The client prints how far the counters went during its work."""
    line = "ib_write_bw -d roci0 -F -s 4096 -n 2000 -W counters/port_xmit_data,hw_counters/rx_roce"
    client, server = simulator.start_pair(line.replace(" -d roci0", ""))
    end = time.monotonic() + 120
    status, text = simulator.finish(client, end)
    assert status == 0, text
    assert simulator.finish(server, end)[0] == 0
    words = 2000 * 4096 // 4
    printed = [int(n) for n in re.findall(r"port_xmit_data=(\d+)", text)]
    # Less by what the files lack when the last message completes; `settled` sees the rest.
    assert printed and 0 < printed[0] <= words * 1.1, text
    return text


def main():
    args = argument_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pcap = os.path.join(folder, "link.pcapng")
        options = ["--engine", args.engine, "--pcap", pcap]
        if args.engine != "model":
            options += ["--width", args.width]
        with Simulator(args.roci, "counters", options) as simulator:
            first = settled(simulator, (0, 0))
            for node in first:
                assert all(f"counters/{name}" in node for name in KERNEL), node
                assert node["hw_counters/lifespan"] == 20, node
            print(check_perftest(simulator), flush=True)
            simulator.command("link", "n1", "down")
            simulator.command("link", "n1", "up")
            last = settled(simulator, (0, 1))
        for i, node in enumerate(last):
            sent = list(frames(pcap, i))
            assert node["counters/port_xmit_packets"] == len(sent), (node, len(sent))
            assert node["counters/port_xmit_data"] == sum(map(len, sent)) // 4, node
            # The sender's MAC pads a frame to 60 bytes, after the capture.
            received = [max(60, len(frame)) for frame in frames(pcap, 1 - i)]
            assert node["counters/port_rcv_packets"] == len(received), (node, len(received))
            assert node["counters/port_rcv_data"] == sum(received) // 4, node
            assert node["counters/port_rcv_errors"] == 0, node
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
