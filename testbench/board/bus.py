# SPDX-License-Identifier: Apache-2.0
"""The struct BoardBus of program.hpp, made of functions of a bench."""
import ctypes

WORD, LONG = ctypes.c_uint32, ctypes.c_uint64


class BoardBus(ctypes.Structure):
    _fields_ = [("read", ctypes.CFUNCTYPE(WORD, WORD)),
                ("write", ctypes.CFUNCTYPE(None, WORD, WORD)),
                ("run", ctypes.CFUNCTYPE(WORD, LONG)), ("now", ctypes.CFUNCTYPE(LONG)),
                ("fail", ctypes.CFUNCTYPE(None, LONG, LONG))]

    def __init__(self, **calls):
        super().__init__(**{name: kind(calls[name]) for name, kind in self._fields_})
