# SPDX-License-Identifier: Apache-2.0
"""Bugs of an adapter, planted in the frames that the model sends, and the statements that each
breaks: those that are about it, and no others. Missing NAKs break statements that ask for a NAK,
and none about requesters.
"""
from cocotbext.roce import Frame, seal

IPV4 = b"\x08\x00"
BTH_AT = {True: 42, False: 62}  # after IPv4 or IPv6 and UDP


def edited(at, flip, when):
    """Other bits in a byte of the transport, counted from the BTH; the ICRC is right for them."""
    def change(data):
        frame = Frame.parse(data)
        if frame.opcode is None or not when(frame):
            return [data]
        changed = bytearray(data)
        changed[BTH_AT[data[12:14] == IPV4] + at] ^= flip
        return [seal(changed)]
    return change


def without(when):
    def change(data):
        frame = Frame.parse(data)
        return [] if frame.opcode is not None and when(frame) else [data]
    return change


def traffic_class(data):
    if Frame.parse(data).name != "RcAck" or data[12:14] != IPV4:
        return [data]
    changed = bytearray(data)
    changed[15] ^= 4
    return [seal(changed)]


def named(*names):
    return lambda frame: frame.name in names


def acknowledge(kind, syndrome=None):
    """ACKs of a kind, bits 7 to 5 of the syndrome: 0 ACK, 1 RNR NAK, 3 NAK."""
    return lambda frame: (frame.name == "RcAck" and frame.syndrome >> 5 == kind and
                          syndrome in (None, frame.syndrome))


BTH_OPCODE, BTH_FLAGS, BTH_ACK_REQ, AETH, AETH_MSN, RETH_KEY, RETH_LENGTH = 0, 1, 8, 12, 15, 23, 27
BUGS = {
    "a wrong MSN": (
        edited(AETH_MSN, 1, acknowledge(0)),
        "QP-09 RSP-01 RSP-07 RSP-11 RSP-13 RSP-36"),
    "no NAKs": (
        without(acknowledge(3)),
        "MR-01 MR-02 MR-03 MR-04 MR-07 MR-09 MR-10 MR-11 MR-12 MR-14 MR-16 MR-17 QP-06 QP-09 "
        "QP-15 RSP-02 RSP-03 RSP-04 RSP-08 RSP-09 RSP-20 RSP-21 RSP-22 RSP-24 RSP-25 RSP-26 RSP-27 "
        "RSP-28 RSP-29 RSP-39 RSP-41 RSP-42 RSP-46 RSP-50 RSP-51 RSP-52"),
    "no RNR NAKs": (
        without(acknowledge(1)), "QP-09 RSP-02 RSP-05 RSP-16 RSP-17 RSP-54"),
    "NAK access error for an invalid request": (
        edited(AETH, 3, acknowledge(3, 0x61)),
        "QP-06 QP-15 RSP-02 RSP-20 RSP-22 RSP-24 RSP-25 RSP-26 RSP-27 RSP-39 RSP-41 RSP-52"),
    "a wrong byte in READ responses": (
        edited(16 + 4, 1, lambda frame: frame.name in ("RcReadRespFirst", "RcReadRespLast",
                                                       "RcReadRespOnly") and
               len(frame.payload) > 8),
        "MR-07 RSP-32 RSP-34 RSP-36 RSP-38 RSP-49"),
    "no AckReq": (
        edited(BTH_ACK_REQ, 0x80, named("RcSendOnly", "RcWriteOnly", "RcSendLast",
                                        "RcWriteLast")), "RQ-08 WIRE-19"),
    "a wrong immediate": (edited(AETH, 1, named("RcSendOnlyImm")), "RQ-05"),
    "a wrong remote key": (
        edited(RETH_KEY, 1, named("RcWriteFirst", "RcWriteOnly")), "RQ-06 RQ-45"),
    "a wrong length in READs": (
        edited(RETH_LENGTH, 4, named("RcReadRequest")), "RQ-02 RQ-13 RQ-35 RQ-37 RQ-40 RQ-45"),
    "another traffic class in ACKs": (traffic_class, "WIRE-09"),
    "solicited without being asked": (
        edited(BTH_FLAGS, 0x80, named("RcSendOnly")), "WIRE-19 WIRE-43"),
    "a wrong result of atomics": (
        edited(23, 1, named("RcAtomicAck")), "RSP-37 RSP-40 RSP-43 RSP-44 WIRE-30"),
}
