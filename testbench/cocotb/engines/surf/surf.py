#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges blue-rdma, the RoCE engine in surf of SLAC, by cocotbext-roce in Verilator.

usage: surf.py SURF [--library LIBRARY] [--out DIR] [--report PAGE] [--id PATTERN ...]

SURF is a checkout of https://github.com/slaclab/surf; nothing of it is in this repository. The
reports go into DIR. With --report the verdicts go into a page, between its two marks. Exit status
0: the run is complete, whatever the verdicts; 2: it is not.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT))
from testbench.cocotb import simulate  # noqa: E402

TOP = "surf_tb"
SOURCES = ("blue-rdma/mkAxisTransportLayer.v", "blue-rdma/mkTransportLayer.v", "blue-rdma/mkQP.v")
HALF_PS = 3000  # timers of the engine count clocks of 6 ns
BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"
MOST_TEXT = 200
# Statements about requesters, but those about READs and atomics, which this variant does not have,
# and those about headers and ICRC, which are not in what is tested. Left out unless --id names
# them: long waits, which the simulator evaluates clock by clock (RNR waits, retries, 2^23 packets).
IDS = ("RQ-0? RQ-10 RQ-1[2-9] RQ-2[0-5] RQ-3[5-9] RQ-4? RQ-5? WC-0? WC-11 WC-12 QP-01 QP-02 QP-03 "
       "QP-04 QP-05 QP-08 QP-09 QP-10 QP-15 QP-17 QP-21 CQ-02 CQ-04 CQ-06 WIRE-19 WIRE-22 WIRE-24 "
       "WIRE-25 WIRE-28 WIRE-29 WIRE-30 WIRE-31 WIRE-32 WIRE-33 WIRE-35 WIRE-41 WIRE-43 WIRE-44 "
       "WIRE-46 WIRE-47 WIRE-48 WIRE-49")


class Failed(Exception):
    pass


def wrapper(source):
    """A module without ports around the engine: Verilator 5.006 copies the ports of the top module
    at each evaluation over what VPI set."""
    ports = re.findall(r"^  (?:input|output)\s+(?:\[(\d+) : 0\])?\s*(\w+);", source, re.M)
    yield f"module {TOP};"
    for high, name in ports:
        width = f"[{high}:0] " if high else ""
        yield f"  logic {width}{name} /* verilator public_flat_rw */;"
    yield "  mkAxiSTransportLayer engine (" + ", ".join(f".{name}" for _, name in ports) + ");"
    yield "endmodule"


def build(options, libraries):
    """The simulator."""
    engine = options.surf / "ethernet/RoCEv2"
    sources = [engine / name for name in SOURCES]
    for source in sources:
        if not source.is_file():
            raise Failed(f"{source} is not there: is {options.surf} a checkout of surf?")
    folder = options.out / "model"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "build" / f"V{TOP}"
    main = ROOT / "testbench/board/vpi_main.cpp"
    newest = max(one.stat().st_mtime for one in (*sources, main, pathlib.Path(__file__)))
    if program.exists() and program.stat().st_mtime > newest:
        return program
    top = folder / f"{TOP}.sv"
    top.write_text("".join(f"{line}\n" for line in wrapper(sources[0].read_text())))
    done = subprocess.run(
        ["verilator", "--cc", "--exe", "--build", "-j", "2", "--vpi", "-O3", "--top-module", TOP,
         "--timescale", "1ps/1ps", "--timescale-override", "1ps/1ps", "--no-timing", "-Wno-fatal",
         "-Wno-lint", "-Wno-style",
         "--x-assign", "fast", "--Mdir", folder / "build", "-y", engine / "blue-lib",
         "-CFLAGS", f"-O1 -DMODEL=V{TOP} -DMODEL_HEADER='\"V{TOP}.h\"' -DVL_USER_FINISH",
         "-LDFLAGS", f"-rdynamic -ldl -L{libraries} -lcocotbvpi_verilator "
         f"-Wl,-rpath,{libraries}", top, *sources, main],
        capture_output=True, text=True, check=False)
    (folder / "verilator.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        raise Failed(f"verilator failed, see {folder / 'verilator.log'}")
    return program


def version(surf):
    done = subprocess.run(["git", "-C", surf, "rev-parse", "--short=12", "HEAD"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "without a commit"


def cell(text):
    text = " ".join(str(text).split())
    text = text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + " ..."
    return text.replace("|", "\\|")


def page_of(found, about, surf):
    """The lines of the page between its marks."""
    tests, verdicts = found["tests"], found["verdicts"]
    counts = {word: list(verdicts.values()).count(word)
              for word in ("pass", "FAIL", "undecided", "not testable here")}
    ran = [test for test in tests if test["verdict"] in ("pass", "FAIL")]
    yield (f"surf at {surf}: {counts['pass']} statements hold, {counts['FAIL']} do not, "
           f"{counts['undecided']} are undecided, {counts['not testable here']} are not testable "
           f"here; {sum(test['verdict'] == 'pass' for test in ran)} of {len(ran)} tests pass.")
    yield from ("", "| statement | | verdict |", "|---|---|---|")
    for name, verdict in verdicts.items():
        reasons = sorted({test["reason"] for test in tests
                          if name in test["ids"] and test["reason"]})
        why = f": {reasons[0]}" if verdict == "not testable here" and reasons else ""
        yield f"| {name} | {cell(about[name])} | {verdict}{cell(why)} |"
    yield from ("", "### Deviations", "", "| statements | test | expected | seen |",
                "|---|---|---|---|")
    for test in tests:
        if test["verdict"] == "FAIL":
            yield (f"| {' '.join(test['ids'])} | {cell(test['title'])} | {cell(test['expected'])} "
                   f"| {cell(test['seen'])} |")


def main():
    parser = argparse.ArgumentParser(description="blue-rdma under the conformance tests")
    parser.add_argument("surf", type=pathlib.Path, help="a checkout of surf")
    parser.add_argument("--library", type=pathlib.Path,
                        default=ROOT / "build/testbench/cocotb/libcocotbext_roce.so",
                        help="the library of cocotbext-roce [of the build]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("roci-surf"),
                        help="folder for model and reports [roci-surf]")
    parser.add_argument("--report", type=pathlib.Path, help="page to write the verdicts into")
    parser.add_argument("--id", action="append", default=[], help="only tests of these statements")
    options = parser.parse_args()
    options.out = options.out.resolve()
    report = options.out / "report.json"
    try:
        cocotb = simulate.Cocotb(options.out)
        program = build(options, cocotb.libraries)
        report.unlink(missing_ok=True)
        code, cases = cocotb.run(
            [program, f"{cocotb.libraries}/libcocotbvpi_verilator.so", f"{TOP}.CLK={HALF_PS}"],
            "surf_bench", TOP, (HERE, HERE.parents[1]), SURF_REPORT=report,
            SURF_IDS=" ".join(options.id) or IDS,
            COCOTBEXT_ROCE_LIBRARY=options.library.resolve())
        if simulate.report(code, cases) or not report.exists():
            raise Failed("the run did not end")
    except (Failed, simulate.Missing, OSError) as error:
        print(f"surf.py: {error}", file=sys.stderr)
        return 2
    found = json.loads(report.read_text())
    lines = list(page_of(found, found["statements"], version(options.surf)))
    if options.report:
        head, rest = options.report.read_text().split(BEGIN, 1)
        options.report.write_text("\n".join([head + BEGIN, *lines, END + rest.split(END, 1)[1]]))
    print(lines[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
