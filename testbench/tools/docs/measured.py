# SPDX-License-Identifier: Apache-2.0
"""Regions written from results in docs/measured, and from counts and sources of the tree."""
import fnmatch
import json
import os.path
import re

from testbench.tools.docs import live_faults


def count_statements(tree):
    return len(re.findall(r"^\| [A-Z]+-\d+ \|", tree.text("docs/conformance.md"), re.M))


def count_schedules(tree):
    return len(re.findall(r"^\| F-\d+ \|", tree.text("docs/faults.md"), re.M))


def count_mutants(tree):
    text = tree.text("testbench/tools/mutants/mutants.txt")
    return len(re.findall(r"^== ", text, re.M))


def count_captures(tree):
    return len(tree.select(".pcap", under="model/packet/testdata/"))


def count_invariants(tree):
    return len(re.findall(r"^\| I\d+ \|", tree.text("docs/invariants.md"), re.M))


COUNTS = {"invariants": count_invariants, "statements": count_statements,
          "schedules": count_schedules, "live_faults": live_faults.count,
          "mutants": count_mutants, "captures": count_captures}


def count_region(tree, _page, argument):
    yield str(COUNTS[argument](tree))


def table_region(tree, _page, argument):
    """docs/measured/NAME.json: the command, the commit, and a table with its headings."""
    result = json.loads(tree.text(f"docs/measured/{argument}.json"))
    yield f"Measured at commit {result['commit']} with `{result['command']}`:"
    yield ""
    headings = result["headings"]
    rows = result["rows"]
    numbers = [all(row[at] == "" or isinstance(row[at], (int, float)) for row in rows)
               for at in range(len(headings))]
    yield "| " + " | ".join(headings) + " |"
    yield "|" + "".join("---:|" if number else "---|" for number in numbers)
    for row in rows:
        yield "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell)
                                for cell in row) + " |"


def source_region(tree, page, argument):
    """GLOB PATTERN BEFORE AFTER: lines of a source around the first that matches, and where they
    are."""
    files, pattern, before, after = argument.split()
    for name in fnmatch.filter(tree.files, files):
        lines = tree.text(name).splitlines()
        for number, line in enumerate(lines, 1):
            if not re.search(pattern, line):
                continue
            first, last = max(1, number - int(before)), min(len(lines), number + int(after))
            link = os.path.relpath(name, page.rpartition("/")[0] or ".")
            yield f"[{name}, line {number}]({link}#L{number}):"
            yield ""
            yield "```systemverilog"
            yield from lines[first - 1:last]
            yield "```"
            return
    raise ValueError(f"{page}: no line of {files} matches {pattern}")
