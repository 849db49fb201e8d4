// SPDX-License-Identifier: Apache-2.0
// Memory windows, multicast groups and completion queues of another size on a foreign adapter.
#include <algorithm>
#include <cerrno>
#include <vector>

#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "testbench/verify/conform/target/device.hpp"

namespace roci::conform {
namespace {

using driver::AdminStatus;
using driver::Body;
using driver::CommandReply;

}  // namespace

CommandReply TargetDevice::alloc_mw(const Body& body) {
  const bool first = body.get(layout::alloc_mw::kind) ==
                     static_cast<std::uint64_t>(layout::number(layout::KeyKind::kWindowType1));
  const Window window{0, first ? 1u : 2u};
  const AgentReply reply =
      agent_.request(kAgentAllocMw, {body.get(layout::alloc_mw::pd), window.type});
  if (reply.error == EOPNOTSUPP || reply.error == ENOSYS) {
    throw NotTestable("the device has no memory windows of this type");
  }
  return result(reply, [&](Body& to) {
    const auto key = static_cast<std::uint32_t>(reply.word(1));
    windows_[key & ~kVariant] = {reply.word(0), window.type};
    to.put(layout::alloc_mw_reply::key, key);
  });
}

/// A bind, by libibverbs' own function for windows of type 1.
void TargetDevice::pass_bind(const Pair& pair, const std::uint8_t* wqe) {
  namespace w = layout::wqe;
  const auto field = [&](auto place) { return layout::get(wqe, place); };
  const auto key = static_cast<std::uint32_t>(field(w::rkey));
  const auto window = windows_.find(key & ~kVariant);
  const auto region = regions_.find(static_cast<std::uint32_t>(field(w::sge0_lkey)));
  if (window == windows_.end() || region == regions_.end()) {
    throw NotTestable("libibverbs binds windows and regions that exist");
  }
  agent_bind bind{};
  bind.qp = pair.handle;
  bind.wr_id = pair.send.tail;
  bind.flags = field(w::signaled) ? kAgentSignaled : 0;
  bind.window = window->second.handle;
  bind.key = key;
  bind.region = region->second.handle;
  bind.address = field(w::remote_addr);
  bind.length = field(w::swap_add);
  bind.access = field(w::compare);
  const AgentReply reply = agent_.request(kAgentBind, Agent::words_of(bind));
  posted_ = true;
  if (reply.error != 0) throw NotTestable("libibverbs rejects the bind before it is posted");
  if (reply.word(0) != key) throw NotTestable("the device gives the window a key of its choice");
}

CommandReply TargetDevice::attach(const Body& body) {
  namespace r = layout::attach_multicast;
  const auto pair = pairs_.find(static_cast<std::uint32_t>(body.get(r::qpn)));
  if (pair == pairs_.end()) return rejection(AdminStatus::kBadHandle);
  const Attachment one{pair->second.handle, body.get(r::gid_hi), body.get(r::gid_lo)};
  return result(agent_.request(kAgentAttach, {one.pair, one.high, one.low}), [&](Body& to) {
    attachments_[++attached_] = one;
    to.put(layout::attach_multicast_reply::attachment, attached_);
  });
}

CommandReply TargetDevice::detach(const Body& body) {
  const auto found =
      attachments_.find(static_cast<std::uint32_t>(body.get(layout::detach_multicast::attachment)));
  if (found == attachments_.end()) return rejection(AdminStatus::kBadHandle);
  const Attachment one = found->second;
  attachments_.erase(found);
  return result(agent_.request(kAgentDetach, {one.pair, one.high, one.low}));
}

CommandReply TargetDevice::resize_cq(const Body& body) {
  namespace r = layout::resize_cq;
  namespace cqe = layout::cqe;
  CompletionRing& ring = cqs_.at(static_cast<std::uint32_t>(body.get(r::cqn)));
  CompletionRing wider = ring;
  wider.log = body.get(r::log_entries);
  wider.base = body.get(r::base);
  exchange_news();
  wider.producer = ring.producer;
  wider.consumer = ring.consumer;
  const AgentReply reply = agent_.request(kAgentResizeCq, {ring.handle, (3ull << wider.log) / 4});
  if (reply.error == EOPNOTSUPP || reply.error == ENOSYS) {
    throw NotTestable("the device does not resize completion queues");
  }
  return result(reply, [&](Body&) {
    const auto at = [this](const CompletionRing& of, std::uint32_t index) {
      return memory_->host(of.base) + (index & ((1u << of.log) - 1)) * cqe::kBytes;
    };
    for (std::uint32_t i = ring.consumer; i != ring.producer; ++i) {
      std::copy_n(at(ring, i), cqe::kBytes, at(wider, i));
      layout::put(at(wider, i), cqe::owner, (i >> wider.log & 1) == 0);
    }
    ring = wider;
  });
}

}  // namespace roci::conform
