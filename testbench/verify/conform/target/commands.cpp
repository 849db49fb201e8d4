// SPDX-License-Identifier: Apache-2.0
// Admin commands of a foreign adapter, as requests to its agent.
#include "model/spec/layout/commands.hpp"

#include <algorithm>
#include <cerrno>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"
#include "testbench/verify/conform/target/device.hpp"

namespace roci::conform {
namespace {

using driver::AdminStatus;
using driver::Body;
using driver::CommandReply;
using layout::AdminOp;

constexpr std::uint64_t kPage = 4096;
constexpr unsigned kResolutions = 3;
constexpr auto kUnreachable = layout::number(AdminStatus::kUnreachable);

AdminStatus status_of(int error) {
  switch (error) {
    case EBADF:
      return AdminStatus::kBadHandle;
    case EINVAL:
    case EPERM:
    case ERANGE:
      return AdminStatus::kBadParameter;
    case ENOMEM:
    case ENOSPC:
    case EAGAIN:
      return AdminStatus::kNoResource;
    case EBUSY:
      return AdminStatus::kBusy;
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return AdminStatus::kUnreachable;
    case EOPNOTSUPP:
    case ENOSYS:
      return AdminStatus::kUnsupported;
    default:
      return AdminStatus::kHardwareError;
  }
}

bool destroys(AdminOp opcode) {
  return opcode == AdminOp::kDeallocPd || opcode == AdminOp::kDeregMr ||
         opcode == AdminOp::kDestroyCq || opcode == AdminOp::kDestroySrq ||
         opcode == AdminOp::kDestroyQp || opcode == AdminOp::kDestroyAh ||
         opcode == AdminOp::kDeallocMw || opcode == AdminOp::kDetachMulticast;
}

}  // namespace

std::optional<CommandReply> TargetDevice::exchange(AdminOp opcode, const Body& body,
                                                   std::uint64_t) {
  try {
    // A slow host may give up address resolution before the reply of the peer reaches it.
    CommandReply reply = run(opcode, body);
    for (unsigned i = 1; i < kResolutions && reply.status == kUnreachable; ++i) {
      reply = run(opcode, body);
    }
    return reply;
  } catch (const std::runtime_error& error) {
    if (!destroys(opcode)) throw;
    // Destructors of the driver expect this exception alone.
    throw driver::Error(AdminStatus::kHardwareError, 0, error.what());
  }
}

CommandReply TargetDevice::run(AdminOp opcode, const Body& body) {
  switch (opcode) {
    case AdminOp::kQueryDevice:
      return query_device();
    case AdminOp::kQueryPort: {
      CommandReply reply;
      constexpr unsigned kActive = 4;  // ibv_port_state
      reply.body.put(layout::query_port_reply::state, kActive)
          .put(layout::query_port_reply::max_mtu, hello_.max_mtu)
          .put(layout::query_port_reply::active_mtu, hello_.active_mtu)
          .put(layout::query_port_reply::pkey, 0xFFFF);
      return reply;
    }
    case AdminOp::kQueryGid:
      return query_gid(body);
    case AdminOp::kAllocPd: {
      const AgentReply reply = agent_.request(kAgentAllocPd, {});
      return result(reply, [&](Body& to) { to.put(layout::alloc_pd_reply::pd, reply.word(0)); });
    }
    case AdminOp::kDeallocPd:
      return destroy(body.get(layout::dealloc_pd::pd), {});
    case AdminOp::kRegMr:
      return reg_mr(body);
    case AdminOp::kReregMr:
      return rereg_mr(body);
    case AdminOp::kDeregMr:
      return dereg_mr(body);
    case AdminOp::kCreateCq:
      return create_cq(body);
    case AdminOp::kDestroyCq: {
      const std::uint32_t number = body.get(layout::destroy_cq::cqn);
      return destroy(cqs_.at(number).handle, [&] { cqs_.erase(number); });
    }
    case AdminOp::kCreateSrq:
      return create_srq(body);
    case AdminOp::kModifySrq:
      return result(agent_.request(kAgentModifySrq, {body.get(layout::modify_srq::srqn),
                                                     body.get(layout::modify_srq::limit)}));
    case AdminOp::kDestroySrq: {
      const std::uint32_t number = body.get(layout::destroy_srq::srqn);
      return destroy(srqs_.at(number).handle, [&] { srqs_.erase(number); });
    }
    case AdminOp::kCreateQp:
      return create_qp(body);
    case AdminOp::kModifyQp:
      return modify_qp(body);
    case AdminOp::kQueryQp:
      return query_qp(body);
    case AdminOp::kDestroyQp: {
      const std::uint32_t number = body.get(layout::destroy_qp::qpn);
      exchange_news();
      return destroy(pairs_.at(number).handle, [&] {
        pairs_.erase(number);
        exchange_news();  // completions of this queue pair that the agent's queue still has
      });
    }
    case AdminOp::kCreateAh:
      return create_ah(body);
    case AdminOp::kDestroyAh:
      return destroy(body.get(layout::destroy_ah::ah), {});
    case AdminOp::kQueryCounters:
      throw NotTestable("the agent does not see the counters of the device");
    case AdminOp::kSetGid:
      throw NotTestable("the GID table belongs to the host of the agent");
    case AdminOp::kSetPkey:
    case AdminOp::kQueryPkey:
      throw NotTestable("the P_Key table belongs to the host of the agent");
    case AdminOp::kAllocMw:
      return alloc_mw(body);
    case AdminOp::kDeallocMw: {
      const std::uint32_t key = body.get(layout::dealloc_mw::key) & ~kVariant;
      return destroy(windows_.at(key).handle, [&] { windows_.erase(key); });
    }
    case AdminOp::kAllocFastMr:
      throw NotTestable("libibverbs has no fast registration");
    case AdminOp::kAttachMulticast:
      return attach(body);
    case AdminOp::kDetachMulticast:
      return detach(body);
    case AdminOp::kModifyCq:
      throw NotTestable("libibverbs has no choice of completion moderation");
    case AdminOp::kResizeCq:
      return resize_cq(body);
    case AdminOp::kQuerySrq:
      throw NotTestable("libibverbs does not tell how many receives a shared queue has");
    default:
      throw NotTestable("the agent does not have this command");
  }
}

CommandReply TargetDevice::rejection(AdminStatus status) {
  CommandReply reply;
  reply.status = layout::number(status);
  return reply;
}

CommandReply TargetDevice::result(const AgentReply& reply, const std::function<void(Body&)>& fill) {
  if (reply.error != 0) return rejection(status_of(reply.error));
  CommandReply good;
  if (fill) fill(good.body);
  return good;
}

CommandReply TargetDevice::destroy(std::uint64_t handle, const std::function<void()>& done) {
  const AgentReply reply = agent_.request(kAgentDestroy, {handle});
  if (reply.error == 0 && done) done();
  return result(reply);
}

CommandReply TargetDevice::query_device() {
  namespace r = layout::query_device_reply;
  constexpr std::uint64_t kMostEntries = 1 << 15, kMostAttachments = 256;
  CommandReply reply;
  reply.body.put(r::max_qp, hello_.max_qp)
      .put(r::max_cq, hello_.max_cq)
      .put(r::max_mr, hello_.max_mr)
      .put(r::max_pd, hello_.max_pd)
      .put(r::max_qp_wr, std::min(hello_.max_qp_wr, kMostEntries))
      .put(r::max_cqe, hello_.max_cqe)
      .put(r::max_sge, std::min<std::uint64_t>(hello_.max_sge, layout::kMaxSge))
      .put(r::max_inline, layout::kMaxInline)
      .put(r::max_rd_atomic, hello_.max_rd_atomic)
      .put(r::max_gid, gids_.size())
      .put(r::max_message, layout::kMaxMessage)
      .put(r::max_srq, hello_.max_srq)
      .put(r::max_srq_wr, std::min(hello_.max_srq_wr, kMostEntries))
      .put(r::max_pkeys, 1)
      .put(r::max_ah, hello_.max_ah)
      .put(r::max_attachments, std::min(hello_.max_attachments, kMostAttachments))
      .put(r::services, 7)
      .put(r::absent, hello_.atomics != 0 ? 0 : 1u << layout::number(driver::Option::kAtomics));
  return reply;
}

CommandReply TargetDevice::query_gid(const Body& body) {
  const std::size_t index = body.get(layout::query_gid::index);
  if (index >= gids_.size()) {
    throw NotTestable("the host of the agent has no GID of RoCE v2 over " +
                      std::string(index == 1 ? "IPv6" : "another network"));
  }
  CommandReply reply;
  reply.body.put(layout::query_gid_reply::gid_hi, driver::high_half(gids_[index]))
      .put(layout::query_gid_reply::gid_lo, driver::low_half(gids_[index]));
  return reply;
}

CommandReply TargetDevice::reg_mr(const Body& body) {
  namespace r = layout::reg_mr;
  Region region;
  region.address = body.get(r::addr);
  region.bytes = body.get(r::length);
  if ((region.address ^ body.get(r::iova)) % kPage != 0) {
    throw NotTestable("libibverbs gives a region only addresses of its memory's offset in a page");
  }
  const AgentReply reply = agent_.request(
      kAgentRegMr,
      {body.get(r::pd), region.address, region.bytes, body.get(r::iova), body.get(r::access)});
  return result(reply, [&](Body& to) {
    region.handle = reply.word(0);
    region.lkey = static_cast<std::uint32_t>(reply.word(1));
    // Tests have one key for both roles; a region without remote rights may have no remote key.
    const auto rkey = static_cast<std::uint32_t>(reply.word(2));
    const std::uint32_t key = rkey != 0 ? rkey : region.lkey;
    regions_[key] = region;
    memory_->watch(region.address, region.bytes);
    push();
    to.put(layout::reg_mr_reply::key, key);
  });
}

CommandReply TargetDevice::rereg_mr(const Body& body) {
  namespace r = layout::rereg_mr;
  const auto found = regions_.find(body.get(r::key));
  if (found == regions_.end()) return rejection(AdminStatus::kBadHandle);
  if (body.get(r::iova) != body.get(r::addr)) {
    throw NotTestable("libibverbs changes a region to its own addresses only");
  }
  Region& region = found->second;
  exchange_news();
  const AgentReply reply =
      agent_.request(kAgentReregMr, {region.handle, body.get(r::what), body.get(r::pd),
                                     body.get(r::addr), body.get(r::length), body.get(r::access)});
  return result(reply, [&](Body&) {
    if (reply.word(1) != found->first) throw NotTestable("the device gives the region a new key");
    region.lkey = static_cast<std::uint32_t>(reply.word(0));
    memory_->unwatch(region.address, region.bytes);
    region.address = body.get(r::addr);
    region.bytes = body.get(r::length);
    memory_->watch(region.address, region.bytes);
    push();
  });
}

CommandReply TargetDevice::dereg_mr(const Body& body) {
  const auto found = regions_.find(body.get(layout::dereg_mr::key));
  if (found == regions_.end()) return rejection(AdminStatus::kBadHandle);
  exchange_news();
  return destroy(found->second.handle, [&] {
    memory_->unwatch(found->second.address, found->second.bytes);
    regions_.erase(found);
  });
}

CommandReply TargetDevice::create_cq(const Body& body) {
  namespace r = layout::create_cq;
  CompletionRing ring;
  ring.log = body.get(r::log_entries);
  ring.base = body.get(r::base);
  const AgentReply reply = agent_.request(kAgentCreateCq, {(3ull << ring.log) / 4});
  return result(reply, [&](Body& to) {
    ring.handle = reply.word(0);
    const std::uint32_t number = number_of_cq(ring.handle);
    cqs_[number] = ring;
    to.put(layout::create_cq_reply::cqn, number);
  });
}

}  // namespace roci::conform
