// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/transitions.hpp"

namespace roci::fw {
namespace {

using namespace layout;  // NOLINT: the table below uses its names

template <typename... Bits>
constexpr uint32_t set(Bits... bits) {
  return (0u | ... | bits);
}

// The attribute State itself is always permitted.
constexpr uint32_t kState = set(qp_mask::kState);
constexpr uint32_t kBasics = set(qp_mask::kPkeyIndex, qp_mask::kPort, qp_mask::kAccessFlags);
constexpr uint32_t kWhileUp = set(qp_mask::kCurState, qp_mask::kAccessFlags, qp_mask::kMinRnrTimer);

constexpr Transition kTransitions[] = {
    {QpState::kReset, QpState::kReset, 0, 0},
    {QpState::kReset, QpState::kInit, kBasics, 0},
    {QpState::kInit, QpState::kReset, 0, 0},
    {QpState::kInit, QpState::kInit, 0, kBasics},
    {QpState::kInit, QpState::kRtr,
     set(qp_mask::kAv, qp_mask::kPathMtu, qp_mask::kDestQpn, qp_mask::kRqPsn,
         qp_mask::kMaxDestRdAtomic, qp_mask::kMinRnrTimer),
     set(qp_mask::kPkeyIndex, qp_mask::kAccessFlags)},
    {QpState::kInit, QpState::kErr, 0, 0},
    {QpState::kRtr, QpState::kReset, 0, 0},
    {QpState::kRtr, QpState::kRts,
     set(qp_mask::kSqPsn, qp_mask::kTimeout, qp_mask::kRetryCnt, qp_mask::kRnrRetry,
         qp_mask::kMaxQpRdAtomic),
     kWhileUp},
    {QpState::kRtr, QpState::kErr, 0, 0},
    {QpState::kRts, QpState::kReset, 0, 0},
    {QpState::kRts, QpState::kRts, 0, kWhileUp},
    {QpState::kRts, QpState::kSqd, 0, set(qp_mask::kEnSqdAsyncNotify)},
    {QpState::kRts, QpState::kErr, 0, 0},
    {QpState::kSqd, QpState::kReset, 0, 0},
    {QpState::kSqd, QpState::kRts, 0, kWhileUp},
    {QpState::kSqd, QpState::kSqd, 0,
     kBasics | set(qp_mask::kAv, qp_mask::kTimeout, qp_mask::kRetryCnt, qp_mask::kRnrRetry,
                   qp_mask::kMaxQpRdAtomic, qp_mask::kMaxDestRdAtomic, qp_mask::kMinRnrTimer)},
    {QpState::kSqd, QpState::kErr, 0, 0},
    {QpState::kErr, QpState::kReset, 0, 0},
    {QpState::kErr, QpState::kErr, 0, 0},
};

constexpr uint32_t all_attributes() {
  uint32_t all = kState;
  for (const Transition& one : kTransitions) all |= one.required | one.optional;
  return all;
}

}  // namespace

const uint32_t kKnownAttributes = all_attributes();

const Transition* find_transition(QpState from, QpState to) {
  for (const Transition& one : kTransitions) {
    if (one.from == from && one.to == to) return &one;
  }
  return nullptr;
}

}  // namespace roci::fw
