# SPDX-License-Identifier: Apache-2.0
"""The proofs of the tree: depth and parameters from block.cmake, properties from the module."""
import re
from typing import NamedTuple

KEYS = ("WIDTHS", "PARAMS", "SLOW", "PROOF_TOP", "PROOF_DEPTH", "PROOF_PARAMS", "NO_NETLIST",
        "TOP", "DEPTH", "SOAK")
ASSERTION = re.compile(r"`ASSERT\((\w+)|(\w+)\s*: assert \(")
COVER = re.compile(r"`COVER\(|: cover \(")


class Proof(NamedTuple):
    top: str
    depth: str
    params: str
    soak: bool


def after(words, key):
    """The words between a key of a call and the next key."""
    got = []
    for word in words[words.index(key) + 1:] if key in words else []:
        if word in KEYS:
            break
        got.append(word)
    return got


def proofs(tree):
    """Name of the test -> Proof, in the order of names."""
    found = {}
    for path in tree.select("block.cmake", under="rtl/"):
        text = tree.text(path)
        for call in re.findall(r"add_rtl_block\(([^)]*)\)", text):
            words = call.split()
            if "PROOF_DEPTH" not in words:
                continue
            top = (after(words, "PROOF_TOP") or [f"roci_{words[0]}"])[0]
            params = " ".join(after(words, "PROOF_PARAMS"))
            for width in after(words, "WIDTHS") or [""]:
                name = f"proof.{words[0]}" + (f"_{width}" if width else "")
                found[name] = Proof(top, after(words, "PROOF_DEPTH")[0], params, False)
        for call in re.findall(r"add_rtl_proof\(([^)]*)\)", text):
            words = call.split()
            found[f"proof.{words[0]}"] = Proof(after(words, "TOP")[0], after(words, "DEPTH")[0],
                                               " ".join(after(words, "PARAMS")), "SOAK" in words)
    return dict(sorted(found.items()))


def properties(tree, proof):
    """Names of the properties, and the number of covers; a parameter of 0 excludes its own."""
    source = next(tree.text(name) for name in tree.select(f"/{proof.top}.sv", under="rtl/"))
    for name in re.findall(r"(\w+)=0\b", proof.params):
        source = re.sub(rf"(?ms)^  if \({name} != 0\) begin.*?^  end$", "", source)
    names = [match[1] or match[2] for match in ASSERTION.finditer(source)]
    return list(dict.fromkeys(names)), len(COVER.findall(source))


def row(tree, name, proof):
    asserted, covers = properties(tree, proof)
    parameters = f" {proof.params}" if proof.params else ""
    return (f"| `{name[6:]}`{' (soak)' if proof.soak else ''} | `{proof.top}`{parameters} | "
            f"{', '.join(asserted)} | {covers} | {proof.depth} |")


def proofs_region(tree, _page, _argument):
    yield "| Proof | Module, parameters | Properties | Covers | Depth |"
    yield "|---|---|---|---:|---:|"
    for name, proof in proofs(tree).items():
        yield row(tree, name, proof)
