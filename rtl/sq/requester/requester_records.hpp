// SPDX-License-Identifier: Apache-2.0
// What the tests of the requester give it and what it gives out.
#pragma once

#include <cstdint>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"

namespace requester_rig {

using namespace layout::opcode;
using namespace layout::syndrome;
using layout::QpCounter;
using layout::QpState;
using layout::Service;
using layout::Status;
using layout::Table;
using layout::TimerOp;
using layout::VendorErr;
using layout::WcOp;
using layout::WrOp;

inline constexpr unsigned kRow = 2;  // the queue pair
inline constexpr unsigned kPsnMask = 0xFFFFFF;
inline constexpr unsigned kFirst = 0xFFFFFE;      // its first PSN
inline constexpr std::uint64_t kBuffer = 0x5000;  // where READs put their data
inline constexpr unsigned kRnrTimer = 13;         // code in RNR NAKs
inline constexpr unsigned kOwnQkey = 0x80BADA55;
inline constexpr unsigned kRnr13 = kRnrNak | kRnrTimer;

struct Plan {
  unsigned index = 0;
  WrOp opcode = WrOp::kWrite;
  unsigned len = 64, epoch = 1;
  unsigned offset = 0, msg_len = 0;
  bool first = true, last = true, signaled = true, fence = false, segments = true;
  Status status = Status::kSuccess;
  unsigned qkey = 0, dest_qpn = 0, ah = 0, imm = 0;  // UD
};
/// A work request that must not be sent.
inline Plan bad_plan(unsigned index, Status status, unsigned epoch = 1) {
  Plan p;
  p.index = index;
  p.epoch = epoch;
  p.status = status;
  return p;
}
struct Packet {
  unsigned opcode, psn, len;
  bool ack;
  unsigned ext_len = 0, qkey = 0, src_qp = 0, imm = 0, dest_qpn = 0, ah = 0;  // UD
};
struct Completion {
  unsigned index;
  Status status;
  WcOp opcode;
  unsigned len;
  VendorErr vendor;
  bool wait_data, wait_store;
  unsigned ticket;
};
struct Pointer {
  unsigned index, offset, epoch;
  bool ready;
};

}  // namespace requester_rig
