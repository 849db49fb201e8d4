# SPDX-License-Identifier: Apache-2.0
"""Faults on one direction of a link.

    faults = Faults(drop(opcode="RcWriteMiddle", nth=2), corrupt(chance=0.01), seed=7)
    for frame, after in faults.apply(frame): ...    # what arrives, and how many frames later

A rule takes the frames that fit its words, in their order, and acts on them: on the `nth` (from 1),
on `count` from there on, on all by a `chance`, or on all. Words are fields of Frame, `opcode` is a
name or a number, and `when` a function of Frame.
"""
import random

from .frame import Frame, NAK_SEQUENCE, OPCODES, RNR_NAK, seal


class Rule:
    def __init__(self, act, nth=None, count=1, chance=None, when=None, **fields):
        if "opcode" in fields and isinstance(fields["opcode"], str):
            fields["opcode"] = OPCODES[fields["opcode"]]
        self.act, self.nth, self.count, self.chance = act, nth, count, chance
        self.when, self.fields = when, fields
        self.seen = self.fired = 0

    def fires(self, frame, rng):
        if frame.opcode is None or (self.when is not None and not self.when(frame)):
            return False
        if any(getattr(frame, name) != value for name, value in self.fields.items()):
            return False
        self.seen += 1
        if self.nth is not None and not self.nth <= self.seen < self.nth + self.count:
            return False
        if self.chance is not None and rng.random() >= self.chance:
            return False
        self.fired += 1
        return True


def drop(**where):
    return Rule(lambda data, rng: [], **where)


def duplicate(after=0, **where):
    """A second copy, `after` more frames later."""
    return Rule(lambda data, rng: [(data, 0), (data, after)], **where)


def reorder(after=1, **where):
    """The frame arrives after as many later ones."""
    return Rule(lambda data, rng: [(data, after)], **where)


def corrupt(byte=None, bits=1, repair=False, **where):
    """Other bits in a byte of the transport (from the BTH on; any by default). With `repair`, the
    ICRC is right for them."""
    def act(data, rng):
        first = 42 if data[12:14] == b"\x08\x00" else 62
        at = first + (rng.randrange(len(data) - first - 4) if byte is None else byte)
        changed = bytearray(data)
        changed[at] ^= bits
        return [(seal(changed) if repair else bytes(changed), 0)]
    return Rule(act, **where)


def mark(**where):
    """Congestion experienced: the ECN bits become 11."""
    def act(data, rng):
        if data[12:14] != b"\x08\x00":
            changed = bytearray(data)
            changed[15] |= 0x30
            return [(seal(changed), 0)]
        changed = bytearray(data)
        changed[15] |= 3
        return [(seal(changed), 0)]
    return Rule(act, **where)


class Faults:
    """Rules in their order; the first that fires acts. Randomness is a function of `seed`."""

    def __init__(self, *rules, seed=1):
        self.rules, self.rng = rules, random.Random(seed)
        self.held = []  # [frames to come before it, frame]

    def apply(self, data):
        """The frames that arrive when this one was sent."""
        frame = Frame.parse(data)
        rule = next((one for one in self.rules if one.fires(frame, self.rng)), None)
        now = [(data, 0)] if rule is None else rule.act(data, self.rng)
        arrived = [one for one, after in now if after == 0]
        for entry in self.held:
            entry[0] -= 1
        arrived += [one for left, one in self.held if left <= 0]
        self.held = [entry for entry in self.held if entry[0] > 0]
        self.held += [[after, one] for one, after in now if after]
        return arrived

    def release(self):
        """Frames that waited for later ones; the link is idle."""
        held, self.held = [one for _, one in self.held], []
        return held

    @property
    def fired(self):
        return sum(rule.fired for rule in self.rules)


def nak(frame, reverse_qp, syndrome=NAK_SEQUENCE, msn=0):
    """A NAK, or RNR NAK, of a request as its responder sends it, to queue pair `reverse_qp`."""
    request = Frame.parse(frame)
    return Frame("RcAck", src_mac=request.dst_mac, dst_mac=request.src_mac,
                 src_gid=request.dst_gid, dst_gid=request.src_gid, dest_qp=reverse_qp,
                 psn=request.psn, syndrome=syndrome, msn=msn).build()


__all__ = ["Faults", "NAK_SEQUENCE", "RNR_NAK", "Rule", "corrupt", "drop", "duplicate", "mark",
           "nak", "reorder"]
