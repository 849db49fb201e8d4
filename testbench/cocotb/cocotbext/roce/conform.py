# SPDX-License-Identifier: Apache-2.0
"""The tests of conformance against an adapter of this bench.

The bench says what its adapter can do by a Device, and where its frames pass by a wire; conform()
runs the tests that need no more than that. With cocotb, conform_in_bench() does it in simulated
time.
"""
import ctypes
import errno
import inspect
import json

from . import verbs
from .frame import gid
from .library import (DONE, LIB, NOW, RECEIVE, REQUEST, SEND, TEXT, U8, U64, WAIT, Reply, Run,
                      Target, error)
from .report import Report, Timing
from .verbs import Fields, Op

PEER_MAC = LIB.roce_conform_peer_mac()  # every peer of the tests has it
LIMITS = {"max_qp": 256, "max_cq": 256, "max_mr": 1024, "max_pd": 64, "max_qp_wr": 4096,
          "max_cqe": 16384, "max_sge": 1, "max_rd_atomic": 16, "max_srq": 0, "max_srq_wr": 0,
          "max_ah": 0, "max_mw": 0, "max_attachments": 0, "atomics": 0, "max_mtu": 5,
          "active_mtu": 5}


class NotSupported(Exception):
    """The adapter, or its bench, cannot do this: "not testable here", with the text as reason."""


class Device:
    """What an adapter does for programs. Methods may be coroutines; one that is not overridden is
    something that the adapter does not have. An OSError is the adapter's rejection.

    `memory` is what regions are made in, from `base` on as the adapter sees it: the bench reads and
    writes there what the adapter's DMA does. Handles are numbers of the bench's choice.
    """
    text = "an adapter in cocotb"
    mac = 0x020000000001

    def __init__(self, address="10.0.0.1", memory=4 << 20, base=0x1000_0000, **limits):
        self.gid = gid(address)
        self.raw = (U8 * memory)()
        self.memory = memoryview(self.raw).cast("B")
        self.base = base
        self.limits = {**LIMITS, **limits}

    @staticmethod
    def lacks(what):
        raise NotSupported(f"the adapter has no {what}")

    def alloc_pd(self):
        """-> handle"""
        self.lacks("protection domains")

    def reg_mr(self, domain, address, length, iova, access):
        """-> handle, local key, remote key"""
        self.lacks("registration of memory")

    def rereg_mr(self, region, flags, domain, address, length, access):
        """-> local key, remote key"""
        self.lacks("change of a memory region")

    def create_cq(self, entries):
        """-> handle"""
        self.lacks("completion queues")

    def arm_cq(self, queue, solicited_only):
        self.lacks("events of completion queues")

    def create_srq(self, domain, entries, sges, limit):
        """-> handle"""
        self.lacks("shared receive queues")

    def modify_srq(self, queue, limit):
        self.lacks("shared receive queues")

    def create_qp(self, want):
        """`want`: agent_create_qp -> handle, number"""
        self.lacks("queue pairs")

    def modify_qp(self, attributes):
        """`attributes`: agent_attributes; the MAC address of its peer is PEER_MAC"""
        self.lacks("change of a queue pair")

    def query_qp(self, pair):
        """-> agent_attributes"""
        self.lacks("query of a queue pair")

    def alloc_mw(self, domain, kind):
        """-> handle, key; `kind`: type 1 or 2"""
        self.lacks("memory windows")

    def bind_mw(self, bind):
        """`bind`: agent_bind -> key"""
        self.lacks("memory windows")

    def attach(self, pair, high, low):
        """To the multicast group of a GID."""
        self.lacks("multicast groups")

    def detach(self, pair, high, low):
        self.lacks("multicast groups")

    def resize_cq(self, queue, entries):
        self.lacks("completion queues of another size")

    def create_ah(self, domain, path):
        """-> handle"""
        self.lacks("address handles")

    def destroy(self, handle):
        self.lacks("destruction of objects")

    def post_send(self, request, entries, inline):
        """`request`: agent_send, `entries`: (address, length, key) of each, `inline`: bytes"""
        self.lacks("posting of sends")

    def post_receive(self, queue, wr_id, entries):
        self.lacks("posting of receives")

    def poll(self):
        """What is new: a list of agent_completion, and one of agent_event"""
        return [], []

    def work(self):
        """Called after each wait, in the thread of the tests: what firmware or a driver in the
        bench has to do. No coroutine."""

    def hello(self):
        high, low = verbs.halves(self.gid)
        hello = Fields("agent_hello", version=verbs.VERSION, memory=self.base,
                       memory_bytes=len(self.memory), gids=1, **self.limits)
        return hello.words() + Fields("agent_gid", high=high, low=low, v2=1).words()

    def request(self, operation, words, data):
        """A request of the protocol: the words of its reply, or a coroutine for them."""
        ways = {
            Op.ALLOC_PD: (self.alloc_pd, []), Op.REG_MR: (self.reg_mr, words),
            Op.REREG_MR: (self.rereg_mr, words), Op.CREATE_CQ: (self.create_cq, words),
            Op.ARM_CQ: (self.arm_cq, words), Op.CREATE_SRQ: (self.create_srq, words),
            Op.MODIFY_SRQ: (self.modify_srq, words), Op.QUERY_QP: (self.query_qp, words),
            Op.DESTROY: (self.destroy, words), Op.POLL: (self.poll, []),
            Op.ALLOC_MW: (self.alloc_mw, words), Op.ATTACH: (self.attach, words),
            Op.DETACH: (self.detach, words), Op.RESIZE_CQ: (self.resize_cq, words)}
        if operation in ways:
            function, arguments = ways[operation]
            return function(*arguments)
        if operation == Op.CREATE_QP:
            return self.create_qp(Fields.of("agent_create_qp", words))
        if operation == Op.MODIFY_QP:
            return self.modify_qp(Fields.of("agent_attributes", words))
        if operation == Op.BIND:
            return self.bind_mw(Fields.of("agent_bind", words))
        if operation == Op.CREATE_AH:
            return self.create_ah(words[0], Fields.of("agent_path", words[1:]))
        if operation == Op.SEND:
            size = len(verbs.STRUCTS["agent_send"])
            return self.post_send(Fields.of("agent_send", words), verbs.sges(words[size:]), data)
        if operation == Op.RECEIVE:
            return self.post_receive(words[0], words[1], verbs.sges(words[2:]))
        raise NotSupported(f"the bench does not know request {operation}")


def words_of(operation, result):
    """What a method of Device returned, as words."""
    if operation == Op.POLL and isinstance(result, tuple):
        completions, events = result
        news = Fields("agent_news", completions=len(completions), events=len(events))
        return sum((one.words() for one in (*completions, *events)), news.words())
    if result is None:
        return []
    if isinstance(result, Fields):
        return result.words()
    return [result] if isinstance(result, int) else list(result)


class Suite:
    """Calls of the library into the bench. `wire` has send(frame), and take(): the next frame that
    came, or None; `now()` and `wait(ns)` are of its time. `call` waits for a coroutine's result."""

    def __init__(self, device, wire, now, wait, call, seen=None):
        self.device, self.wire, self.now, self.wait, self.call = device, wire, now, wait, call
        self.seen = seen
        self.report = Report()
        self.raised = None
        self.kept = None

    def _reply(self, reply, words, data=b""):
        words = [int(word) for word in words]
        self.kept = (U64 * len(words))(*words), (U8 * len(data)).from_buffer_copy(data)
        reply[0].words = ctypes.cast(self.kept[0], ctypes.POINTER(U64))
        reply[0].bytes = ctypes.cast(self.kept[1], ctypes.POINTER(U8))
        reply[0].count, reply[0].byte_count = len(words), len(data)

    def request(self, _self, operation, words, count, data, size, reply):
        if self.raised is not None:
            return -1
        try:
            return self._request(Op(operation), words[:count], bytes(data[:size]), reply)
        except NotSupported as reason:
            self._reply(reply, [], str(reason).encode())
            return errno.ENOSYS
        except OSError as rejection:
            self._reply(reply, [])
            return rejection.errno or errno.EIO
        except BaseException as bad:  # pylint: disable=broad-except; the library is in between
            self.raised = bad
            self._reply(reply, [], f"{type(bad).__name__}: {bad}".encode())
            return -1

    def _request(self, operation, words, data, reply):
        if operation == Op.HELLO:
            self._reply(reply, self.device.hello(), self.device.text.encode())
            return 0
        result = self.device.request(operation, words, data)
        if inspect.isawaitable(result):
            result = self.call(result)
        self._reply(reply, words_of(operation, result))
        return 0

    def guarded(self, function, otherwise):
        """`function`, whose exception ends the run."""
        def run(*arguments):
            if self.raised is not None:
                return otherwise
            try:
                return function(*arguments)
            except BaseException as bad:  # pylint: disable=broad-except; the library is in between
                self.raised = bad
                return otherwise
        return run

    def receive(self, _self, to, room):
        frame = self.wire.take()
        if frame is None:
            return 0
        ctypes.memmove(to, bytes(frame), min(len(frame), room))
        return min(len(frame), room)

    def pass_time(self, _self, ns):
        self.wait(ns)
        self.device.work()

    def done(self, _self, outcome):
        self.report.tests.append(json.loads(outcome.decode()))
        if self.seen is not None:
            self.seen(self.report.tests[-1])
        return 1

    def run(self, ids, timing, seed):
        target = Target(
            request=REQUEST(self.request),
            send=SEND(self.guarded(
                lambda _, data, size: self.wire.send(bytes(data[:size])), None)),
            receive=RECEIVE(self.guarded(self.receive, 0)),
            now_ns=NOW(self.guarded(lambda _: int(self.now()), 0)),
            wait_ns=WAIT(self.guarded(self.pass_time, None)),
            memory=ctypes.addressof(self.device.raw), mac=self.device.mac)
        run = Run(ids=TEXT(ids.encode()).value, seed=seed, least_timeout=timing.least_timeout,
                  calm_timeout=timing.calm_timeout,
                  **{f"{name}_ns": getattr(timing, name)
                     for name in ("patience", "quiet", "jitter", "look", "settle")})
        code = LIB.roce_conform(target, ctypes.sizeof(target), run, ctypes.sizeof(run),
                                DONE(self.guarded(self.done, 0)))
        if self.raised is not None:
            raise self.raised
        if code:
            self.report.lost = error()
        return self.report


def conform(device, wire, now, wait, ids="", timing=None, seed=1, seen=None):
    """Runs the tests of the statements `ids` (patterns: "RQ RSP-2?") without a simulator. `seen` is
    called with each outcome."""
    def call(awaitable):
        raise TypeError("a Device with coroutines needs conform_in_bench")

    return Suite(device, wire, now, wait, call, seen).run(ids, timing or Timing(), seed)


def statements():
    return json.loads(LIB.roce_conform_statements().decode())


def tests():
    return json.loads(LIB.roce_conform_tests().decode())
