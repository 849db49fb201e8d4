# SPDX-License-Identifier: Apache-2.0
"""The blocks that are measured, and a digest of all that decides what a block's netlist is."""
import hashlib
import re
import subprocess

from rtl import yosys

# How each block is mapped; without wide multiplexers, which cost two to eight LUTs each.
COMMAND = "synth_xilinx -family xcup -noiopad -noclkbuf -nowidelut -flatten"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
ASSERTION = re.compile(r"`(?:ASSERT|ASSUME|COVER)\s*\(")
NAME = re.compile(r"\b[A-Za-z_]\w*")
PACKAGE_ITEM = re.compile(r"\blocalparam\b[^;]*?(?P<constant>\w+)\s*=[^;]*;"
                          r"|\btypedef\b[^;{]*(?:\{[^}]*\})?\s*(?P<type>\w+)\s*;"
                          r"|\bfunction\b[^;(]*?(?P<function>\w+)\s*[;(].*?\bendfunction\b", re.S)


def blocks():
    """Name -> source of each block: a folder with a block.cmake, called as its module is."""
    folders = sorted(cmake.parent for cmake in yosys.RTL.rglob("block.cmake"))
    return {folder.name: folder / f"roci_{folder.name}.sv" for folder in folders}


def tops():
    """The blocks that roci_nic is wired from, in the order of their names."""
    code = COMMENT.sub("", (yosys.RTL / "roci_nic.sv").read_text())
    return sorted(set(re.findall(r"^  roci_(\w+)\s+(?:#\(|u_)", code, re.M)) & set(blocks()))


def parameters(name, width, qps):
    """The parameters among DataWidth, NumQps and Skips that a block has, with their values.

    A board does not skip time, as a simulator does.
    """
    wanted = {"DataWidth": width, "NumQps": qps, "Skips": 0}
    text = blocks()[name].read_text()
    return {key: value for key, value in wanted.items()
            if re.search(rf"parameter int unsigned\s+{key}\b", text)}


def has_width(name):
    return "DataWidth" in parameters(name, 0, 0)


def tool_version():
    text = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout
    return text.split()[1]


def plain(text):
    """A source without comments and layout."""
    return " ".join(COMMENT.sub(" ", text).split())


def hash_of(parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]


def code_of(text):
    """A source without comments, layout, assertions and proofs: none changes the netlist."""
    text = yosys.FORMAL.sub(" ", COMMENT.sub(" ", text))
    while match := ASSERTION.search(text):
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:match.start()] + " " + text[end:]
    return " ".join(text.split())


def package_code(package, names):
    """The declarations of a package that some names need, and the rest of its text."""
    package = COMMENT.sub(" ", package)
    items = {}
    for match in PACKAGE_ITEM.finditer(package):
        items[match["constant"] or match["type"] or match["function"]] = match[0]
    needed, todo = {}, set(names) & set(items)
    while todo:
        name = todo.pop()
        needed[name] = " ".join(items[name].split())
        todo |= set(NAME.findall(items[name])) & set(items) - set(needed)
    rest = " ".join(PACKAGE_ITEM.sub("", package).split())
    return [rest] + [needed[name] for name in sorted(needed)]


def digest(name, *settings):
    """Twelve digits that change with the code of a block and what else its figures follow from.

    The code is that of its modules, and the declarations that they use of roci_pkg.
    """
    code = [code_of(path.read_text()) for path in
            sorted(yosys.sources(f"roci_{name}"), key=lambda path: path.name)]
    code.append(plain((yosys.RTL / "common/assert.svh").read_text()))
    used = {word for text in code for word in NAME.findall(text)}
    code += package_code((yosys.RTL / "roci_pkg.sv").read_text(), used)
    return hash_of([*settings, *code])
