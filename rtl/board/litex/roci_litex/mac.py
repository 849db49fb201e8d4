# SPDX-License-Identifier: Apache-2.0
"""Frames between AXI4-Streams and a MAC of LiteEth."""
from litex.gen import LiteXModule
from liteeth.mac.core import LiteEthMACCore
from migen import If


def mac_of(module, phy, data_width):
    """A LiteEthMACCore for a PHY.

    The PHYs of 8 bits leave last_be 0, and without it the MAC of LiteEth 2024.12 does not look at
    the FCS: `module` gets the statement that drives it.
    """
    if phy.dw == 8:
        module.comb += phy.source.last_be.eq(phy.source.last)
    return LiteEthMACCore(phy, dw=data_width)


class MacStreams(LiteXModule):
    """Joins the AXI4-Streams of the core to a LiteEthMACCore as wide as they.

    LiteEth marks the last byte of a frame by one bit of last_be, AXI4-Stream the bytes there are
    by tkeep. Bits of last_be and error above the last byte may be left over from an earlier frame
    (a frame below 8 bytes), so the lowest bit of last_be counts. The MAC adds and removes
    preamble, FCS and padding: frames arrive with their padding.

    The PHYs of LiteEth ignore `ready` on their input and send whatever is valid: the MAC is kept
    from running dry within a frame by the core, whose frames leave whole, and from waiting by the
    core too, which always takes what arrives.
    """

    def __init__(self, mac, rx, tx):
        if len(mac.source.data) != len(rx.data):
            raise ValueError(f"the MAC has {len(mac.source.data)} bits, the core {len(rx.data)}")
        self.comb += [
            rx.valid.eq(mac.source.valid),
            mac.source.ready.eq(rx.ready),
            rx.last.eq(mac.source.last),
            rx.data.eq(mac.source.data),
            If(mac.source.last,
                rx.keep.eq(mac.source.last_be ^ (mac.source.last_be - 1)),
            ).Else(
                rx.keep.eq(2**len(rx.keep) - 1),
            ),
            rx.user.eq((mac.source.error & rx.keep) != 0),
            mac.sink.valid.eq(tx.valid),
            tx.ready.eq(mac.sink.ready),
            mac.sink.last.eq(tx.last),
            mac.sink.data.eq(tx.data),
            If(tx.last,
                mac.sink.last_be.eq(tx.keep ^ (tx.keep >> 1)),
            ),
        ]
