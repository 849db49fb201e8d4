# SPDX-License-Identifier: Apache-2.0
"""Gates that look at one file at a time: width, licence line, mode, size, length."""
import subprocess

COLUMNS = 100
LINES = 300
BYTES = 512 * 1024
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def columns(tree):
    """No line of a source is wider than 100 columns."""
    pending = tuple(tree.exceptions.get("columns", {}))
    for name in tree.sources:
        if tree.generated(name) or name.startswith(pending):
            continue
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            if len(line) > COLUMNS:
                yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS}"


def licence(tree):
    """Each source names its licence in one of its first three lines."""
    for name in tree.sources:
        if not any(LICENCE in line for line in tree.text(name).splitlines()[:3]):
            yield f"{name}:1: no line '{LICENCE}'"


def modes(tree):
    """A file is executable when its first line names an interpreter, and only then."""
    for name in tree.files:
        script = (tree.root / name).read_bytes()[:2] == b"#!"
        executable = bool((tree.root / name).stat().st_mode & 0o111)
        if script and not executable:
            yield f"{name}: a script that is not executable: chmod +x"
        elif executable and not script:
            yield f"{name}: executable, but its first line names no interpreter"


def sizes(tree):
    """Binary files stand in testdata folders, and no file is larger than 512 KiB."""
    for name in tree.files:
        size = (tree.root / name).stat().st_size
        if size > BYTES:
            yield f"{name}: {size} bytes, at most {BYTES}"
        if tree.text(name) is None and "/testdata/" not in name:
            yield f"{name}: a binary file outside a testdata folder"


def lengths(tree):
    """No source has more than 300 lines; exceptions.toml names the rest, and may only shrink."""
    allowed = dict(tree.exceptions.get("lengths", {}))
    for name in tree.select(".sv", ".svh", ".cpp", ".hpp", ".h", ".c", ".py"):
        count = len(tree.text(name).splitlines())
        limit, _ = allowed.pop(name, (LINES, ""))
        if tree.generated(name):
            continue
        if count > limit:
            yield f"{name}: {count} lines, at most {limit}: split it"
        elif limit > LINES >= count:
            yield f"{name}: {count} lines: remove it from exceptions.toml"
    for name in allowed:
        yield f"testbench/tools/gates/exceptions.toml: no file {name}"


def layout(tree):
    """clang-format 14 changes nothing in the C++ sources."""
    names = [n for n in tree.select(".cpp", ".hpp", ".h", ".c") if "/testdata/" not in n]
    try:
        run = subprocess.run(["clang-format", "--dry-run", "-Werror", *names], cwd=tree.root,
                             capture_output=True, text=True)
    except FileNotFoundError:
        yield "clang-format is missing: apt-get install clang-format"
        return
    for line in run.stderr.splitlines():
        if ": error:" in line:
            yield line
