# SPDX-License-Identifier: Apache-2.0
"""Longest paths of a netlist that Yosys mapped for UltraScale+ (synth_xilinx -family xcup).

The delay model, in nanoseconds: 0.10 for a LUT, 0.20 + 0.045 * log2(fan-out) for a net, 0.90 from
the clock to an output of block RAM, 0.35 to an output of LUT RAM. Into a carry chain and out of it
to a sum 0.10 each; along it 0.025 for four bits, with the wire to the next cell, which is no routed
net. An inverter and a wide multiplexer cost nothing, as placement merges them with their
neighbours. A level is one LUT, or one read of LUT RAM. A path begins at a register, a memory or an
input of the module and ends at a register, a memory or an output. A shift register (SRL) counts as
a register at its data input and output, and as a LUT from its address. Clock pins are no ends of
paths.
"""
import collections
import graphlib
import json
import math
import re

from rtl.syn import cells

# Raise it when the model changes what is measured. Rows of the table say by which they were
# measured; `timing.py --update --earlier-models` measures the others anew.
MODEL = 2
LUT_NS = 0.10
NET_NS = 0.20
FANOUT_NS = 0.045
BLOCK_RAM_NS = 0.90
LUT_RAM_NS = 0.35
CARRY_NS = 0.10
CHAIN_NS = 0.025

LUT = re.compile(r"LUT[1-6]$")
FREE = re.compile(r"INV$|BUFG|IBUF|OBUF|MUXF[789]$")
CARRY = re.compile(r"CARRY4$")
FLIP_FLOP = re.compile(r"FD[RSCP]E(_1)?$|TRELLIS_FF$")
SHIFT = re.compile(r"SRL(16E|C32E)$")
LUT_RAM = re.compile(r"RAM\d+[MX]")
# The address that an output of LUT RAM follows; an address that only writes makes no path.
READS = {"O": "A", "SPO": "A", "DPO": "DPRA",
         **{f"DO{port}": f"ADDR{port}" for port in "ABCDEFGH"}}
DIGITS = "0123456789"
BLOCK_RAM = re.compile(r"RAMB(36|18)E[12]$")
CLOCK = re.compile(r"C$|W?CLK$|CLK(ARD|BWR)CLK$")

Path = collections.namedtuple("Path", "levels ns start end through")


def top_module(text):
    """The top module of a netlist that Yosys wrote as JSON."""
    modules = json.loads(text)["modules"].values()
    return next(module for module in modules if module["attributes"].get("top"))


def named_bits(module):
    """(bit, net, index, entry) of each bit of the nets that the source names."""
    for net, entry in module["netnames"].items():
        if not entry["hide_name"]:
            for index, bit in enumerate(entry["bits"]):
                if isinstance(bit, int):
                    yield bit, net, index, entry


class Netlist:
    """One flat module: its cells as a graph of bits, with the worst arrival at each bit."""

    def __init__(self, text):
        module = top_module(text)
        self.names = {}    # bit -> (name, source) of a net that the source names
        self.starts = {}   # bit -> (arrival in ns, what drives it)
        self.ends = []     # (bit, what it enters)
        self.arcs = collections.defaultdict(list)  # output bit -> input bits, with level and delay
        self.chain = {}       # (output bit, input bit) of a carry cell -> delay from CI
        self.carries = set()  # bits that a carry cell gives to its chain
        self.fanout = collections.Counter()
        self.worst = None
        self.sizes = cells.sizes(
            collections.Counter(entry["type"] for entry in module["cells"].values()), cells.XCUP)
        for bit, net, index, entry in named_bits(module):
            label = f"{net}[{index}]" if len(entry["bits"]) > 1 else net
            self.names.setdefault(bit, (label, entry["attributes"].get("src", "")))
        for port, entry in module["ports"].items():
            for bit in entry["bits"]:
                if not isinstance(bit, int):
                    continue
                if entry["direction"] == "input":
                    self.starts[bit] = (0.0, f"input {port}")
                else:
                    self.ends.append((bit, f"output {port}"))
                    self.fanout[bit] += 1
        for cell, entry in module["cells"].items():
            self._add(cell, entry)

    def _add(self, cell, entry):
        kind = entry["type"]
        ins, outs = [], []
        for port, bits in entry["connections"].items():
            for bit in bits:
                if isinstance(bit, int):
                    output = entry["port_directions"][port] == "output"
                    (outs if output else ins).append((port, bit))
        for _, bit in ins:
            self.fanout[bit] += 1
        where = entry["attributes"].get("src", "")
        if LUT.match(kind) or FREE.match(kind):
            level = 1 if LUT.match(kind) else 0
            for _, out in outs:
                self.arcs[out] += [(bit, level, LUT_NS * level) for _, bit in ins]
            return
        if CARRY.match(kind):
            self._add_carry(ins, outs)
            return
        if FLIP_FLOP.match(kind) or BLOCK_RAM.match(kind):
            arrival, address = BLOCK_RAM_NS if BLOCK_RAM.match(kind) else 0.0, {}
        elif SHIFT.match(kind):
            arrival, address = 0.0, dict.fromkeys(("Q", "Q31"), "A")
        elif LUT_RAM.match(kind):
            arrival, address = LUT_RAM_NS, READS
        else:
            raise ValueError(f"a cell of unknown kind: {kind}")
        read = set()
        for name, out in outs:
            follows = [bit for port, bit in ins if port.rstrip(DIGITS) == address.get(name)]
            self.arcs[out] += [(bit, 1, LUT_NS) for bit in follows]
            self.starts[out] = (arrival, self._label(kind, cell, outs, where))
            read.update(follows)
        for port, bit in ins:
            if bit not in read and not CLOCK.match(port):
                self.ends.append((bit, self._label(kind, cell, outs, where)))

    def _add_carry(self, ins, outs):
        for port, out in outs:
            if port == "CO":
                self.carries.add(out)
            for into, bit in ins:
                self.arcs[out].append((bit, 0, CARRY_NS))
                if into == "CI":
                    self.chain[out, bit] = CHAIN_NS if port == "CO" else CARRY_NS

    def _label(self, kind, cell, outs, where):
        """What a register or memory is called: the net it drives, else the cell."""
        for _, bit in outs:
            if bit in self.names:
                name, source = self.names[bit]
                return f"{name} {short(source or where)}".strip()
        name = "without a name" if cell.startswith("$") else re.sub(r"\.\d+$", "", cell)[-60:]
        return f"{kind} {name} {short(where)}".strip()

    def arrivals(self):
        """Worst (ns, levels, bit before, most levels) at each bit, at the output of what drives it.

        The most levels may belong to another path than the slowest.
        """
        before = {bit: [] for bit in self.starts}
        before.update((bit, [source for source, _, _ in arcs]) for bit, arcs in self.arcs.items())
        best = {}
        for bit in graphlib.TopologicalSorter(before).static_order():  # a loop raises CycleError
            ns, levels, via, most = self.starts.get(bit, (0.0, ""))[0], 0, None, 0
            for source, level, delay in self.arcs.get(bit, ()):
                there = best[source]
                if (bit, source) in self.chain and source in self.carries:
                    later = there[0] + self.chain[bit, source]
                else:
                    later = there[0] + self.net(source) + delay
                most = max(most, there[3] + level)
                if later > ns:
                    ns, levels, via = later, there[1] + level, source
            best[bit] = (ns, levels, via, most)
        return best

    def net(self, bit):
        return NET_NS + FANOUT_NS * math.log2(max(1, self.fanout[bit]))

    def ends_by_delay(self):
        """(ns, levels, most levels, bit, what it enters), the slowest first."""
        if self.worst is None:
            self.worst = self.arrivals()
        found = []
        for bit, end in self.ends:
            ns, levels, _, most = self.worst.get(bit, (0.0, 0, None, 0))
            found.append((ns + self.net(bit), levels, most, bit, end))
        return sorted(found, key=lambda f: (-f[0], -f[1], f[4]))

    def path(self, ns, levels, bit, end):
        """The slowest path to an end."""
        trail = [bit]
        while self.worst.get(trail[-1], (0, 0, None))[2] is not None:
            trail.append(self.worst[trail[-1]][2])
        start = self.starts.get(trail[-1], (0.0, "a constant"))[1]
        through = [self.names[b] for b in reversed(trail[:-1]) if b in self.names]
        return Path(levels, ns, start, end, through)


def short(source):
    """File and line of the innermost place of a Yosys source attribute."""
    last = source.split("|")[-1]
    match = re.search(r"([^/]+\.sv):(\d+)", last)
    return f"({match[1]}:{match[2]})" if match else ""
