// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/counters.hpp"

#include "model/spec/codes.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::testbench {
using layout::DropCause;
using layout::PortCounter;

std::vector<std::string> check_port_counters(const PortCounterValues& counters,
                                             const LinkDirection::Counts& out,
                                             const LinkDirection::Counts& in) {
  constexpr unsigned kFirstLate = layout::number(DropCause::kGhost);
  std::vector<std::string> wrong;
  const auto counter = [&](PortCounter which) { return counters[layout::number(which)]; };
  const auto equal = [&](PortCounter which, std::uint64_t expected) {
    if (counter(which) != expected) {
      wrong.push_back(
          "I13: " + std::string(spec::name_of(spec::kPortCounters, layout::number(which))) +
          " is " + std::to_string(counter(which)) + ", on the link were " +
          std::to_string(expected));
    }
  };
  equal(PortCounter::kRxFrames, in.delivered);
  equal(PortCounter::kRxBytes, in.delivered_bytes);
  equal(PortCounter::kTxFrames, out.frames - out.injected);
  equal(PortCounter::kTxBytes, out.bytes - out.injected_bytes);

  const std::uint64_t received = counter(PortCounter::kRxFrames);
  const std::uint64_t accepted = counter(PortCounter::kRxRoce);
  std::uint64_t sum = accepted + counter(PortCounter::kRxEthernet);
  for (unsigned cause = 0; cause < kFirstLate; ++cause) sum += counters[cause];
  if (sum < received || sum - received > counters[layout::number(DropCause::kUnknownQp)]) {
    wrong.push_back("I13: received " + std::to_string(received) +
                    " frames, accepted, passed on and dropped " + std::to_string(sum));
  }
  std::uint64_t late = 0;
  for (unsigned cause = kFirstLate; cause < std::size(spec::kDropCauses); ++cause) {
    late += counters[cause];
  }
  if (late > accepted) {
    wrong.push_back("I13: the transport dropped " + std::to_string(late) + " packets of " +
                    std::to_string(accepted) + " accepted");
  }
  return wrong;
}

}  // namespace roci::testbench
