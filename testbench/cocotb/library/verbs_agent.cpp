// SPDX-License-Identifier: Apache-2.0
#include "testbench/cocotb/library/verbs_agent.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace roci::cocotb {
namespace {

using conform::AgentReply;
using driver::AdminStatus;

int errno_of(AdminStatus status) {
  switch (status) {
    case AdminStatus::kBadHandle:
      return EBADF;
    case AdminStatus::kBadParameter:
    case AdminStatus::kBadState:
      return EINVAL;
    case AdminStatus::kNoResource:
      return ENOMEM;
    case AdminStatus::kBusy:
      return EBUSY;
    case AdminStatus::kUnreachable:
      return EHOSTUNREACH;
    case AdminStatus::kBadOpcode:
    case AdminStatus::kUnsupported:
      return EOPNOTSUPP;
    default:
      return EIO;
  }
}

/// Events of a completion queue are reported by its handle, as those of a shared queue.
bool names_queue(driver::EventKind kind) {
  return kind == driver::EventKind::kCompletion || kind == driver::EventKind::kCqError;
}
bool names_shared(driver::EventKind kind) {
  return kind == driver::EventKind::kSrqLimit || kind == driver::EventKind::kSrqError;
}

driver::ContextOptions context_options() {
  driver::ContextOptions options;
  options.command_timeout_ns = 10'000'000;
  return options;
}

}  // namespace

VerbsAgent::VerbsAgent(driver::Device& device, const VerbsAgentOptions& options)
    : context_(device, context_options()), options_(options) {
  for (unsigned i = 0; i < options_.gids.size(); ++i) context_.set_gid(i, options_.gids[i]);
  constexpr std::size_t kPage = 4096;
  memory_ = device.allocate(options.memory_bytes, kPage);
}

template <typename T>
void VerbsAgent::destroy_all() {
  for (Object& object : objects_) {
    if (std::holds_alternative<std::unique_ptr<T>>(object)) object = std::monostate();
  }
}

/// What uses another object goes before it.
VerbsAgent::~VerbsAgent() {
  destroy_all<driver::QueuePair>();
  destroy_all<driver::AddressHandle>();
  destroy_all<driver::SharedReceiveQueue>();
  destroy_all<driver::MemoryWindow>();
  destroy_all<driver::MemoryRegion>();
  destroy_all<driver::CompletionQueue>();
}

AgentReply VerbsAgent::request(agent_op op, const std::vector<std::uint64_t>& words,
                               const std::uint8_t* data, std::size_t bytes) {
  AgentReply reply;
  try {
    run(op, words, data, bytes, reply);
  } catch (const Rejected& rejected) {
    reply = {rejected.error, {}, {}};
  } catch (const driver::Error& error) {
    reply = {errno_of(error.status()), {}, {}};
  } catch (const std::invalid_argument&) {
    reply = {EINVAL, {}, {}};
  } catch (const std::bad_alloc&) {
    reply = {ENOMEM, {}, {}};
  }
  return reply;
}

void VerbsAgent::run(agent_op op, const Words& words, const std::uint8_t* data, std::size_t bytes,
                     AgentReply& reply) {
  using namespace driver;
  Words& out = reply.words;
  const auto word = [&words](std::size_t at) { return struct_of<std::uint64_t>(words, at); };
  switch (op) {
    case kAgentHello: {
      out = hello();
      const std::uint32_t version = context_.limits().fw_version;
      const std::string text = "roci0, firmware " + std::to_string(version >> 16) + "." +
                               std::to_string(version >> 8 & 0xFF) + "." +
                               std::to_string(version & 0xFF);
      reply.bytes.assign(text.begin(), text.end());
      return;
    }
    case kAgentAllocPd:
      out = {add(std::make_unique<ProtectionDomain>(context_))};
      return;
    case kAgentRegMr:
      out = reg_mr(words);
      return;
    case kAgentReregMr:
      out = rereg_mr(words);
      return;
    case kAgentCreateCq:
      out = {add(std::make_unique<CompletionQueue>(context_, static_cast<unsigned>(word(0))))};
      return;
    case kAgentArmCq:
      get<CompletionQueue>(words, 0).arm(word(1) != 0);
      return;
    case kAgentCreateSrq: {
      SrqOptions options;
      options.entries = static_cast<unsigned>(word(1));
      options.sges = static_cast<unsigned>(word(2));
      options.limit = static_cast<std::uint16_t>(word(3));
      out = {add(std::make_unique<SharedReceiveQueue>(get<ProtectionDomain>(words, 0), options))};
      return;
    }
    case kAgentModifySrq:
      get<SharedReceiveQueue>(words, 0).arm_limit(static_cast<std::uint16_t>(word(1)));
      return;
    case kAgentCreateQp:
      out = create_qp(words);
      return;
    case kAgentModifyQp:
      modify_qp(words);
      return;
    case kAgentQueryQp:
      out = query_qp(words);
      return;
    case kAgentCreateAh:
      out = create_ah(words);
      return;
    case kAgentDestroy:
      destroy(word(0));
      return;
    case kAgentSend:
      post_send(words, data, bytes);
      return;
    case kAgentReceive:
      post_receive(words);
      return;
    case kAgentWrite:
      if (bytes != 0) std::memcpy(range(word(0), bytes).host, data, bytes);
      return;
    case kAgentPoll:
      out = poll(words);
      return;
    case kAgentAllocMw:
      out = alloc_mw(words);
      return;
    case kAgentBind:
      out = bind_mw(words);
      return;
    case kAgentAttach:
    case kAgentDetach:
      change_group(words, op == kAgentAttach);
      return;
    case kAgentResizeCq:
      get<CompletionQueue>(words, 0).resize(static_cast<unsigned>(word(1)));
      return;
    default:
      throw Rejected{ENOSYS};
  }
}

std::uint64_t VerbsAgent::add(Object object) {
  std::size_t handle = 0;
  while (handle < objects_.size() && objects_[handle].index() != 0) ++handle;
  if (handle == objects_.size()) objects_.emplace_back();
  objects_[handle] = std::move(object);
  return handle;
}

void VerbsAgent::destroy(std::uint64_t handle) {
  if (handle >= objects_.size() || objects_[handle].index() == 0) throw Rejected{EBADF};
  auto* region = std::get_if<std::unique_ptr<driver::MemoryRegion>>(&objects_[handle]);
  if (region != nullptr) (*region)->deregister();  // windows may be bound to it
  objects_[handle] = std::monostate();
}

driver::DmaMemory VerbsAgent::range(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t at = address - memory_.dma;
  if (at > memory_.bytes || bytes > memory_.bytes - at) throw Rejected{EBADF};
  return {memory_.host + at, address, bytes};
}

VerbsAgent::Words VerbsAgent::hello() {
  const driver::DeviceLimits& is = context_.limits();
  const driver::PortStatus port = context_.query_port();
  agent_hello hello{};
  hello.version = kAgentVersion;
  hello.memory = memory_.dma;
  hello.memory_bytes = memory_.bytes;
  hello.max_qp = is.max_qp;
  hello.max_cq = is.max_cq;
  hello.max_mr = is.max_mr;
  hello.max_pd = is.max_pd;
  hello.max_qp_wr = is.max_qp_wr;
  hello.max_cqe = is.max_cqe;
  hello.max_sge = is.max_sge;
  hello.max_rd_atomic = is.max_rd_atomic;
  hello.max_srq = is.max_srq;
  hello.max_srq_wr = is.max_srq_wr;
  hello.max_ah = is.max_ah;
  hello.max_mw = is.max_mw;
  hello.max_attachments = is.max_attachments;
  hello.atomics = is.lacks(driver::Option::kAtomics) ? 0 : 1;
  hello.max_mtu = port.max_mtu;
  hello.active_mtu = port.active_mtu;
  hello.gids = options_.gids.size();
  Words words = words_of(hello);
  for (std::size_t i = 0; i < options_.gids.size(); ++i) {
    const driver::Gid& gid = options_.gids[i];
    append(words, agent_gid{i, driver::high_half(gid), driver::low_half(gid), 1});
  }
  return words;
}

VerbsAgent::Words VerbsAgent::poll(const Words& words) {
  agent_news news{};
  Words parts;
  const std::uint64_t most = words.empty() || words[0] == 0 ? ~std::uint64_t{0} : words[0];
  for (std::size_t handle = 0; handle < objects_.size(); ++handle) {
    auto* queue = std::get_if<std::unique_ptr<driver::CompletionQueue>>(&objects_[handle]);
    if (queue == nullptr ||
        std::count(words.begin() + (words.empty() ? 0 : 1), words.end(), handle) != 0) {
      continue;
    }
    for (std::uint64_t taken = 0; taken < most; ++taken) {
      const auto one = (*queue)->poll();
      if (!one) break;
      agent_completion out{};
      out.cq = handle;
      out.wr_id = one->id;
      out.status = layout::number(one->status);
      out.opcode = layout::number(one->opcode);
      out.byte_len = one->byte_len;
      out.immediate = one->imm;
      if (one->with_imm) out.flags |= kAgentWithImm;
      if (one->with_inv) out.flags |= kAgentWithInv;
      if (one->with_grh) out.flags |= kAgentWithGrh;
      out.qpn = one->qpn;
      out.vendor_err = one->vendor_err;
      out.src_qp = one->src_qp;
      append(parts, out);
      ++news.completions;
    }
  }
  while (const auto event = context_.events().poll()) {
    std::uint64_t number = event->number;
    for (std::size_t handle = 0; handle < objects_.size(); ++handle) {
      const Object& object = objects_[handle];
      const auto* queue = std::get_if<std::unique_ptr<driver::CompletionQueue>>(&object);
      const auto* shared = std::get_if<std::unique_ptr<driver::SharedReceiveQueue>>(&object);
      if ((names_queue(event->kind) && queue != nullptr && (*queue)->number() == event->number) ||
          (names_shared(event->kind) && shared != nullptr &&
           (*shared)->number() == event->number)) {
        number = handle;
        break;
      }
    }
    append(parts, agent_event{layout::number(event->kind), number});
    ++news.events;
  }
  Words reply = words_of(news);
  reply.insert(reply.end(), parts.begin(), parts.end());
  return reply;
}

}  // namespace roci::cocotb
