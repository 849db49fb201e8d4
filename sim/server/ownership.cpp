// SPDX-License-Identifier: Apache-2.0
#include "sim/server/ownership.hpp"

#include <algorithm>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::sim {
namespace {

using driver::AdminStatus;
using layout::AdminOp;
using layout::Place;

constexpr Place kNoPlace = {0, 0};
constexpr Place kAlways = kNoPlace;

/// Kinds of objects that a handle field of a command may refer to.
enum class Handle { kNone, kQp, kSrq, kKey, kCq, kPd, kAh, kAttachment };

struct Use {
  Handle handle = Handle::kNone;
  Place place = kNoPlace;
  Place only_if = kAlways;  ///< counts when this field is not 0
};

struct Makes {
  bool any = false;
  Owned kind = Owned::kDomain;
  Place number = kNoPlace;  ///< in the reply
};

/// A command that processes may send.
struct Rule {
  AdminOp opcode;
  std::array<Use, 4> uses;
  Place pasid = kNoPlace;
  Makes makes = {};
  bool destroys = false;  ///< the object of the first use
};

constexpr unsigned kKeyIndexShift = 8;  // below it is the variant

/// One bit of a field.
constexpr Place bit_of(Place place, unsigned bit) { return {place.offset + bit, 1}; }
constexpr unsigned kReregDomain = 1;  // bit of `what`

// clang-format off
constexpr Rule kRules[] = {
    {AdminOp::kQueryDevice, {}},
    {AdminOp::kQueryPort, {}},
    {AdminOp::kQueryGid, {}},
    {AdminOp::kQueryPkey, {}},
    {AdminOp::kResolveAddress, {}},
    {AdminOp::kQueryCounters,
     {Use{Handle::kQp, layout::query_counters::qpn, layout::query_counters::of_qp}}},
    {AdminOp::kAllocPd, {}, kNoPlace, {true, Owned::kDomain, layout::alloc_pd_reply::pd}},
    {AdminOp::kDeallocPd, {Use{Handle::kPd, layout::dealloc_pd::pd}}, kNoPlace, {}, true},
    {AdminOp::kCreateCq, {}, layout::create_cq::pasid,
     {true, Owned::kCompletionQueue, layout::create_cq_reply::cqn}},
    {AdminOp::kModifyCq, {Use{Handle::kCq, layout::modify_cq::cqn}}},
    {AdminOp::kResizeCq, {Use{Handle::kCq, layout::resize_cq::cqn}}},
    {AdminOp::kDestroyCq, {Use{Handle::kCq, layout::destroy_cq::cqn}}, kNoPlace, {}, true},
    {AdminOp::kCreateQp,
     {Use{Handle::kPd, layout::create_qp::pd},
      Use{Handle::kCq, layout::create_qp::send_cqn},
      Use{Handle::kCq, layout::create_qp::recv_cqn},
      Use{Handle::kSrq, layout::create_qp::srqn, layout::create_qp::srq}},
     layout::create_qp::pasid,
     {true, Owned::kQueuePair, layout::create_qp_reply::qpn}},
    {AdminOp::kModifyQp, {Use{Handle::kQp, layout::qp_attributes::qpn}}},
    {AdminOp::kQueryQp, {Use{Handle::kQp, layout::query_qp::qpn}}},
    {AdminOp::kDestroyQp, {Use{Handle::kQp, layout::destroy_qp::qpn}}, kNoPlace, {}, true},
    {AdminOp::kCreateAh, {Use{Handle::kPd, layout::create_ah::pd}}, kNoPlace,
     {true, Owned::kAddressHandle, layout::create_ah_reply::ah}},
    {AdminOp::kDestroyAh, {Use{Handle::kAh, layout::destroy_ah::ah}}, kNoPlace, {}, true},
    {AdminOp::kAttachMulticast, {Use{Handle::kQp, layout::attach_multicast::qpn}}, kNoPlace,
     {true, Owned::kAttachment, layout::attach_multicast_reply::attachment}},
    {AdminOp::kDetachMulticast,
     {Use{Handle::kAttachment, layout::detach_multicast::attachment}}, kNoPlace, {}, true},
    {AdminOp::kRegMr, {Use{Handle::kPd, layout::reg_mr::pd}}, layout::reg_mr::pasid,
     {true, Owned::kRegion, layout::reg_mr_reply::key}},
    {AdminOp::kReregMr,
     {Use{Handle::kKey, layout::rereg_mr::key},
      Use{Handle::kPd, layout::rereg_mr::pd,
          bit_of(layout::rereg_mr::what, kReregDomain)}}},
    {AdminOp::kDeregMr, {Use{Handle::kKey, layout::dereg_mr::key}}, kNoPlace, {}, true},
    {AdminOp::kAllocFastMr, {Use{Handle::kPd, layout::alloc_fast_mr::pd}},
     layout::alloc_fast_mr::pasid,
     {true, Owned::kRegion, layout::alloc_fast_mr_reply::key}},
    {AdminOp::kAllocMw, {Use{Handle::kPd, layout::alloc_mw::pd}}, kNoPlace,
     {true, Owned::kWindow, layout::alloc_mw_reply::key}},
    {AdminOp::kDeallocMw, {Use{Handle::kKey, layout::dealloc_mw::key}}, kNoPlace, {}, true},
    {AdminOp::kCreateSrq, {Use{Handle::kPd, layout::create_srq::pd}},
     layout::create_srq::pasid,
     {true, Owned::kSharedReceiveQueue, layout::create_srq_reply::srqn}},
    {AdminOp::kModifySrq, {Use{Handle::kSrq, layout::modify_srq::srqn}}},
    {AdminOp::kQuerySrq, {Use{Handle::kSrq, layout::query_srq::srqn}}},
    {AdminOp::kDestroySrq, {Use{Handle::kSrq, layout::destroy_srq::srqn}}, kNoPlace, {}, true},
};
// clang-format on

const Rule* rule_of(AdminOp opcode) {
  for (const Rule& rule : kRules) {
    if (rule.opcode == opcode) return &rule;
  }
  return nullptr;
}

bool is_key(Owned kind) { return kind == Owned::kWindow || kind == Owned::kRegion; }

}  // namespace

Checked Ownership::check(AdminOp opcode, driver::Body& body, std::uint32_t pasid) const {
  const Rule* rule = rule_of(opcode);
  if (rule == nullptr) return {AdminStatus::kBadOpcode, 0};
  for (const Use& use : rule->uses) {
    if (use.only_if.bits != 0 && body.get(use.only_if) == 0) continue;
    const std::uint64_t number = use.handle == Handle::kNone ? 0 : body.get(use.place);
    const auto low = static_cast<std::uint32_t>(number);
    bool mine = true;
    switch (use.handle) {
      case Handle::kNone:
        break;
      case Handle::kQp:
        mine = has(Owned::kQueuePair, low);
        break;
      case Handle::kSrq:
        mine = has(Owned::kSharedReceiveQueue, low);
        break;
      case Handle::kKey:
        mine = has(Owned::kWindow, low >> kKeyIndexShift) ||
               has(Owned::kRegion, low >> kKeyIndexShift);
        break;
      case Handle::kCq:
        mine = has(Owned::kCompletionQueue, low);
        break;
      case Handle::kPd:
        mine = has(Owned::kDomain, low);
        break;
      case Handle::kAh:
        mine = has(Owned::kAddressHandle, low);
        break;
      case Handle::kAttachment:
        mine = has(Owned::kAttachment, low);
        break;
    }
    if (!mine) {
      return {AdminStatus::kBadHandle, layout::kCommandBodyOffset + use.place.offset / 8};
    }
  }
  if (rule->pasid.bits != 0) body.put(rule->pasid, pasid);
  return {};
}

void Ownership::done(AdminOp opcode, const driver::Body& body, const driver::Body& reply) {
  const Rule* rule = rule_of(opcode);
  if (rule == nullptr) return;
  if (rule->makes.any) {
    auto number = static_cast<std::uint32_t>(reply.get(rule->makes.number));
    if (is_key(rule->makes.kind)) {
      keys_[number >> kKeyIndexShift] = number;
      number >>= kKeyIndexShift;
    }
    numbers_[static_cast<std::size_t>(rule->makes.kind)].insert(number);
  }
  if (!rule->destroys) return;
  const auto number = static_cast<std::uint32_t>(body.get(rule->uses[0].place));
  const auto drop = [&](Owned kind, std::uint32_t n) {
    numbers_[static_cast<std::size_t>(kind)].erase(n);
  };
  switch (rule->uses[0].handle) {
    case Handle::kQp:
      return drop(Owned::kQueuePair, number);
    case Handle::kSrq:
      return drop(Owned::kSharedReceiveQueue, number);
    case Handle::kKey:
      drop(Owned::kWindow, number >> kKeyIndexShift);
      return drop(Owned::kRegion, number >> kKeyIndexShift);
    case Handle::kCq:
      return drop(Owned::kCompletionQueue, number);
    case Handle::kPd:
      return drop(Owned::kDomain, number);
    case Handle::kAh:
      return drop(Owned::kAddressHandle, number);
    case Handle::kAttachment:
      return drop(Owned::kAttachment, number);
    case Handle::kNone:
      return;
  }
}

bool Ownership::destroys(AdminOp opcode) {
  const Rule* rule = rule_of(opcode);
  return rule != nullptr && rule->destroys;
}

bool Ownership::empty() const {
  return std::all_of(numbers_.begin(), numbers_.end(), [](const auto& set) { return set.empty(); });
}

std::optional<Ownership::TakeDown> Ownership::destroy_next() {
  struct Way {
    AdminOp opcode;
    Place place;
  };
  constexpr Way kWays[kOwnedKinds] = {
      {AdminOp::kDetachMulticast, layout::detach_multicast::attachment},
      {AdminOp::kDestroyQp, layout::destroy_qp::qpn},
      {AdminOp::kDestroySrq, layout::destroy_srq::srqn},
      {AdminOp::kDestroyAh, layout::destroy_ah::ah},
      {AdminOp::kDeallocMw, layout::dealloc_mw::key},
      {AdminOp::kDeregMr, layout::dereg_mr::key},
      {AdminOp::kDestroyCq, layout::destroy_cq::cqn},
      {AdminOp::kDeallocPd, layout::dealloc_pd::pd},
  };
  for (std::size_t i = 0; i < kOwnedKinds; ++i) {
    if (numbers_[i].empty()) continue;
    const std::uint32_t number = *numbers_[i].begin();
    numbers_[i].erase(numbers_[i].begin());
    const auto kind = static_cast<Owned>(i);
    TakeDown next{kWays[i].opcode, {}, kind, number};
    next.body.put(kWays[i].place, is_key(kind) ? keys_.at(number) : number);
    return next;
  }
  return {};
}

}  // namespace roci::sim
