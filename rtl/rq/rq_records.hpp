// SPDX-License-Identifier: Apache-2.0
// Records of the bench of the receive side: requests, responses, completions, tables.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/records.hpp"

namespace rq {

using namespace roci::spec;
using Bytes = std::vector<std::uint8_t>;

// Opcodes of IBTA table 35 (RC).
enum Op : unsigned {
  kSendFirst,
  kSendMiddle,
  kSendLast,
  kSendLastImm,
  kSendOnly,
  kSendOnlyImm,
  kWriteFirst,
  kWriteMiddle,
  kWriteLast,
  kWriteLastImm,
  kWriteOnly,
  kWriteOnlyImm,
  kReadRequest,
  kReadFirst,
  kReadMiddle,
  kReadLast,
  kReadOnly,
  kAck,
  kAtomicAck,
  kCmpSwap,
  kFetchAdd,
  kReserved,
  kSendLastInv,
  kSendOnlyInv,
};
enum State : unsigned { kReset, kInit, kRtr, kRts, kSqd, kErr = 6 };
enum Access : unsigned { kLocalWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8 };

struct Request {
  unsigned qpn = 0, opcode = 0;
  std::uint32_t psn = 0;
  Bytes payload;
  bool ack_req = true, solicited = false;
  std::uint64_t va = 0, swap_add = 0, compare = 0;
  std::uint32_t rkey = 0, length = 0, imm = 0;
};

struct Answer {
  unsigned qpn, opcode, psn, syndrome, msn;
  Bytes payload;
  std::uint64_t original;
  bool by_ack, has_aeth;
  std::uint64_t cycle;
};

struct Completion {
  unsigned cqn, qpn, index, status, opcode, byte_len, imm;
  bool with_imm, solicited, with_inv;
};

struct Region {
  std::uint32_t key;
  unsigned pd, access;
  std::uint64_t iova, length, addr;
};

struct Attr {
  unsigned pd = 7, access = 15, pmtu = 1, max_dest = 4, rnr_timer = 12, rq_log = 4, stride = 0;
  std::uint32_t rq_psn = 0x1000;
  bool srq = false, credits = false;
  unsigned srqn = 0;
};

struct Srq {
  unsigned pd = 9, log = 4, stride = 0, limit = 0;
  bool valid = true;
};

constexpr unsigned kPasid = 0x54321;
constexpr std::uint64_t kRingBase = 0x10000;  // receive rings, 64 KiB each
constexpr std::uint64_t kSrqBase = 0x200000;  // rings of SRQs, 64 KiB each
constexpr std::uint64_t kMemorySize = 0x280000;

}  // namespace rq
