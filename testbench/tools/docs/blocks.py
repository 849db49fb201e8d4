# SPDX-License-Identifier: Apache-2.0
"""The blocks of the RTL, and the regions of their pages and of rtl/README.md."""
import re

from testbench.tools.docs import sv, synthesis

CALL = re.compile(r"(add_rtl_block|add_rtl_proof)\(\s*(\w+)([^)]*)\)", re.S)
GROUPS = {
    "common": "Shared blocks", "rx": "Receive", "tx": "Transmit", "icrc": "Invariant CRC",
    "sq": "Send queues", "rq": "Receive queues and responder", "dma": "Host memory",
    "keys": "Memory keys", "control": "Control", "board": "For boards",
}


class Block:
    """A folder of rtl/ with a page: its modules, its tests and its proofs."""

    def __init__(self, tree, folder):
        self.folder = folder
        self.name = folder.rpartition("/")[2]
        self.modules = []
        for name in tree.select(".sv"):
            if name.rpartition("/")[0] == folder:
                module = sv.parse(tree.root / name, name)
                if module:
                    self.modules.append(module)
        self.modules.sort(key=lambda m: (m.name != f"roci_{self.name}", m.name.endswith("_tb"),
                                         m.name))
        self.tests, self.proofs = [], []
        description = f"{folder}/block.cmake"
        if description in tree.files:
            self.read(tree.text(description))
        self.test_files = [n for n in tree.select("_test.cpp") if n.rpartition("/")[0] == folder]
        self.cases = sum(len(re.findall(r"^TEST_CASE", tree.text(n), re.M))
                         for n in self.test_files)

    @property
    def top(self):
        return self.modules[0] if self.modules else None

    def read(self, text):
        for kind, name, rest in CALL.findall(text):
            words = rest.split()
            widths = []
            if "WIDTHS" in words:
                for word in words[words.index("WIDTHS") + 1:]:
                    if not word.isdigit():
                        break
                    widths.append(word)
            suffix = words[words.index("SUFFIX") + 1] if "SUFFIX" in words else ""
            ids = [f"{name}{suffix}_{w}" for w in widths] or [name + suffix]
            if kind == "add_rtl_proof":
                self.proofs.append(f"proof.{name}" + (" (soak)" if "SOAK" in words else ""))
                continue
            for one in ids:
                self.tests += [f"lint.{one}", f"rtl.{one}"]
                if "NO_NETLIST" not in words:
                    self.tests.append(f"netlist.{one}")
                if "PROOF_DEPTH" in words:
                    self.proofs.append(f"proof.{one}")


def blocks(tree):
    """All blocks, in the order of the catalogue."""
    folders = {name.rpartition("/")[0] for name in tree.select("block.cmake", under="rtl/")}
    order = list(GROUPS)
    return [Block(tree, folder) for folder in
            sorted(folders, key=lambda f: (order.index(f.split("/")[1]), f))]


def names(tests):
    """Names of tests, those that differ in their kind alone together: {lint,rtl}.fifo."""
    kinds = {}
    for test in tests:
        kind, _, rest = test.partition(".")
        kinds.setdefault(rest, []).append(kind)
    merged = {}
    for rest, of in kinds.items():
        merged.setdefault(tuple(of), []).append(rest)
    return ", ".join(f"`{'|'.join(of)}.{rest}`".replace("|", "\\|") if len(of) > 1 else
                     f"`{of[0]}.{rest}`" for of, rests in merged.items() for rest in rests)


def escape(text):
    return text.replace("|", "\\|")


def port_rows(ports):
    """Rows of the table of ports; a record is shown together with its valid and ready."""
    by_name = {port.name: port for port in ports}
    used, group = set(), None
    for port in ports:
        if port.name in used:
            continue
        if port.group != group:
            separator = f"| **{escape(port.group)}** | | | |" if port.group else "| | | | |"
            if group is not None or port.group:
                yield separator
            group = port.group
        stem, _, way = port.name.rpartition("_")
        with_it = []
        for word in ("valid", "ready"):
            for other in (f"{stem}_{word}_i", f"{stem}_{word}_o"):
                companion = by_name.get(other)
                if companion and not companion.comment and companion.group == port.group:
                    with_it.append(word)
                    used.add(other)
        shown = port.type.replace("roci_pkg::", "")
        yield (f"| `{port.name}` | {port.kind.removesuffix('put')} | `{escape(shown)}` | "
               f"{escape('; '.join(filter(None, [port.comment, ', '.join(with_it)])))} |")


def port_table(module):
    yield f"<details><summary>Ports of <code>{module.name}</code>: {len(module.ports)}</summary>"
    yield ""
    yield "| port | | type | meaning |"
    yield "|---|---|---|---|"
    yield from port_rows(module.ports)
    yield ""
    yield "</details>"


def parameter_table(module):
    yield "| parameter | type | default | meaning |"
    yield "|---|---|---|---|"
    for item in module.parameters:
        yield (f"| `{item.name}` | `{item.type or 'untyped'}` | `{item.default}` | "
               f"{escape(item.comment or item.group)} |")


def block_region(tree, page, _argument):
    """The table with which the page of a block opens."""
    block = Block(tree, page.rpartition("/")[0])
    top = block.top
    yield "| | |"
    yield "|---|---|"
    for at, module in enumerate(block.modules):
        file = module.file.rpartition("/")[2]
        yield f"| {'files' if at == 0 else ''} | [{file}]({file}): {escape(module.summary())} |"
    for word in ("Throughput", "Latency"):
        if top and top.clocks(word):
            yield f"| {word.lower()} | {escape(top.clocks(word))} |"
    rows = synthesis.rows_of(tree)
    found = [(w, synthesis.row(rows, block.name, w)) for w in (64, 512)]
    if all(f for _, f in found):
        up = "../" * page.count("/")
        if found[0][1] is found[1][1]:
            found = [(0, found[0][1])]
        at = [f" at {w} bits" if w else "" for w, _ in found]
        text = "; ".join(synthesis.size_text(f) + a for (_, f), a in zip(found, at))
        yield f"| LUT / FF / BRAM36 | {text} ([how]({up}docs/synthesis.md)) |"
        text = "; ".join(f"{f['levels']}, {f['ns']:.2f} ns{a}" for (_, f), a in zip(found, at))
        yield f"| LUT levels, slowest path | {text} |"
    if block.tests:
        files = ", ".join(f"[{n.rpartition('/')[2]}]({n.rpartition('/')[2]})"
                          for n in block.test_files)
        yield f"| tests | {names(block.tests)}: {block.cases} cases in {files} |"
    if block.proofs:
        yield "| proofs | " + ", ".join(f"`{proof}`" for proof in block.proofs) + " |"
    if top and top.parameters:
        yield ""
        yield from parameter_table(top)
    if top and top.ports:
        yield ""
        yield from port_table(top)


def interface_region(tree, page, module):
    """Parameters and ports of a module that stands beside the page."""
    name = f"{page.rpartition('/')[0]}/{module.strip()}.sv"
    found = sv.parse(tree.root / name, name)
    yield from parameter_table(found)
    yield ""
    yield from port_table(found)


def catalogue_region(tree, _page, _argument):
    """The table of all blocks in rtl/README.md."""
    sizes = synthesis.rows_of(tree)
    group = None
    for block in blocks(tree):
        at = block.folder.split("/")[1]
        if at != group:
            group = at
            yield from ([""] if group != "common" else [])
            yield f"### {GROUPS[at]}: `rtl/{at}`"
            yield ""
            yield ("| block | purpose | throughput | latency |"
                   + (" LUT / FF / BRAM36, 512 bits |" if sizes else "") + " tests | proofs |")
            yield "|---|---|---|---|" + ("---|" if sizes else "") + "---:|---:|"
        top = block.top
        path = block.folder.removeprefix("rtl/")
        cells = [f"[{block.name}]({path}/README.md)", escape(top.summary()),
                 escape(top.clocks("Throughput")), escape(top.clocks("Latency"))]
        if sizes:
            found = synthesis.row(sizes, block.name, 512)
            cells.append(synthesis.size_text(found) if found else "")
        cells += [str(block.cases), str(len(block.proofs))]
        yield "| " + " | ".join(cells) + " |"
