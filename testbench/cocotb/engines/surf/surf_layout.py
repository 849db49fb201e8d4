# SPDX-License-Identifier: Apache-2.0
"""Streams of blue-rdma and their layouts, as its sources in Bluespec have them."""
from cocotbext.axi.stream import define_stream

BYTES = 32  # in a beat

# Layouts of the engine's structs, the first field in the highest bits.
PD = (("alloc", 1), ("key", 32), ("handle", 32))
REGION = (("address", 64), ("length", 32), ("access", 8), ("pd", 32), ("lkey_part", 31),
          ("rkey_part", 31))
MR = (("alloc", 1), *REGION, ("by_lkey", 1), ("lkey", 32), ("rkey", 32))
MR_REPLY = (("done", 1), *REGION, ("lkey", 32), ("rkey", 32))
ATTRIBUTES = (("state", 4), ("cur_state", 4), ("path_mtu", 3), ("qkey", 32), ("rq_psn", 24),
              ("sq_psn", 24), ("dest_qpn", 24), ("access", 8), ("capacity", 40), ("pkey", 16),
              ("draining", 1), ("max_rd_atomic", 8), ("max_dest_rd_atomic", 8),
              ("min_rnr_timer", 5), ("timeout", 5), ("retry_cnt", 3), ("rnr_retry", 3))
QP = (("request", 2), ("pd", 32), ("qpn", 24), ("mask", 26), *ATTRIBUTES, ("type", 4),
      ("signal_all", 1))
QP_REPLY = (("done", 1), ("qpn", 24), ("pd", 32), *ATTRIBUTES, ("type", 4), ("signal_all", 1))
PD_REPLY = (("done", 1), ("handle", 32), ("key", 32))
KINDS = {"pd": (0, PD, PD_REPLY), "mr": (1, MR, MR_REPLY), "qp": (2, QP, QP_REPLY)}
REQUEST_BITS = 303
CREATE, DESTROY, MODIFY, QUERY = range(4)
SIGNALED, SOLICITED, FENCE = 2, 4, 1


def packed(fields, values):
    number = 0
    for name, width in fields:
        number = number << width | values.get(name, 0) & (1 << width) - 1
    return number


def unpacked(fields, number):
    values = {}
    for name, width in reversed(fields):
        values[name] = number & (1 << width) - 1
        number >>= width
    return values


def beats(data):
    """(bytes of a beat, how many are valid, whether it is the first, the last)"""
    for at in range(0, len(data), BYTES):
        part = data[at:at + BYTES]
        yield part.ljust(BYTES, b"\0"), len(part), at == 0, at + BYTES >= len(data)


def keep(count):
    """Byte enables: the first byte is the highest bit."""
    return (1 << count) - 1 << BYTES - count


def handles():
    """Handles; those of domains are the engine's."""
    number = 1 << 16
    while True:
        yield number
        number += 1


def stream(name, *signals):
    _, _, source, sink, _ = define_stream(name, signals=list(signals))
    return source, sink


DataSource, DataSink = stream("Data", "tvalid", "tready", "tdata", "tkeep", "tfirst", "tlast")
MetaSource, MetaSink = stream("Meta", "tvalid", "tready", "tdata")
RequestSource, _ = stream("Request", "valid", "ready", "id", "op_code", "flags", "raddr", "rkey",
                          "len", "laddr", "lkey", "sqpn", "solicited", "comp", "swap", "imm_dt",
                          "rkey_to_inv", "srqn", "dqpn", "qkey")
_, CompletionSink = stream("Completion", "valid", "ready", "id", "op_code", "flags", "status",
                           "len", "pkey", "qpn", "imm_dt", "rkey_to_inv")
_, ReadSink = stream("Read", "valid", "ready", "initiator", "sqpn", "wr_id", "start_addr", "len",
                     "mr_idx")
DataReply, _ = stream("DataReply", "valid", "ready", "initiator", "sqpn", "wr_id", "is_resp_err",
                      "data_stream")
