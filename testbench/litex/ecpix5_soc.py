#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Verilog of the board's SoC for simulation: board.v, and board.json about it.

usage: ecpix5_soc.py FOLDER

It is the SoC of the bitstream, RGMII at its edge, without what has no digital model: clocks come
from outside, and a model of DDR3 with its PHY stands in for both. The program is in that memory
when the processor leaves its reset, so there is no BIOS that trains and loads.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from litedram.core.controller import ControllerSettings  # noqa: E402
from litedram.phy.model import SDRAMPHYModel, get_sdram_phy_settings  # noqa: E402
from litex.build.generic_platform import Pins, Subsignal  # noqa: E402
from litex.build.lattice.common import lattice_ecp5_special_overrides  # noqa: E402
from litex.build.sim import SimPlatform  # noqa: E402
from litex.gen import LiteXModule  # noqa: E402
from litex.soc.integration import export  # noqa: E402
from migen import ClockDomain  # noqa: E402

from rtl.board.ecpix5 import soc  # noqa: E402
from testbench.litex.ddr3 import SmallDdr3  # noqa: E402

CLOCKS = ("sys", "core")
IO = [
    *((f"{name}_clk", 0, Pins(1)) for name in CLOCKS), ("sys_rst", 0, Pins(1)),
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


class Board(soc.BoardSoC):
    def __init__(self, platform):
        super().__init__(platform, Clocks(platform), uart_name="stub",
                         cpu_reset_address=soc.MAIN_RAM)

    def add_memory(self):
        banks = ControllerSettings(bank_byte_alignment=SmallDdr3.bank)
        module = SmallDdr3(soc.SYS_HZ, "1:4")
        settings = get_sdram_phy_settings("DDR3", 16, soc.SYS_HZ)
        self.sdrphy = SDRAMPHYModel(module, settings=settings, clk_freq=soc.SYS_HZ)
        self.add_sdram("sdram", phy=self.sdrphy, module=module, origin=soc.MAIN_RAM,
                       l2_cache_size=0, controller_settings=banks)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # LiteX writes the contents of memories into the current one
    platform = SimPlatform("SIM", IO)
    board = Board(platform)
    board.finalize()
    platform.get_verilog(board, name="board",
                         special_overrides=lattice_ecp5_special_overrides).write("board.v")
    pathlib.Path("csr.json").write_text(export.get_csr_json(
        csr_regions=board.csr_regions, constants=board.constants, mem_regions=board.mem_regions))
    pathlib.Path("board.json").write_text(json.dumps({
        "values": {"address": soc.MAIN_RAM, "bytes": SmallDdr3.bank, "sys_hz": int(soc.SYS_HZ),
                   "core_hz": int(soc.CORE_HZ)},
        "sources": [path for path, _language, *_ in platform.sources],
        "includes": list(platform.verilog_include_paths)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
