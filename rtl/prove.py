# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions of a module for all time, and that its covers are reached.

usage: prove.py [--smt | --pdr] TOP DEPTH COVER FOLDER [PARAMETER=VALUE...]

Assertions hold in the first DEPTH clocks after reset, and in a clock after DEPTH clocks in which
they held, from any state: so they always hold. With --pdr, ABC searches for an invariant of its
own in place of the second step, where the state of two modules would have to be related by hand.
Each cover is reached within COVER clocks, so the
assumptions do not contradict each other. The solver of ABC decides; yosys-smtbmc with z3 shows
the trace when it finds a counterexample, and decides for modules without registers and, with
--smt, where its words serve better than bits. FOLDER takes the models.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402

WORDS = "prep -top {top} -flatten; memory_map; async2sync; dffunmap; "
# What is undefined can be any value in each clock.
BITS = ("setundef -undriven -anyseq; opt -full; techmap; opt -fast; simplemap; dffunmap; "
        "abc -g AND -fast; ")
WRITE = "delete -output; opt_clean; write_aiger -I -B -zinit "
# Makes an assertion of each cover, which the solver must be able to violate.
COVER_MAP = pathlib.Path(__file__).with_name("cover_as_assert.v")


def models(read, top, base):
    """Writes BASE.smt2, BASE_assert.aig and BASE_cover.aig of what the Yosys commands read."""
    script = (read + WORDS.format(top=top) + f"write_smt2 -wires {base}.smt2; "
              + BITS + "design -save bits; "
              + f"chformal -cover -remove; {WRITE} {aig(base, 'assert')}; design -load bits; "
              + f"chformal -assert -remove; techmap -map {COVER_MAP}; simplemap; "
              + f"{WRITE} {aig(base, 'cover')}")
    return subprocess.run(["yosys", "-q", "-e", yosys.ERRORS, "-p", script]).returncode


def aig(base, kind):
    return base.with_name(f"{base.name}_{kind}.aig")


def registers(path):
    """How many a file in the AIGER format has."""
    return int(path.read_bytes().split(b"\n", 1)[0].split()[3])


def count(base, kind):
    """How many assertions or covers a model has."""
    return base.with_suffix(".smt2").read_text().count(f"\n; yosys-smt2-{kind} ")


def abc(path, *runs):
    """What ABC prints of runs of commands, each on the model; the constraints become part of its
    properties."""
    commands = "; ".join(f"read_aiger {path}; fold; strash; {run}" for run in runs)
    return subprocess.run(["yosys-abc", "-c", commands], capture_output=True, text=True).stdout


def not_proved(base, depth, pdr=False):
    """Nothing if the assertions always hold, else the options of smtbmc that show why not."""
    path = aig(base, "assert")
    if not count(base, "assert"):
        return []
    if not re.search(rf"^No output asserted in {depth} frames",
                     abc(path, f"orpos; bmc3 -F {depth}"), re.M):
        return ["-t", str(depth)]
    if pdr:
        said = abc(path, "orpos; pdr")
        late = re.search(r"was asserted in frame (\d+)", said)
        proved = re.search(r"^Property proved", said, re.M) and not late
        return [] if proved else ["-t", str(int(late[1]) + 1) if late else str(depth)]
    if not re.search(r"^Networks are equivalent", abc(path, f"orpos; ind -F {depth + 1}"), re.M):
        return ["-i", "-t", str(depth)]
    return []


def not_reached(base, depth):
    """Nothing if each cover is reached, else the options of smtbmc that show which is not."""
    path = aig(base, "cover")
    covers = count(base, "cover")
    # One at a time: for all at once, ABC ends with a segmentation fault on some models.
    runs = [f"cone -s -O {number}; bmc3 -F {depth + 1}" for number in range(covers)]
    found = re.findall(r"^Output 0 of miter .* was asserted", abc(path, *runs), re.M)
    return [] if len(found) == covers else ["-c", "-t", str(depth)]


def smt(base, options):
    """Runs yosys-smtbmc, which prints what it finds; true if it passed."""
    command = ["yosys-smtbmc", "--noprogress", "-s", "z3", "--unroll", *options,
               str(base.with_suffix(".smt2"))]
    return subprocess.run(command).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("top")
    parser.add_argument("depth", type=int, help="clocks of the induction")
    parser.add_argument("cover", type=int, help="clocks within which each cover is reached")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--smt", action="store_true")
    parser.add_argument("--pdr", action="store_true")
    parser.add_argument("parameters", nargs="*", metavar="PARAMETER=VALUE")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    base = args.folder / args.top
    read = yosys.read_script(args.top, dict(p.split("=") for p in args.parameters), formal=True)
    if models(read, args.top, base):
        return 2
    if args.smt or not registers(aig(base, "assert")):
        depth = ["-t", str(args.depth)]
        return not all([smt(base, ["-i", *depth]), smt(base, depth),
                        smt(base, ["-c", "-t", str(args.cover)])])
    failed = not_proved(base, args.depth, args.pdr) or not_reached(base, args.cover)
    if failed:
        smt(base, failed)
        print(f"{args.top}: not proved (yosys-smtbmc {' '.join(failed)})", file=sys.stderr)
        return 1
    print(f"{args.top}: {count(base, 'assert')} assertions hold, "
          f"{count(base, 'cover')} covers reached")
    return 0


if __name__ == "__main__":
    sys.exit(main())
