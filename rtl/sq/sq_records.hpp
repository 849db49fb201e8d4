// SPDX-License-Identifier: Apache-2.0
// What the bench of the send side works with: work requests, packets, completions, key operations.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace sq_bench {

using namespace layout::opcode;
using namespace layout::syndrome;
using layout::KeyOp;
using layout::QpCounter;
using layout::QpEvent;
using layout::QpState;
using layout::Status;
using layout::Table;
using layout::TimerOp;
using layout::VendorErr;
using layout::WcOp;
using layout::WrOp;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kQps = 64;
constexpr unsigned kRingBytes = 0x10000;
constexpr unsigned kQueueBase = 0x800000;  // send queues, kRingBytes each
constexpr unsigned kDataBase = 0x100000;   // registered region: [kDataBase, kQueueBase)
constexpr unsigned kGoodKey = 0x111, kReadOnlyKey = 0x122, kBadKey = 0x133;
constexpr unsigned kFastKey = 0x200;  // good while it is registered
constexpr unsigned kPd = 7, kPasid = 5, kCqn = 3;
constexpr unsigned kPsnMask = 0xFFFFFF, kPsnHalf = 0x800000;

/// A syndrome of the AETH from its kind and its code.
constexpr unsigned syndrome_of(unsigned kind, unsigned code) { return kind << 5 | code; }
constexpr unsigned credits(unsigned code) {
  return syndrome_of(layout::number(layout::AethKind::kAck), code);
}
constexpr unsigned nak(unsigned code) {
  return syndrome_of(layout::number(layout::AethKind::kNak), code);
}
constexpr unsigned rnr_nak(unsigned timer) { return kRnrNak | timer; }

struct Sge {
  std::uint64_t addr;
  std::uint32_t length;
  std::uint32_t key = kGoodKey;
};

struct Work {
  WrOp op = WrOp::kWrite;
  std::vector<Sge> list;
  std::uint64_t remote = 0;
  bool signaled = true, solicited = false, fence = false, inlined = false;
  std::uint32_t imm = 0;
  std::uint64_t swap_add = 0, compare = 0;
  Bytes inline_data;
  long length = -1;  // -1: the sum of the list
  std::uint32_t rkey = 0x77777777;
  std::uint32_t region = 0;  // for a bind
};

/// A key operation that was executed or rejected.
struct KeyOperation {
  KeyOp op;
  unsigned key, qpn, pd, region, access;
  std::uint64_t va, length, addr;
  std::uint64_t at;  // clock of the response
  std::size_t sent;  // packets that had left by then
};

struct Packet {
  unsigned qpn = 0, opcode = 0, psn = 0, payload_len = 0, ext_len = 0;
  bool se = false, ack = false;
  std::uint8_t ext[layout::tx_desc::ext.bits / 8] = {};
  Bytes payload;
  std::uint64_t at = 0;  // clock

  /// A field of the extension header that begins after `skip` bytes.
  template <typename Field>
  auto header(Field field, unsigned skip = 0) const {
    return layout::get(ext + skip, field);
  }
  template <typename Field, typename Value>
  void set_header(Field field, Value value, unsigned skip = 0) {
    layout::put(ext + skip, field, value);
  }
};

struct Completion {
  unsigned qpn, index;
  Status status;
  WcOp opcode;
  unsigned byte_len;
  VendorErr vendor;
  std::uint64_t at;
};

struct Attr {
  unsigned pmtu = 3, retry = 7, rnr_retry = 7, timeout = 14, max_rd = 16, sq_log = 5, stride = 0;
  unsigned psn = 0;
};

}  // namespace sq_bench
