# SPDX-License-Identifier: Apache-2.0
"""Gates on what the documentation names: statements, schedules, invariants, files, words."""
import re
import urllib.parse

LISTS = ("docs/conformance.md", "docs/faults.md", "docs/invariants.md")
ENTRY = re.compile(r"^\| ([A-Z]+-\d+|I\d+) \|", re.M)
CITED = re.compile(r"\b(?:(?:CM|CQ|F|MR|QP|RQ|RSP|WC|WIRE|CC)-\d{2,3}|I[1-9]\d?)\b(?!\?)")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^()\s]+)\)|!\[[^\]\n]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)
COMMENTED = (".cpp", ".hpp", ".h", ".c", ".sv", ".svh", ".py", ".cmake", ".txt")
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


def split(line):
    """The line with the words inside of identifiers apart: `kFirstSent` is `k First Sent`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line.replace("_", " "))


def rooms(tree):
    """Files in which the words are checked, with their lines, where they are text."""
    table = tree.exceptions.get("words", {})
    for name in tree.files:
        if (name.startswith(tuple(table.get("rooms", ()))) and "/testdata/" not in name
                and not name.startswith(tuple(table.get("not", ())))):
            text = tree.text(name)
            if text is not None:
                yield name, text


def words(tree):
    """Pages and sources use the field's words; exceptions.toml lists the words and the rooms."""
    table = tree.exceptions.get("words", {})
    allowed = table.get("allowed", {})
    patterns = [(re.compile(rf"\b(?:{p})\b", re.I), better) for p, better in
                table.get("instead", ())]
    used = set()
    for name, text in rooms(tree):
        page = name.endswith(".md")
        if page:  # blocks show what programs print and what sources hold
            text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, better in patterns:
                for match in pattern.finditer(line if page else split(line)):
                    if match[0].lower() in allowed.get(name, ((), ""))[0]:
                        used.add((name, match[0].lower()))
                    else:
                        yield f"{name}:{number}: '{match[0]}': write {better}"
    for name, (listed, _) in allowed.items():
        for word in listed:
            if (name, word) not in used:
                yield f"testbench/tools/gates/exceptions.toml: {name} has no '{word}'"


def comments(tree):
    """No comment begins with "of": a comment is a sentence that can be read alone."""
    for name, text in rooms(tree):
        if not name.endswith(COMMENTED):
            continue
        marker = r"#" if name.endswith((".py", ".txt", ".cmake")) else r"//[/!]?<?|/\*\*?<?"
        begins = re.compile(rf"(?:^|\s)(?:{marker})\s*of\b", re.I)
        whole = re.compile(rf"\s*(?:{marker})")
        before = ""
        for number, line in enumerate(text.splitlines(), 1):
            continued = whole.match(line) and re.search(marker, before)
            if begins.search(line) and not continued:
                yield f"{name}:{number}: a comment begins with 'of': write a sentence"
            before = line
