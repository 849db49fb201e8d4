// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/transitions.hpp"

namespace roci::fw {
namespace {

using namespace layout;  // NOLINT: the table below is made of its names

template <typename... Bits>
constexpr uint32_t set(Bits... bits) {
  return (0u | ... | mask_of(bits));
}

// State itself may always be given.
constexpr uint32_t kState = set(kQpMaskState);
constexpr uint32_t kBasics = set(kQpMaskPkeyIndex, kQpMaskPort, kQpMaskAccessFlags);
constexpr uint32_t kWhileUp = set(kQpMaskCurState, kQpMaskAccessFlags, kQpMaskMinRnrTimer);

constexpr Transition kTransitions[] = {
    {kQpReset, kQpReset, 0, 0},
    {kQpReset, kQpInit, kBasics, 0},
    {kQpInit, kQpReset, 0, 0},
    {kQpInit, kQpInit, 0, kBasics},
    {kQpInit, kQpRtr,
     set(kQpMaskAv, kQpMaskPathMtu, kQpMaskDestQpn, kQpMaskRqPsn, kQpMaskMaxDestRdAtomic,
         kQpMaskMinRnrTimer),
     set(kQpMaskPkeyIndex, kQpMaskAccessFlags)},
    {kQpInit, kQpErr, 0, 0},
    {kQpRtr, kQpReset, 0, 0},
    {kQpRtr, kQpRts,
     set(kQpMaskSqPsn, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry, kQpMaskMaxQpRdAtomic),
     kWhileUp},
    {kQpRtr, kQpErr, 0, 0},
    {kQpRts, kQpReset, 0, 0},
    {kQpRts, kQpRts, 0, kWhileUp},
    {kQpRts, kQpSqd, 0, set(kQpMaskEnSqdAsyncNotify)},
    {kQpRts, kQpErr, 0, 0},
    {kQpSqd, kQpReset, 0, 0},
    {kQpSqd, kQpRts, 0, kWhileUp},
    {kQpSqd, kQpSqd, 0,
     kBasics | set(kQpMaskAv, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry,
                   kQpMaskMaxQpRdAtomic, kQpMaskMaxDestRdAtomic, kQpMaskMinRnrTimer)},
    {kQpSqd, kQpErr, 0, 0},
    {kQpErr, kQpReset, 0, 0},
    {kQpErr, kQpErr, 0, 0},
};

constexpr uint32_t all_attributes() {
  uint32_t all = kState;
  for (const Transition& one : kTransitions) all |= one.required | one.optional;
  return all;
}

}  // namespace

const uint32_t kKnownAttributes = all_attributes();

const Transition* find_transition(uint32_t from, uint32_t to) {
  for (const Transition& one : kTransitions) {
    if (one.from == from && one.to == to) return &one;
  }
  return nullptr;
}

}  // namespace roci::fw
