#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws sequence diagrams: docs/engine/drawings/NAME.seq becomes NAME.svg beside it.

A description has one line for each step, from top to bottom:

    title TEXT
    actors NAME, NAME, ...
    NAME -> NAME: TEXT       an arrow
    NAME --> NAME: TEXT      a dashed arrow: a response
    NAME -x NAME: TEXT       an arrow that is lost on its way
    note NAME: TEXT          a box at an actor
    gap TEXT                 time passes

usage: sequence.py [--check] [FILE.seq...]     all drawings by default
"""
import argparse
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARROW = re.compile(r"^(\S+) (->|-->|-x) (\S+): (.*)$")
COLUMN, STEP, TOP, MARGIN = 150, 34, 74, 80
CHARACTER = 6.4  # width of one character of the text, in pixels
INK, LIGHT, LOST, NOTE = "#1f2933", "#9aa5b1", "#c0392b", "#fdf3d8"


class Drawing:
    def __init__(self, text):
        self.title, self.actors, self.steps = "", [], []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            word, _, rest = line.partition(" ")
            arrow = ARROW.match(line)
            if word == "title":
                self.title = rest
            elif word == "actors":
                self.actors = [name.strip() for name in rest.split(",")]
            elif arrow:
                self.steps.append((arrow[2], self.at(arrow[1], number), self.at(arrow[3], number),
                                   arrow[4]))
            elif word == "note":
                name, _, words = rest.partition(": ")
                self.steps.append(("note", self.at(name, number), None, words))
            elif word == "gap":
                self.steps.append(("gap", None, None, rest))
            else:
                raise ValueError(f"line {number}: not a step: {line}")

    def at(self, name, number):
        if name not in self.actors:
            raise ValueError(f"line {number}: no actor {name}")
        return self.actors.index(name)

    def x(self, actor):
        return MARGIN + actor * COLUMN

    def svg(self):
        width = self.x(len(self.actors) - 1) + MARGIN
        height = TOP + STEP * (len(self.steps) + 1)
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
               f'width="{width}" height="{height}" font-family="sans-serif" font-size="12" '
               f'fill="{INK}">')
        yield f"<title>{html.escape(self.title)}</title>"
        yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        yield f'<text x="{width / 2:g}" y="22" text-anchor="middle" font-size="15">' \
              f"{html.escape(self.title)}</text>"
        for actor, name in enumerate(self.actors):
            x = self.x(actor)
            yield (f'<line x1="{x}" y1="{TOP - 14}" x2="{x}" y2="{height - 12}" '
                   f'stroke="{LIGHT}"/>')
            yield (f'<rect x="{x - 55}" y="{TOP - 38}" width="110" height="24" rx="3" '
                   f'fill="#e8eef4" stroke="{LIGHT}"/>')
            yield f'<text x="{x}" y="{TOP - 22}" text-anchor="middle">{html.escape(name)}</text>'
        for number, step in enumerate(self.steps):
            yield from self.step(*step, TOP + STEP * (number + 0.75), width)
        yield "</svg>"

    def label(self, x, y, words, anchor="middle"):
        wide = len(words) * CHARACTER
        left = x - wide / 2 if anchor == "middle" else x
        yield (f'<rect x="{left - 2:g}" y="{y - 11:g}" width="{wide + 4:g}" height="14" '
               f'fill="#ffffff" fill-opacity="0.85"/>')
        yield f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(words)}</text>'

    def step(self, kind, source, target, words, y, width):
        if kind == "gap":
            yield (f'<line x1="20" y1="{y:g}" x2="{width - 20}" y2="{y:g}" stroke="{LIGHT}" '
                   'stroke-dasharray="2 4"/>')
            yield from self.label(width / 2, y + 4, words)
            return
        x = self.x(source)
        if kind == "note":
            wide = len(words) * CHARACTER + 12
            left = min(max(4, x - wide / 2), width - wide - 4)
            yield (f'<rect x="{left:g}" y="{y - 13:g}" width="{wide:g}" height="20" '
                   f'fill="{NOTE}" stroke="{LIGHT}"/>')
            yield f'<text x="{left + 6:g}" y="{y + 1:g}">{html.escape(words)}</text>'
            return
        lost = kind == "-x"
        end = self.x(target)
        way = 1 if end > x else -1
        if source == target:
            yield (f'<path d="M{x} {y - 6:g} h28 v10 h-22" fill="none" stroke="{INK}"/>')
            yield from self.head(x + 2, y + 4, -1, INK)
            yield from self.label(x + 36, y + 2, words, "start")
            return
        if lost:
            end = x + (end - x) * 0.62
        colour = LOST if lost else INK
        dash = ' stroke-dasharray="6 4"' if kind == "-->" else ""
        yield (f'<line x1="{x}" y1="{y:g}" x2="{end:g}" y2="{y:g}" stroke="{colour}"{dash}/>')
        if lost:
            yield (f'<path d="M{end - 5:g} {y - 5:g} l10 10 m0 -10 l-10 10" stroke="{LOST}" '
                   'stroke-width="2"/>')
        else:
            yield from self.head(end, y, way, colour)
        yield from self.label((self.x(source) + self.x(target)) / 2, y - 5, words)

    @staticmethod
    def head(x, y, way, colour):
        yield (f'<path d="M{x:g} {y:g} l{-8 * way} -4 v8 z" fill="{colour}"/>')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    stale = False
    for source in args.files or sorted((ROOT / "docs").rglob("*.seq")):
        try:
            text = "\n".join(Drawing(source.read_text()).svg()) + "\n"
        except ValueError as error:
            sys.exit(f"{source}: {error}")
        target = source.with_suffix(".svg")
        if not target.is_file() or target.read_text() != text:
            stale = True
            print(f"{target}: " + ("not current: run sequence.py" if args.check else "written"))
            if not args.check:
                target.write_text(text)
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
