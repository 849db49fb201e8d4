#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SoC for ECPIX-5, an LFE5UM5G-85F with DDR3 and RGMII: Verilog, pins, BIOS.

usage: soc.py FOLDER [--no-bios]

Run by board.py with the packages of LiteX. FOLDER gets gateware/ecpix5.v with its memories and
pins (ecpix5.lpf), software/bios and csr.json, and soc.json: what a tool needs to go on.
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from litedram.modules import MT41K256M16  # noqa: E402
from litedram.phy import ECP5DDRPHY  # noqa: E402
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII  # noqa: E402
from litex.soc.cores.led import LedChaser  # noqa: E402
from litex.soc.integration.builder import Builder  # noqa: E402
from litex.soc.integration.soc_core import SoCCore  # noqa: E402
from litex_boards.platforms import lambdaconcept_ecpix5  # noqa: E402
from litex_boards.targets.lambdaconcept_ecpix5 import _CRG as Clocks  # noqa: E402
from migen import Cat  # noqa: E402

from rtl.board.litex import roci_litex  # noqa: E402

SYS_HZ = 50e6
NAME = "ecpix5"
REGISTERS, MAIN_RAM = 0x8000_0000, 0x4000_0000
ROM, SRAM = 0x7000, 0x1000  # bytes
BELOW_64_MHZ = 100  # steps of delay that DDR3's commands need at a slow clock, as on OrangeCrab
PARAMETERS = roci_litex.small() | {"MacBuffer": 4096}  # no jumbo frames on this link


class Ecpix5(SoCCore):
    """Processor with BIOS in ROM, DDR3, and the adapter between DDR3 and Ethernet."""

    def __init__(self, platform):
        self.crg = Clocks(platform, SYS_HZ)
        super().__init__(platform, SYS_HZ, ident="Rocinante on ECPIX-5", ident_version=False,
                         cpu_type="vexriscv", cpu_variant="lite", integrated_rom_size=ROM,
                         integrated_sram_size=SRAM)
        self.ddrphy = ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=SYS_HZ,
                                 cmd_delay=BELOW_64_MHZ)
        self.comb += [self.crg.stop.eq(self.ddrphy.init.stop),
                      self.crg.reset.eq(self.ddrphy.init.reset)]
        self.add_sdram("sdram", phy=self.ddrphy, module=MT41K256M16(SYS_HZ, "1:2"),
                       origin=MAIN_RAM, l2_cache_size=0)
        self.ethphy = LiteEthPHYRGMII(platform.request("eth_clocks"), platform.request("eth"),
                                      rx_delay=0)
        self.roci = roci = roci_litex.RociCore(platform, SYS_HZ, **PARAMETERS)
        roci.add_to_bus(self, origin=REGISTERS)
        roci.add_dram(self.sdram.crossbar.get_port(), MAIN_RAM)
        roci.add_phy(self.ethphy)
        leds = [platform.request("rgb_led", number) for number in range(4)]
        self.comb += [pin.eq(1) for led in leds for pin in (led.g, led.b)]  # off
        self.leds = LedChaser(Cat(led.r for led in leds), sys_clk_freq=SYS_HZ)


def main():
    words = sys.argv[1:]
    bios = "--no-bios" not in words
    words = [word for word in words if word != "--no-bios"]
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(words[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    platform = lambdaconcept_ecpix5.Platform(device="85F", toolchain="trellis")
    soc = Ecpix5(platform)
    Builder(soc, output_dir=folder, compile_software=bios, compile_gateware=False,
            bios_console="lite").build(build_name=NAME)
    (folder / "soc.json").write_text(json.dumps({
        "parameters": soc.roci.parameters,
        "sys_mhz": SYS_HZ / 1e6,
        "bios_bytes": (folder / "software/bios/bios.bin").stat().st_size if bios else 0,
        "rom_bytes": ROM,
        "includes": [str(path) for path in platform.verilog_include_paths],
        "sources": [str(path) for path, *_ in platform.sources]}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
