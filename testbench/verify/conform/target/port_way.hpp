// SPDX-License-Identifier: Apache-2.0
// A real wire, in real time.
#pragma once

#include "testbench/ports/port.hpp"
#include "testbench/verify/conform/target/way.hpp"

namespace roci::conform {

class PortWay final : public Way {
 public:
  /// `port` outlives it.
  explicit PortWay(testbench::ports::ExternalPort& port) : port_(port) {}

  std::uint64_t now_ns() const override;
  void wait(std::uint64_t ns) override;
  bool send(const packet::Bytes& frame) override { return port_.send(now_ns(), frame); }
  bool receive(packet::Bytes& frame) override { return port_.receive(now_ns(), frame); }

 private:
  testbench::ports::ExternalPort& port_;
};

}  // namespace roci::conform
