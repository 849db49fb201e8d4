# SPDX-License-Identifier: Apache-2.0
"""Debian's librdmacm, called by ctypes: what the tests of the connection manager need of it."""
import ctypes
import ctypes.util
import os
import select
import socket
import struct

TCP = 0x0106  # RDMA_PS_TCP
RC = 2        # IBV_QPT_RC
EVENTS = ["ADDR_RESOLVED", "ADDR_ERROR", "ROUTE_RESOLVED", "ROUTE_ERROR", "CONNECT_REQUEST",
          "CONNECT_RESPONSE", "CONNECT_ERROR", "UNREACHABLE", "REJECTED", "ESTABLISHED",
          "DISCONNECTED", "DEVICE_REMOVAL", "MULTICAST_JOIN", "MULTICAST_ERROR", "ADDR_CHANGE",
          "TIMEWAIT_EXIT"]
MILLISECONDS = 5000
# Number of a side without a queue pair, which transfers nothing; another in each process, since the
# connection manager of the peer does not accept it again in TIMEWAIT.
QPN = 0x800000 | os.getpid() & 0x3FFFFF


class Channel(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int)]


class Id(ctypes.Structure):
    _fields_ = [("verbs", ctypes.c_void_p), ("channel", ctypes.POINTER(Channel)),
                ("context", ctypes.c_void_p), ("qp", ctypes.c_void_p)]


class Parameters(ctypes.Structure):
    """rdma_conn_param"""
    _fields_ = [("private_data", ctypes.c_void_p), ("private_data_len", ctypes.c_uint8),
                ("responder_resources", ctypes.c_uint8), ("initiator_depth", ctypes.c_uint8),
                ("flow_control", ctypes.c_uint8), ("retry_count", ctypes.c_uint8),
                ("rnr_retry_count", ctypes.c_uint8), ("srq", ctypes.c_uint8),
                ("qp_num", ctypes.c_uint32)]


class Event(ctypes.Structure):
    _fields_ = [("id", ctypes.POINTER(Id)), ("listen_id", ctypes.POINTER(Id)),
                ("event", ctypes.c_int), ("status", ctypes.c_int)]


class QpAttributes(ctypes.Structure):
    """ibv_qp_init_attr"""
    _fields_ = [("context", ctypes.c_void_p), ("send_cq", ctypes.c_void_p),
                ("recv_cq", ctypes.c_void_p), ("srq", ctypes.c_void_p),
                ("max_send_wr", ctypes.c_uint32), ("max_recv_wr", ctypes.c_uint32),
                ("max_send_sge", ctypes.c_uint32), ("max_recv_sge", ctypes.c_uint32),
                ("max_inline_data", ctypes.c_uint32), ("qp_type", ctypes.c_int),
                ("sq_sig_all", ctypes.c_int)]


LIBRARY = ctypes.CDLL("librdmacm.so.1", use_errno=True)
LIBRARY.rdma_create_event_channel.restype = ctypes.POINTER(Channel)
LIBRARY.rdma_destroy_event_channel.restype = LIBRARY.rdma_destroy_qp.restype = None


class Failed(Exception):
    pass


def call(name, *arguments):
    if getattr(LIBRARY, name)(*arguments) != 0:
        raise Failed(f"{name}: {os.strerror(ctypes.get_errno())}")


def address(text, port):
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) + \
        socket.inet_aton(text) + bytes(8)


def parameters():
    return Parameters(responder_resources=1, initiator_depth=1, retry_count=7, rnr_retry_count=7,
                      qp_num=QPN)


class Channels:
    """An event channel, and the identifiers on it."""

    def __init__(self):
        self.channel = LIBRARY.rdma_create_event_channel()
        if not self.channel:
            raise Failed(f"rdma_create_event_channel: {os.strerror(ctypes.get_errno())}")

    @property
    def fd(self):
        return self.channel.contents.fd

    def create(self):
        made = ctypes.POINTER(Id)()
        call("rdma_create_id", self.channel, ctypes.byref(made), None, TCP)
        return made

    def listen(self, port):
        listener = self.create()
        call("rdma_bind_addr", listener, address("0.0.0.0", port))
        call("rdma_listen", listener, 8)
        return listener

    def waits(self, seconds):
        return bool(select.select([self.fd], [], [], seconds)[0])

    def event(self, expected=None, seconds=30):
        """(name, identifier, status) of the next event."""
        if not self.waits(seconds):
            raise Failed(f"no event in {seconds} s, {expected} expected")
        found = ctypes.POINTER(Event)()
        call("rdma_get_cm_event", self.channel, ctypes.byref(found))
        event = found.contents
        name, status = EVENTS[event.event], event.status
        # A pointer of its own: that in the event is gone with the event.
        identifier = ctypes.cast(ctypes.addressof(event.id.contents), ctypes.POINTER(Id))
        call("rdma_ack_cm_event", found)
        if expected is not None and name != expected:
            raise Failed(f"{name}, status {status}; {expected} expected")
        return name, identifier, status

    def resolve(self, to, port):
        made = self.create()
        call("rdma_resolve_addr", made, None, address(to, port), MILLISECONDS)
        return made

    def route(self, identifier):
        self.event("ADDR_RESOLVED")
        call("rdma_resolve_route", identifier, MILLISECONDS)
        self.event("ROUTE_RESOLVED")

    def destroy(self):
        LIBRARY.rdma_destroy_event_channel(self.channel)


def make_queue_pair(identifier):
    attributes = QpAttributes(max_send_wr=4, max_recv_wr=4, max_send_sge=1, max_recv_sge=1,
                              qp_type=RC)
    call("rdma_create_qp", identifier, None, ctypes.byref(attributes))


def connect(identifier):
    call("rdma_connect", identifier, ctypes.byref(parameters()))


def accept(identifier):
    call("rdma_accept", identifier, ctypes.byref(parameters()))
