#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Verilog of a SoC of LiteX with the adapter: board.v, and board.json about it.

usage: soc.py FOLDER dram|wishbone|axi

The adapter has the smallest configuration. Its memory is DDR3 with LiteDRAM (dram), or RAM on the
SoC's bus of 32 bits, which is Wishbone or AXI. The MAC is LiteEth's, with GMII at the edge. A bus
master stands in for the processor: its Wishbone is at the edge too.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX  # noqa: E402
from litex.build.generic_platform import Pins, Subsignal  # noqa: E402
from litex.build.sim import SimPlatform  # noqa: E402
from litex.gen import LiteXModule  # noqa: E402
from litex.soc.integration.soc_core import SoCMini  # noqa: E402
from litex.soc.interconnect import wishbone  # noqa: E402
from migen import ClockDomain, ClockDomainsRenamer  # noqa: E402

from rtl.board.litex import roci_litex  # noqa: E402
from testbench.litex.ddr3 import Ddr3, SmallDdr3  # noqa: E402

SYS_HZ = 50e6
MEMORY = 1 << 21  # bytes
MAIN_RAM, REGISTERS = 0x4000_0000, 0x8000_0000
IO = [
    ("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)),
    ("eth_rx_clk", 0, Pins(1)), ("eth_tx_clk", 0, Pins(1)),
    ("gmii", 0, Subsignal("rx_data", Pins(8)), Subsignal("rx_dv", Pins(1)),
     Subsignal("tx_data", Pins(8)), Subsignal("tx_en", Pins(1))),
    ("irq", 0, Pins(1)), ("attention", 0, Pins(1)), ("now", 0, Pins(64)),
]


class Clocks(LiteXModule):
    """All from outside; the reset is held over edges of each."""

    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.cd_eth_rx = ClockDomain()
        self.cd_eth_tx = ClockDomain()
        reset = platform.request("sys_rst")
        for domain in (self.cd_sys, self.cd_eth_rx, self.cd_eth_tx):
            self.comb += [domain.clk.eq(platform.request(f"{domain.name}_clk")),
                          domain.rst.eq(reset)]


class Gmii(LiteXModule):
    """LiteEth's GMII without its clock buffers."""

    dw = 8

    def __init__(self, pads):
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(pads))
        self.sink, self.source = self.tx.sink, self.rx.source


class Board(SoCMini):
    def __init__(self, platform, memory):
        standard = memory if memory != "dram" else "wishbone"
        super().__init__(platform, SYS_HZ, bus_standard=standard, ident_version=False)
        self.crg = Clocks(platform)
        host = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        platform.add_extension(host.get_ios("host"))
        self.comb += host.connect_to_pads(platform.request("host"), mode="slave")
        self.bus.add_master("host", host)
        self.phy = Gmii(platform.request("gmii"))
        self.roci = roci = roci_litex.RociCore(platform, SYS_HZ, MacBuffer=8192,
                                               **roci_litex.small())
        roci.add_phy(self.phy)
        roci.add_to_bus(self, origin=REGISTERS)
        if memory == "dram":
            self.add_ddr3()
            roci.add_dram(self.sdram.crossbar.get_port(), MAIN_RAM)
        else:
            self.add_ram("main_ram", MAIN_RAM, MEMORY)
            roci.add_memory_bus(self)
        self.comb += [platform.request("irq").eq(roci.irq),
                      platform.request("attention").eq(roci.attention),
                      platform.request("now").eq(roci.now)]

    def add_ddr3(self):
        module = SmallDdr3(SYS_HZ, "1:2")
        self.ddrphy = Ddr3(module, SYS_HZ)
        self.add_sdram("sdram", phy=self.ddrphy, module=module, origin=MAIN_RAM, l2_cache_size=0)


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("dram", "wishbone", "axi"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # LiteX writes the contents of memories into the current one
    platform = SimPlatform("SIM", IO)
    soc = Board(platform, sys.argv[2])
    soc.finalize()
    platform.get_verilog(soc, name="board").write("board.v")
    counters = {csr.name.removeprefix("mac_rx_datapath_"): region.origin + 4 * index
                for region in soc.csr_regions.values() if isinstance(region.obj, list)
                for index, csr in enumerate(region.obj)}
    pathlib.Path("board.json").write_text(json.dumps({
        "values": {"registers": REGISTERS, "address": MAIN_RAM, "bytes": MEMORY, **counters},
        "sources": [path for path, _language, *_ in platform.sources],
        "includes": list(platform.verilog_include_paths)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
