# SPDX-License-Identifier: Apache-2.0
"""Loads libcocotbext_roce, whose functions library/cocotbext_roce.h describes."""
import ctypes
import os
import pathlib

NAME = "libcocotbext_roce.so"
ABI = 1
VARIABLE = "COCOTBEXT_ROCE_LIBRARY"
HERE = pathlib.Path(__file__).resolve().parent
IPV4, IPV6, GRH, NO_VLAN = 4, 6, 1, 0xFFFF
ROOM = 16384  # bytes of the longest frame, and more

U8, U32, U64, SIZE = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t
INT, TEXT, POINTER = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
BYTES = ctypes.POINTER(U8)
WORDS = ctypes.POINTER(U64)


class LibraryError(ImportError):
    """The library is not there, or is not of this version."""


class Packet(ctypes.Structure):
    """roce_packet."""
    _fields_ = [
        ("dst_mac", U64), ("src_mac", U64), ("src_gid", U8 * 16), ("dst_gid", U8 * 16),
        ("network", U32), ("vlan", U32), ("traffic_class", U32), ("hop_limit", U32),
        ("flow_label", U32), ("identification", U32), ("src_port", U32), ("opcode", U32),
        ("dest_qp", U32), ("psn", U32), ("pkey", U32), ("flags", U32), ("va", U64), ("rkey", U32),
        ("dma_length", U32), ("swap_add", U64), ("compare", U64), ("original", U64),
        ("syndrome", U32), ("msn", U32), ("immediate", U32), ("invalidated", U32), ("qkey", U32),
        ("src_qp", U32), ("payload_at", U32), ("payload_bytes", U32), ("pad", U32), ("icrc", U32),
        ("icrc_expected", U32)]


class PeerOptions(ctypes.Structure):
    """roce_peer_options."""
    _fields_ = [("mac", U64), ("gid", U8 * 16), ("second_gid", U8 * 16), ("next_hop", U64),
                ("memory_bytes", U64), ("port_mtu", U32)]


class Reply(ctypes.Structure):
    """roce_reply."""
    _fields_ = [("words", WORDS), ("count", SIZE), ("bytes", BYTES), ("byte_count", SIZE)]


REQUEST = ctypes.CFUNCTYPE(INT, POINTER, U32, WORDS, SIZE, BYTES, SIZE, ctypes.POINTER(Reply))
SEND = ctypes.CFUNCTYPE(None, POINTER, BYTES, SIZE)
RECEIVE = ctypes.CFUNCTYPE(SIZE, POINTER, BYTES, SIZE)
NOW = ctypes.CFUNCTYPE(U64, POINTER)
WAIT = ctypes.CFUNCTYPE(None, POINTER, U64)
DONE = ctypes.CFUNCTYPE(INT, POINTER, TEXT)


class Target(ctypes.Structure):
    """roce_target."""
    _fields_ = [("self", POINTER), ("request", REQUEST), ("send", SEND), ("receive", RECEIVE),
                ("now_ns", NOW), ("wait_ns", WAIT), ("memory", POINTER), ("mac", U64)]


class Run(ctypes.Structure):
    """roce_run."""
    _fields_ = [("ids", TEXT), ("seed", U64), ("patience_ns", U64), ("quiet_ns", U64),
                ("jitter_ns", U64), ("look_ns", U64), ("settle_ns", U64), ("least_timeout", U32),
                ("calm_timeout", U32)]


FUNCTIONS = {
    "roce_version": (TEXT,), "roce_error": (TEXT,),
    "roce_build": (SIZE, ctypes.POINTER(Packet), SIZE, TEXT, SIZE, BYTES, SIZE),
    "roce_parse": (TEXT, TEXT, SIZE, ctypes.POINTER(Packet), SIZE),
    "roce_seal": (INT, BYTES, SIZE),
    "roce_describe": (TEXT, TEXT, SIZE), "roce_lint": (TEXT, TEXT, SIZE),
    "roce_opcode_name": (TEXT, U32),
    "roce_peer_open": (POINTER, ctypes.POINTER(PeerOptions), SIZE),
    "roce_peer_close": (None, POINTER), "roce_peer_time": (None, POINTER, U64),
    "roce_peer_deadline": (U64, POINTER), "roce_peer_receive": (None, POINTER, TEXT, SIZE),
    "roce_peer_send": (SIZE, POINTER, BYTES, SIZE),
    "roce_peer_request": (INT, POINTER, U32, WORDS, SIZE, TEXT, SIZE, ctypes.POINTER(Reply)),
    "roce_peer_memory": (POINTER, POINTER),
    "roce_judge_open": (POINTER, INT), "roce_judge_close": (None, POINTER),
    "roce_judge_take": (None, POINTER, U64, TEXT, SIZE), "roce_judge_report": (TEXT, POINTER),
    "roce_conform_peer_mac": (U64,),
    "roce_conform": (INT, ctypes.POINTER(Target), SIZE, ctypes.POINTER(Run), SIZE, DONE),
    "roce_conform_statements": (TEXT,), "roce_conform_tests": (TEXT,),
}


def places():
    """Where the library is looked for: a place of the user's, the package, the build of a checkout.

    The first that names a file counts.
    """
    if VARIABLE in os.environ:
        return [pathlib.Path(os.environ[VARIABLE])]
    found = [HERE / NAME]
    if len(HERE.parents) > 3:
        found.append(HERE.parents[3] / "build/testbench/cocotb" / NAME)
    return found


def load():
    path = next((place for place in places() if place.is_file()), None)
    if path is None:
        raise LibraryError(
            f"{NAME} is in none of {', '.join(map(str, places()))}: build it in the checkout by "
            f"'cmake --build build --target cocotbext_roce', then install this package again, or "
            f"set {VARIABLE}")
    try:
        library = ctypes.CDLL(str(path))
        library.roce_abi.restype = U32
        version = library.roce_abi()
    except (OSError, AttributeError) as error:
        raise LibraryError(f"{path}: not a library of cocotbext-roce: {error}") from error
    if version != ABI:
        raise LibraryError(f"{path} has version {version} of the C interface, and this package "
                           f"needs {ABI}: build both from the same sources")
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


LIB = load()


def text(value):
    return value.decode() if value is not None else None


def error():
    return text(LIB.roce_error())


def version():
    """Version of the project that the library was built from."""
    return text(LIB.roce_version())
