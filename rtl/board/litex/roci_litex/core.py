# SPDX-License-Identifier: Apache-2.0
"""roci_core as a module of LiteX."""
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr import CSRStatus
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Constant, Instance, ResetSignal, Signal

from . import crossing, mac, sources
from .frames import FrameBuffer
from .memory import BusPort, DramPort

REGISTER_BITS = 22  # addresses of the AXI4-Lite slave
ID_BITS, PASID_BITS = 8, 20


class RociCore(LiteXModule):
    """The adapter with its buses as interfaces of LiteX, all in the domain `sys`.

    registers   AXI4-Lite slave: registers and doorbells, 4 MiB
    memory      AXI4 master: host memory, by physical addresses; `user` is the PASID
    rx, tx      AXI4-Streams of whole frames without preamble and FCS, to `sys`; `rx.user` with
                the last beat marks a damaged frame
    host_rx, host_tx  Ethernet frames that are not RoCE, to the host and from it
    now         ns since reset
    irq, attention    levels: events wait for the host, work waits for firmware; the EventManager
                `ev` has both

    Parameters are those of roci_core, such as `**small()`. Addresses of memory have
    address_bits; the bits above are ignored. `clk_freq` is that of the engine's clock, the domain
    `clock_domain`; when that is not `sys`, buses and frames of the host cross between both, and
    `user` of the memory is 0.
    """

    def __init__(self, platform, clk_freq, address_bits=32, clock_domain="sys", **parameters):
        known = sources.defaults()
        unknown = set(parameters) - set(known)
        if unknown:
            raise ValueError(f"roci_core has no parameter {', '.join(sorted(unknown))}")
        if parameters.setdefault("MacClocks", 1) != 1:
            raise ValueError("a MAC of LiteEth needs the frame buffers that MacClocks=1 brings")
        parameters.setdefault("Period", round(2**24 * 1e9 / clk_freq))
        width = parameters.get("DataWidth", known["DataWidth"])
        self.data_width = width
        self.parameters = parameters
        self.registers = axi.AXILiteInterface(data_width=32, address_width=32)
        self.memory = axi.AXIInterface(data_width=width, address_width=address_bits,
                                       id_width=ID_BITS, aw_user_width=PASID_BITS,
                                       ar_user_width=PASID_BITS)
        self.rx = axi.AXIStreamInterface(width, user_width=1)
        self.tx = axi.AXIStreamInterface(width)
        self.host_rx = axi.AXIStreamInterface(width)
        self.host_tx = axi.AXIStreamInterface(width)
        self.host_rx.ready.reset = Constant(1)  # dropped, unless something takes them
        self.now = Signal(64)
        self.irq = Signal()
        self.attention = Signal()
        self.rx_damaged = CSRStatus(32, description="Frames with a wrong FCS.")
        self.rx_lost = CSRStatus(32, description="Frames that came faster than they were taken.")
        self.tx_lost = CSRStatus(32, description="Frames longer than MacBuffer.")
        self.ev = EventManager()
        self.ev.events = EventSourceLevel(description="Events wait for the host.")
        self.ev.attention = EventSourceLevel(description="Work waits for firmware.")
        self.ev.finalize()
        self.comb += [
            self.ev.events.trigger.eq(self.irq),
            self.ev.attention.trigger.eq(self.attention),
        ]
        ports = {
            "i_clk": ClockSignal(clock_domain), "i_rst_n": ~ResetSignal("sys"),
            "i_mac_rx_clk": ClockSignal("sys"), "i_mac_tx_clk": ClockSignal("sys"),
            "o_now": self.now, "o_tx_lost": self.tx_lost.status,
        }
        if clock_domain == "sys":
            registers, memory = self.registers, self.memory
            host_rx, host_tx = self.host_rx, self.host_tx
            ports |= {"o_irq": self.irq, "o_attention": self.attention,
                      "o_rx_damaged": self.rx_damaged.status, "o_rx_lost": self.rx_lost.status}
        else:
            registers, memory, host_rx, host_tx = self._cross(ports, clock_domain)
        ports |= register_ports(registers) | self._memory_ports(memory)
        ports |= stream_ports("s_axis_rx", self.rx, "i") | stream_ports("m_axis_tx", self.tx, "o")
        ports["i_s_axis_rx_tuser"] = self.rx.user[0]
        ports |= stream_ports("s_axis_host", host_tx, "i")
        ports |= stream_ports("m_axis_host", host_rx, "o")
        self.specials += Instance("roci_core", **ports,
                                  **{f"p_{name}": Constant(value, 32)
                                     for name, value in parameters.items()})
        includes, files = sources.listed()
        for folder in includes:
            platform.add_verilog_include_path(str(folder))
        for path in files:
            platform.add_source(str(path), "systemverilog")

    def _cross(self, ports, domain):
        """Adds the levels and numbers of the core to `ports`; returns its buses in its domain."""
        registers = axi.AXILiteInterface(data_width=32, address_width=REGISTER_BITS)
        outer = axi.AXILiteInterface(data_width=32, address_width=REGISTER_BITS)
        self.comb += self.registers.connect(outer, omit={"addr"})
        for channel in ("aw", "ar"):
            self.comb += getattr(outer, channel).addr.eq(
                getattr(self.registers, channel).addr[:REGISTER_BITS])
        memory = axi.AXIInterface(data_width=self.data_width,
                                  address_width=self.memory.address_width, id_width=ID_BITS,
                                  aw_user_width=PASID_BITS, ar_user_width=PASID_BITS)
        host_rx = axi.AXIStreamInterface(self.data_width)
        host_tx = axi.AXIStreamInterface(self.data_width)
        self.register_crossing = crossing.BusCrossing(outer, registers, crossing.AXI_LITE, "sys",
                                                      domain)
        self.memory_crossing = crossing.BusCrossing(memory, self.memory, crossing.AXI, domain,
                                                    "sys")
        self.host_rx_crossing = crossing.StreamCrossing(host_rx, self.host_rx, ("data", "keep"),
                                                        domain, "sys")
        self.host_tx_crossing = crossing.StreamCrossing(self.host_tx, host_tx, ("data", "keep"),
                                                        "sys", domain)
        self.levels = levels = crossing.Levels(domain)
        irq, attention = Signal(), Signal()
        damaged, lost = Signal(32), Signal(32)
        levels.level(irq, self.irq)
        levels.level(attention, self.attention)
        levels.number(damaged, self.rx_damaged.status)
        levels.number(lost, self.rx_lost.status)
        ports |= {"o_irq": irq, "o_attention": attention, "o_rx_damaged": damaged,
                  "o_rx_lost": lost}
        return registers, memory, host_rx, host_tx

    def _memory_ports(self, bus):
        ports = {}
        bits = bus.address_width
        for channel in ("aw", "ar"):
            one = getattr(bus, channel)
            address = Signal(64)
            self.comb += one.addr.eq(address[:bits])
            ports |= {f"o_m_axi_{channel}addr": address}
            ports |= {f"o_m_axi_{channel}{field}": getattr(one, field)
                      for field in ("id", "len", "size", "burst", "lock", "cache", "prot", "qos",
                                    "user")}
        ports |= {"o_m_axi_wdata": bus.w.data, "o_m_axi_wstrb": bus.w.strb,
                  "o_m_axi_wlast": bus.w.last, "i_m_axi_bid": bus.b.id,
                  "i_m_axi_bresp": bus.b.resp, "i_m_axi_rid": bus.r.id,
                  "i_m_axi_rdata": bus.r.data, "i_m_axi_rresp": bus.r.resp,
                  "i_m_axi_rlast": bus.r.last}
        return ports | handshakes("m_axi", bus, driven=("aw", "w", "ar"))

    def add_to_bus(self, soc, name="roci", origin=None):
        """The registers as a slave of the SoC's bus; the interrupt, when the SoC has any."""
        soc.bus.add_slave(name, self.registers,
                          SoCRegion(origin=origin, size=1 << REGISTER_BITS, cached=False))
        if soc.irq.enabled:
            soc.irq.add(name, use_loc_if_exists=True)

    def add_dram(self, port, base):
        """Host memory is a native port of LiteDRAM, which starts at address `base`."""
        self.memory_port = DramPort(self.memory, port, base)

    def add_memory_bus(self, soc, name="roci"):
        """Host memory is what the SoC's bus reaches."""
        self.memory_port = BusPort(self.memory, soc, name)

    def add_frames(self, soc, name="frames", origin=None):
        """Frames of `host_rx` are kept for a program, which reads them on the SoC's bus."""
        self.frames = FrameBuffer(self.data_width)
        self.frames.add_to_bus(soc, name, origin)
        self.comb += self.host_rx.connect(self.frames.sink)

    def add_phy(self, phy):
        """A PHY of LiteEth, in its domains eth_rx and eth_tx, joined by a LiteEthMACCore."""
        self.mac = mac.mac_of(self, phy, self.data_width)
        self.mac_streams = mac.MacStreams(self.mac, self.rx, self.tx)


def register_ports(bus):
    ports = {}
    for channel in ("aw", "ar"):
        ports |= {f"i_s_axil_{channel}addr": getattr(bus, channel).addr[:REGISTER_BITS],
                  f"i_s_axil_{channel}prot": 0}
    ports |= {"i_s_axil_wdata": bus.w.data, "i_s_axil_wstrb": bus.w.strb,
              "o_s_axil_bresp": bus.b.resp, "o_s_axil_rdata": bus.r.data,
              "o_s_axil_rresp": bus.r.resp}
    return ports | handshakes("s_axil", bus, driven=("b", "r"))


def handshakes(prefix, bus, driven):
    """valid and ready of the five channels; the core drives valid of those in `driven`."""
    ports = {}
    for channel in ("aw", "w", "b", "ar", "r"):
        one = getattr(bus, channel)
        valid, ready = ("o", "i") if channel in driven else ("i", "o")
        ports |= {f"{valid}_{prefix}_{channel}valid": one.valid,
                  f"{ready}_{prefix}_{channel}ready": one.ready}
    return ports


def stream_ports(prefix, one, way):
    back = "i" if way == "o" else "o"
    return {f"{way}_{prefix}_tdata": one.data, f"{way}_{prefix}_tkeep": one.keep,
            f"{way}_{prefix}_tlast": one.last, f"{way}_{prefix}_tvalid": one.valid,
            f"{back}_{prefix}_tready": one.ready}
