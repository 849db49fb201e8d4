# SPDX-License-Identifier: Apache-2.0
"""Gates on what the documentation names: statements, schedules, invariants, files, words."""
import re
import urllib.parse

LISTS = ("docs/conformance.md", "docs/faults.md", "docs/invariants.md")
ENTRY = re.compile(r"^\| ([A-Z]+-\d+|I\d+) \|", re.M)
CITED = re.compile(r"\b(?:(?:CQ|F|MR|QP|RQ|RSP|WC|WIRE|CC)-\d{2,3}|I[1-9]\d?)\b(?!\?)")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^()\s]+)\)|!\[[^\]\n]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def ids(tree):
    """Each identifier of a statement, schedule or invariant that is cited stands in its list."""
    known = {match for name in LISTS if name in tree.files
             for match in ENTRY.findall(tree.text(name))}
    for name in tree.files:
        text = tree.text(name)
        if text is None or "/testdata/" in name:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for cited in CITED.findall(line):
                if cited not in known:
                    yield f"{name}:{number}: {cited} stands in none of {', '.join(LISTS)}"


def anchors(text):
    """The anchors that GitHub gives to the headings of a page."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        while anchor in found:
            anchor += "-1"
        found.add(anchor)
    return found


def links(tree):
    """Each relative link of a Markdown page leads to a file of the tree, and to a heading of it."""
    folders = {name[:at] for name in tree.files for at, c in enumerate(name) if c == "/"}
    for name in tree.select(".md"):
        text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), tree.text(name))
        for number, line in enumerate(text.splitlines(), 1):
            for match in LINK.finditer(line):
                target = match[1] or match[2]
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = urllib.parse.unquote(target).partition("#")
                parts = name.split("/")[:-1] if path else name.split("/")
                for part in path.split("/") if path else ():
                    if part == "..":
                        parts = parts[:-1]
                    elif part not in ("", "."):
                        parts = [*parts, part]
                found = "/".join(parts)
                if found not in tree.files and found not in folders and found:
                    yield f"{name}:{number}: no file {found}"
                elif anchor and found.endswith(".md") and anchor not in anchors(tree.text(found)):
                    yield f"{name}:{number}: no heading #{anchor} in {found}"


def words(tree):
    """Pages and comments use the field's words; exceptions.toml lists words and clean rooms."""
    table = tree.exceptions.get("words", {})
    if not table:
        return
    rooms = tuple(table["rooms"])
    patterns = [(re.compile(rf"\b(?:{p})\b", re.I), better) for p, better in table["instead"]]
    for name in tree.files:
        if not name.startswith(rooms) or name.startswith(tuple(table.get("not", ()))):
            continue
        text = tree.text(name)
        if text is None or "/testdata/" in name or name.endswith("exceptions.toml"):
            continue
        if name.endswith(".md"):  # blocks show what programs print and what sources hold
            text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, better in patterns:
                match = pattern.search(line)
                if match:
                    yield f"{name}:{number}: '{match[0]}': write {better}"
