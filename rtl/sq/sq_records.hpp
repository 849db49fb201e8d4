// SPDX-License-Identifier: Apache-2.0
// What the bench of the send side speaks of: work requests, packets, completions, key operations.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/records.hpp"

namespace sq_bench {

using namespace roci::spec;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kQps = 64;
constexpr unsigned kQueueBase = 0x800000;  // send queues, 64 KiB each
constexpr unsigned kDataBase = 0x100000;   // registered region: [kDataBase, kQueueBase)
constexpr unsigned kGoodKey = 0x111, kReadOnlyKey = 0x122, kBadKey = 0x133;

constexpr unsigned kFastKey = 0x200;  // good while it is registered

enum Op : unsigned {
  kSend,
  kSendImm,
  kWrite,
  kWriteImm,
  kRead,
  kCmpSwap,
  kFetchAdd,
  kSendInv,
  kLocalInv,
  kBindMw,
  kRegMr
};
enum Status : unsigned {
  kSuccess = 0,
  kLocLenErr = 1,
  kLocQpOpErr = 2,
  kLocProtErr = 4,
  kWrFlushErr = 5,
  kMwBindErr = 6,
  kBadRespErr = 7,
  kRemInvReqErr = 9,
  kRemAccessErr = 10,
  kRemOpErr = 11,
  kRetryExcErr = 12,
  kRnrRetryExcErr = 13,
  kFatalErr = 19,
};

struct Sge {
  std::uint64_t addr;
  std::uint32_t length;
  std::uint32_t key = kGoodKey;
};

struct Work {
  unsigned op = kWrite;
  std::vector<Sge> list;
  std::uint64_t remote = 0;
  bool signaled = true, solicited = false, fence = false, inlined = false;
  std::uint32_t imm = 0;
  std::uint64_t swap_add = 0, compare = 0;
  Bytes inline_data;
  long length = -1;  // when not the sum of the list
  std::uint32_t rkey = 0x77777777;
  std::uint32_t region = 0;  // of a bind
};

/// A key operation that was executed, or refused.
struct KeyOperation {
  unsigned op, key, qpn, pd, region, access;
  std::uint64_t va, length, addr;
  std::uint64_t at;  // clock of the response
  std::size_t sent;  // packets that had left by then
};

struct Packet {
  unsigned qpn = 0, opcode = 0, psn = 0, payload_len = 0, ext_len = 0;
  bool se = false, ack = false;
  std::uint8_t ext[28] = {};
  Bytes payload;
  std::uint64_t at = 0;  // clock

  std::uint64_t ext_number(unsigned byte, unsigned bytes) const {
    std::uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) v = v << 8 | ext[byte + i];
    return v;
  }
  void set_ext(unsigned byte, unsigned bytes, std::uint64_t v) {
    for (unsigned i = 0; i < bytes; ++i) ext[byte + i] = std::uint8_t(v >> 8 * (bytes - 1 - i));
  }
};

struct Completion {
  unsigned qpn, index, status, opcode, byte_len, vendor;
  std::uint64_t at;
};

struct Attr {
  unsigned pmtu = 3, retry = 7, rnr_retry = 7, timeout = 14, max_rd = 16, sq_log = 5, stride = 0;
  unsigned psn = 0;
};

}  // namespace sq_bench
