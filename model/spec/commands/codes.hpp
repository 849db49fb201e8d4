// SPDX-License-Identifier: Apache-2.0
// Numbers of admin commands, their statuses, and the attributes of ModifyQp.
#pragma once

#include "model/spec/code.hpp"

namespace roci::spec {

inline constexpr Code kAdminOps[] = {
    {"QueryDevice", 1, "Limits of the adapter"},
    {"QueryPort", 2, "State, MTU, MAC"},
    {"SetGid", 3, "Writes an entry of the GID table; the zero GID clears it"},
    {"QueryGid", 4, "Reads an entry of the GID table"},
    {"CreateCq", 5, "Makes a completion queue on memory of the caller"},
    {"ModifyCq", 6, "Completion moderation"},
    {"DestroyCq", 7, "Rejected while a queue pair uses it"},
    {"CreateQp", 8, "Makes a queue pair in RESET on memory of the caller"},
    {"ModifyQp", 9, "State and attributes, by the rules of 11.2.5.2"},
    {"QueryQp", 10, "State and attributes"},
    {"DestroyQp", 11, "Returns when no access of it can follow"},
    {"RegMr", 12, "Registers a region"},
    {"DeregMr", 13, "Returns when no access through it can follow"},
    {"ResolveAddress", 14, "MAC address of a GID, by ARP or neighbour discovery"},
    {"AllocPd", 15, "Makes a protection domain"},
    {"DeallocPd", 16, "Rejected while an object of the domain exists"},
    {"QueryCounters", 17, "Counters of the port or of a queue pair"},
    {"AllocMw", 18, "Makes a memory window, unbound"},
    {"DeallocMw", 19, "Returns when no access through it can follow"},
    {"AllocFastMr", 20, "Makes a region for RegMr work requests, free"},
    {"CreateSrq", 21, "Makes a shared receive queue on memory of the caller"},
    {"ModifySrq", 22, "Arms the limit event"},
    {"QuerySrq", 23, "Limit and fill"},
    {"DestroySrq", 24, "Rejected while a queue pair uses it"},
    {"ResizeCq", 25, "Moves the unread entries to another ring (11.2.6.3)"},
    {"SetPkey", 26, "Writes an entry of the P_Key table"},
    {"QueryPkey", 27, "Reads an entry of the P_Key table"},
    {"ReregMr", 28, "Changes domain, rights or range of a region"},
    {"CreateAh", 29, "Makes an address handle; resolves its address"},
    {"DestroyAh", 30, "Returns when no send that names it is in progress"},
    {"AttachMulticast", 31, "Attaches a UD queue pair to a group; again: the same attachment"},
    {"DetachMulticast", 32, "Returns when no datagram of the group is delivered any more"},
};

inline constexpr Code kAdminStatuses[] = {
    {"Ok", 0, "Done"},
    {"BadOpcode", 1, "No such command"},
    {"BadHandle", 2, "No such queue pair, CQ, key, PD or GID index"},
    {"BadParameter", 3, "A value out of range, or an address not aligned"},
    {"BadState", 4, "Transition or attribute not allowed in this state"},
    {"NoResource", 5, "Table full"},
    {"Busy", 6, "In use by something else"},
    {"Unreachable", 7, "Address did not resolve"},
    {"HardwareError", 8, "DMA of firmware failed"},
    {"Unsupported", 9, "The engine does not have it"},
};

/// Bits of attr_mask, numbered as ibv_qp_attr_mask.
inline constexpr Code kQpMask[] = {
    {"State", 0, ""},
    {"CurState", 1, ""},
    {"EnSqdAsyncNotify", 2, ""},
    {"AccessFlags", 3, ""},
    {"PkeyIndex", 4, ""},
    {"Port", 5, ""},
    {"Qkey", 6, ""},
    {"Av", 7, ""},
    {"PathMtu", 8, ""},
    {"Timeout", 9, ""},
    {"RetryCnt", 10, ""},
    {"RnrRetry", 11, ""},
    {"RqPsn", 12, ""},
    {"MaxQpRdAtomic", 13, ""},
    {"MinRnrTimer", 15, ""},
    {"SqPsn", 16, ""},
    {"MaxDestRdAtomic", 17, ""},
    {"DestQpn", 20, ""},
};

}  // namespace roci::spec
