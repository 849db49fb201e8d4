// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/adapter.hpp"

#include "testbench/world.hpp"

namespace roci::conform {
namespace {

/// One node of the test bench whose link ends in the test.
class BenchAdapter final : public Adapter, public testbench::FrameTap {
 public:
  explicit BenchAdapter(const AdapterOptions& options) : world_(config_of(options)) {
    world_.add_tap(this);
  }

  void run(const std::function<void()>& program) override {
    world_.run({{0, [&](testbench::Node&) { program(); }}});
  }

  driver::Context& context() override { return node().context(); }
  driver::Gid gid(unsigned index) override { return context().query_gid(index); }
  std::uint64_t mac() override { return node().mac(); }
  void inject(const packet::Bytes& frame) override {
    world_.link(1).inject(node().now_ns(), frame);
  }
  const std::vector<Frame>& sent() const override { return sent_; }
  std::size_t ethernet_frames() override { return node().received_ethernet().size(); }
  void poison(std::uint64_t address, std::size_t bytes) override { node().poison(address, bytes); }

  void frame(const testbench::FrameEvent& event) override {
    if (!event.injected) sent_.push_back({event.time_ns, event.parsed.frame.copy()});
  }

 private:
  static testbench::Config config_of(const AdapterOptions& options) {
    testbench::Config config;
    config.engines.fill(options.engine == "model" ? testbench::Engine::kModel
                                                  : testbench::Engine::kRtl);
    config.firmware = options.firmware;
    config.width = options.width;
    config.seed = options.seed;
    config.alone = true;
    config.port_mtu = options.port_mtu;
    config.engines[0] =
        options.engine == "model" ? testbench::Engine::kModel : testbench::Engine::kRtl;
    // Short delays: the statements do not depend on them, and tests wait for them.
    config.delay_ns = 100;
    config.memory_ns = 100;
    config.register_ns = 40;
    config.time_limit_ns = ~std::uint64_t{0};
    return config;
  }
  testbench::Node& node() { return world_.node(0); }

  testbench::World world_;
  std::vector<Frame> sent_;
};

}  // namespace

const std::vector<std::string>& engines() {
  static const std::vector<std::string> kEngines = {"rtl", "model"};
  return kEngines;
}

std::unique_ptr<Adapter> make_engine(const AdapterOptions& options) {
  return std::make_unique<BenchAdapter>(options);
}

}  // namespace roci::conform
