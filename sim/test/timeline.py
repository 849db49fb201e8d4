#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines of transfers and of a stock program, held against captures, reports and outputs.

usage: timeline.py ROCI [--engine E] [--width N]
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.capture import packets  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

GBPS = {"512": 100, "64": 10}
ENGINE = "engine: "
OVERHEAD = 24  # bytes of preamble, FCS and gap
BYTES, MESSAGE = 100_000, 20_000


def ns(us):
    return round(us * 1000)


class Trace:
    """The events of a file, by process name."""

    def __init__(self, path):
        self.events = json.loads(path.read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.events
                   if e["name"] == "thread_name"}
        self.processes = list(names.values())
        self.wire, self.spans = collections.defaultdict(list), collections.defaultdict(list)
        self.doorbells = collections.defaultdict(list)
        # By process and block of the engine: when it is busy, and what it hands on.
        self.busy, self.records = collections.defaultdict(list), collections.defaultdict(list)
        self.marks = collections.defaultdict(list)  # by the id of a span
        opened = {}
        for event in self.events:
            process = names[event["pid"]]
            thread = threads.get((event["pid"], event.get("tid")), "")
            block = thread.removeprefix(ENGINE) if thread.startswith(ENGINE) else None
            if event["ph"] == "X" and block:
                self.busy[process, block].append((ns(event["ts"]),
                                                  ns(event["ts"] + event["dur"])))
            elif event["ph"] == "X":
                assert thread == "wire, sent", event
                self.wire[process].append(event)
            elif event["ph"] == "i" and block:
                self.records[process, block].append(event)
            elif event["ph"] == "i" and thread == "doorbells":
                self.doorbells[process].append(event)
            elif event["ph"] == "n":
                assert event["id"] in opened, event
                self.marks[event["id"]].append((event["name"], event["ts"]))
            elif event["ph"] == "b":
                assert event["id"] not in opened, event
                opened[event["id"]] = event
            elif event["ph"] == "e":
                first = opened.pop(event["id"])
                assert first["pid"] == event["pid"] and first["ts"] <= event["ts"], event
                self.spans[process, event["name"]].append((first, event))
        assert not opened, opened

    def bytes_of(self, process, track):
        return sum(first["args"]["bytes"] for first, _ in self.spans[process, track])


def check_wire(trace, capture, width):
    """The frames are those of the capture, and never two at once on a link."""
    sent = collections.defaultdict(list)
    for packet in packets(capture):
        sent[packet.sender].append(packet)
    for process in trace.processes:
        slices = [s for s in trace.wire[process] if "psn" in s["args"]]
        found = [(ns(s["ts"]), s["args"]["psn"], s["args"]["bytes"], s["args"].get("fault", ""))
                 for s in slices]
        wanted = [(p.time_ns, p.psn, p.bytes, p.fault) for p in sent[process]]
        assert found == wanted, (process, len(found), len(wanted))
        free = 0
        for s in trace.wire[process]:
            took = (s["args"]["bytes"] + OVERHEAD) * 8 / GBPS[width]
            assert abs(s["dur"] * 1000 - took) < 0.1, s
            assert s["ts"] * 1000 > free - 5, s  # frames begin at edges of the clock, 4 ns apart
            free = s["ts"] * 1000 + took


def of_packets(events):
    return [(event["name"], event["args"]["psn"]) for event in events if "psn" in event["args"]]


def plain(name):
    return name.removesuffix(" (retransmitted)")


def is_ack(name):
    """An ACK or NAK has the name of its syndrome, where that has one."""
    return name == "RcAck" or not name.startswith("Rc")


def check_packets(trace, capture, rtl):
    """The blocks hand on the packets of the wire, in its order, and those that arrived."""
    for process, peer in (("n0", "n1"), ("n1", "n0")):
        wire = [(plain(name), psn) for name, psn in of_packets(trace.wire[process])]
        made = [packet for packet in wire if not is_ack(packet[0])]
        responses = of_packets(trace.records[process, "responder"])
        requests = of_packets(trace.records[process, "requester"])
        ordered = of_packets(trace.records[process, "transmit order"]) if rtl else made
        assert ordered == made, (process, len(ordered), len(made))
        if rtl:
            left = [psn for _, psn in of_packets(trace.records[process, "transmit"])]
            assert left == [psn for _, psn in made], (process, len(left), len(made))
        assert sorted(requests + responses) == sorted(wire), \
            (process, len(requests), len(responses), len(wire))
        assert [one for one in responses if is_ack(one[0])] == \
            [one for one in wire if is_ack(one[0])], process
        came = [(packet.opcode, packet.psn) for packet in packets(capture)
                if packet.sender == peer and "lost" not in packet.fault]
        taken = of_packets(trace.records[process, "receive"])
        assert sorted(taken) == sorted(came), (process, len(taken), len(came))


def check_steps(trace, done):
    """The steps of each work request that completed, in order."""
    for first, last in done:
        marks = collections.defaultdict(list)
        for name, at in trace.marks[first["id"]]:
            marks[name].append(at)
        at = [first["ts"], marks["fetch begins"][0], marks["first packet planned"][0],
              marks["last packet planned"][-1], *marks["completed"], last["ts"]]
        assert at == sorted(at) and len(at) == 6, (first, marks)


def check_blocks(trace):
    """What a block of the RTL hands on, it hands on while it is busy; work does not overlap."""
    for key, spans in trace.busy.items():
        assert all(start < end for start, end in spans), (key, spans)
        assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:])), key
    for key, records in trace.records.items():
        spans = iter(trace.busy[key])
        span = next(spans, None)
        for record in records:
            at = ns(record["ts"])
            while span and span[1] < at:
                span = next(spans, None)
            assert span and span[0] <= at - record["args"].get("waited_ns", 0), (key, record, span)


def check_transfer(roci, folder, engine, width, operation):
    data, capture, file = folder / "data", folder / "x.pcapng", folder / "x.json"
    data.write_bytes(bytes(i * 7 & 0xFF for i in range(BYTES)))
    subprocess.run([roci, "transfer", data, "--op", operation, *engine, "--qps", "2",
                    "--message", str(MESSAGE), "--loss", "3%", "--seed", "5", "--pcap", capture,
                    "--timeline", file, "--json", folder / "report"], check=True,
                   capture_output=True)
    report, trace = json.loads((folder / "report").read_text()), Trace(file)
    assert trace.processes == ["n0", "n1"], trace.processes
    check_wire(trace, capture, width)
    requester, target = ("n1", "n0") if operation == "read" else ("n0", "n1")
    for process in "n0", "n1":
        wire, counts = trace.wire[process], report[f"from_{process}"]
        assert len(wire) == counts["frames"]
        again = sum("(retransmitted)" in s["name"] for s in wire)
        # A READ that is resumed at a PSN of its own is a retransmission for the timeline alone.
        more = again - counts["retransmitted"]
        assert more >= 0 if operation == "read" else more == 0, (process, again, counts)
        assert sum("lost" in s["args"].get("fault", "") for s in wire) == counts["lost"] > 0
    done = [pair for (process, name), pairs in trace.spans.items() for pair in pairs
            if process == requester and name.endswith(": sends")]
    assert len(done) == report["messages"] == BYTES // MESSAGE, done
    assert {tuple(last["args"].items()) for _, last in done} == {(("status", "Success"),)}, done
    took = max(last["ts"] for _, last in done) - min(first["ts"] for first, _ in done)
    # The program sees its post before the doorbell arrives, and the completion when it is written.
    assert 0 < ns(took) < report["simulated_ns"] + 1000, (took, report["simulated_ns"])
    if operation == "send":
        receives = [pair for (process, name), pairs in trace.spans.items() for pair in pairs
                    if process == target and name.endswith(": receives")]
        success = [last for _, last in receives if last["args"] == {"status": "Success"}]
        assert len(success) == report["messages"], receives
    writer = requester if operation == "read" else target
    assert trace.bytes_of(writer, "DMA: payload written") == BYTES
    reader = target if operation == "read" else requester
    assert trace.bytes_of(reader, "DMA: payload read") >= BYTES
    assert trace.spans[requester, "DMA: blocks read"], "no work request was read"
    ends = {first["args"]["address"]: last["ts"]
            for first, last in trace.spans[requester, "DMA: completion written"]}
    assert len(ends) == report["messages"], ends
    if "model" in engine:
        for (process, name), pairs in trace.spans.items():
            if name.startswith("DMA"):
                assert all(first["ts"] == last["ts"] for first, last in pairs), (process, name)
    rtl = "model" not in engine
    check_packets(trace, capture, rtl)
    completed = [record for record in trace.records[requester, "requester"]
                 if record["name"] == "send completion"]
    assert [record["args"]["status"] for record in completed] == ["Success"] * len(done), completed
    if rtl:
        check_steps(trace, done)
        check_blocks(trace)
    else:
        assert not trace.busy, "the model has no clocks"
    rung = [d for d in trace.doorbells[requester] if d["name"] == "send queue"]
    assert 0 < len(rung) <= report["messages"], rung


def check_stock(roci, options, folder, width):
    """Ten SENDs each way, and again by new queue pairs of the same simulator."""
    file, capture = folder / "up.json", folder / "up.pcapng"
    runs, messages = 2, 10
    files = ["--timeline", file, "--pcap", capture]
    with Simulator(roci, "timeline", [*options, *files]) as simulator:
        for _ in range(runs):
            client, server = simulator.start_pair(f"ibv_rc_pingpong -g 0 -s 3000 -n {messages}")
            ends = [process.communicate(timeout=60)[0] for process in (client, server)]
            assert client.returncode == server.returncode == 0, ends
        assert not file.exists()
    trace = Trace(file)
    assert trace.processes == ["n0", "n1"], trace.processes
    check_wire(trace, capture, width)
    for process in trace.processes:
        for queue in "sends", "receives":
            ends = [last["args"] for (owner, name), pairs in trace.spans.items()
                    for _, last in pairs if owner == process and name.endswith(f": {queue}")]
            assert ends.count({"status": "Success"}) == runs * messages, (process, queue, ends)


def check_errors(roci, folder, engine):
    data, file = folder / "data", folder / "none/x.json"
    for command in ["transfer", data], ["bench", "--only", "rate", "--quick"], [
            "up", "--name", "timeline-error"]:
        got = subprocess.run([roci, *command, *engine, "--timeline", file], text=True,
                             capture_output=True)
        assert got.returncode != 0 and "none/x.json" in got.stderr and not file.exists(), got
        assert got.stderr.count("\n") == 1, got.stderr


def main():
    args, options = begin(argument_parser(__doc__))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for operation in "write", "send", "read":
            check_transfer(args.roci, folder, options, args.width, operation)
        check_stock(args.roci, options, folder, args.width)
        check_errors(args.roci, folder, options)
    print("all good")


if __name__ == "__main__":
    sys.exit(main())
