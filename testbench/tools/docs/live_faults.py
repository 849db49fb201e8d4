# SPDX-License-Identifier: Apache-2.0
"""The catalogue of faults under live programs, from the cases that its test runs."""
import json
import tomllib


def cases(tree):
    return tomllib.loads(tree.text("sim/test/live_faults.toml"))["case"]


def families(tree):
    """Each table of cases with the words of its lines, the first of which are names."""
    for file in ("repaired", "shown"):
        for family in tomllib.loads(tree.text(f"sim/test/live_faults_{file}.toml"))["family"]:
            yield family, [line.split() for line in family["table"].strip().splitlines()]


def count(tree):
    return len(cases(tree)) + sum(len(lines) - 1 for _, lines in families(tree))


def table_region(tree, _page, _argument):
    """A row for each case of sim/test/live_faults.toml."""
    yield "| shows | by | program | fault |"
    yield "|---|---|---|---|"
    for case in cases(tree):
        script = f"`{case['script']}`" if case["script"] else "none"
        yield f"| {case['shows']} | {case['why']} | `{case['program']}` | {script} |"


def families_region(tree, _page, _argument):
    """A row for each table of cases."""
    yield "| shows | by | program | fault | cases |"
    yield "|---|---|---|---|---:|"
    for family, (names, *rows) in families(tree):
        shown = ", ".join(dict.fromkeys(family["shows"].format_map(dict(zip(names, row)))
                                        for row in rows))
        yield (f"| {shown} | {family['why']} | `{family['program']}` | `{family['script']}` "
               f"| {len(rows)} |")


def values_region(tree, _page, _argument):
    """A row for each value that no case shows, with the reason."""
    yield "| not shown | why | caused by programs in |"
    yield "|---|---|---|"
    for entry in tomllib.loads(tree.text("sim/test/live_fault_values.toml"))["value"]:
        test = entry.get("test")
        link = f"[{test.rpartition('/')[2]}](../{test})" if test else "\u2013"
        yield f"| {', '.join(entry['names'])} | {entry['why']} | {link} |"


def runs_region(tree, _page, _argument):
    """From docs/measured/live_faults.json: for each engine commit, seed and times, and for each
    status or event how many cases ran, how often, and how many runs did not show it."""
    engines = json.loads(tree.text("docs/measured/live_faults.json"))
    for name, result in engines.items():
        yield (f"- {name}: commit {result['commit']}, seed {result['seed']}, each case "
               f"{result['times']} times")
    yield ""
    yield "| shows | " + " | ".join(f"cases, {name} | runs | failed" for name in engines) + " |"
    yield "|---|" + "---:|---:|---:|" * len(engines)
    totals = {}  # by status or event, and by engine
    for name, result in engines.items():
        for shows, _, runs, passed, _ in result["rows"]:
            for key in shows, "all":
                count = totals.setdefault(key, {}).setdefault(name, [0, 0, 0])
                for at, more in enumerate((1, runs, runs - passed)):
                    count[at] += more
    totals["all"] = totals.pop("all")
    for shows, counts in totals.items():
        cells = [f"{value:,}" for name in engines for value in counts.get(name, (0, 0, 0))]
        yield f"| {shows} | " + " | ".join(cells) + " |"
