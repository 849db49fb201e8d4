# SPDX-License-Identifier: Apache-2.0
"""Regions written from results in docs/measured, and from counts of the tree."""
import json
import re


def count_statements(tree):
    return len(re.findall(r"^\| [A-Z]+-\d+ \|", tree.text("docs/conformance.md"), re.M))


def count_schedules(tree):
    return len(re.findall(r"^\| F-\d+ \|", tree.text("docs/faults.md"), re.M))


def count_mutants(tree):
    text = tree.text("testbench/tools/mutants/mutants.txt")
    return len(re.findall(r"^== ", text, re.M))


def count_captures(tree):
    return len(tree.select(".pcap", under="model/packet/testdata/"))


COUNTS = {"statements": count_statements, "schedules": count_schedules, "mutants": count_mutants,
          "captures": count_captures}


def count_region(tree, _page, argument):
    yield str(COUNTS[argument](tree))


def table_region(tree, _page, argument):
    """docs/measured/NAME.json: the command, the commit, and a table with its headings."""
    result = json.loads(tree.text(f"docs/measured/{argument}.json"))
    yield f"Measured at commit {result['commit']} with `{result['command']}`:"
    yield ""
    headings = result["headings"]
    rows = result["rows"]
    numbers = [all(isinstance(row[at], (int, float)) for row in rows)
               for at in range(len(headings))]
    yield "| " + " | ".join(headings) + " |"
    yield "|" + "".join("---:|" if number else "---|" for number in numbers)
    for row in rows:
        yield "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell)
                                for cell in row) + " |"
