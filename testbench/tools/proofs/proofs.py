#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of a build and prints a table of them: block, properties, depth, time.

The proofs are the tests labelled `proof`; depth and parameters are read from block.cmake, the names
of the properties from the source of the module.

usage: proofs.py BUILD [--only TEXT] [--soak] [--write FILE]
  --only TEXT   proofs whose name holds TEXT
  --soak        the long ones too
  --write FILE  put each known row into the table between the marks <!-- proofs --> and
                <!-- end --> of FILE; rows of proofs that are not run stay, those of removed proofs
                are deleted
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEAD = ["| Proof | Module, parameters | Properties | Covers | Depth | CPU seconds |",
        "|---|---|---|---|---|---|"]


def described():
    """Test name: (module, depth, parameters, soak) as the block.cmake files have it."""
    proofs = {}
    for path in sorted((ROOT / "rtl").rglob("block.cmake")):
        for call in re.findall(r"add_rtl_block\(([^)]*)\)", path.read_text()):
            words = call.split()
            if "PROOF_DEPTH" not in words:
                continue
            def after(key, until=("WIDTHS", "PARAMS", "SLOW", "PROOF_TOP", "PROOF_DEPTH",
                                  "PROOF_PARAMS", "NO_NETLIST")):
                got = []
                for word in words[words.index(key) + 1:] if key in words else []:
                    if word in until:
                        break
                    got.append(word)
                return got
            top = (after("PROOF_TOP") or [f"roci_{words[0]}"])[0]
            for width in after("WIDTHS") or [""]:
                name = f"proof.{words[0]}" + (f"_{width}" if width else "")
                proofs[name] = (top, after("PROOF_DEPTH")[0], " ".join(after("PROOF_PARAMS")),
                                False)
        for call in re.findall(r"add_rtl_proof\(([^)]*)\)", path.read_text()):
            words = call.split()
            params = words[words.index("PARAMS") + 1:] if "PARAMS" in words else []
            proofs[f"proof.{words[0]}"] = (words[words.index("TOP") + 1],
                                           words[words.index("DEPTH") + 1], " ".join(params),
                                           "SOAK" in words)
    return proofs


def properties(top, params):
    """Names of the properties, and how many covers; those that a parameter of 0 excludes are
    omitted."""
    source = next((ROOT / "rtl").rglob(f"{top}.sv")).read_text()
    for name in re.findall(r"(\w+)=0\b", params):
        source = re.sub(rf"(?ms)^  if \({name} != 0\) begin.*?^  end$", "", source)
    names = re.findall(r"`ASSERT\((\w+)", source) + re.findall(r"(\w+)\s*: assert \(", source)
    return list(dict.fromkeys(names)), len(re.findall(r"`COVER\(|: cover \(", source))


def row_of(build, name, proof):
    """Runs a proof: its row of the table, and whether it holds."""
    top, depth, params, soak = proof
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["ctest", "--test-dir", str(build), "-R", f"^{re.escape(name)}$"],
                          stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    asserted, covers = properties(top, params)
    return (f"| `{name[6:]}`{' (soak)' if soak else ''} | `{top}`{' ' if params else ''}{params} | "
            f"{', '.join(asserted)} | {covers} | {depth} | "
            f"{'FAILED' if done.returncode else f'{seconds:.1f}'} |", done.returncode == 0)


def write(file, known, rows):
    text = file.read_text()
    begin, end = text.index("<!-- proofs -->"), text.index("<!-- end -->")
    table = {}
    for line in text[begin:end].splitlines():
        name = re.match(r"\| `(\w+)`", line)
        if name and f"proof.{name[1]}" in known:
            table[f"proof.{name[1]}"] = line
    table.update(rows)
    lines = HEAD + [table[name] for name in sorted(table)]
    file.write_text(text[:begin] + "<!-- proofs -->\n" + "\n".join(lines) + "\n" + text[end:])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    listed = subprocess.run(["ctest", "--test-dir", str(args.build), "-N", "-R", "^proof"],
                            capture_output=True, text=True, check=True).stdout
    known = described()
    names = [n for n in re.findall(r"Test +#\d+: (proof\.\S+)", listed)
             if args.only in n and n in known and (args.soak or not known[n][3])]
    if not names:
        print(f"no proof '{args.only}' in {args.build}", file=sys.stderr)
        return 2
    print("\n".join(HEAD))
    rows, failed = {}, 0
    for name in names:
        rows[name], holds = row_of(args.build, name, known[name])
        failed += not holds
        print(rows[name], flush=True)
        if args.write:
            write(args.write, known, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
