// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/transitions.hpp"

namespace roci::fw {
namespace {

using namespace layout;  // NOLINT: the table below uses its names

template <typename... Bits>
constexpr uint32_t set(Bits... bits) {
  return (0u | ... | bits);
}

/// A legal transition, and its attributes by transport service.
struct Transition {
  QpState from;
  QpState to;
  Attributes rc, uc, ud;
};

constexpr Transition same(QpState from, QpState to, uint32_t required, uint32_t optional) {
  const Attributes all = {required, optional};
  return {from, to, all, all, all};
}
constexpr Transition bare(QpState from, QpState to) { return same(from, to, 0, 0); }

// The attribute State itself is always permitted.
constexpr uint32_t kState = set(qp_mask::kState);
constexpr uint32_t kPlace = set(qp_mask::kPkeyIndex, qp_mask::kPort);
constexpr uint32_t kBasics = kPlace | set(qp_mask::kAccessFlags);
constexpr uint32_t kDatagram = kPlace | set(qp_mask::kQkey);
constexpr uint32_t kPath = set(qp_mask::kAv, qp_mask::kPathMtu, qp_mask::kDestQpn, qp_mask::kRqPsn);
constexpr uint32_t kRetries = set(qp_mask::kTimeout, qp_mask::kRetryCnt, qp_mask::kRnrRetry);
constexpr uint32_t kUcUp = set(qp_mask::kCurState, qp_mask::kAccessFlags);
constexpr uint32_t kRcUp = kUcUp | set(qp_mask::kMinRnrTimer);
constexpr uint32_t kUdUp = set(qp_mask::kCurState, qp_mask::kQkey);

constexpr Transition kTransitions[] = {
    bare(QpState::kReset, QpState::kReset),
    {QpState::kReset, QpState::kInit, {kBasics, 0}, {kBasics, 0}, {kDatagram, 0}},
    bare(QpState::kInit, QpState::kReset),
    {QpState::kInit, QpState::kInit, {0, kBasics}, {0, kBasics}, {0, kDatagram}},
    {QpState::kInit,
     QpState::kRtr,
     {kPath | set(qp_mask::kMaxDestRdAtomic, qp_mask::kMinRnrTimer),
      set(qp_mask::kPkeyIndex, qp_mask::kAccessFlags)},
     {kPath, set(qp_mask::kPkeyIndex, qp_mask::kAccessFlags)},
     {0, set(qp_mask::kPkeyIndex, qp_mask::kQkey)}},
    bare(QpState::kInit, QpState::kErr),
    bare(QpState::kRtr, QpState::kReset),
    {QpState::kRtr,
     QpState::kRts,
     {kRetries | set(qp_mask::kSqPsn, qp_mask::kMaxQpRdAtomic), kRcUp},
     {set(qp_mask::kSqPsn), kUcUp},
     {set(qp_mask::kSqPsn), kUdUp}},
    bare(QpState::kRtr, QpState::kErr),
    bare(QpState::kRts, QpState::kReset),
    {QpState::kRts, QpState::kRts, {0, kRcUp}, {0, kUcUp}, {0, kUdUp}},
    same(QpState::kRts, QpState::kSqd, 0, set(qp_mask::kEnSqdAsyncNotify)),
    bare(QpState::kRts, QpState::kErr),
    bare(QpState::kSqd, QpState::kReset),
    {QpState::kSqd, QpState::kRts, {0, kRcUp}, {0, kUcUp}, {0, kUdUp}},
    {QpState::kSqd,
     QpState::kSqd,
     {0, kBasics | kRetries |
             set(qp_mask::kAv, qp_mask::kMaxQpRdAtomic, qp_mask::kMaxDestRdAtomic,
                 qp_mask::kMinRnrTimer)},
     {0, set(qp_mask::kAv, qp_mask::kAccessFlags, qp_mask::kPkeyIndex)},
     {0, set(qp_mask::kPkeyIndex, qp_mask::kQkey)}},
    bare(QpState::kSqd, QpState::kErr),
    // The adapter enters SQE by itself, and for UC and UD only.
    bare(QpState::kSqe, QpState::kReset),
    {QpState::kSqe, QpState::kRts, {0, 0}, {0, kUcUp}, {0, kUdUp}},
    bare(QpState::kSqe, QpState::kErr),
    bare(QpState::kErr, QpState::kReset),
    bare(QpState::kErr, QpState::kErr),
};

constexpr uint32_t all_attributes() {
  uint32_t all = kState;
  for (const Transition& one : kTransitions) {
    all |= one.rc.required | one.rc.optional | one.uc.required | one.uc.optional;
    all |= one.ud.required | one.ud.optional;
  }
  return all;
}

}  // namespace

const uint32_t kKnownAttributes = all_attributes();

const Attributes* find_transition(Service service, QpState from, QpState to) {
  for (const Transition& one : kTransitions) {
    if (one.from != from || one.to != to) continue;
    return service == Service::kRc ? &one.rc : service == Service::kUc ? &one.uc : &one.ud;
  }
  return nullptr;
}

}  // namespace roci::fw
