// SPDX-License-Identifier: Apache-2.0
// Doorbells of a foreign adapter: what they announce in the rings goes to the agent.
#include "model/spec/layout/queues.hpp"

#include <cstring>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/registers.hpp"
#include "testbench/verify/conform/target/device.hpp"

namespace roci::conform {
namespace {

/// Above every number of a queue pair, so that no two doorbells have one address.
constexpr std::uint32_t kFirstCq = 1u << 25;
constexpr std::uint64_t kReceive = std::uint64_t{1} << 16;  // in wr_id, above the index

}  // namespace

std::uint32_t TargetDevice::number_of_cq(std::uint64_t handle) {
  return kFirstCq + static_cast<std::uint32_t>(handle);
}

std::uint32_t TargetDevice::read32(std::uint32_t) {
  throw NotTestable("registers of a foreign adapter are its own");
}

void TargetDevice::write32(std::uint32_t offset, std::uint32_t value) {
  namespace word = layout::doorbell_word;
  const std::uint32_t kind = offset % word::kStride;
  const bool of_cq = offset >= layout::cq_doorbell_offset(kFirstCq);
  const std::uint32_t number =
      (offset - (of_cq ? layout::cq_doorbell_offset(0) : layout::sq_doorbell_offset(0))) /
      word::kStride;
  const auto head = static_cast<std::uint16_t>(value);
  if (of_cq) {
    CompletionRing& ring = cqs_.at(number);
    if (kind == word::kCqConsumer) {
      ring.consumer += static_cast<std::uint16_t>(head - ring.consumer);
      return;
    }
    exchange_news();  // what is in the queue now raises no event
    post(kAgentArmCq, {ring.handle, (value & word::kArmSolicited) != 0}, nullptr, 0);
  } else if (kind == word::kSq) {
    pass_sends(pairs_.at(number), head);
  } else if (kind == word::kRq) {
    Pair& pair = pairs_.at(number);
    pass_receives(pair.handle, pair.receive, head, false);
  } else {
    Shared& shared = srqs_.at(number);
    pass_receives(shared.handle, shared.ring, head, true);
  }
}

void TargetDevice::post(agent_op op, const Words& words, const std::uint8_t* data,
                        std::size_t bytes) {
  const AgentReply reply = agent_.request(op, words, data, bytes);
  posted_ = true;
  if (reply.error != 0) {
    throw NotTestable(std::string("libibverbs rejects the request: ") + std::strerror(reply.error));
  }
}

std::uint8_t* TargetDevice::entry(const Ring& ring, std::uint16_t index) {
  return memory_->host(ring.base) +
         ((std::size_t{index} & ((std::size_t{1} << ring.log) - 1)) << ring.stride_log) *
             layout::kBlockBytes;
}

std::uint32_t TargetDevice::local_key(std::uint32_t key) const {
  const auto found = regions_.find(key);
  return found == regions_.end() ? key : found->second.lkey;
}

void TargetDevice::add_list(Words& words, const std::uint8_t* wqe) const {
  constexpr unsigned kFirst = layout::wqe::sge0_addr.offset / 8;
  const unsigned entries = layout::get(wqe, layout::wqe::num_sge);
  for (unsigned i = 0; i < entries; ++i) {
    const std::uint8_t* sge =
        i == 0 ? wqe + kFirst : wqe + layout::kBlockBytes + layout::kSgeBytes * (i - 1);
    words.insert(words.end(),
                 {layout::get(sge, layout::sge::addr), layout::get(sge, layout::sge::length),
                  local_key(layout::get(sge, layout::sge::lkey))});
  }
}

void TargetDevice::pass_sends(Pair& pair, std::uint16_t head) {
  push();
  for (; pair.send.tail != head; ++pair.send.tail) {
    const std::uint8_t* wqe = entry(pair.send, pair.send.tail);
    const auto field = [&](auto place) { return layout::get(wqe, place); };
    namespace w = layout::wqe;
    const auto operation = static_cast<driver::Opcode>(field(w::opcode));
    if (operation == driver::Opcode::kRegMr) {
      throw NotTestable("libibverbs has no fast registration");
    }
    if (operation == driver::Opcode::kBindMw) {
      pass_bind(pair, wqe);
      continue;
    }
    const bool inlined = field(w::inline_data);
    agent_send send{};
    send.qp = pair.handle;
    send.wr_id = pair.send.tail;
    send.operation = layout::number(operation);
    if (field(w::signaled)) send.flags |= kAgentSignaled;
    if (field(w::solicited)) send.flags |= kAgentSolicited;
    if (field(w::fence)) send.flags |= kAgentFence;
    if (inlined) send.flags |= kAgentInline;
    send.immediate = field(w::imm);
    if (pair.datagrams) {
      send.ah = field(layout::ud_wqe::ah);
      send.remote_qpn = field(layout::ud_wqe::dest_qpn);
      send.qkey = field(layout::ud_wqe::qkey);
    } else {
      send.remote_address = field(w::remote_addr);
      send.remote_key = field(w::rkey);
      send.swap_add = field(w::swap_add);
      send.compare = field(w::compare);
    }
    Words words = Agent::words_of(send);
    add_list(words, wqe);
    post(kAgentSend, words, inlined ? wqe + layout::kBlockBytes : nullptr,
         inlined ? field(w::length) : 0);
  }
}

void TargetDevice::pass_receives(std::uint64_t handle, Ring& ring, std::uint16_t head,
                                 bool tagged) {
  push();
  for (; ring.tail != head; ++ring.tail) {
    const std::uint8_t* wqe = entry(ring, ring.tail);
    const std::uint64_t index = tagged ? layout::get(wqe, layout::wqe::imm) & 0xFFFF : ring.tail;
    Words words = {handle, kReceive | index};
    add_list(words, wqe);
    post(kAgentReceive, words, nullptr, 0);
  }
}

}  // namespace roci::conform
