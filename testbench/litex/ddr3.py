# SPDX-License-Identifier: Apache-2.0
"""The memory of the SoCs in simulation, of which a bench reads and writes one array."""
from litedram.modules import MT41K256M16
from litedram.phy import ECP5DDRPHY
from litedram.phy.dfi import Interface
from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSR, CSRStatus, CSRStorage
from migen import Array, Case, Cat, If, Memory, Record, Replicate, Signal

LANES, TRANSFERS, BYTE = 2, 8, 8  # bytes that move at once, in a burst, bits of each
EYE = 1  # steps of the delay from its middle at which data are right


class SmallDdr3(MT41K256M16):
    """The memory of ECPIX-5 with fewer rows: 32 MiB."""

    nrows = 2048
    size = 8 * nrows * 1024 * 2  # bytes


def settings(sys_hz):
    """Latencies and phases of the PHY on the board, which depend on its clock alone."""
    pads = Record([("clk_p", 1), ("a", 15), ("ba", 3), ("ras_n", 1), ("cas_n", 1), ("we_n", 1),
                   ("dq", LANES * BYTE), ("dqs_p", LANES), ("dm", LANES)])
    return ECP5DDRPHY(pads, sys_clk_freq=sys_hz).settings


def delayed(module, value, clocks):
    """`value`, so many clocks later."""
    for _ in range(clocks):
        later = Signal.like(value)
        module.sync += later.eq(value)
        value = later
    return value


class Ddr3(LiteXModule):
    """DDR3 and its PHY at the DFI, with settings and registers of ECP5DDRPHY.

    For each byte of the bus, `slip` and `delay` are the positions at which it is read right: at
    another slip, transfers of the burst come from before or after it; at another delay than that
    and its neighbours, every bit is wrong, and two steps on there is no burst to be seen. A byte
    that is `dead` is never there. Neither the cells of the PHY nor the rules of time between
    commands are modelled.
    """

    def __init__(self, module, sys_hz):
        self.settings = phy = settings(sys_hz)
        geometry = module.geom_settings
        self.slip, self.delay = ([Signal(bits) for _ in range(LANES)] for bits in (2, 3))
        self.dead = Signal(LANES)
        self._dly_sel = CSRStorage(LANES)
        self._rdly_dq_rst = CSR()
        self._rdly_dq_inc = CSR()
        self._rdly_dq_bitslip_rst = CSR()
        self._rdly_dq_bitslip = CSR()
        self._burstdet_clr = CSR()
        self._burstdet_seen = CSRStatus(LANES)
        self.dfi = dfi = Interface(geometry.addressbits, geometry.bankbits, 1, phy.dfi_databits,
                                   phy.nphases)

        # Commands. There is one read or write in a clock, at the most.
        rows = Array(Signal(geometry.rowbits) for _ in range(2 ** geometry.bankbits))
        column, bank = Signal(geometry.colbits), Signal(geometry.bankbits)
        read, write = Signal(), Signal()
        for phase in dfi.phases:
            self.sync += If(~phase.cs_n & ~phase.ras_n & phase.cas_n & phase.we_n,
                            rows[phase.bank].eq(phase.address))
            self.comb += If(~phase.cs_n & phase.ras_n & ~phase.cas_n,
                            column.eq(phase.address), bank.eq(phase.bank), read.eq(phase.we_n),
                            write.eq(~phase.we_n))
        row = Signal(geometry.rowbits)
        self.comb += row.eq(rows[bank])
        word = Signal(geometry.colbits - 3 + geometry.bankbits + geometry.rowbits)
        self.comb += word.eq(Cat(column[3:], bank, row))  # in the order of addresses

        # The array: a burst in each word.
        bits = LANES * TRANSFERS * BYTE
        memory = Memory(bits, 2 ** len(word), name="ddr3_words")
        write_port = memory.get_port(write_capable=True, we_granularity=BYTE)
        read_port = memory.get_port()
        self.specials += memory, write_port, read_port
        written = delayed(self, Cat(write, word), phy.write_latency)
        self.comb += [
            write_port.adr.eq(written[1:]),
            write_port.dat_w.eq(Cat(phase.wrdata for phase in dfi.phases)),
            write_port.we.eq(Replicate(written[0], bits // BYTE)
                             & ~Cat(phase.wrdata_mask for phase in dfi.phases))]
        asked = delayed(self, Cat(read, word), phy.read_latency - 1)
        valid = delayed(self, dfi.phases[phy.rdphase].rddata_en, phy.read_latency)
        arrives = delayed(self, asked[0], 1)
        self.comb += read_port.adr.eq(asked[1:])
        seen = Signal(bits)
        self.comb += [Cat(phase.rddata for phase in dfi.phases).eq(seen),
                      *(phase.rddata_valid.eq(valid) for phase in dfi.phases)]
        for lane in range(LANES):
            parts = [slice(BYTE * (LANES * at + lane), BYTE * (LANES * at + lane + 1))
                     for at in range(TRANSFERS)]
            self.add_lane(lane, arrives, [read_port.dat_r[part] for part in parts],
                          [seen[part] for part in parts])

    def add_lane(self, lane, arrives, transfers, seen):
        """What the PHY sees of one byte of the bus."""
        selected = self._dly_sel.storage[lane]
        slip, delay = Signal(2), Signal(3)
        self.sync += [
            If(selected & self._rdly_dq_bitslip_rst.re, slip.eq(0)).Elif(
                selected & self._rdly_dq_bitslip.re, slip.eq(slip + 1)),
            If(selected & self._rdly_dq_rst.re, delay.eq(0)).Elif(
                selected & self._rdly_dq_inc.re, delay.eq(delay + 1))]
        # Both count modulo a power of two: LiteX writes negative constants wrongly.
        shift, apart = Signal(3), Signal(4)
        self.comb += [shift.eq(slip - self.slip[lane]),
                      apart.eq(delay + EYE + 1 - self.delay[lane])]
        right, burst = Signal(), Signal()
        self.comb += [burst.eq(arrives & ~self.dead[lane] & (apart <= 2 * EYE + 2)),
                      right.eq((apart > 0) & (apart < 2 * EYE + 2))]
        idle = 2 ** BYTE - 1
        for at, byte in enumerate(seen):
            aligned = Signal(BYTE)
            self.comb += [
                Case(shift, {by % 8: aligned.eq(transfers[at + by] if 0 <= at + by < TRANSFERS
                                                else idle) for by in range(-3, 4)}),
                byte.eq(aligned ^ Replicate(~right, BYTE)),
                If(self.dead[lane], byte.eq(idle))]
        self.sync += If(self._burstdet_clr.re, self._burstdet_seen.status[lane].eq(0)).Elif(
            burst, self._burstdet_seen.status[lane].eq(1))
