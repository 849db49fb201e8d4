#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Verilog of the board's SoC for simulation: board.v, and board.json about it.

usage: ecpix5_soc.py FOLDER

It is the SoC of the bitstream with its BIOS; at its edge are RGMII, SPI flash and console. What has
no digital model is missing: clocks come from outside, and a model of DDR3 with its PHY (ddr3.py)
stands in for both. `from_rom` says where the processor begins: in the BIOS, which trains the memory
and loads the program, or, low, in memory, where the bench has put the program.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from litex.build.generic_platform import Pins, Subsignal  # noqa: E402
from litex.build.lattice.common import lattice_ecp5_special_overrides  # noqa: E402
from litex.build.sim import SimPlatform  # noqa: E402
from litex.gen import LiteXModule  # noqa: E402
from litex.soc.integration.builder import Builder  # noqa: E402
from migen import Cat, ClockDomain, Mux  # noqa: E402

from rtl.board.ecpix5 import soc  # noqa: E402
from testbench.litex.ddr3 import LANES, Ddr3, SmallDdr3  # noqa: E402

CLOCKS = ("sys", "core")
BAUD = 2_500_000  # at 115,200 the BIOS would print for a quarter of a second
TESTED = 16_384  # bytes of memory that the BIOS tests; 2 MiB on a board, 1.3 s
IO = [
    *((f"{name}_clk", 0, Pins(1)) for name in CLOCKS), ("sys_rst", 0, Pins(1)),
    ("from_rom", 0, Pins(1)), ("serial", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1))),
    ("spiflash", 0, Subsignal("cs_n", Pins(1)), Subsignal("clk", Pins(1)),
     Subsignal("mosi", Pins(1)), Subsignal("miso", Pins(1))),
    ("ddr3", 0, Subsignal("slip", Pins(2 * LANES)), Subsignal("delay", Pins(3 * LANES)),
     Subsignal("dead", Pins(LANES))),
    ("eth_clocks", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1))),
    ("eth", 0, Subsignal("rst_n", Pins(1)), Subsignal("rx_ctl", Pins(1)),
     Subsignal("rx_data", Pins(4)), Subsignal("tx_ctl", Pins(1)), Subsignal("tx_data", Pins(4))),
]


class Clocks(LiteXModule):
    """All from outside; the reset is held over edges of each."""

    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.cd_core = ClockDomain()
        reset = platform.request("sys_rst")
        for name in CLOCKS:
            domain = getattr(self, f"cd_{name}")
            self.comb += [domain.clk.eq(platform.request(f"{name}_clk")), domain.rst.eq(reset)]


class Platform(SimPlatform):
    def build(self, board, **_):
        """Only the Verilog, with the cells of an ECP5 at the edge."""
        self.get_verilog(board, name="board",
                         special_overrides=lattice_ecp5_special_overrides).write("board.v")


class Board(soc.BoardSoC):
    def __init__(self, platform):
        super().__init__(platform, Clocks(platform), uart_baudrate=BAUD)
        self.add_spi_flash(**soc.SPI_FLASH)
        self.cpu.cpu_params["i_externalResetVector"] = Mux(
            platform.request("from_rom"), self.mem_map["rom"], soc.MAIN_RAM)
        self.add_constant("MEMTEST_DATA_SIZE", TESTED)

    def add_memory(self):
        module = SmallDdr3(soc.SYS_HZ, "1:2")
        self.ddrphy = Ddr3(module, soc.SYS_HZ)
        pins = self.platform.request("ddr3")
        self.comb += [self.ddrphy.dead.eq(pins.dead),
                      Cat(self.ddrphy.slip).eq(pins.slip), Cat(self.ddrphy.delay).eq(pins.delay)]
        self.add_sdram("sdram", phy=self.ddrphy, module=module, origin=soc.MAIN_RAM,
                       l2_cache_size=0)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # LiteX writes the contents of memories into the current one
    platform = Platform("SIM", IO)
    board = Board(platform)
    Builder(board, output_dir=folder, gateware_dir=folder, csr_json=folder / "csr.json",
            compile_gateware=False, bios_console="lite").build()
    pathlib.Path("board.json").write_text(json.dumps({
        "values": {"address": soc.MAIN_RAM, "bytes": SmallDdr3.size, "sys_hz": int(soc.SYS_HZ),
                   "core_hz": int(soc.CORE_HZ), "baud": BAUD},
        "sources": [path for path, _language, *_ in platform.sources],
        "includes": list(platform.verilog_include_paths)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
