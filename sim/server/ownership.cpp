// SPDX-License-Identifier: Apache-2.0
#include "sim/server/ownership.hpp"

#include <algorithm>

namespace roci::sim {
namespace {

using driver::AdminStatus;
using spec::code_of;
using spec::Place;
using spec::place_of;

constexpr Place kNoPlace = {0, 0};
constexpr Place kAlways = kNoPlace;

/// What a handle field of a command may name.
enum class Handle { kNone, kQp, kSrq, kKey, kCq, kPd };

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

/// A command that processes may give.
struct Rule {
  unsigned opcode;
  std::array<Use, 4> uses;
  Place pasid = kNoPlace;
  Makes makes = {};
  bool destroys = false;  ///< the object of the first use
};

constexpr unsigned op(std::string_view name) { return code_of(spec::kAdminOps, name); }
constexpr unsigned kKeyIndexShift = 8;  // below it is the variant

/// One bit of a field.
constexpr Place bit_of(Place place, unsigned bit) { return {place.offset + bit, 1}; }
constexpr unsigned kReregDomain = 1;  // bit of `what`

// clang-format off
constexpr Rule kRules[] = {
    {op("QueryDevice"), {}},
    {op("QueryPort"), {}},
    {op("QueryGid"), {}},
    {op("QueryPkey"), {}},
    {op("ResolveAddress"), {}},
    {op("QueryCounters"),
     {Use{Handle::kQp, place_of(spec::kQueryCounters, "qpn"), place_of(spec::kQueryCounters, "of_qp")}}},
    {op("AllocPd"), {}, kNoPlace, {true, Owned::kDomain, place_of(spec::kAllocPdReply, "pd")}},
    {op("DeallocPd"), {Use{Handle::kPd, place_of(spec::kDeallocPd, "pd")}}, kNoPlace, {}, true},
    {op("CreateCq"), {}, place_of(spec::kCreateCq, "pasid"),
     {true, Owned::kCompletionQueue, place_of(spec::kCreateCqReply, "cqn")}},
    {op("ModifyCq"), {Use{Handle::kCq, place_of(spec::kModifyCq, "cqn")}}},
    {op("ResizeCq"), {Use{Handle::kCq, place_of(spec::kResizeCq, "cqn")}}},
    {op("DestroyCq"), {Use{Handle::kCq, place_of(spec::kDestroyCq, "cqn")}}, kNoPlace, {}, true},
    {op("CreateQp"),
     {Use{Handle::kPd, place_of(spec::kCreateQp, "pd")},
      Use{Handle::kCq, place_of(spec::kCreateQp, "send_cqn")},
      Use{Handle::kCq, place_of(spec::kCreateQp, "recv_cqn")},
      Use{Handle::kSrq, place_of(spec::kCreateQp, "srqn"), place_of(spec::kCreateQp, "srq")}},
     place_of(spec::kCreateQp, "pasid"),
     {true, Owned::kQueuePair, place_of(spec::kCreateQpReply, "qpn")}},
    {op("ModifyQp"), {Use{Handle::kQp, place_of(spec::kQpAttributes, "qpn")}}},
    {op("QueryQp"), {Use{Handle::kQp, place_of(spec::kQueryQp, "qpn")}}},
    {op("DestroyQp"), {Use{Handle::kQp, place_of(spec::kDestroyQp, "qpn")}}, kNoPlace, {}, true},
    {op("RegMr"), {Use{Handle::kPd, place_of(spec::kRegMr, "pd")}}, place_of(spec::kRegMr, "pasid"),
     {true, Owned::kRegion, place_of(spec::kRegMrReply, "key")}},
    {op("ReregMr"),
     {Use{Handle::kKey, place_of(spec::kReregMr, "key")},
      Use{Handle::kPd, place_of(spec::kReregMr, "pd"),
          bit_of(place_of(spec::kReregMr, "what"), kReregDomain)}}},
    {op("DeregMr"), {Use{Handle::kKey, place_of(spec::kDeregMr, "key")}}, kNoPlace, {}, true},
    {op("AllocFastMr"), {Use{Handle::kPd, place_of(spec::kAllocFastMr, "pd")}},
     place_of(spec::kAllocFastMr, "pasid"),
     {true, Owned::kRegion, place_of(spec::kAllocFastMrReply, "key")}},
    {op("AllocMw"), {Use{Handle::kPd, place_of(spec::kAllocMw, "pd")}}, kNoPlace,
     {true, Owned::kWindow, place_of(spec::kAllocMwReply, "key")}},
    {op("DeallocMw"), {Use{Handle::kKey, place_of(spec::kDeallocMw, "key")}}, kNoPlace, {}, true},
    {op("CreateSrq"), {Use{Handle::kPd, place_of(spec::kCreateSrq, "pd")}},
     place_of(spec::kCreateSrq, "pasid"),
     {true, Owned::kSharedReceiveQueue, place_of(spec::kCreateSrqReply, "srqn")}},
    {op("ModifySrq"), {Use{Handle::kSrq, place_of(spec::kModifySrq, "srqn")}}},
    {op("QuerySrq"), {Use{Handle::kSrq, place_of(spec::kQuerySrq, "srqn")}}},
    {op("DestroySrq"), {Use{Handle::kSrq, place_of(spec::kDestroySrq, "srqn")}}, kNoPlace, {}, true},
};
// clang-format on

const Rule* rule_of(unsigned opcode) {
  for (const Rule& rule : kRules) {
    if (rule.opcode == opcode) return &rule;
  }
  return nullptr;
}

bool is_key(Owned kind) { return kind == Owned::kWindow || kind == Owned::kRegion; }

}  // namespace

Checked Ownership::check(unsigned opcode, driver::Body& body, std::uint32_t pasid) const {
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
    }
    if (!mine) {
      return {AdminStatus::kBadHandle, spec::kCommandBodyOffset + use.place.offset / 8};
    }
  }
  if (rule->pasid.bits != 0) body.put(rule->pasid, pasid);
  return {};
}

void Ownership::done(unsigned opcode, const driver::Body& body, const driver::Body& reply) {
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
    case Handle::kNone:
      return;
  }
}

bool Ownership::empty() const {
  return std::all_of(numbers_.begin(), numbers_.end(), [](const auto& set) { return set.empty(); });
}

std::optional<Ownership::TakeDown> Ownership::take_down_next() {
  struct Way {
    unsigned opcode;
    Place place;
  };
  constexpr Way kWays[kOwnedKinds] = {
      {op("DestroyQp"), place_of(spec::kDestroyQp, "qpn")},
      {op("DestroySrq"), place_of(spec::kDestroySrq, "srqn")},
      {op("DeallocMw"), place_of(spec::kDeallocMw, "key")},
      {op("DeregMr"), place_of(spec::kDeregMr, "key")},
      {op("DestroyCq"), place_of(spec::kDestroyCq, "cqn")},
      {op("DeallocPd"), place_of(spec::kDeallocPd, "pd")},
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
