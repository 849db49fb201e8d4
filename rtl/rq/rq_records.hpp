// SPDX-License-Identifier: Apache-2.0
// Records of the bench of the receive side: requests, responses, completions, tables.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace rq {

using namespace layout::opcode;
using namespace layout::syndrome;
using layout::DropCause;
using layout::EventKind;
using layout::QpCounter;
using layout::QpEvent;
using layout::QpState;
using layout::Status;
using layout::Table;
using layout::WcOp;
namespace access = layout::access;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kReserved = 0x15;  // an opcode that RC does not have
constexpr unsigned kPsnMask = 0xFFFFFF, kPsnHalf = 0x800000;
constexpr unsigned kCounters = layout::number(QpCounter::kNaksReceived) + 1;
constexpr unsigned kCauses = layout::number(DropCause::kOutOfSequence) + 1;
constexpr unsigned kEveryRight =
    access::kLocalWrite | access::kRemoteWrite | access::kRemoteRead | access::kRemoteAtomic;
constexpr unsigned kPd = 7, kPasid = 0x54321;
constexpr unsigned kFirstCq = 100;  // completion queue of queue pair 0
constexpr unsigned kRnrTimer = 12;  // code in RNR NAKs
constexpr unsigned kRnr12 = kRnrNak | kRnrTimer;

constexpr bool is_atomic(unsigned opcode) { return opcode == kRcCmpSwap || opcode == kRcFetchAdd; }
constexpr bool has_reth(unsigned opcode) {
  return opcode == kRcWriteFirst || opcode == kRcWriteOnly || opcode == kRcWriteOnlyImm ||
         opcode == kRcReadRequest;
}

/// Opcode of a packet of a SEND or WRITE by its place in the message.
constexpr unsigned data_opcode(bool write, bool first, bool last, bool imm) {
  if (write) {
    if (first && last) return imm ? kRcWriteOnlyImm : kRcWriteOnly;
    if (first) return kRcWriteFirst;
    return last ? imm ? kRcWriteLastImm : kRcWriteLast : kRcWriteMiddle;
  }
  if (first && last) return imm ? kRcSendOnlyImm : kRcSendOnly;
  if (first) return kRcSendFirst;
  return last ? imm ? kRcSendLastImm : kRcSendLast : kRcSendMiddle;
}

struct Request {
  unsigned qpn = 0, opcode = 0;
  std::uint32_t psn = 0;
  Bytes payload;
  bool ack_req = true, solicited = false, uc = false;
  bool ud = false;           // the payload begins with the GRH
  std::uint32_t src_qp = 0;  // UD
  std::uint64_t va = 0, swap_add = 0, compare = 0;
  std::uint32_t rkey = 0, length = 0, imm = 0;
};

/// A packet that the receive side sends.
struct Response {
  unsigned qpn, opcode, psn, syndrome, msn;
  Bytes payload;
  std::uint64_t original;
  bool by_ack, has_aeth;
  std::uint64_t cycle;
};

struct Completion {
  unsigned cqn, qpn, index;
  Status status;
  WcOp opcode;
  unsigned byte_len, imm;
  bool with_imm, solicited, with_inv, with_grh;
  unsigned src_qp;
};

struct Region {
  std::uint32_t key;
  unsigned pd, access;
  std::uint64_t iova, length, addr;
};

struct Attr {
  unsigned pd = kPd, access = kEveryRight, pmtu = 1, max_dest = 4, rnr_timer = kRnrTimer,
           rq_log = 4, stride = 0;
  std::uint32_t rq_psn = 0x1000;
  bool srq = false, credits = false;
  unsigned srqn = 0;
};

struct Srq {
  unsigned pd = 9, log = 4, stride = 0, limit = 0;
  bool valid = true;
};

constexpr std::uint64_t kRingBytes = 0x10000;
constexpr std::uint64_t kRingBase = 0x10000;  // receive queues, kRingBytes each
constexpr std::uint64_t kSrqBase = 0x200000;  // SRQs, kRingBytes each
constexpr std::uint64_t kMemorySize = 0x280000;

}  // namespace rq
