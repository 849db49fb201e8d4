# SPDX-License-Identifier: Apache-2.0
"""Requests on an adapter, their structs as words: testbench/verify/conform/agent/protocol.h."""
import enum
import struct


class Op(enum.IntEnum):
    """agent_op."""
    HELLO = 1
    ALLOC_PD = 2
    REG_MR = 3
    REREG_MR = 4
    CREATE_CQ = 5
    ARM_CQ = 6
    CREATE_SRQ = 7
    MODIFY_SRQ = 8
    CREATE_QP = 9
    MODIFY_QP = 10
    QUERY_QP = 11
    CREATE_AH = 12
    DESTROY = 13
    SEND = 14
    RECEIVE = 15
    WRITE = 16
    POLL = 17
    ALLOC_MW = 18
    BIND = 19
    ATTACH = 20
    DETACH = 21
    RESIZE_CQ = 22


VERSION = 2
NONE = 0xFFFFF  # handle of no object
RC, UC, UD = 2, 3, 4  # ibv_qp_type
RESET, INIT, RTR, RTS, SQD, SQE, ERR = range(7)  # ibv_qp_state
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC = 1, 2, 4, 8  # ibv_access_flags
ALL_RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC
# Operations of work requests.
SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD, SEND_INV, LOCAL_INV = range(9)
SIGNALED, SOLICITED, FENCE, INLINE = 1, 2, 4, 8
WITH_IMM, WITH_INV, WITH_GRH = 1, 2, 4
# Statuses of completions, ibv_wc_status.
SUCCESS, LOC_LEN_ERR, LOC_QP_OP_ERR, LOC_PROT_ERR, WR_FLUSH_ERR = 0, 1, 2, 4, 5
REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR, RETRY_EXC_ERR, RNR_RETRY_EXC_ERR = 9, 10, 11, 12, 13
# ibv_qp_attr_mask.
(M_STATE, M_CUR_STATE, M_NOTIFY, M_ACCESS, M_PKEY, M_PORT, M_QKEY, M_AV, M_PATH_MTU, M_TIMEOUT,
 M_RETRY, M_RNR_RETRY, M_RQ_PSN, M_RD_ATOMIC, M_ALT, M_MIN_RNR, M_SQ_PSN, M_DEST_RD_ATOMIC,
 M_MIG, M_CAP, M_DEST_QPN) = (1 << bit for bit in range(21))

PATH = ("sgid_index", "dgid_high", "dgid_low", "hop_limit", "traffic_class", "sl", "flow_label")
STRUCTS = {
    "agent_hello": ("version", "memory", "memory_bytes", "max_qp", "max_cq", "max_mr", "max_pd",
                    "max_qp_wr", "max_cqe", "max_sge", "max_rd_atomic", "max_srq", "max_srq_wr",
                    "max_ah", "max_mw", "max_attachments", "atomics", "max_mtu", "active_mtu",
                    "gids"),
    "agent_gid": ("index", "high", "low", "v2"),
    "agent_path": PATH,
    "agent_create_qp": ("type", "pd", "send_cq", "receive_cq", "srq", "send_entries",
                        "receive_entries", "send_sges", "receive_sges", "max_inline"),
    "agent_attributes": ("qp", "mask", "state", "cur_state", "path_mtu", "access", "pkey_index",
                         "port", "timeout", "retry_cnt", "rnr_retry", "min_rnr_timer",
                         "max_rd_atomic", "max_dest_rd_atomic", "dest_qpn", "sq_psn", "rq_psn",
                         "qkey", "sqd_notify", *PATH),
    "agent_send": ("qp", "wr_id", "operation", "flags", "immediate", "remote_address",
                   "remote_key", "swap_add", "compare", "ah", "remote_qpn", "qkey"),
    "agent_bind": ("qp", "wr_id", "flags", "window", "key", "region", "address", "length",
                   "access"),
    "agent_news": ("completions", "events", "runs", "more"),
    "agent_completion": ("cq", "wr_id", "status", "opcode", "byte_len", "immediate", "flags",
                         "qpn", "vendor_err", "src_qp"),
    "agent_event": ("kind", "number"),
}


class Fields:
    """A struct of the protocol: its fields as attributes, 0 unless given."""

    def __init__(self, kind, **values):
        self.kind = kind
        for name in STRUCTS[kind]:
            setattr(self, name, values.pop(name, 0))
        if values:
            raise TypeError(f"{kind} has no field {', '.join(values)}")

    def words(self):
        return [getattr(self, name) for name in STRUCTS[self.kind]]

    @classmethod
    def of(cls, kind, words):
        names = STRUCTS[kind]
        if len(words) < len(names):
            raise ValueError(f"{kind} has {len(names)} words, not {len(words)}")
        return cls(kind, **dict(zip(names, words)))

    @property
    def dgid(self):
        """The 16 bytes of a path's destination."""
        return struct.pack(">QQ", self.dgid_high, self.dgid_low)

    def __repr__(self):
        return f"<{self.kind} {vars(self)}>"


def halves(gid):
    return struct.unpack(">QQ", bytes(gid))


def sges(words):
    """(address, length, key) of each entry of a list."""
    return [tuple(words[at:at + 3]) for at in range(0, len(words), 3)]
