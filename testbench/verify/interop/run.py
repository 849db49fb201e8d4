#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scenarios of our node against Soft-RoCE in a guest. `roci interop` calls it.

usage: run.py [--list] [--quick] [--width N] [--out DIR] [--report FILE] [NAME ...]

A NAME is a scenario of scenarios.toml, stock.toml or cm.toml, or a pattern such as 'read_*'. Each
run writes a capture, both sides' output and a verdict to the folder of --out. Exit status 0: all
runs passed; 1: some did not; 2: wrong command line, or something that is needed is missing.
"""
import argparse
import datetime
import fnmatch
import json
import pathlib
import signal
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import namespaces  # noqa: E402
from testbench.verify.interop import image, machine, programs  # noqa: E402
from testbench.verify.interop.runner import KNOWN, Failed, Runner  # noqa: E402


KINDS = ("op", "program", "stock", "cm")


def read_scenarios():
    """All scenarios, with the defaults of their files."""
    all_of_them = {}
    for path in (HERE / "scenarios.toml", HERE / "stock.toml", HERE / "cm.toml"):
        tables = tomllib.loads(path.read_text())
        defaults = tables.pop("defaults", {})
        for name, table in tables.items():
            unknown = set(table) - KNOWN
            if unknown or sum(kind in table for kind in KINDS) != 1:
                raise image.Missing(
                    f"{path}: {name}: {', '.join(sorted(unknown)) or ', '.join(KINDS)}")
            all_of_them[name] = {**defaults, **table}
    return all_of_them


def chosen(scenarios, options):
    if not options.names:
        return {name: s for name, s in scenarios.items() if s.get("quick") or not options.quick}
    picked = {}
    for pattern in options.names:
        found = fnmatch.filter(scenarios, pattern)
        if not found:
            raise image.Missing(f"no scenario '{pattern}'; see --list")
        picked.update((name, scenarios[name]) for name in found)
    return picked


def describe(scenario):
    if "program" in scenario:
        return programs.PROGRAMS[scenario["program"]].__doc__
    if "stock" in scenario:
        text = ["; ".join(scenario["stock"]), f"IPv{scenario['family']}"]
    elif "cm" in scenario:
        clients = [line.split("|")[1].strip() for line in scenario["cm"]]
        text = ["; ".join(clients), f"IPv{scenario['family']}"]
        if "lost" in scenario:
            text.append("lost one by one: " + " ".join(scenario["lost"]))
    else:
        text = [scenario["op"], f"MTU {scenario['mtu']}", f"IPv{scenario['family']}"]
    if scenario.get("qps", 1) > 1:
        text.append(f"{scenario['qps']} QPs")
    if scenario.get("netdev"):
        text.append("TAP")
    for key in ("loss", "duplicate", "reorder", "fault", "expect"):
        if key in scenario:
            text.append(f"{key} {scenario[key]}")
    return ", ".join(text)


HEAD = ["| scenario | what | our role | verdict | frames we sent | seconds | bits | date "
        "| kernel |",
        "|---|---|---|---|---|---|---|---|---|"]


def row_of(result, release):
    cells = (result["name"], result["what"], result["role"], result["verdict"], result["frames"],
             f"{result['seconds']:.0f}", result["width"], datetime.date.today(), release)
    return "| " + " | ".join(map(str, cells)) + " |"


def report(path, results, release, order):
    """Writes the rows of these runs into a page, between its two marks; rows of runs that were not
    repeated stay, in the order of the scenarios."""
    page = pathlib.Path(path)
    text = page.read_text()
    begin, end = "<!-- results -->", "<!-- end of results -->"
    if begin not in text or end not in text:
        raise image.Missing(f"{path}: no region for results, {begin} ... {end}")
    head, rest = text.split(begin, 1)
    old, rest = rest.split(end, 1)
    rows = {}
    for line in old.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == HEAD[0].count("|") - 1 and cells[0] in order:
            rows[cells[0], cells[2]] = line
    rows.update(((r["name"], r["role"]), row_of(r, release)) for r in results)
    place = {name: number for number, name in enumerate(order)}
    table = [rows[key] for key in sorted(rows, key=lambda key: place[key[0]])]
    page.write_text(head + begin + "\n" + "\n".join(HEAD + table) + "\n" + end + rest)


def main():
    parser = argparse.ArgumentParser(description="our node against Soft-RoCE in a QEMU guest",
                                     prog="roci interop")
    parser.add_argument("names", nargs="*", metavar="SCENARIO", help="name or pattern; none: all")
    parser.add_argument("--list", action="store_true", help="names of all scenarios")
    parser.add_argument("--quick", action="store_true", help="the short set")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("roci-interop"),
                        help="folder for captures and logs [roci-interop]")
    parser.add_argument("--width", type=int, choices=(64, 512), help="data path of our engine")
    parser.add_argument("--report", help="page to write the results into")
    parser.add_argument("--roci", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores the first
        signal.signal(number, signal.default_int_handler)
    try:
        scenarios = read_scenarios()
        if options.width:
            for scenario in scenarios.values():
                scenario["width"] = options.width
        picked = chosen(scenarios, options)
        if options.list:
            for name, scenario in picked.items():
                print(f"{name:<22} {describe(scenario)}")
            return 0
        options.out.mkdir(parents=True, exist_ok=True)
        options.cache = options.cache.resolve()
        image.build(options.cache)
        if not namespaces.isolate("ROCI_INTEROP"):
            raise image.Missing("this host permits no network namespaces")
        return run_all(picked, options, scenarios)
    except (image.Missing, machine.GuestError, OSError) as error:
        print(f"roci: {error}", file=sys.stderr)
        return 2


ATTEMPTS = 3


def broken_first(options, name, scenario, role):
    """The first rule that is broken in the capture of a run, "RQ-20 in frame 606", and whether the
    guest broke it; (None, False): none is.

    Soft-RoCE at times retransmits a message at other PSNs or in other packets than before, when a
    NAK reaches it while it retransmits. What is broken later may be a consequence.
    """
    folder = options.out / f"{name}.{role}"
    judged = folder / "judged.json"
    judged.unlink(missing_ok=True)
    if not (folder / "wire.pcapng").exists():
        return None, False
    # Our program connects each of its queue pairs once; stock programs may reuse a number.
    once = ["--connected-once"] if "op" in scenario else []
    subprocess.run([options.roci, "conform", "--pcap", folder / "wire.pcapng", *once,
                    "--json", judged],
                   stdout=subprocess.DEVNULL, check=False)
    findings = json.loads(judged.read_text())[0]["findings"] if judged.exists() else []
    if not findings:
        return None, False
    return (f"{findings[0]['statement']} in frame {findings[0]['frame']}",
            findings[0]["packet"].split(" ")[0] in (machine.IPV4, machine.IPV6))


def run_all(picked, options, order):
    runner = Runner(options)
    results = []
    try:
        for name, scenario in picked.items():
            for role in scenario["roles"]:
                start = time.monotonic()
                result = {"name": name, "role": role, "what": describe(scenario), "frames": 0,
                          "width": scenario.get("width", 512)}
                if scenario.get("engine") == "model":
                    result["width"] = "model"
                for attempt in range(ATTEMPTS):
                    try:
                        result.update(runner.run(name, scenario, role), verdict="pass")
                        broken, by_guest = broken_first(options, name, scenario, role)
                        # Reordered frames of ours may look as if we had sent them so.
                        if broken and not by_guest and "reorder" not in scenario:
                            result.update(verdict="FAIL", why=f"we broke {broken}")
                        break
                    except (Failed, machine.GuestError) as error:
                        result.update(verdict="FAIL", why=str(error))
                        runner.close()  # effects of a failed run must not reach the next
                    broken, by_guest = broken_first(options, name, scenario, role)
                    if not by_guest:
                        break
                    print(f"{name:<22} {role:<10} the guest broke {broken}: {result['why']}")
                    result["why"] = f"attempt {attempt + 2}: the guest broke {broken}"
                result["seconds"] = time.monotonic() - start
                results.append(result)
                print(f"{name:<22} {role:<10} {result['verdict']:<5} {result['seconds']:5.1f} s  "
                      f"{result.get('why', '')}", flush=True)
    except KeyboardInterrupt:
        print("interrupted: the results so far follow")
    finally:
        runner.close()
    release = runner.guest.release if runner.guest else ""
    (options.out / "results.json").write_text(json.dumps(
        {"kernel": release, "boot_seconds": runner.boots, "runs": results}, indent=1) + "\n")
    failed = [r for r in results if r["verdict"] != "pass"]
    print(f"{len(results) - len(failed)} of {len(results)} runs passed; captures in {options.out}")
    if options.report:
        report(options.report, results, release, list(order))
    runs = sum(len(scenario["roles"]) for scenario in picked.values())
    return 1 if failed or len(results) < runs else 0


if __name__ == "__main__":
    sys.exit(main())
