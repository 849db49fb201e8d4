# SPDX-License-Identifier: Apache-2.0
"""Regions that show the options of the program, as its own help lists them."""
import re
import subprocess

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
            name = re.sub(r"\s*Needs:.*", "", option).replace("|", "\\|")
            meaning = meaning.replace("|", "\\|")
            yield f"| `{name}` | {meaning} |"
