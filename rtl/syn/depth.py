#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says which ends of a block need the most LUT levels, each mapped by itself.

usage: depth.py BLOCK [--width W] [--count N]

ABC maps all logic between registers and carry chains at once, and lets every end have as many
levels as the deepest one needs: it saves LUTs with them. So a path that is slow in the report of
timing.py need not be a long one, and to shorten it has no effect until the deepest ends of the
whole block are shorter. Here ABC maps the cone of an end alone. Three ends of a word stand for it;
only those are looked at that have the most levels in the whole, or one less.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402
from rtl.syn import blocks, measure  # noqa: E402

# As Yosys 0.23 calls ABC for LUTs, up to the mapping.
PREPARE = ["strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2", "strash", "dch -f"]


def abc(folder, commands):
    """Runs ABC in a folder; what it prints."""
    (folder / "script").write_text("\n".join(commands) + "\n")
    done = subprocess.run(["berkeley-abc", "-f", "script"], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode or "aborting" in done.stdout:
        sys.exit(f"ABC: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def extract(script, top, folder):
    """Runs Yosys up to the mapping; the folder then holds what ABC got from it."""
    steps = (f"{script} {blocks.COMMAND} -top {top} -run begin:map_luts; "
             "abc -luts 2:2,3,6:5 -nocleanup -showtmp")
    done = subprocess.run(["yosys", "-q", "-p", steps], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"yosys: {done.stderr[-2000:]}")
    return next(folder.glob("_tmp_yosys-abc-*"))


def levels(blif):
    """{net: LUT levels} of a mapped netlist."""
    inputs_of = {}
    for line in blif.replace("\\\n", " ").splitlines():
        if line.startswith(".names"):
            *inputs, net = line.split()[1:]
            inputs_of[net] = inputs
    found = {}
    for start in inputs_of:
        waiting = [start]
        while waiting:
            net = waiting[-1]
            left = [i for i in inputs_of.get(net, ()) if i not in found]
            if net not in found and left:
                waiting += left
                continue
            waiting.pop()
            below = [found[i] for i in inputs_of.get(net, ())]
            found[net] = max(below, default=0) + (len(below) > 1)
    return found


def deepest(folder):
    """(levels of the whole, [(levels alone, inputs, name)]), the deepest first."""
    abc(folder, ["read_blif input.blif", "read_lut lutdefs.txt", *PREPARE,
                 "write_aiger post.aig", "if", "write_blif mapped.blif"])
    text = (folder / "input.blif").read_text()
    names = dict(re.findall(r"^# (ys__n\d+)\s+(.*)$", text, re.M))
    ends = re.search(r"^\.outputs (.*)$", text, re.M)[1].split()
    of_net = levels((folder / "mapped.blif").read_text())
    most = max(of_net.get(end, 0) for end in ends)
    words = collections.defaultdict(list)
    for index, end in enumerate(ends):
        if of_net.get(end, 0) >= most - 1:
            words[re.sub(r" \[\d+\]$", "", names.get(end, end))].append(index)
    chosen = [(word, index) for word, bits in words.items()
              for index in sorted({bits[0], bits[len(bits) // 2], bits[-1]})]
    commands = ["read_lut lutdefs.txt"]
    for _, index in chosen:
        commands += ["read_aiger post.aig", f"cone -O {index}", "if", "print_stats"]
    printed = re.findall(r"i/o =\s*(\d+)/.*?lev =\s*(\d+)", abc(folder, commands))
    assert len(printed) == len(chosen)
    found = {}
    for (word, _), (inputs, alone) in zip(chosen, printed):
        found[word] = max(found.get(word, (0, 0)), (int(alone), int(inputs)))
    return most, sorted(((*value, word) for word, value in found.items()), reverse=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("block", choices=blocks.blocks(), metavar="BLOCK")
    parser.add_argument("--width", type=int, default=512, choices=[64, 128, 256, 512])
    parser.add_argument("--count", type=int, default=20)
    args = parser.parse_args()
    top = f"roci_{args.block}"
    script = yosys.read_script(top, blocks.parameters(args.block, args.width, measure.QPS))
    with tempfile.TemporaryDirectory() as folder:
        most, found = deepest(extract(script, top, pathlib.Path(folder)))
    print(f"{args.block}: {most} levels between registers and carry chains")
    print("levels  inputs  end")
    for alone, inputs, word in found[:args.count]:
        print(f"{alone:6}  {inputs:6}  {word}")


if __name__ == "__main__":
    main()
