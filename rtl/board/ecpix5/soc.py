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
from litespi.modules import W25Q128JV  # noqa: E402
from litespi.opcodes import SpiNorFlashOpCodes  # noqa: E402
from litex.soc.cores.led import LedChaser  # noqa: E402
from litex.soc.integration.builder import Builder  # noqa: E402
from litex.soc.integration.soc_core import SoCCore  # noqa: E402
from litex_boards.platforms import lambdaconcept_ecpix5  # noqa: E402
from litex_boards.targets.lambdaconcept_ecpix5 import _CRG as BoardClocks  # noqa: E402
from migen import Cat, ClockDomain  # noqa: E402
from migen.genlib.resetsync import AsyncResetSynchronizer  # noqa: E402

from rtl.board.litex import roci_litex  # noqa: E402

SYS_HZ = 50e6
# 64 bits at 20 MHz are 1.28 Gb/s; a link of 1 Gb/s that is full of packets of path MTU 1024 brings
# 1,082 bytes, 136 beats, in 8.85 us: 15.4 MHz.
CORE_HZ = 20e6
NAME = "ecpix5"
MAIN_RAM, REGISTERS, FRAMES, FLASH = 0x4000_0000, 0x8000_0000, 0x9000_0000, 0x2000_0000
ROM, SRAM = 0x8000, 0x1000  # bytes
SPI_FLASH = {"mode": "1x", "clk_freq": 10e6, "with_master": False,
             "module": W25Q128JV(SpiNorFlashOpCodes.READ_1_1_1)}
PROGRAM = 0x40_0000  # in the flash, after room for two bitstreams
BELOW_64_MHZ = 100  # steps of delay that DDR3's commands need at a slow clock, as on OrangeCrab
PARAMETERS = roci_litex.small() | {"MacBuffer": 4096}  # no jumbo frames on this link


class BoardSoC(SoCCore):
    """Processor, DDR3, and the adapter between DDR3 and Ethernet; the BIOS, in ROM, loads the
    program from the flash.

    A subclass gives clocks, memory, `spiflash` of SPI_FLASH and what else its platform has. Options
    are those of SoCCore.
    """

    def __init__(self, platform, clocks, **options):
        self.crg = clocks
        super().__init__(platform, SYS_HZ, ident="Rocinante on ECPIX-5", cpu_type="vexriscv",
                         cpu_variant="lite", integrated_rom_size=ROM, integrated_sram_size=SRAM,
                         **options)
        self.mem_map["spiflash"] = FLASH
        self.add_constant("FLASH_BOOT_ADDRESS", FLASH + PROGRAM)
        self.add_memory()
        self.ethphy = LiteEthPHYRGMII(platform.request("eth_clocks"), platform.request("eth"),
                                      rx_delay=0)
        self.roci = roci = roci_litex.RociCore(platform, CORE_HZ, clock_domain="core",
                                               **PARAMETERS)
        roci.add_to_bus(self, origin=REGISTERS)
        roci.add_dram(self.sdram.crossbar.get_port(), MAIN_RAM)
        roci.add_phy(self.ethphy)
        roci.add_frames(self, origin=FRAMES)

    def add_memory(self):
        """Adds `sdram`, at MAIN_RAM, without a cache."""
        raise NotImplementedError


class Clocks(BoardClocks):
    """Those of litex-boards, and that of the engine."""

    def __init__(self, platform):
        super().__init__(platform, SYS_HZ)
        self.cd_core = ClockDomain()
        self.pll.create_clkout(self.cd_core, CORE_HZ, with_reset=False)
        self.specials += AsyncResetSynchronizer(self.cd_core, ~self.pll.locked | self.reset)


class Ecpix5(BoardSoC):
    def __init__(self, platform):
        super().__init__(platform, Clocks(platform))
        self.add_spi_flash(**SPI_FLASH)
        for pin in ("wp", "hold"):  # low, they protect and hold the flash
            platform.add_platform_command(f'IOBUF PORT "spiflash_{pin}" PULLMODE=UP;')
        leds = [platform.request("rgb_led", number) for number in range(4)]
        self.comb += [pin.eq(1) for led in leds for pin in (led.g, led.b)]  # off
        self.leds = LedChaser(Cat(led.r for led in leds), sys_clk_freq=SYS_HZ)

    def add_memory(self):
        self.ddrphy = ECP5DDRPHY(self.platform.request("ddram"), sys_clk_freq=SYS_HZ,
                                 cmd_delay=BELOW_64_MHZ)
        self.comb += [self.crg.stop.eq(self.ddrphy.init.stop),
                      self.crg.reset.eq(self.ddrphy.init.reset)]
        self.add_sdram("sdram", phy=self.ddrphy, module=MT41K256M16(SYS_HZ, "1:2"),
                       origin=MAIN_RAM, l2_cache_size=0)


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
        "core_mhz": CORE_HZ / 1e6,
        "bios_bytes": (folder / "software/bios/bios.bin").stat().st_size if bios else 0,
        "rom_bytes": ROM,
        "includes": [str(path) for path in platform.verilog_include_paths],
        "sources": [str(path) for path, *_ in platform.sources]}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
