// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/pingpong.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "driver/completion_queue.hpp"
#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "sim/scenarios/meeting.hpp"
#include "sim/scenarios/transfer.hpp"
#include "testbench/world.hpp"

namespace roci::sim {
namespace {

constexpr unsigned kEntries = 16;

/// One of the two; the memory that it sends lies before the memory that it receives.
class Player {
 public:
  Player(testbench::Node& node, Operation operation, std::uint32_t bytes)
      : node_(node),
        operation_(operation),
        bytes_(bytes),
        domain_(node.context()),
        sends_(node.context(), kEntries),
        receives_(node.context(), kEntries),
        region_(domain_, std::size_t{2} * bytes, driver::access::kAll),
        pair_(domain_, sends_, receives_) {}

  void meet(Meeting& meeting, const driver::ConnectOptions& options) {
    const unsigned n = node_.index();
    Offer offer;
    offer.address = region_.address();
    offer.key = region_.key();
    offer.endpoints = {{pair_.number(), 0, node_.gid()}};
    peer_ = meeting.exchange(n, offer);
    pair_.connect(peer_.endpoints[0], 0, options);
    if (operation_ == Operation::kSend) {
      for (unsigned i = 0; i < kEntries / 2; ++i) post_receive();
    }
    meeting.step(n);
  }

  /// Times between the posts of the side that begins, or nothing.
  std::vector<std::uint64_t> play(unsigned rounds) {
    std::vector<std::uint64_t> times;
    const bool begins = node_.index() == 0;
    for (unsigned round = 1; round <= rounds; ++round) {
      const std::uint64_t start = node_.now_ns();
      if (!begins) take(round);
      post(round);
      if (begins) take(round);
      times.push_back(node_.now_ns() - start);
    }
    return times;
  }

 private:
  void post(unsigned round) {
    region_.data()[bytes_ - 1] = static_cast<std::uint8_t>(round);
    driver::SendRequest request;
    request.opcode = opcode_of(operation_);
    request.sges = {region_.sge(0, bytes_)};
    request.remote_address = peer_.address + bytes_;
    request.remote_key = peer_.key;
    pair_.send(request);
    check(*sends_.wait());
  }

  void take(unsigned round) {
    if (operation_ == Operation::kSend) {
      check(*receives_.wait());
      return post_receive();
    }
    const volatile std::uint8_t* last = region_.data() + 2 * std::size_t{bytes_} - 1;
    node_.device().wait([&] { return *last == static_cast<std::uint8_t>(round); },
                        driver::Device::kForever);
  }

  void post_receive() {
    driver::ReceiveRequest request;
    request.sges = {region_.sge(bytes_, bytes_)};
    pair_.receive(request);
  }

  static void check(const driver::Completion& completion) {
    if (completion.ok()) return;
    throw std::runtime_error(
        fmt::format("a message ended with {}", driver::name_of(completion.status)));
  }

  testbench::Node& node_;
  Operation operation_;
  std::uint32_t bytes_;
  driver::ProtectionDomain domain_;
  driver::CompletionQueue sends_, receives_;
  driver::MemoryRegion region_;
  driver::QueuePair pair_;
  Offer peer_;
};

}  // namespace

double half_round_trip_us(const WorldOptions& options, Operation operation, std::uint32_t bytes,
                          unsigned rounds) {
  testbench::Config config = config_of(options);
  config.register_ns = 0;  // the time of the driver is not part of the measurement
  testbench::World world(config);
  Meeting meeting({&world.node(0).device(), &world.node(1).device()});
  driver::ConnectOptions connect;
  connect.path_mtu = mtu_code(options.mtu);
  std::vector<std::uint64_t> times;
  world.run([&](testbench::Node& node) {
    meeting.guard([&] {
      Player player(node, operation, bytes);
      player.meet(meeting, connect);
      auto own = player.play(rounds);
      if (node.index() == 0) times = std::move(own);
      meeting.step(node.index());
    });
  });
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return static_cast<double>(*middle) / 2000;
}

}  // namespace roci::sim
