// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "driver/address_handle.hpp"
#include "driver/completion_queue.hpp"
#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "driver/ring.hpp"
#include "model/spec/layout/codes.hpp"
#include "sim/scenarios/meeting.hpp"
#include "sim/scenarios/transfer.hpp"

namespace roci::sim {
namespace {

constexpr double kClockNs = 4;
constexpr std::uint32_t kQkey = 0x11111111;
constexpr std::uint32_t kGrhBytes = 40;
constexpr std::uint64_t kLongNs = 100'000;  // nothing comes for so long: the rest was lost

/// One side of a stream: requester, or receiver of SENDs, or both.
class Side {
 public:
  Side(testbench::Node& node, const StreamPlan& plan)
      : node_(node),
        plan_(plan),
        domain_(node.context()),
        sends_(node.context(), 2 * plan.queue_pairs * plan.depth),
        receives_(node.context(), 2 * plan.queue_pairs * plan.depth),
        // Every queue pair has its own source and destination buffer.
        region_(domain_, std::size_t{2} * plan.queue_pairs * slot(), driver::access::kAll) {
    driver::QpOptions options;
    options.posts = plan_.posted;
    options.send_entries = plan.depth;
    options.receive_entries = 2 * plan.depth;
    options.service = plan.service;
    for (unsigned i = 0; i < plan.queue_pairs; ++i) {
      pairs_.push_back(std::make_unique<driver::QueuePair>(domain_, sends_, receives_, options));
    }
  }

  Offer offer(std::uint32_t psn) {
    Offer offer;
    offer.address = region_.address();
    offer.key = region_.key();
    for (auto& pair : pairs_) offer.endpoints.push_back({pair->number(), psn, node_.gid()});
    return offer;
  }

  void connect(const Offer& peer, std::uint32_t psn, const driver::ConnectOptions& options) {
    peer_ = peer;
    for (unsigned i = 0; i < plan_.queue_pairs; ++i) {
      if (datagrams()) {
        pairs_[i]->open(kQkey, psn);
      } else {
        pairs_[i]->connect(peer.endpoints[i], psn, options);
      }
    }
    if (datagrams()) {
      driver::Address address;
      address.dgid = peer.endpoints.front().gid;
      handle_ = std::make_unique<driver::AddressHandle>(domain_, address);
    }
    if (plan_.operation != Operation::kSend) return;
    for (unsigned i = 0; i < plan_.queue_pairs; ++i) post_receives(i, 2 * plan_.depth);
  }

  /// Keeps `depth` messages outstanding on each queue pair until all are done.
  void request(StreamResult& result) {
    const unsigned warm = plan_.queue_pairs * plan_.depth;
    const unsigned all = warm + plan_.messages;
    unsigned posted = 0;
    for (; posted < warm; ++posted) post(posted);
    std::uint64_t start_ns = 0;
    std::vector<std::uint64_t> times;
    for (unsigned done = 0; done < all; ++done) {
      const driver::Completion completion = *sends_.wait();
      check(completion);
      const std::uint64_t now = node_.now_ns();
      if (done + 1 == warm) start_ns = now;
      if (done >= warm) times.push_back(now - posted_ns_[completion.id]);
      if (posted < all) post(posted++, static_cast<unsigned>(completion.id % plan_.queue_pairs));
    }
    const auto ns = static_cast<double>(node_.now_ns() - start_ns);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    result.clocks = ns / kClockNs / plan_.messages;
    result.mpps = plan_.messages / ns * 1000;
    result.gbps = 8.0 * plan_.bytes * plan_.messages / ns;
    result.latency_us = static_cast<double>(times[times.size() / 2]) / 1000;
  }

  /// Polls completions of received SENDs and posts new receives, until `count` have arrived. All
  /// receives of a queue pair that are used up go with one doorbell: a doorbell takes more clocks
  /// of the register bus than a SEND of 64 bytes takes on the link. Of UC and UD fewer may come;
  /// returns how many do not.
  unsigned receive(unsigned count) {
    const bool reliable = plan_.service == driver::Service::kRc;
    std::vector<driver::Completion> polled(std::size_t{plan_.queue_pairs} * plan_.depth);
    std::vector<unsigned> used(plan_.queue_pairs);
    unsigned done = 0;
    while (done < count) {
      const auto first = receives_.wait(reliable ? driver::Device::kForever : kLongNs);
      if (!first) break;
      polled[0] = *first;
      const std::size_t most = std::min<std::size_t>(polled.size(), count - done);
      const std::size_t got = 1 + receives_.poll(polled.data() + 1, most - 1);
      for (std::size_t i = 0; i < got; ++i) {
        check(polled[i]);
        ++used[polled[i].id];
      }
      done += static_cast<unsigned>(got);
      for (unsigned i = 0; i < plan_.queue_pairs; ++i) post_receives(i, std::exchange(used[i], 0));
    }
    return count - done;
  }

 private:
  bool datagrams() const { return plan_.service == driver::Service::kUd; }
  std::uint32_t received_bytes() const { return plan_.bytes + (datagrams() ? kGrhBytes : 0); }
  std::size_t slot() const {
    return (std::max<std::size_t>(received_bytes(), 1) + 4095) / 4096 * 4096;
  }

  void post(unsigned number) { post(number, number % plan_.queue_pairs); }
  void post(unsigned number, unsigned i) {
    driver::SendRequest request;
    // The completion identifies the queue pair.
    request.id = (std::uint64_t{number} / plan_.queue_pairs) * plan_.queue_pairs + i;
    while (posted_ns_.size() <= request.id) posted_ns_.push_back(0);
    request.opcode = plan_.opcode.value_or(opcode_of(plan_.operation));
    const std::size_t half = plan_.queue_pairs * slot();
    const bool read = plan_.operation == Operation::kRead;
    const std::vector<std::uint8_t> payload(plan_.inlined ? plan_.bytes : 0, 0x5A);
    if (plan_.inlined) {
      request.inline_data = payload.data();
      request.inline_bytes = plan_.bytes;
    } else {
      request.sges = {region_.sge((read ? half : 0) + i * slot(), plan_.bytes)};
    }
    request.remote_address = peer_.address + (read ? 0 : half) + i * slot();
    request.remote_key = peer_.key;
    if (datagrams()) {
      request.ah = handle_->number();
      request.remote_qpn = peer_.endpoints[i].qpn;
      request.qkey = kQkey;
    }
    posted_ns_[request.id] = node_.now_ns();
    pairs_[i]->send(request);
  }

  void post_receives(unsigned i, unsigned count) {
    if (count == 0) return;
    driver::ReceiveRequest request;
    request.id = i;
    request.sges = {region_.sge((plan_.queue_pairs + i) * slot(), received_bytes())};
    const std::vector<driver::ReceiveRequest> requests(count, request);
    const driver::PostResult result = pairs_[i]->post_receive(requests.data(), count);
    if (!result) throw std::runtime_error(driver::text_of(result.error));
  }

  static void check(const driver::Completion& completion) {
    if (completion.ok()) return;
    throw std::runtime_error(fmt::format("a message on queue pair {} ended with {}", completion.qpn,
                                         driver::name_of(completion.status)));
  }

  testbench::Node& node_;
  StreamPlan plan_;
  driver::ProtectionDomain domain_;
  driver::CompletionQueue sends_, receives_;
  driver::MemoryRegion region_;
  std::vector<std::unique_ptr<driver::QueuePair>> pairs_;
  std::unique_ptr<driver::AddressHandle> handle_;
  Offer peer_;
  std::deque<std::uint64_t> posted_ns_;
};

}  // namespace

StreamResult stream(const WorldOptions& options, const StreamPlan& plan) {
  testbench::Config config = config_of(options);
  // The time of the driver is not part of the measurement.
  config.register_ns = 0;
  if (plan.spare_responses) config.faults[1] = {};
  testbench::World world(config);
  Meeting meeting({&world.node(0).device(), &world.node(1).device()});
  driver::ConnectOptions connect;
  connect.path_mtu = mtu_code(options.mtu);
  connect.timeout = static_cast<std::uint8_t>(options.timeout);
  const auto psn = static_cast<std::uint32_t>(std::mt19937(options.seed)()) & 0xFFFFFF;

  std::unique_ptr<Side> sides[2];
  StreamResult results[2];
  world.run([&](testbench::Node& node) {
    meeting.guard([&] {
      const unsigned n = node.index();
      sides[n] = std::make_unique<Side>(node, plan);
      const Offer peer = meeting.exchange(n, sides[n]->offer(psn));
      sides[n]->connect(peer, psn, connect);
      meeting.step(n);
    });
  });
  const unsigned all = plan.queue_pairs * plan.depth + plan.messages;
  std::vector<testbench::World::Task> tasks;
  for (unsigned n = 0; n < (plan.both_ways ? 2u : 1u); ++n) {
    tasks.push_back(
        {n, [&, n](testbench::Node&) { meeting.guard([&] { sides[n]->request(results[n]); }); }});
    if (plan.operation == Operation::kSend) {
      tasks.push_back({1 - n, [&, n](testbench::Node&) {
                         meeting.guard(
                             [&] { results[n].undelivered = sides[1 - n]->receive(all); });
                       }});
    }
  }
  world.run(tasks);
  std::uint64_t overflows = 0;
  world.run([&](testbench::Node& node) {
    constexpr auto kOverflow = layout::number(layout::DropCause::kOverflow);
    overflows += node.context().port_counters().drops[kOverflow];
    sides[node.index()].reset();
  });
  StreamResult result = results[0];
  result.overflows = overflows;
  if (plan.both_ways && results[1].gbps < result.gbps) result = results[1];
  result.retransmitted = world.egress().repeated();
  const testbench::LinkDirection::Counts& sent = world.link(0).counts();
  result.loss = static_cast<double>(sent.dropped) / static_cast<double>(sent.frames);
  result.speed = world.speed();
  return result;
}

LatencyResult latency(unsigned width) {
  testbench::Config config;
  config.width = width;
  config.memory_ns = 0;
  config.register_ns = 0;
  config.delay_ns = 0;
  testbench::World world(config);
  Meeting meeting({&world.node(0).device(), &world.node(1).device()});
  LatencyResult result;
  world.run([&](testbench::Node& node) {
    const unsigned n = node.index();
    driver::ProtectionDomain domain(node.context());
    driver::CompletionQueue queue(node.context(), 16);
    driver::MemoryRegion region(domain, 4096, driver::access::kAll);
    driver::QueuePair pair(domain, queue, queue);
    Offer offer;
    offer.address = region.address();
    offer.key = region.key();
    offer.endpoints = {{pair.number(), 0, node.gid()}};
    const Offer peer = meeting.exchange(n, offer);
    pair.connect(peer.endpoints[0], 0);
    meeting.step(n);
    if (n == 0) {
      constexpr unsigned kRounds = 8;
      const std::vector<std::uint8_t> payload(64, 0x5A);
      for (unsigned round = 0; round < kRounds; ++round) {
        driver::SendRequest request;
        request.opcode = driver::Opcode::kWrite;
        request.inline_data = payload.data();
        request.inline_bytes = static_cast<std::uint32_t>(payload.size());
        request.remote_address = peer.address;
        request.remote_key = peer.key;
        pair.send(request);
        const driver::Completion completion = *queue.wait();
        if (!completion.ok()) {
          throw std::runtime_error(
              fmt::format("a WRITE ended with {}", driver::name_of(completion.status)));
        }
        const testbench::Moments there = world.node(0).moments();
        const testbench::Moments back = world.node(1).moments();
        result.doorbell_to_wire += (there.first_tx_ns - there.doorbell_ns) / kClockNs / kRounds;
        result.wire_to_memory += (back.first_write_ns - back.last_rx_ns) / kClockNs / kRounds;
        node.sleep(20'000);
      }
    }
    meeting.step(n);
  });
  return result;
}

}  // namespace roci::sim
