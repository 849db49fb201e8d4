# SPDX-License-Identifier: Apache-2.0
"""Regions with the figures of a board, from docs/measured/ecpix5.json."""
import json

from rtl.board.ecpix5 import flow

TABLE = "docs/measured/ecpix5.json"


def load(tree):
    return json.loads(tree.text(TABLE)) if TABLE in tree.files else {"parts": {}, "seeds": {}}


def parts_region(tree, _page, _argument):
    """Cells of each part, their sum, and those of the device."""
    parts = load(tree)["parts"]
    yield "| part | " + " | ".join(flow.LIMITS) + " |"
    yield "|---|" + "---:|" * len(flow.LIMITS)
    total = flow.total(parts)
    largest = sorted(parts.items(), key=lambda part: -part[1]["LUT4"])
    for name, row in [*largest, ("sum", total), ("device", flow.LIMITS)]:
        yield f"| {name} | " + " | ".join(f"{row[key]:,}" for key in flow.LIMITS) + " |"
    yield ""
    shares = {key: f"{100 * total[key] / most:.0f}%" for key, most in flow.LIMITS.items()}
    commits = ", ".join(sorted({row["commit"] for row in parts.values()}))
    yield f"{shares['LUT4']} of the LUTs, {shares['DP16KD']} of the block RAMs (commit {commits})."


def seeds_region(tree, _page, _argument):
    """What each seed reaches of what each clock needs."""
    seeds = load(tree)["seeds"]
    if not seeds:
        yield "No seed has been routed."
        return
    clocks = {name: needed for row in seeds.values() for name, (_, needed) in row["clocks"].items()}
    yield ("| seed | " + " | ".join(f"`{name}`, {needed:g} MHz" for name, needed in clocks.items())
           + " | least margin | TRELLIS_COMB | tools | commit |")
    yield "|---|" + "---:|" * (len(clocks) + 2) + "---|---|"
    for seed, row in seeds.items():
        reached = [f"{row['clocks'][name][0]:.1f}" for name in clocks]
        margin = min(mhz / needed for mhz, needed in row["clocks"].values()) - 1
        tools = ", ".join(f"compiled {name}" for name in row["compiled"]) or "of PyPI"
        yield (f"| {seed} | " + " | ".join(reached) + f" | {100 * margin:+.0f}% | "
               f"{row['comb']:,} | {tools} | {row['commit']} |")
