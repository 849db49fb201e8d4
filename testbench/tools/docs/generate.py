#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated regions of the Markdown pages, or checks that they are current.

A region stands between `<!-- generated: KIND ARGUMENT -->` and `<!-- end -->`.

usage: generate.py [--check] [--roci PROGRAM] [PAGE...]      all pages by default
  --check          change nothing; exit status 1 when a region differs from what it is written from
  --roci PROGRAM   also write or check the regions that show the program's help and output
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from testbench.tools.docs import (  # noqa: E402
    blocks, boards, live_faults, measured, program, synthesis)
from testbench.tools.gates.tree import Tree  # noqa: E402
from testbench.tools.proofs import listed  # noqa: E402

REGION = re.compile(r"(?<!`)(<!-- generated: (\w+)((?: [^\s]+)*?) -->)(.*?)(<!-- end -->)", re.S)
KINDS = {
    "block": blocks.block_region,
    "board_parts": boards.parts_region,
    "board_seeds": boards.seeds_region,
    "forms": synthesis.forms_region,
    "interface": blocks.interface_region,
    "catalogue": blocks.catalogue_region,
    "count": measured.count_region,
    "live_faults": live_faults.table_region,
    "live_fault_runs": live_faults.runs_region,
    "live_fault_tables": live_faults.families_region,
    "live_fault_values": live_faults.values_region,
    "measured": measured.table_region,
    "placed": synthesis.place_region,
    "proofs": listed.proofs_region,
    "sizes": synthesis.sizes_region,
    "source": measured.source_region,
    "synthesized": synthesis.commit_region,
    "timing": synthesis.timing_region,
}


class Writer:
    def __init__(self, tree, roci):
        self.tree = tree
        self.kinds = dict(KINDS)
        if roci:
            self.kinds["options"] = program.Options(roci).region
            sessions = program.Sessions(roci)
            self.kinds["session"] = sessions.region
            self.kinds["waveform"] = sessions.waveform_region

    def page(self, name):
        """The text of a page with its regions rewritten."""
        def fill(match):
            kind, argument = match[2], match[3].strip()
            if kind not in self.kinds:
                if kind in ("options", "session", "waveform"):
                    return match[0]
                sys.exit(f"{name}: no region of kind '{kind}'")
            lines = self.kinds[kind](self.tree, name, argument)
            if lines is None:
                return match[0]
            lines = list(lines)
            inline = "\n" not in match[4]
            body = " ".join(lines) if inline else "\n" + "\n".join(lines) + "\n"
            return match[1] + body + match[5]
        return REGION.sub(fill, self.tree.text(name))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--roci")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("pages", nargs="*")
    args = parser.parse_args()
    tree = Tree(args.root)
    writer = Writer(tree, args.roci)
    stale = []
    for name in args.pages or tree.select(".md"):
        old, new = tree.text(name), writer.page(name)
        if old != new:
            stale.append(name)
            if not args.check:
                (tree.root / name).write_text(new)
    for name in stale:
        print(f"{name}: " + ("not current: run generate.py" if args.check else "written"))
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
