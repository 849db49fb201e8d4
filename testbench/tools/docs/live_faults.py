# SPDX-License-Identifier: Apache-2.0
"""The catalogue of faults under live programs, from the cases that its test runs."""
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
