// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/agent.hpp"

#include <cstring>

namespace roci::conform {

void AgentReply::read(std::size_t at, void* to, std::size_t count) const {
  if (at > words.size() || count > words.size() - at) {
    throw TargetLost("the agent sent a reply that is too short: is it of this version of roci?");
  }
  std::memcpy(to, words.data() + at, count * sizeof(std::uint64_t));
}

}  // namespace roci::conform
