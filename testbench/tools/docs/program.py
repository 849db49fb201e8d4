# SPDX-License-Identifier: Apache-2.0
"""Regions that show the options of the program, from its help, and its output."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib

from rtl.syn import pypi
from testbench.tools.docs import waveform

SECTION = re.compile(r"^(\w[\w ]*):\s*$")
ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
CONTINUED = re.compile(r"^\s{10,}(\S.*)$")


def entries(text):
    """(section, option, meaning) of each line of a help text."""
    section, found = "", []
    for line in text.splitlines():
        head = SECTION.match(line)
        more = CONTINUED.match(line)
        entry = ENTRY.match(line)
        if head:
            section = head[1]
        elif more and found:
            found[-1][2] = f"{found[-1][2]} {more[1]}".strip()
        elif entry and section:
            found.append([section, entry[1], entry[2] or ""])
    return found


def conditions(option, meaning):
    """The option's name, and what it needs and excludes as a sentence in parentheses."""
    name, *rest = re.split(r"\s+(?=Needs:|Excludes:|REQUIRED)", option)
    words = []
    for part in rest:
        kind, _, options = part.partition(":")
        listed = ", ".join(f"`{one}`" for one in options.split())
        words.append({"Needs": f"needs {listed}", "Excludes": f"not with {listed}",
                      "REQUIRED": "required"}[kind])
    return name, f"({'; '.join(words)})" if words else "", meaning


class Options:
    def __init__(self, roci):
        self.roci = roci

    def help(self, command):
        return subprocess.run([self.roci, *command.split(), "--help"], check=True,
                              capture_output=True, text=True).stdout

    def region(self, _tree, _page, command):
        """A table of the options of a command."""
        yield "| option | meaning |"
        yield "|---|---|"
        for section, option, meaning in entries(self.help(command)):
            if section == "Subcommands" or option.startswith("-h,"):
                continue
            name, needs, meaning = conditions(option, meaning)
            cells = " ".join(filter(None, [meaning, needs])).replace("|", "\\|")
            yield "| `" + name.replace("|", "\\|") + f"` | {cells} |"


class Sessions:
    """Commands of a tutorial with their output; docs/sessions.toml lists them."""

    def __init__(self, roci):
        self.roci = str(pathlib.Path(roci).resolve())
        self.packages = pathlib.Path(self.roci).parent / "docs-packages"
        self.folder = tempfile.TemporaryDirectory(prefix="roci-session-")
        self.done = {}

    def run(self, session):
        """Output of each step, run in one folder; None when this build lacks the adapter."""
        outputs = []
        for step in session["steps"]:
            command = step["command"].replace("./roci ", f"{self.roci} ")
            run = subprocess.run(["bash", "-ec", command], cwd=self.folder.name, text=True,
                                 capture_output=True, timeout=600)
            mask = step.get("mask", r"(?!)")
            lines = [re.sub(mask, "...", line.rstrip()) for line in run.stdout.splitlines()
                     if not re.search(step.get("without", r"(?!)"), line)]
            if "is not there: build it" in run.stderr:
                return None
            if run.returncode:
                raise RuntimeError(f"'{step['command']}' ended with {run.returncode}: {run.stderr}")
            outputs.append(lines)
        return outputs

    def session(self, tree, name):
        """The session, which has run; None without its tools or adapter."""
        session = tomllib.loads(tree.text("docs/sessions.toml"))[name]
        if not all(shutil.which(tool) for tool in session.get("needs", [])):
            return None
        if name not in self.done:
            self.done[name] = self.run(session)
        return session if self.done[name] is not None else None

    def waveform_region(self, tree, page, argument):
        """NAME/TABLE: when a signal took the values that a table of a session names."""
        name, _, table = argument.partition("/")
        session = self.session(tree, name)
        programs = session and pypi.tools(self.packages, waveform.PACKAGES)
        if programs is None:
            return None
        wanted = session["waveforms"][table]
        found = waveform.changes(programs, pathlib.Path(self.folder.name, wanted["file"]),
                                 wanted["signal"])
        times = waveform.times(found, [row[0] for row in wanted["rows"]], wanted.get("idle", []))
        if times is None:
            raise RuntimeError(f"{page}: {wanted['signal']} never takes the values of '{table}'")
        return ["| time, ns | value | meaning |", "|---:|---|---|",
                *(f"| {time} | {value} | {meaning} |"
                  for time, (value, meaning) in zip(times, wanted["rows"]))]

    def region(self, tree, _page, argument):
        """NAME/NUMBER: a step of a session as in a terminal; None without its tools or adapter."""
        name, _, number = argument.partition("/")
        session = self.session(tree, name)
        if session is None:
            return None
        step = session["steps"][int(number) - 1]
        return ["```", "$ " + step["command"].strip(), *self.done[name][int(number) - 1], "```"]
