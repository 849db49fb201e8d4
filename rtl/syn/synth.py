#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the whole engine with Yosys, block by block in its hierarchy.

usage: synth.py [--width 64|128|256|512] [--qps N] [--family xcup|ecp5] [--flat] [--wide]
                [--least N] [--build DIR]
       synth.py --check [--width ...] [--qps ...]

Prints the size of each block, also of parts that are no blocks of their own. Each block is mapped
by itself, so the sums are upper bounds. --flat dissolves the blocks inside each child of roci_nic,
so that logic is shared and constants pass between them. --wide lets Yosys use MUXF7 to MUXF9 on
xcup, its default, which spends two to eight LUTs on each to save levels. --least hides blocks
within blocks that have fewer LUTs. The log stays in DIR (default build/syn).

--check only elaborates (seconds): no latch, no conflict of drivers, nothing undriven, no array
left as registers, each roci_ram with a registered read.

Exit status 1 when Yosys fails, finds a latch, turns an array into registers, or warns of
something that EXPLAINED does not name.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import blocks, cells  # noqa: E402

# Warnings that may stand, each with its reason.
EXPLAINED = {
    r"Resizing cell port \S+\.(ADDR|DIN|DOUT|WE)\w+ from \d+ bits to \d+ bits":
        "Yosys' own library connects vectors of the widest block RAM to each kind; the rest "
        "is a constant or an output that nothing reads",
    r"The network is combinational": "ABC sees only the logic between flip-flops",
    r"using FF mapping for memory \S*roci_(fifo|dma_tags)\.\w+$":
        "a few bits: a fifo or table of one-bit words",
    r"using FF mapping for memory \S*roci_atomic\.place_q$":
        "all entries are compared at once, which no memory can do",
    r"using FF mapping for memory \S*\$proc_rom": "a case statement that Yosys took for a ROM",
}

TARGETS = {"xcup": ("synth_xilinx -family xcup -noiopad -noclkbuf", cells.XCUP),
           "ecp5": ("synth_ecp5", cells.ECP5)}


def read(width, qps):
    return (yosys.read_script("roci_nic", {"DataWidth": width, "NumQps": qps})
            + "hierarchy -check -top roci_nic; ")


def check_script(width, qps):
    return (read(width, qps) + "proc; check -assert; "
            "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr; "
            "opt -fast *roci_ram; memory -nomap *roci_ram; "
            "select -assert-min 1 */t:$mem_v2; "
            "select -assert-none *roci_ram/t:$mem_v2 r:RD_CLK_ENABLE=1'0 %i; ")


def synth_script(width, qps, family, flat, wide, stat):
    command = TARGETS[family][0]
    script = read(width, qps)
    if flat:
        script += "setattr -mod -set keep_hierarchy 1 " + " ".join(
            f"*roci_{name}" for name in blocks.tops()) + "; "
    if family == "ecp5":
        command += "" if flat else " -noflatten"
    elif flat:
        command += " -flatten"
    if family == "xcup" and not wide:
        command += " -nowidelut"
    return script + (f"{command}; check -assert; select -assert-none t:$_DLATCH* t:LDCE t:LDPE; "
                     f"tee -q -o {stat} stat")


def run(script, log):
    return subprocess.run(["yosys", "-q", "-l", str(log), "-p", script],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def complaints(log_text):
    """What may not stand: latches, memories in registers, warnings without an explanation."""
    for line in log_text.splitlines():
        line = line.strip()
        if line.startswith("Latch inferred"):
            yield line
        elif re.search(r"^using FF mapping for memory|Replacing memory|Warning:", line):
            if not any(re.search(p, line) for p in EXPLAINED):
                yield line


def short_name(module):
    """The block's name out of Yosys' name for a module with parameters."""
    match = re.search(r"roci_[a-z0-9_]+", module)
    return match.group(0) if match else module


def parse_stat(text, kinds):
    """Own cells of each module, and how often each module is used by another."""
    uses, module = {}, None
    for line in text.splitlines():
        head = re.match(r"=== (.+) ===", line)
        if head:
            module = head.group(1).replace("\\", "")
            if module == "design hierarchy":
                break
            uses[module] = {}
            continue
        cell = re.match(r"\s+(\S+)\s+(\d+)$", line)
        if module and cell:
            uses[module][cell.group(1).replace("\\", "")] = int(cell.group(2))
    return {name: cells.sizes(counts, kinds) for name, counts in uses.items()}, uses


def totals(module, own, uses):
    result = dict(own[module])
    for child, count in uses[module].items():
        if child in own:
            for kind, below in totals(child, own, uses).items():
                result[kind] += count * below
    return result


def grouped(module, own, uses):
    """(name, count, sizes) of the blocks within a block, those of one name together."""
    groups = {}
    for child, count in uses[module].items():
        if child in own:
            seen, sizes = groups.setdefault(short_name(child), (0, dict.fromkeys(own[module], 0)))
            below = totals(child, own, uses)
            groups[short_name(child)] = (seen + count, {k: sizes[k] + count * below[k]
                                                        for k in sizes})
    return [(name, *groups[name]) for name in sorted(groups)]


def table(own, uses, least):
    top = next(m for m in own if short_name(m) == "roci_nic")
    rows = [("whole engine", totals(top, own, uses))]
    for child in sorted((m for m in uses[top] if m in own), key=short_name):
        rows.append((short_name(child), totals(child, own, uses)))
        for name, count, sizes in grouped(child, own, uses):
            if sizes["LUT"] + sizes["LUTRAM"] >= least:
                rows.append((f"- {name}" + (f" x {count}" if count > 1 else ""), sizes))
    rows.append(("wires between", own[top]))
    return rows


def sizes_of(stat, kinds, least):
    return table(*parse_stat(stat.read_text(), kinds), least)


def show(rows, kinds):
    print(f"{'block':30}" + "".join(f"{k:>9}" for k in kinds))
    for name, counts in rows:
        print(f"{name:30}" + "".join(f"{counts[k]:>9}" for k in kinds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--qps", type=int, default=256)
    parser.add_argument("--family", default="xcup", choices=TARGETS)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--least", type=int, default=300)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/syn")
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    kind = "check" if args.check else (
        args.family + ("_flat" if args.flat else "") + ("_wide" if args.wide else ""))
    log = args.build / f"{kind}_{args.width}_{args.qps}.log"
    stat = log.with_suffix(".stat")
    kinds = TARGETS[args.family][1]
    if args.check:
        script = check_script(args.width, args.qps)
    else:
        script = synth_script(args.width, args.qps, args.family, args.flat, args.wide, stat)
    done = run(script, log)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
        return 1
    if not args.check:
        show(sizes_of(stat, kinds, args.least), kinds)
    bad = sorted(set(complaints(log.read_text(errors="replace"))))
    for line in bad:
        print("unexplained:", line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
