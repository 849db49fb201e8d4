// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "testbench/verify/conform/target/device.hpp"
#include "testbench/verify/conform/target/make.hpp"

namespace roci::conform {
namespace {

class TargetAdapter final : public Adapter {
 public:
  TargetAdapter(std::unique_ptr<Agent> agent, std::unique_ptr<Way> way, const Timing& timing)
      : timing_(timing),
        way_(std::move(way)),
        wire_(*way_),
        agent_(std::move(agent)),
        device_(greeted(), wire_, timing_) {
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
  void confirm() override { agent_->confirm(); }
  void keep_completions(bool keep) override { device_.keep_completions(keep); }
  std::uint64_t jitter_ns() const override { return timing_.jitter_ns; }
  std::uint8_t timeout_code(std::uint8_t code, std::uint8_t calm) const override {
    if (code == calm && timing_.calm_timeout != 0) return timing_.calm_timeout;
    return code == 0 ? 0 : std::max(code, timing_.least_timeout);
  }
  bool wait_quietly(const std::function<bool()>& ready, std::uint64_t ns) override {
    return device_.wait_exactly(ready, std::max(ns, timing_.quiet_ns));
  }

 private:
  Agent& greeted() {
    agent_->while_waiting([this] { wire_.pump(); });
    return *agent_;
  }

  const Timing timing_;
  std::unique_ptr<Way> way_;
  Wire wire_;
  std::unique_ptr<Agent> agent_;
  TargetDevice device_;
  std::uint64_t mac_ = 0;
  std::unique_ptr<driver::Context> context_;
};

}  // namespace

std::unique_ptr<Adapter> make_target(std::unique_ptr<Agent> agent, std::unique_ptr<Way> way,
                                     const Timing& timing) {
  return std::make_unique<TargetAdapter>(std::move(agent), std::move(way), timing);
}

}  // namespace roci::conform
