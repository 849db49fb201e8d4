# SPDX-License-Identifier: Apache-2.0
"""A peer: requester and responder, the model adapter of Rocinante with its firmware and driver.

    peer = Peer("10.0.0.9", mac=0x020000000009, next_hop=0x020000000001)
    pair = peer.queue_pair(psn=100)
    pair.connect("10.0.0.1", number=17, psn=200)        # the other side's
    pair.write(0, 1000, remote_address, remote_key)     # peer.memory[0:1000] goes there
    ... frames pass (Link, or peer.receive and peer.frames) ...
    pair.completions                                    # those of requests and receives
"""
import collections
import ctypes
import weakref

from . import verbs
from .frame import address_of, gid
from .library import LIB, ROOM, U8, U64, PeerOptions, Reply, error

NEVER = (1 << 64) - 1
MTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}

Completion = collections.namedtuple(
    "Completion", "id status opcode receive byte_len immediate with_imm qpn")


class Peer:
    """Frames and time are inputs: nothing happens between two calls."""

    def __init__(self, address="10.0.0.9", mac=0x020000000009, next_hop=0x020000000001,
                 memory=1 << 20, port_mtu=4200, second=None):
        options = PeerOptions(mac=mac, next_hop=next_hop, memory_bytes=memory, port_mtu=port_mtu)
        self.gid = gid(address)
        self.mac = mac
        ctypes.memmove(options.gid, self.gid, 16)
        if second is not None:
            ctypes.memmove(options.second_gid, gid(second), 16)
        self._peer = LIB.roce_peer_open(options, ctypes.sizeof(options))
        if not self._peer:
            raise ValueError(error())
        self._closed = weakref.finalize(self, LIB.roce_peer_close, self._peer)
        self._room = (U8 * ROOM)()
        self.hello = verbs.Fields.of("agent_hello", self.request(verbs.Op.HELLO, [])[1])
        size = self.hello.memory_bytes
        raw = (U8 * size).from_address(LIB.roce_peer_memory(self._peer))
        self.memory = memoryview(raw).cast("B")
        self._made = False
        self.pairs = {}

    @property
    def address(self):
        return address_of(self.gid)

    def request(self, operation, words, data=b""):
        """A request of the protocol: (errno, words, bytes)."""
        reply = Reply()
        values = (U64 * len(words))(*words)
        code = LIB.roce_peer_request(self._peer, operation, values, len(words), bytes(data),
                                     len(data), reply)
        if code:
            return code, [], b""
        return 0, reply.words[:reply.count], bytes(reply.bytes[:reply.byte_count])

    def call(self, operation, *words, data=b""):
        """The words of the reply. Raises OSError."""
        code, reply, _ = self.request(operation, words, data)
        if code:
            raise OSError(code, f"the adapter rejects {operation.name}")
        return reply

    def _make(self):
        """Domain, queue and region of all queue pairs."""
        if self._made:
            return
        self._made = True
        self.domain, = self.call(verbs.Op.ALLOC_PD)
        self.queue, = self.call(verbs.Op.CREATE_CQ, 4096)
        self.base = self.hello.memory
        _, self.lkey, self.key = self.call(verbs.Op.REG_MR, self.domain, self.base,
                                           len(self.memory), self.base, verbs.ALL_RIGHTS)

    def queue_pair(self, psn=0, service=verbs.RC, entries=128):
        """A queue pair whose first packet has this PSN."""
        self._make()
        pair = QueuePair(self, psn, service, entries)
        self.pairs[pair.number] = pair
        return pair

    def set_time(self, now_ns):
        LIB.roce_peer_time(self._peer, int(now_ns))

    @property
    def deadline(self):
        """Time in ns of its next timer; NEVER: none runs."""
        return LIB.roce_peer_deadline(self._peer)

    def receive(self, frame):
        LIB.roce_peer_receive(self._peer, bytes(frame), len(frame))

    def frames(self):
        """The frames that leave now."""
        while size := LIB.roce_peer_send(self._peer, self._room, ROOM):
            yield bytes(self._room[:size])
        if self._made:
            self.poll()

    def poll(self):
        """Completions go to their queue pairs."""
        words = self.call(verbs.Op.POLL)
        news = verbs.Fields.of("agent_news", words)
        at, step = 4, len(verbs.STRUCTS["agent_completion"])
        for _ in range(news.completions):
            one = verbs.Fields.of("agent_completion", words[at:at + step])
            at += step
            pair = self.pairs.get(one.qpn)
            if pair is not None:
                pair.completions.append(Completion(
                    one.wr_id >> 1, one.status, one.opcode, bool(one.wr_id & 1), one.byte_len,
                    one.immediate, bool(one.flags & verbs.WITH_IMM), one.qpn))


class QueuePair:
    """Offsets are those of the peer's memory; each post returns the id of its completion."""

    def __init__(self, peer, psn, service, entries):
        self.peer, self.psn, self.service = peer, psn, service
        self.completions = []
        self.last = 0
        want = verbs.Fields("agent_create_qp", type=service, pd=peer.domain, send_cq=peer.queue,
                            receive_cq=peer.queue, srq=verbs.NONE, send_entries=entries,
                            receive_entries=entries, send_sges=1, receive_sges=1)
        self.handle, self.number = peer.call(verbs.Op.CREATE_QP, *want.words())

    def modify(self, mask, **values):
        to = verbs.Fields("agent_attributes", qp=self.handle, mask=mask, **values)
        self.peer.call(verbs.Op.MODIFY_QP, *to.words())

    def connect(self, address, number, psn, path_mtu=1024, timeout=14, retries=7, rnr_retries=7,
                rnr_timer=1, reads=16, access=verbs.ALL_RIGHTS, traffic_class=0):
        """To the other side's queue pair, which begins at `psn`. `timeout` and `rnr_timer` are
        codes."""
        high, low = verbs.halves(gid(address))
        self.modify(verbs.M_STATE | verbs.M_PKEY | verbs.M_PORT | verbs.M_ACCESS,
                    state=verbs.INIT, port=1, access=access)
        self.modify(verbs.M_STATE | verbs.M_AV | verbs.M_PATH_MTU | verbs.M_DEST_QPN |
                    verbs.M_RQ_PSN | verbs.M_DEST_RD_ATOMIC | verbs.M_MIN_RNR,
                    state=verbs.RTR, path_mtu=MTU_CODES[path_mtu], dest_qpn=number, rq_psn=psn,
                    max_dest_rd_atomic=reads, min_rnr_timer=rnr_timer, dgid_high=high,
                    dgid_low=low, hop_limit=64, traffic_class=traffic_class)
        self.modify(verbs.M_STATE | verbs.M_SQ_PSN | verbs.M_TIMEOUT | verbs.M_RETRY |
                    verbs.M_RNR_RETRY | verbs.M_RD_ATOMIC,
                    state=verbs.RTS, sq_psn=self.psn, timeout=timeout, retry_cnt=retries,
                    rnr_retry=rnr_retries, max_rd_atomic=reads)
        return self

    @property
    def state(self):
        words = self.peer.call(verbs.Op.QUERY_QP, self.handle)
        return verbs.Fields.of("agent_attributes", words).state

    def _post(self, operation, offset, length, **values):
        self.last += 1
        send = verbs.Fields("agent_send", qp=self.handle, wr_id=self.last << 1,
                            operation=operation, flags=verbs.SIGNALED, **values)
        entry = [self.peer.base + offset, length, self.peer.lkey] if length else []
        self.peer.call(verbs.Op.SEND, *send.words(), *entry)
        return self.last

    def send(self, offset, length, immediate=None):
        return self._post(verbs.SEND if immediate is None else verbs.SEND_IMM, offset, length,
                          immediate=immediate or 0)

    def write(self, offset, length, remote_address, remote_key, immediate=None):
        return self._post(verbs.WRITE if immediate is None else verbs.WRITE_IMM, offset, length,
                          remote_address=remote_address, remote_key=remote_key,
                          immediate=immediate or 0)

    def read(self, offset, length, remote_address, remote_key):
        return self._post(verbs.READ, offset, length, remote_address=remote_address,
                          remote_key=remote_key)

    def fetch_add(self, offset, add, remote_address, remote_key):
        return self._post(verbs.FETCH_ADD, offset, 8, remote_address=remote_address,
                          remote_key=remote_key, swap_add=add)

    def cmp_swap(self, offset, compare, swap, remote_address, remote_key):
        return self._post(verbs.CMP_SWAP, offset, 8, remote_address=remote_address,
                          remote_key=remote_key, swap_add=swap, compare=compare)

    def receive(self, offset, length):
        self.last += 1
        self.peer.call(verbs.Op.RECEIVE, self.handle, self.last << 1 | 1,
                       self.peer.base + offset, length, self.peer.lkey)
        return self.last
