# SPDX-License-Identifier: Apache-2.0
"""Regions with sizes and paths of the RTL, from docs/measured/timing.json and place.json."""
import json
import re

TIMING, PLACE = "docs/measured/timing.json", "docs/measured/place.json"
FORMS = "docs/measured/forms.json"
FORM_NAMES = {"1024": "1,024 queue pairs", "absent": "every option absent"}
RESOURCES = ("LUT", "LUTRAM", "FF", "BRAM36", "BRAM18")


def load(tree, name):
    return json.loads(tree.text(name)) if name in tree.files else None


def rows_of(tree):
    result = load(tree, TIMING)
    return result["rows"] if result else {}


def row(rows, block, width):
    """The row of a block at a width; that of a block without a width holds for all."""
    return rows.get(f"{block} {width}") or rows.get(f"{block} any")


def luts(found):
    return found["LUT"] + found["LUTRAM"]


def size_text(found):
    memory = found["BRAM36"] + found["BRAM18"] / 2
    return f"{luts(found):,} / {found['FF']:,} / {memory:g}"


def tops(tree):
    """The blocks that roci_nic is wired from, as timing.py finds them."""
    code = re.sub(r"//.*", "", tree.text("rtl/roci_nic.sv"))
    named = re.findall(r"^  roci_(\w+)\s+(?:#\(|u_)", code, re.M)
    blocks = {n.split("/")[-2] for n in tree.select("block.cmake", under="rtl/")}
    return sorted(set(named) & blocks)


def commits(rows):
    """The commits on which some rows were measured, as a phrase."""
    found = sorted({entry["commit"] for entry in rows if entry.get("commit")})
    if len(found) == 1:
        return f"commit {found[0]}"
    return f"{len(found)} commits, which the table names row by row"


def timing_region(tree, _page, argument):
    """`tops`, or `blocks` with the largest first: size, levels, delays, slowest path."""
    rows, of = rows_of(tree), tops(tree)
    found = {name: (row(rows, name, 64), row(rows, name, 512))
             for name in {label.split()[0] for label in rows}}
    found = {name: pair for name, pair in found.items() if all(pair)}
    yield ("| block | LUT 64 | levels 64 | ns 64 | LUT 512 | levels 512 | ns 512 | "
           "over 4 ns, of ends, 512 | slowest path at 512 bits, from and to |")
    yield "|---|" + "---:|" * 7 + "---|"
    for name in sorted(found, key=lambda n: (-luts(found[n][1]), n)):
        if (name in of) != (argument == "tops"):
            continue
        small, large = found[name]
        path = large["path"]
        ends = f"`{path[0]}`, `{path[-1]}`" if path else ""
        yield (f"| {name} | {luts(small):,} | {small['levels']} | {small['ns']:.2f} | "
               f"{luts(large):,} | {large['levels']} | {large['ns']:.2f} | "
               f"{large['over']:,} of {large['ends']:,} | {ends} |")


def sizes_region(tree, _page, _argument):
    """Sizes of the tops at both widths, with their sum, and the commits they are of."""
    rows = rows_of(tree)
    of = [n for n in tops(tree) if row(rows, n, 64) and row(rows, n, 512)]
    yield "| block | " + " | ".join(f"{r} {w}" for w in (64, 512) for r in RESOURCES) + " |"
    yield "|---|" + "---:|" * (2 * len(RESOURCES))
    found = {(n, w): row(rows, n, w) for n in of for w in (64, 512)}
    for name in of:
        yield f"| {name} | " + " | ".join(f"{found[name, w][r]:,}" for w in (64, 512)
                                          for r in RESOURCES) + " |"
    sums = [sum(found[n, w][r] for n in of) for w in (64, 512) for r in RESOURCES]
    yield "| sum | " + " | ".join(f"{s:,}" for s in sums) + " |"
    yield ""
    both = [sums[0] + sums[1], sums[len(RESOURCES)] + sums[len(RESOURCES) + 1]]
    yield f"Logic and memory together: {both[0]:,} LUTs at 64 bits, {both[1]:,} at 512 bits."


def forms_region(tree, _page, _argument):
    """The engine at 512 bits in other forms, beside that of the table of sizes."""
    result, rows = load(tree, FORMS), rows_of(tree)
    if not result:
        return
    yield "| form | LUT | LUTRAM | together | FF | BRAM36 | levels | ns | commits |"
    yield "|---|" + "---:|" * 7 + "---|"
    default = [row(rows, name, 512) for name in tops(tree)]
    forms = {"256 queue pairs, all options": default}
    for form, title in FORM_NAMES.items():
        forms[title] = [entry for label, entry in result["rows"].items()
                        if label.split()[0] == form]
    for title, found in forms.items():
        sums = {r: sum(entry[r] for entry in found) for r in RESOURCES}
        growth = luts(sums) / sum(map(luts, default)) - 1
        yield (f"| {title} | {sums['LUT']:,} | {sums['LUTRAM']:,} | {luts(sums):,}"
               f"{'' if found is default else f' ({growth:+.1%})'} | {sums['FF']:,} | "
               f"{sums['BRAM36'] + sums['BRAM18'] / 2:g} | "
               f"{max(entry['levels'] for entry in found)} | "
               f"{max(entry['ns'] for entry in found):.2f} | "
               f"{', '.join(sorted({entry['commit'] for entry in found}))} |")


def place_region(tree, _page, _argument):
    """Blocks placed and routed on ECP5, largest first; the whole engine on top."""
    result = load(tree, PLACE)
    if not result:
        return
    yield ("| block | LUT4 | of it carries | of it LUT RAM | FF | DP16KD | Fmax MHz | "
           "slowest path: logic + routing ns, LUTs + carries, from and to | commit |")
    yield "|---|---:|---:|---:|---:|---:|---:|---|---|"
    rows = result["rows"]
    for name in sorted(rows, key=lambda n: (n != "nic", -rows[n]["LUT4"])):
        found = rows[name]
        path = ""
        if found.get("path"):
            path = (f"{found['logic_ns']} + {found['routing_ns']}, {found['luts']} + "
                    f"{found['carries']}, `{found['path'][0]}`, `{found['path'][-1]}`")
        title = ", compiled ".join(["whole engine" if name == "nic" else name,
                                    *found.get("compiled", ())])
        yield (f"| {title} | {found['LUT4']:,} | "
               f"{found['carry']:,} | {found['LUTRAM']:,} | {found['FF']:,} | {found['BRAM']:,} | "
               f"{found.get('fmax') or found['note']} | {path} | {found['commit']} |")


def commit_region(tree, _page, argument):
    """The commits on which the rows of a table were measured."""
    result = load(tree, {"timing": TIMING, "place": PLACE}[argument])
    rows = list(result["rows"].values()) if result else []
    newest = max((entry.get("model", 1) for entry in rows), default=1)
    old = sum(entry.get("model", 1) != newest for entry in rows)
    yield (commits(rows) if result else "an unknown commit") + (
        f"; {old} rows by the delay model before, which routed carries" if old else "")
