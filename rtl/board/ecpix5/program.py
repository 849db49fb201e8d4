# SPDX-License-Identifier: Apache-2.0
"""The program of a board: firmware/board, compiled for the registers of a SoC of LiteX."""
import os
import pathlib
import shutil
import struct
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIRMWARE = ROOT / "firmware"
COMPILER = "riscv64-unknown-elf-g++"
MARK = b"ROCISET1"
PROGRAM_BYTES = 1 << 20  # for the program, before the region that is exported
ADDRESS, MAC = "192.168.1.50", "02:52:4f:43:49:05"
# Constant of board.hpp -> register of LiteX.
REGISTERS = {"kLinkStatus": "ethphy_rx_inband_status",
             "kCrcErrors": "roci_mac_rx_datapath_crc_errors",
             "kPreambleErrors": "roci_mac_rx_datapath_preamble_errors", "kRxLost": "roci_rx_lost",
             "kTxLost": "roci_tx_lost", "kFramesLength": "roci_frames_length",
             "kFramesPop": "roci_frames_pop", "kFramesDropped": "roci_frames_dropped",
             "kUart": "uart_rxtx", "kUartFull": "uart_txfull"}


class Failed(Exception):
    """A step ended with an error; the text says which."""


def header(csr, memory_bytes=None):
    """board.hpp of a SoC, from csr.json."""
    memories, registers = csr["memories"], csr["csr_registers"]
    ram = memories["main_ram"]
    size = memory_bytes or ram["size"]
    values = {name: registers[register]["addr"] for name, register in REGISTERS.items()}
    values |= {"kAdapter": memories["roci"]["base"], "kFrames": memories["frames"]["base"],
               "kRegion": ram["base"] + PROGRAM_BYTES}
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by program.py from csr.json.",
             "#pragma once", "", "#include <stdint.h>", "", "namespace roci::fw::board::at {"]
    lines += [f"constexpr uintptr_t {name} = 0x{value:08X};"
              for name, value in sorted(values.items())]
    lines += [f"constexpr uint32_t kRegionBytes = 0x{size - PROGRAM_BYTES:08X};",
              "}  // namespace roci::fw::board::at", ""]
    return "\n".join(lines)


def sources():
    """All of the firmware, and the program without its main function."""
    found = [path for folder in (".", "hal", "net", "commands", "board")
             for path in sorted((FIRMWARE / folder).glob("*.cpp"))]
    return [path for path in found if path != FIRMWARE / "board/main.cpp"]


def build(folder, csr, memory_bytes=None):
    """Compiles the program; (its image, what the compiler says of its size)."""
    if shutil.which(COMPILER) is None:
        raise Failed(f"{COMPILER} is missing: apt-get install gcc-riscv64-unknown-elf "
                     "picolibc-riscv64-unknown-elf")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.hpp").write_text(header(csr, memory_bytes))
    done = subprocess.run(["sh", FIRMWARE / "rv32/build.sh", COMPILER, ROOT, folder / "objects",
                           FIRMWARE / "board/sizes.txt", *sources()], capture_output=True,
                          text=True, env={**os.environ, "ROCI_HEADERS": str(folder)})
    if done.returncode:
        raise Failed(f"the program: {(done.stdout + done.stderr)[-3000:]}")
    return (folder / "objects/firmware.bin").read_bytes(), done.stdout.strip()


def with_settings(image, address, mac):
    """The image with its IPv4 and MAC address."""
    at = image.index(MARK) + len(MARK)
    if MARK in image[at:]:
        raise Failed("the image has two places for its settings")
    numbers = [int(part) for part in address.split(".")]
    digits = [int(part, 16) for part in mac.split(":")]
    if len(numbers) != 4 or len(digits) != 6 or not all(0 <= n < 256 for n in numbers + digits):
        raise Failed(f"{address}, {mac}: an IPv4 and a MAC address are needed")
    if digits[0] & 1 or not any(digits):
        raise Failed(f"{mac} is no address of a single station")
    settings = struct.pack("<III", int.from_bytes(bytes(numbers), "big"),
                           int.from_bytes(bytes(digits[2:]), "big"),
                           int.from_bytes(bytes(digits[:2]), "big"))
    return image[:at] + settings + image[at + len(settings):]


def for_flash(image):
    """What the BIOS of LiteX loads from flash: length and CRC, then the image."""
    return struct.pack("<II", len(image), zlib.crc32(image)) + image
