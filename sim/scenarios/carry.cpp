// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/carry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "driver/completion_queue.hpp"

namespace roci::sim {

driver::Opcode opcode_of(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return driver::Opcode::kWrite;
    case Operation::kSend:
      return driver::Opcode::kSend;
    case Operation::kRead:
      break;
  }
  return driver::Opcode::kRead;
}

/// The objects of one side.
struct Carry::End {
  End(CarrySide side, const CarryPlan& plan, std::size_t bytes)
      : device(side.context.device()),
        domain(side.context),
        queue(side.context, 2 * plan.queue_pairs * plan.depth),
        region(domain, std::max<std::size_t>(bytes, 1), driver::access::kAll) {
    driver::QpOptions options;
    options.send_entries = plan.depth;
    options.receive_entries = plan.depth;
    offer.address = region.address();
    offer.key = region.key();
    for (unsigned i = 0; i < plan.queue_pairs; ++i) {
      pairs.push_back(std::make_unique<driver::QueuePair>(domain, queue, queue, options));
      offer.endpoints.push_back({pairs.back()->number(), plan.first_psn, side.gid});
    }
  }

  driver::Device& device;
  driver::ProtectionDomain domain;
  driver::CompletionQueue queue;
  driver::MemoryRegion region;
  std::vector<std::unique_ptr<driver::QueuePair>> pairs;
  Offer offer;
};

Carry::Carry(const CarryPlan& plan, const std::vector<std::uint8_t>& bytes, Meeting& meeting,
             Progress progress)
    : plan_(plan), bytes_(bytes), meeting_(meeting), progress_(std::move(progress)) {
  std::size_t offset = 0;
  do {
    const std::size_t length = std::min(plan.message_bytes, bytes.size() - offset);
    messages_.push_back({offset, static_cast<std::uint32_t>(length)});
    offset += length;
  } while (offset < bytes.size());
}

void Carry::source(CarrySide side) {
  End end(side, plan_, bytes_.size());
  if (!bytes_.empty()) std::memcpy(end.region.data(), bytes_.data(), bytes_.size());
  const Offer peer = meeting_.exchange(0, end.offer);
  for (unsigned i = 0; i < plan_.queue_pairs; ++i) {
    end.pairs[i]->connect(peer.endpoints[i], plan_.first_psn, plan_.connect);
  }
  meeting_.step(0);
  if (plan_.operation != Operation::kRead) request(end, peer);
  meeting_.step(0);
}

void Carry::target(CarrySide side) {
  End end(side, plan_, bytes_.size());
  const Offer peer = meeting_.exchange(1, end.offer);
  for (unsigned i = 0; i < plan_.queue_pairs; ++i) {
    end.pairs[i]->connect(peer.endpoints[i], plan_.first_psn, plan_.connect);
  }
  if (plan_.operation == Operation::kSend) {
    receive(end);
  } else {
    meeting_.step(1);
    if (plan_.operation == Operation::kRead) request(end, peer);
  }
  meeting_.step(1);
  received_.assign(end.region.data(), end.region.data() + bytes_.size());
}

void Carry::request(End& end, const Offer& peer) {
  std::vector<std::size_t> next(plan_.queue_pairs);  // next message to post, per queue pair
  for (unsigned i = 0; i < plan_.queue_pairs; ++i) next[i] = i;
  auto post = [&](unsigned i) {
    const Message& message = messages_[next[i]];
    driver::SendRequest request;
    request.id = next[i];
    request.opcode = opcode_of(plan_.operation);
    if (message.bytes > 0) request.sges = {end.region.sge(message.offset, message.bytes)};
    request.remote_address = peer.address + message.offset;
    request.remote_key = peer.key;
    end.pairs[i]->send(request);
    next[i] += plan_.queue_pairs;
  };
  start_ns_ = end.device.now_ns();
  for (unsigned round = 0; round < plan_.depth; ++round) {
    for (unsigned i = 0; i < plan_.queue_pairs; ++i) {
      if (next[i] < messages_.size()) post(i);
    }
  }
  for (std::size_t done = 0; done < messages_.size(); ++done) {
    const driver::Completion completion = *end.queue.wait();
    check(completion);
    const auto i = static_cast<unsigned>(completion.id % plan_.queue_pairs);
    if (next[i] < messages_.size()) post(i);
    if (progress_) progress_(done + 1, messages_.size());
  }
  end_ns_ = end.device.now_ns();
  for (const auto& pair : end.pairs) timeouts_ += pair->counters().timeouts;
}

void Carry::receive(End& end) {
  std::vector<std::size_t> next(plan_.queue_pairs);
  for (unsigned i = 0; i < plan_.queue_pairs; ++i) next[i] = i;
  auto post = [&](unsigned i) {
    driver::ReceiveRequest request;
    request.id = next[i];
    const Message& message = messages_[next[i]];
    if (message.bytes > 0) request.sges = {end.region.sge(message.offset, message.bytes)};
    end.pairs[i]->receive(request);
    next[i] += plan_.queue_pairs;
  };
  for (unsigned round = 0; round < plan_.depth; ++round) {
    for (unsigned i = 0; i < plan_.queue_pairs; ++i) {
      if (next[i] < messages_.size()) post(i);
    }
  }
  meeting_.step(1);
  for (std::size_t done = 0; done < messages_.size(); ++done) {
    const driver::Completion completion = *end.queue.wait();
    check(completion);
    if (completion.byte_len != messages_[completion.id].bytes) {
      throw std::runtime_error(fmt::format("message {} arrived with {} bytes, not {}",
                                           completion.id, completion.byte_len,
                                           messages_[completion.id].bytes));
    }
    const auto i = static_cast<unsigned>(completion.id % plan_.queue_pairs);
    if (next[i] < messages_.size()) post(i);
  }
}

void Carry::check(const driver::Completion& completion) const {
  if (completion.ok()) return;
  throw std::runtime_error(fmt::format("{} of message {} on queue pair {} ended with {}",
                                       name_of(plan_.operation), completion.id, completion.qpn,
                                       driver::name_of(completion.status)));
}

}  // namespace roci::sim
