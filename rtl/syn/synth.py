#!/usr/bin/env python3
"""Synthesizes the engine with Yosys and reports its size block by block.

usage: synth.py [--width 64|128|256|512] [--family xcup|ecp5] [--qps N] [--markdown] [--build DIR]

Exit status 1 when Yosys fails, finds a latch, or warns of something that EXPLAINED does not name.
"""
import argparse
import pathlib
import re
import subprocess
import sys

RTL = pathlib.Path(__file__).resolve().parent.parent

# Warnings that may stand, each with its reason.
EXPLAINED = {
    r"Replacing memory .* with list of registers":
        "a small array read in several places at once; registers are what it should become",
    r"Resizing cell port .* from \d+ bits to \d+ bits":
        "a port of a parametrised block is wider than one use of it",
    r"Complex async reset for dff": "made by technology mapping, no asynchronous reset in the source",
    r"Whitebox .* with missing timing would be treated as a blackbox|ABC: ":
        "message of the mapper about its own cell library",
}

TARGETS = {
    "xcup": ("synth_xilinx -family xcup -noiopad -noclkbuf -top roci_nic",
             {"LUT": r"LUT[1-6]$", "FF": r"FD[RSCP]E$", "BRAM36": r"RAMB36E2$", "BRAM18": r"RAMB18E2$",
              "LUTRAM": r"RAM(32|64|128|256|512)", "DSP": r"DSP48"}),
    "ecp5": ("synth_ecp5 -noflatten -top roci_nic",
             {"LUT": r"LUT4$", "FF": r"TRELLIS_FF$", "BRAM": r"DP16KD$", "LUTRAM": r"TRELLIS_DPR16X4$",
              "DSP": r"MULT18"}),
}


def sources():
    files = sorted(RTL.glob("*/roci_*.sv")) + sorted(RTL.glob("roci_nic.sv"))
    return [str(f) for f in files if "syn" not in f.parts]


def run_yosys(width, family, qps, build):
    command, _ = TARGETS[family]
    build.mkdir(parents=True, exist_ok=True)
    log = build / f"synth_{family}_{width}.log"
    script = (f"read_verilog -sv -I {RTL}/common {RTL}/roci_pkg.sv; "
              f"read_verilog -sv -defer -I {RTL}/common {' '.join(sources())}; "
              f"chparam -set DataWidth {width} -set NumQps {qps} roci_nic; "
              f"hierarchy -check -top roci_nic; {command}; check")
    done = subprocess.run(["yosys", "-q", "-l", str(log), "-p", f"{script}; tee -q -o {log}.stat stat"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done, log, pathlib.Path(f"{log}.stat")


def complaints(log_text):
    for line in log_text.splitlines():
        if "latch" in line.lower() and "no latch" not in line.lower() and "$_DLATCH" in line:
            yield line.strip()
        if line.startswith("Warning:"):
            if not any(re.search(p, line) for p in EXPLAINED):
                yield line.strip()


def short_name(module):
    """The block's name out of Yosys' name for a module with parameters."""
    match = re.search(r"roci_[a-z0-9_]+", module)
    return match.group(0) if match else module


def parse_stat(text, kinds):
    """Own cells of each module, and how often each module is used by another."""
    own, uses = {}, {}
    module = None
    for line in text.splitlines():
        head = re.match(r"=== (.+) ===", line)
        if head:
            module = head.group(1).replace("\\", "")
            if module == "design hierarchy":
                break
            own[module] = dict.fromkeys(kinds, 0)
            uses[module] = {}
            continue
        cell = re.match(r"\s+(\S+)\s+(\d+)$", line)
        if module and cell:
            name, count = cell.group(1).replace("\\", ""), int(cell.group(2))
            for kind, pattern in kinds.items():
                if re.search(pattern, name):
                    own[module][kind] += count
            uses[module][name] = count
    return own, uses


def totals(module, own, uses, kinds):
    result = dict(own[module])
    for child, count in uses[module].items():
        if child in own:
            below = totals(child, own, uses, kinds)
            for kind in kinds:
                result[kind] += count * below[kind]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--family", default="xcup", choices=TARGETS)
    parser.add_argument("--qps", type=int, default=256)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/syn"))
    args = parser.parse_args()
    kinds = TARGETS[args.family][1]
    done, log, stat = run_yosys(args.width, args.family, args.qps, args.build)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
        return 1
    bad = sorted(set(complaints(log.read_text())))
    own, uses = parse_stat(stat.read_text(), kinds)
    top = next(m for m in own if short_name(m) == "roci_nic")
    rows = [("whole engine", totals(top, own, uses, kinds))]
    for child, count in sorted(uses[top].items(), key=lambda item: short_name(item[0])):
        if child in own:
            rows.append((short_name(child), totals(child, own, uses, kinds)))
            for grand in sorted(uses[child], key=short_name):
                if grand in own:
                    rows.append(("- " + short_name(grand), totals(grand, own, uses, kinds)))
    if args.markdown:
        print("| block | " + " | ".join(kinds) + " |\n|---|" + "---:|" * len(kinds))
        for name, counts in rows:
            print(f"| {name} | " + " | ".join(str(counts[k]) for k in kinds) + " |")
    else:
        print(f"{'block':28}" + "".join(f"{k:>9}" for k in kinds))
        for name, counts in rows:
            print(f"{name:28}" + "".join(f"{counts[k]:>9}" for k in kinds))
    for line in bad:
        print("unexplained:", line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
