# SPDX-License-Identifier: Apache-2.0
"""The files of the tree that the gates check."""
import functools
import pathlib
import re
import subprocess
import tomllib

CPP = (".cpp", ".hpp", ".h", ".c", ".in")
SOURCES = (*CPP, ".sv", ".svh", ".py", ".cmake", ".vlt", ".toml", ".sh", ".yml", ".service")
GENERATED = re.compile(r"(?i)\b(written|generated) (by|from) [\w/.`]*(emit|roci|tools/docs)")


class Tree:
    """The files under `root`: those that git tracks or would add, or all where there is no git."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    @functools.cached_property
    def files(self):
        listed = subprocess.run(
            ["git", "-C", self.root, "ls-files", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True)
        if listed.returncode == 0 and (self.root / ".git").exists():
            names = listed.stdout.splitlines()
        else:
            names = [path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
                     if not path.relative_to(self.root).parts[0].startswith("build")]
        return sorted(name for name in set(names) if (self.root / name).is_file())

    def text(self, name):
        """The content of a file, or None where it is not text."""
        data = (self.root / name).read_bytes()
        if b"\0" in data:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None

    def select(self, *endings, under=""):
        return [name for name in self.files if name.endswith(endings) and name.startswith(under)]

    @functools.cached_property
    def sources(self):
        """Files that people write: code, scripts and build descriptions, without test data."""
        return [name for name in self.files if "/testdata/" not in name and
                (name.endswith(SOURCES) or name.endswith("CMakeLists.txt") or
                 (self.text(name) or "").startswith("#!"))]

    def generated(self, name):
        return bool(GENERATED.search((self.text(name) or "")[:400]))

    @functools.cached_property
    def exceptions(self):
        path = self.root / "testbench/tools/gates/exceptions.toml"
        return tomllib.loads(path.read_text()) if path.is_file() else {}
