#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a READ of 64 bytes goes: `ib_read_lat` in simulated time, with a timeline.

usage: read_latency.py ROCI [--write | UP OPTIONS]

The steps of the timeline must add up to the latency that ib_read_lat prints, and must be those of
docs/measured/read_latency.json, which --write writes. With other options, such as
--memory-latency 100ns, they are printed alone.
"""
import json
import pathlib
import statistics
import sys
import tempfile

import measure
import simulated_time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402
from timeline import Trace, ns  # noqa: E402

MEASURED = ROOT / "docs/measured/read_latency.json"
COUNT, WARM = 24, 4
PRINTED_NS = 10  # ib_read_lat prints hundredths of a microsecond
# How far a step may be from what is written: a few clocks of 4 ns, or a share of it.
CLOCKS_NS, SHARE = 24, 0.05
STEPS = ("the adapter has the doorbell; it reads the work request from memory",
         "the request is on the wire",
         "the responder has the frame and checks it; it asks memory for the payload",
         "memory responds with the payload",
         "the response is on the wire",
         "the requester has the frame and checks it; it writes the payload to memory",
         "memory has the payload; the completion is written",
         "memory has the completion",
         "the program polls it and posts the next READ")


def first_in(entries, start, end):
    """The first entry that begins between two times."""
    found = [entry for entry in entries if start <= entry[0] <= end]
    assert found, (start, end, entries[:3])
    return min(found)


def steps_of(trace):
    """Nanoseconds of each step, for each READ but the first ones."""
    def spans(process, name):
        return [(ns(first["ts"]), ns(last["ts"]))
                for first, last in trace.spans[process, f"DMA: {name}"]]

    def frames(process, word):
        return [(ns(frame["ts"]),) for frame in trace.wire[process] if word in frame["name"]]

    requests, = [pairs for (process, name), pairs in trace.spans.items()
                 if process == "n1" and name.endswith(": sends")]
    times = sorted((ns(first["ts"]), ns(last["ts"])) for first, last in requests)
    assert len(times) == COUNT, len(times)
    result = []
    for (start, end), (after, _) in list(zip(times, times[1:]))[WARM:]:
        fetched = first_in(spans("n1", "blocks read"), start, end)
        request = first_in(frames("n1", "ReadRequest"), fetched[1], end)
        read = first_in(spans("n0", "payload read"), request[0], end)
        response = first_in(frames("n0", "ReadResp"), read[1], end)
        written = first_in(spans("n1", "payload written"), response[0], end)
        completion = first_in(spans("n1", "completion written"), written[0], end)
        assert completion[0] < end <= completion[1], (completion, end)
        at = (start, fetched[1], request[0], read[0], read[1], response[0], written[0],
              completion[0], end, after)
        result.append([later - earlier for earlier, later in zip(at, at[1:])])
    return result


def measured(roci, options):
    """(steps in nanoseconds, what ib_read_lat prints in microseconds)"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        options = [*simulated_time.WIRE, *options, "--timeline", file]
        with Simulator(roci, "steps", options) as simulator:
            printed = simulated_time.latency(simulator, "ib_read_lat", "-s 64", COUNT)
        steps = steps_of(Trace(file))
    return [round(statistics.median(column)) for column in zip(*steps)], printed


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--write", action="store_true")
    args, options = parser.parse_known_args()
    steps, printed = measured(args.roci, options)
    rows = [[name, took] for name, took in zip(STEPS, steps)] + [["all", sum(steps)]]
    for name, took in rows:
        print(f"{took:6} ns  {name}")
    print(f"ib_read_lat prints {printed:.2f} us")
    assert abs(sum(steps) - 1000 * printed) <= PRINTED_NS, (sum(steps), printed)
    if options:
        return
    if args.write:
        measure.write("read_latency", "roci up --time simulated --delay 50ns; ib_read_lat -s 64",
                      ["until", "ns"], rows)
        return
    wanted = json.loads(MEASURED.read_text())["rows"]
    for (name, found), (text, expected) in zip(rows, wanted, strict=True):
        assert name == text, (name, text)
        assert abs(found - expected) <= max(CLOCKS_NS, SHARE * expected), \
            f"{name}: {found} ns, docs/measured has {expected}: read_latency.py ROCI --write"
    print("as in docs/measured/read_latency.json")


if __name__ == "__main__":
    sys.exit(main())
