// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/port_way.hpp"

#include <poll.h>

#include <algorithm>

#include "driver/device/clock.hpp"

namespace roci::conform {
namespace {

constexpr std::uint64_t kPollNs = 50'000;  // interval of the polls of a port without a descriptor

}  // namespace

std::uint64_t PortWay::now_ns() const { return driver::clock_ns(); }

void PortWay::wait(std::uint64_t ns) {
  pollfd readable{port_.descriptor(), POLLIN, 0};
  const bool must_poll = readable.fd < 0;
  const timespec time = driver::timespec_of(must_poll ? std::min(ns, kPollNs) : ns);
  ppoll(&readable, must_poll ? 0 : 1, &time, nullptr);
}

}  // namespace roci::conform
