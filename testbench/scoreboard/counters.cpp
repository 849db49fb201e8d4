// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/counters.hpp"

#include "model/spec/codes.hpp"

namespace roci::testbench {
namespace {

/// Value of the code called `name`.
template <std::size_t N>
constexpr unsigned value_of(const spec::Code (&group)[N], std::string_view name) {
  for (const spec::Code& code : group) {
    if (code.name == name) return code.value;
  }
  throw "no such code";
}

}  // namespace

std::vector<std::string> check_port_counters(const PortCounterValues& counters,
                                             const LinkDirection::Counts& out,
                                             const LinkDirection::Counts& in) {
  constexpr unsigned kUnknownQp = value_of(spec::kDropCauses, "UnknownQp");
  constexpr unsigned kFirstLate = value_of(spec::kDropCauses, "Ghost");
  std::vector<std::string> wrong;
  const auto counter = [&](std::string_view name) {
    return counters[value_of(spec::kPortCounters, name)];
  };
  const auto equal = [&](std::string_view name, std::uint64_t expected) {
    if (counter(name) != expected) {
      wrong.push_back("I13: " + std::string(name) + " is " + std::to_string(counter(name)) +
                      ", on the link were " + std::to_string(expected));
    }
  };
  equal("RxFrames", in.delivered);
  equal("RxBytes", in.delivered_bytes);
  equal("TxFrames", out.frames - out.injected);
  equal("TxBytes", out.bytes - out.injected_bytes);

  const std::uint64_t received = counter("RxFrames");
  const std::uint64_t accepted = counter("RxRoce");
  std::uint64_t sum = accepted + counter("RxEthernet");
  for (unsigned cause = 0; cause < kFirstLate; ++cause) sum += counters[cause];
  if (sum < received || sum - received > counters[kUnknownQp]) {
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
