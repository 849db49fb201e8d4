// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "testbench/verify/conform/target/device.hpp"
#include "testbench/verify/conform/target/make.hpp"

namespace roci::conform {
namespace {

/// A transport timer that a peer in real time does not let expire unwillingly is longer than this
/// code, 134 ms; where a test leaves the default, its peer gets 4 s.
constexpr std::uint8_t kLeastTimeout = 15, kCalmTimeout = 20;
/// Error of a time between two frames: scheduling of this host and of a guest.
constexpr std::uint64_t kJitterNs = 60'000'000;
/// What must not come is watched for as long at least.
constexpr std::uint64_t kQuietNs = 40'000'000;

class TargetAdapter final : public Adapter {
 public:
  TargetAdapter(const std::string& agent, testbench::ports::ExternalPort& port)
      : wire_(port), agent_(agent, [this] { wire_.pump(); }), device_(agent_, wire_) {
    for (const driver::Gid& gid : device_.gids()) wire_.own(gid);
    mac_ = wire_.find(device_.gids().at(0));
    context_ = std::make_unique<driver::Context>(device_);
  }

  void run(const std::function<void()>& program) override { program(); }
  driver::Context& context() override { return *context_; }
  driver::Gid gid(unsigned index) override { return context_->query_gid(index); }
  std::uint64_t mac() override { return mac_; }
  void inject(const packet::Bytes& frame) override {
    device_.settle();
    wire_.send(frame);
  }
  const std::vector<Frame>& sent() const override { return wire_.sent(); }
  std::size_t ethernet_frames() override {
    throw NotTestable("the agent does not see the ordinary Ethernet path of the device");
  }
  void poison(std::uint64_t, std::size_t) override {
    throw NotTestable("DMA of a foreign adapter cannot be made to fail");
  }

  std::string text() const override { return device_.text(); }
  bool in_bench() const override { return false; }
  std::uint64_t jitter_ns() const override { return kJitterNs; }
  std::uint8_t timeout_code(std::uint8_t code, std::uint8_t calm) const override {
    return code == calm ? kCalmTimeout : code == 0 ? 0 : std::max(code, kLeastTimeout);
  }
  bool wait_quietly(const std::function<bool()>& ready, std::uint64_t ns) override {
    return device_.wait_exactly(ready, std::max(ns, kQuietNs));
  }

 private:
  Wire wire_;
  AgentLink agent_;
  TargetDevice device_;
  std::uint64_t mac_ = 0;
  std::unique_ptr<driver::Context> context_;
};

}  // namespace

std::unique_ptr<Adapter> make_target(const std::string& agent,
                                     testbench::ports::ExternalPort& port) {
  return std::make_unique<TargetAdapter>(agent, port);
}

}  // namespace roci::conform
