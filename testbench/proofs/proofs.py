#!/usr/bin/env python3
"""Runs the proofs of a build and prints a table of them: block, properties, depth, time.

The proofs are the tests labelled `proof`; depth and parameters are read from block.cmake, the names
of the properties from the source of the module.

usage: proofs.py BUILD [--only TEXT] [--write FILE]
  --only TEXT   proofs whose name holds TEXT
  --write FILE  put the table between the marks <!-- proofs --> and <!-- end --> of FILE
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def described():
    """Test name: (module, depth, parameters) as the block.cmake files have it."""
    proofs = {}
    for path in sorted((ROOT / "rtl").glob("*/block.cmake")):
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
                proofs[name] = (top, after("PROOF_DEPTH")[0], " ".join(after("PROOF_PARAMS")))
        for call in re.findall(r"add_rtl_proof\(([^)]*)\)", path.read_text()):
            words = call.split()
            params = words[words.index("PARAMS") + 1:] if "PARAMS" in words else []
            proofs[f"proof.{words[0]}"] = (words[words.index("TOP") + 1],
                                           words[words.index("DEPTH") + 1], " ".join(params))
    return proofs


def properties(top):
    source = next((ROOT / "rtl").rglob(f"{top}.sv")).read_text()
    names = re.findall(r"`ASSERT\((\w+)", source) + re.findall(r"(\w+)\s*: assert \(", source)
    return list(dict.fromkeys(names)), len(re.findall(r"`COVER\(|: cover \(", source))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    listed = subprocess.run(["ctest", "--test-dir", str(args.build), "-N", "-R", "^proof"],
                            capture_output=True, text=True, check=True).stdout
    known = described()
    names = [n for n in re.findall(r"Test +#\d+: (proof\.\S+)", listed)
             if args.only in n and n in known]
    if not names:
        print(f"no proof '{args.only}' in {args.build}", file=sys.stderr)
        return 2
    table = ["| Proof | Module, parameters | Properties | Covers | Depth | CPU seconds |",
             "|---|---|---|---|---|---|"]
    failed = 0
    for name in names:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["ctest", "--test-dir", str(args.build), "-R", f"^{re.escape(name)}$"],
                              stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        failed += done.returncode != 0
        top, depth, params = known[name]
        asserted, covers = properties(top)
        table.append(f"| `{name[6:]}` | `{top}` {params} | {', '.join(asserted)} | {covers} | {depth} | "
                     f"{'FAILED' if done.returncode else f'{seconds:.1f}'} |")
        print(table[-1], flush=True)
    if args.write:
        text = args.write.read_text()
        begin, end = text.index("<!-- proofs -->"), text.index("<!-- end -->")
        args.write.write_text(text[:begin] + "<!-- proofs -->\n" + "\n".join(table) + "\n" + text[end:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
