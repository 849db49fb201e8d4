# SPDX-License-Identifier: Apache-2.0
"""Reads a SystemVerilog module: header comment, parameters, ports, instances."""
import dataclasses
import re

MODULE = re.compile(r"^module\s+(\w+)", re.M)
PARAMETER = re.compile(r"^parameter\s+(.*?)\s*(\w+)\s*=\s*(.*)$")
PORT = re.compile(r"^(input|output|inout)\s+(?:(?:logic|wire|reg)\b\s*)?(.*?)\s*(\w+)$")
INSTANCE = re.compile(r"^\s{2,}(roci_\w+)\s+(?:#\(|u_\w+|i_\w+|\w+\s*\()", re.M)


@dataclasses.dataclass
class Item:
    """A parameter or port. `group` is the comment line that stands above it."""
    kind: str
    name: str
    type: str
    default: str = ""
    comment: str = ""
    group: str = ""


@dataclasses.dataclass
class Module:
    name: str
    file: str
    header: list  # paragraphs
    parameters: list
    ports: list
    instances: list

    def summary(self):
        """The first sentence of the header comment."""
        first = self.header[0] if self.header else ""
        match = re.match(r"(.*?[.?])(?:\s+[A-Z(]|$)", first)
        return match[1] if match else first

    def clocks(self, word):
        """The sentence after 'Throughput:' or 'Latency:' in the header comment."""
        for paragraph in self.header:
            match = re.search(rf"\b{word}[^:.]*:\s*(.*?)\.(?:\s|$)", paragraph)
            if match:
                return match[1]
        if any(re.search(r"\b[Cc]ombinational\b", paragraph) for paragraph in self.header[:2]):
            return "combinational"
        return ""


def header_of(text):
    """The comment above the module as paragraphs; without drawings."""
    lines = []
    for line in text.splitlines():
        if line.startswith("//"):
            lines.append(line[2:].removeprefix(" "))
        elif lines and not line.startswith("`"):
            break
    lines = [line for line in lines if "SPDX" not in line]
    paragraphs, current = [], []
    for line in [*lines, ""]:
        if line.strip():
            current.append(line)
            continue
        drawn = any(re.search(r"-->|<--|\|\s|\+--|\s{3,}\S", part.rstrip()) for part in current)
        if current and not drawn and not current[0].startswith(" "):
            paragraphs.append(" ".join(part.strip() for part in current))
        current = []
    return paragraphs


def lists_of(code):
    """The parameter list and the port list between 'module' and the first ');'."""
    depth, start, found = 0, None, []
    for at, line in enumerate(code):
        bare = line.split("//")[0]
        for column, char in enumerate(bare):
            if char == "(":
                depth += 1
                if depth == 1:
                    start = (at, column + 1)
            elif char == ")":
                depth -= 1
                if depth == 0:
                    found.append((start, (at, column)))
            elif char == ";" and depth == 0:
                return found
    return found


def items_of(code, span, pattern):
    (first, begin), (last, end) = span
    group, items, open_item = "", [], None
    for at in range(first, last + 1):
        line = code[at]
        if at == last:
            line = line[:end]
        if at == first:
            line = line[begin:]
        bare, _, comment = (part.strip() for part in line.partition("//"))
        if not bare:
            if comment and open_item is not None and line.find("//") > 20:
                open_item.comment += " " + comment
            elif comment:
                group = f"{group} {comment}".strip() if open_item is None and group else comment
                open_item = None
            else:
                group, open_item = "", None
            continue
        match = pattern.match(bare.rstrip(",").strip())
        if not match:
            continue
        if pattern is PARAMETER:
            open_item = Item("parameter", match[2], match[1], match[3], comment, group)
        else:
            open_item = Item(match[1], match[3], match[2].strip() or "logic", "", comment, group)
        items.append(open_item)
    return items


def parse(path, name):
    text = path.read_text()
    match = MODULE.search(text)
    if not match:
        return None
    code = text[match.start():].splitlines()
    spans = lists_of(code)
    ports = spans[-1] if spans else None
    parameters = spans[0] if len(spans) > 1 else None
    return Module(match[1], name, header_of(text),
                  items_of(code, parameters, PARAMETER) if parameters else [],
                  items_of(code, ports, PORT) if ports else [],
                  sorted(set(INSTANCE.findall("\n".join(code)))))
