# SPDX-License-Identifier: Apache-2.0
"""blue-rdma, as in surf of SLAC, under the tests of conformance. Run by surf.py.

Under test is the transport layer mkAxiSTransportLayer: packets from the BTH on, without ICRC. What
surf does in VHDL around it is done here: Ethernet, IP and UDP headers, and the ICRC. This variant
of blue-rdma is a requester of SENDs and WRITEs with one queue pair.
"""
import collections
import errno
import fnmatch
import json
import os
import sys

import cocotb
from cocotb.triggers import ClockCycles, Event, First, Timer
from cocotbext import roce
from cocotbext.roce import verbs
from cocotbext.roce.bench import Wire, conform_in_bench
from surf_layout import (ATTRIBUTES, BYTES, CREATE, FENCE, KINDS, MODIFY, QUERY, REQUEST_BITS,
                         SIGNALED, SOLICITED, CompletionSink, DataReply, DataSink, DataSource,
                         MetaSink, MetaSource, ReadSink, RequestSource, beats, handles, keep,
                         packed, unpacked)

OUTSTANDING = 3  # requests that the engine sends without a response
IP, UDP, TRANSPORT, ICRC = 14, 34, 42, 4  # where headers of IPv4 begin; bytes of the ICRC
PKEY = 0xFFFF
RESPONSES = ("RcAck", "RcReadResp", "RcAtomicAck", "Cnp")
PATIENCE_NS = 50_000
PAUSE = 20  # clocks, a few more than the engine needs for a change of state
OPERATIONS = {verbs.WRITE: 0, verbs.WRITE_IMM: 1, verbs.SEND: 2, verbs.SEND_IMM: 3,
              verbs.SEND_INV: 9}


class Surf(roce.Device):
    text = "blue-rdma of surf"

    def __init__(self, dut):
        super().__init__(max_qp=1, max_qp_wr=4096, max_sge=8, max_mr=2, max_pd=1, max_rd_atomic=2)
        self.dut = dut
        dut.RST_N.value = 0

        def end(kind, prefix):
            bus = kind._bus_obj.from_prefix(dut, prefix)
            return kind(bus, dut.CLK, dut.RST_N, reset_active_level=False)
        self.meta_in, self.meta_out = end(MetaSource, "s_meta_data"), end(MetaSink, "m_meta_data")
        self.requests = end(RequestSource, "s_work_req")
        self.completed = end(CompletionSink, "m_work_comp_sq")
        self.reads, self.read_data = end(ReadSink, "m_dma_read"), end(DataReply, "s_dma_read")
        self.data_in, self.data_out = end(DataSource, "s_data_stream"), end(DataSink,
                                                                          "m_data_stream")
        self.frames, self.came = collections.deque(), Event()
        self.news = []
        self.made = handles()
        self.waiting = 0  # requests since the last response
        self.asked = False  # the peer sent a request
        self.domain = self.pair = None
        self.regions = {}
        cocotb.start_soon(self.serve_reads())
        cocotb.start_soon(self.take_frames())
        cocotb.start_soon(self.take_completions())

    # The engine's own interfaces.
    async def reset(self):
        """Afterwards the domain and the regions are there again: the keys follow from the order."""
        self.dut.RST_N.value = 0
        await ClockCycles(self.dut.CLK, PAUSE)
        self.dut.RST_N.value = 1
        await ClockCycles(self.dut.CLK, PAUSE)
        self.news.clear()
        self.frames.clear()
        self.meta_out.clear()
        self.waiting = 0

    async def manage(self, kind, **values):
        tag, request, reply = KINDS[kind]
        transaction = self.meta_in._transaction_obj()
        transaction.tdata = tag << REQUEST_BITS - 2 | packed(request, values)
        await self.meta_in.send(transaction)
        if self.meta_out.empty():
            await self.meta_out.wait(PATIENCE_NS, "ns")
        if self.meta_out.empty():
            raise roce.NotSupported("the engine does not respond to a request about its state")
        found = unpacked(reply, int(self.meta_out.recv_nowait().tdata))
        if not found["done"]:
            raise OSError(errno.EINVAL, f"the engine rejects {kind} {values}")
        await ClockCycles(self.dut.CLK, PAUSE)
        return found

    async def serve_reads(self):
        while True:
            read = await self.reads.recv()
            offset = int(read.start_addr) - self.base
            data = bytes(self.memory[offset:offset + int(read.len)])
            bad = not 0 <= offset <= len(self.memory) - int(read.len)
            for part, count, first, last in beats(data or b"\0"):
                reply = self.read_data._transaction_obj()
                for name in ("initiator", "sqpn", "wr_id"):
                    setattr(reply, name, int(getattr(read, name)))
                reply.is_resp_err = int(bad)
                reply.data_stream = packed((("data", 256), ("keep", 32), ("first", 1), ("last", 1)),
                                           {"data": int.from_bytes(part, "big"),
                                            "keep": keep(count), "first": first, "last": last})
                await self.read_data.send(reply)

    async def take_frames(self):
        data = b""
        while True:
            beat = await self.data_out.recv()
            count = bin(int(beat.tkeep)).count("1")
            data += int(beat.tdata).to_bytes(BYTES, "big")[:count]
            if int(beat.tlast):
                self.frames.append(self.in_frame(data))
                self.came.set()
                data = b""

    async def take_completions(self):
        while True:
            done = await self.completed.recv()
            self.news.append(verbs.Fields(
                "agent_completion", cq=self.pair.send_cq, wr_id=int(done.id),
                status=int(done.status), opcode=int(done.op_code), byte_len=int(done.len),
                qpn=int(done.qpn)))
            self.came.set()

    # Ethernet, IP, UDP and ICRC.
    def in_frame(self, transport):
        path = self.pair.path
        head = bytearray(roce.Frame(
            "RcAck", src_mac=self.mac, dst_mac=roce.PEER_MAC, src_gid=self.gid, dst_gid=path.dgid,
            traffic_class=path.traffic_class, hop_limit=path.hop_limit or 64).build()[:TRANSPORT])
        size = TRANSPORT + len(transport) + ICRC
        head[IP + 2:IP + 4] = (size - IP).to_bytes(2, "big")
        head[UDP + 4:UDP + 6] = (size - UDP).to_bytes(2, "big")
        return roce.seal(bytes(head) + transport + bytes(ICRC))

    async def send(self, frame):
        """What surf's receiver passes on: right frames of RoCE."""
        parsed = roce.Frame.parse(frame)
        if parsed.opcode is None or parsed.error or parsed.network != 4:
            return
        self.waiting = 0
        self.asked |= not roce.Frame.parse(frame).name.startswith(RESPONSES)
        end = IP + int.from_bytes(frame[IP + 2:IP + 4], "big")
        for part, count, first, last in beats(frame[TRANSPORT:end - ICRC]):
            beat = self.data_in._transaction_obj()
            beat.tdata, beat.tkeep = int.from_bytes(part, "big"), keep(count)
            beat.tfirst, beat.tlast = int(first), int(last)
            await self.data_in.send(beat)

    # A sink for Wire.
    def empty(self):
        return not self.frames

    def recv_nowait(self):
        return self.frames.popleft()

    async def wait(self, time, unit):
        self.came.clear()
        await First(self.came.wait(), Timer(time, unit))

    # What programs do.
    async def alloc_pd(self):
        if self.domain is not None:
            raise roce.NotSupported("the engine has one protection domain")
        await self.reset()
        self.domain = {**await self.manage("pd", alloc=1, key=1), "ours": next(self.made)}
        return self.domain["ours"]

    async def reg_mr(self, domain, address, length, iova, access):
        if len(self.regions) == 2:
            raise roce.NotSupported("the engine has two memory regions")
        values = {"address": iova, "length": length, "access": access, "pd": self.domain["handle"],
                  "lkey_part": len(self.regions) + 1, "rkey_part": len(self.regions) + 1}
        made = await self.manage("mr", alloc=1, **values)
        handle = next(self.made)
        self.regions[handle] = values
        return handle, made["lkey"], made["rkey"]

    def create_cq(self, entries):
        return next(self.made)

    async def create_qp(self, want):
        if want.type != verbs.RC:
            raise roce.NotSupported("the engine has reliable connections alone")
        if self.pair is not None:
            raise roce.NotSupported("the engine has one queue pair")
        made = await self.manage("qp", request=CREATE, pd=self.domain["handle"], type=verbs.RC)
        self.pair = want
        want.handle, want.number, want.path = next(self.made), made["qpn"], None
        return want.handle, want.number

    async def modify_qp(self, attributes):
        wanted = {name: getattr(attributes, name) for name, _ in ATTRIBUTES
                  if hasattr(attributes, name)}
        if attributes.mask & verbs.M_AV:
            self.pair.path = attributes
        await self.manage("qp", request=MODIFY, qpn=self.pair.number, pkey=PKEY,
                          pd=self.domain["handle"], mask=attributes.mask, **wanted)

    async def query_qp(self, pair):
        found = await self.manage("qp", request=QUERY, qpn=self.pair.number)
        reply = verbs.Fields("agent_attributes")
        for name, value in found.items():
            if name in verbs.STRUCTS["agent_attributes"]:
                setattr(reply, name, value)
        reply.state = found["cur_state"]
        return reply

    async def destroy(self, handle):
        if self.pair is not None and handle == self.pair.handle:
            # The engine destroys queue pairs in ERR alone: a new one begins with a reset.
            self.pair = None
            await self.reset()
            await self.manage("pd", alloc=1, key=1)
            for values in self.regions.values():
                await self.manage("mr", alloc=1, **values)
        elif handle in self.regions:
            del self.regions[handle]
        elif self.domain is not None and handle == self.domain["ours"]:
            self.domain = None

    async def post_send(self, request, entries, inline):
        if request.operation not in OPERATIONS:
            raise roce.NotSupported("surf's variant of the engine has no READ and no atomic")
        if request.flags & verbs.INLINE:
            raise roce.NotSupported("the engine has no inline data")
        if len(entries) > 1:
            raise roce.NotSupported("the engine has lists of one entry")
        if self.waiting == OUTSTANDING:
            raise roce.NotSupported(f"the engine sends {OUTSTANDING} requests without a response")
        self.waiting += 1
        address, length, key = entries[0] if entries else (0, 0, 0)
        flags = ((SIGNALED if request.flags & verbs.SIGNALED else 0) |
                 (SOLICITED if request.flags & verbs.SOLICITED else 0) |
                 (FENCE if request.flags & verbs.FENCE else 0))
        work = self.requests._transaction_obj()
        with_immediate = request.operation in (verbs.SEND_IMM, verbs.WRITE_IMM)
        for name, value in {
                "id": request.wr_id, "op_code": OPERATIONS[request.operation], "flags": flags,
                "raddr": request.remote_address, "rkey": request.remote_key, "len": length,
                "laddr": address, "lkey": key, "sqpn": self.pair.number,
                "solicited": int(bool(request.flags & verbs.SOLICITED)), "comp": 0, "swap": 0,
                "imm_dt": with_immediate << 32 | (request.immediate if with_immediate else 0),
                "rkey_to_inv": (1 << 32 | request.immediate
                                if request.operation == verbs.SEND_INV else 0),
                "srqn": 0, "dqpn": 0, "qkey": 0}.items():
            setattr(work, name, value)
        await self.requests.send(work)

    def poll(self):
        news, self.news = self.news, []
        return news, []


def write_report(report):
    """About the statements of SURF_IDS: a test that cites one beside others is about its first."""
    wanted = os.environ["SURF_IDS"].split()

    def selected(name):
        return any(fnmatch.fnmatch(name, one) or name.startswith(f"{one}-") for one in wanted)

    about = roce.Report()
    about.tests = [test for test in report.tests if selected(test["ids"][0])]
    with open(os.environ["SURF_REPORT"], "w", encoding="utf-8") as file:
        json.dump({"tests": about.tests, "lost": report.lost,
                   "verdicts": {name: verdict for name, verdict in about.verdicts().items()
                                if selected(name)},
                   "statements": {one["id"]: one["statement"] for one in roce.statements()}},
                  file, indent=1)


@cocotb.test()
async def conformance(dut):
    """The tests of the statements that are named in SURF_IDS; the report goes to SURF_REPORT."""
    device = Surf(dut)

    so_far = roce.Report()

    def seen(test):
        if device.asked and test["verdict"] == "FAIL":
            test.update(verdict="not testable here", reason="surf's variant has no responder")
        device.asked = False
        print(f"{test['verdict']}: {' '.join(test['ids'])}: {test['title']}", file=sys.stderr,
              flush=True)
        # A run that is stopped keeps what it has.
        so_far.tests.append(test)
        write_report(so_far)

    timing = roce.Timing(patience=20_000, jitter=2_000, look=2_000, settle=1_000)
    report = await conform_in_bench(device, Wire(device, device), os.environ["SURF_IDS"], timing,
                                    seen=seen)
    write_report(report)
    assert not report.lost, report.lost
