#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The board in simulation from its reset on: BIOS, training of the memory, program from the flash.

usage: ecpix5_power_on.py ROCI FOLDER [NAME ...]     exit 77 without what it needs

As ecpix5_test.py. Each byte of the memory's bus has its own position at which it is read right.
"""
import contextlib
import json
import pathlib
import random
import re
import socket
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl.board.ecpix5 import program  # noqa: E402
from testbench.litex import ecpix5_test  # noqa: E402
from testbench.litex.ecpix5_test import folder  # noqa: E402

# Slips and delays at which the bytes of the bus are read right.
POSITIONS = ((2, 5), (1, 3))
SLIP = sum(slip << 2 * lane for lane, (slip, _) in enumerate(POSITIONS))
DELAY = sum(delay << 3 * lane for lane, (_, delay) in enumerate(POSITIONS))
TRAINED_MS, LOADED_MS = 200, 800  # more than the BIOS takes
ID = 0x524F4349  # in the first register of the adapter
PROMPT = "litex\x1b[0m> "
BITSTREAM = random.Random(1).randbytes(1 << 16)  # stands in for one


def flash(fixture, image):
    """A file with the content of the flash: a bitstream, and `image` where the BIOS looks."""
    csr = json.loads((folder() / "csr.json").read_text())
    place = csr["constants"]["flash_boot_address"] - csr["memories"]["spiflash"]["base"]
    path = fixture.folder / "flash.bin"
    path.write_bytes(BITSTREAM.ljust(place, b"\xFF") + image)
    return path


@contextlib.contextmanager
def reset(fixture, image, *pins):
    """A board that leaves its reset."""
    options = ("--from-rom", "--slip", str(SLIP), "--delay", str(DELAY), *map(str, pins))
    board = ecpix5_test.Board(folder(), ecpix5_test.ends(fixture), 0, image, options)
    try:
        yield board
    finally:
        board.kill()


def good_image():
    return program.for_flash((folder() / "program.bin").read_bytes())


def positions(board):
    """What the BIOS chose: slip and delay of each byte."""
    return re.findall(r"best: m(\d), b(\d+) delays: (\d+)\+-(\d+)", board.printed())


def power_on(fixture):
    """The memory is trained, the program loaded and started; it serves a host."""
    with reset(fixture, flash(fixture, good_image())) as board:
        board.wait_for_line("Memtest OK", TRAINED_MS)
        found = [(int(slip), int(delay)) for _, slip, delay, _ in positions(board)]
        assert found == list(POSITIONS), board.printed()
        board.wait_for_line("rocinante: ", LOADED_MS)
        with ecpix5_test.rig(fixture, board=board) as one:
            one.ping()
            one.check(4096, 1)
            assert one.status()["link"] == 1
            one.board.end()


def stays_at_console(board):
    """No reply to ARP, and the console replies: the adapter has its registers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        peer.bind(str(board.other))
        board.send(ecpix5_test.REQUEST)
        before = board.printed()
        board.type("mem_read 0x80000000 4")
        board.wait(20, lambda: board.printed().count(PROMPT) > before.count(PROMPT))
        peer.setblocking(False)
        try:
            frame = peer.recv(2048)
        except BlockingIOError:
            frame = None
    board.other.unlink()
    assert frame is None, f"a board without a program sends {frame.hex()}"
    said = board.printed()[len(before):]
    dump = ID.to_bytes(4, "little").hex(" ")
    assert dump in said, f"no {dump} in: {said}"
    print(f"  {before.strip().splitlines()[-1]!r}, {dump}")


def no_memory(fixture):
    """A byte of the memory's bus that never comes: reported, and the program is not started."""
    image = flash(fixture, good_image())
    for lane in range(len(POSITIONS)):
        with reset(fixture, image, "--dead", 1 << lane) as board:
            board.wait_for_line(PROMPT, LOADED_MS)
            said = board.printed()
            assert f"best: m{lane}, b00 delays: -" in said and "Memtest KO" in said, said
            assert "Memory initialization failed" in said and "Boot" not in said, said
            stays_at_console(board)


def no_program(fixture):
    """A flash whose program is damaged, and one without a program: reported."""
    damaged = bytearray(good_image())
    damaged[len(damaged) // 2] ^= 0x10
    for image, report in ((damaged, "CRC failed"), (b"", "Error: Invalid image length 0xffffffff")):
        with reset(fixture, flash(fixture, image)) as board:
            board.wait_for_line(report, LOADED_MS)
            board.wait_for_line(PROMPT, TRAINED_MS)
            assert "Liftoff" not in board.printed(), board.printed()
            stays_at_console(board)


if __name__ == "__main__":
    sys.exit(ecpix5_test.main([power_on, no_memory, no_program]))
