// SPDX-License-Identifier: Apache-2.0
// Requests of the agent's protocol on regions and windows.
#include <cerrno>

#include "testbench/cocotb/library/verbs_agent.hpp"

namespace roci::cocotb {

VerbsAgent::Words VerbsAgent::reg_mr(const Words& words) {
  if (words.size() != 5) throw Rejected{EBADF};
  auto region = std::make_unique<driver::MemoryRegion>(
      get<driver::ProtectionDomain>(words, 0), range(words[1], words[2]),
      static_cast<std::uint32_t>(words[4]), words[3]);
  const std::uint64_t key = region->key();
  return {add(std::move(region)), key, key};
}

VerbsAgent::Words VerbsAgent::rereg_mr(const Words& words) {
  if (words.size() != 6) throw Rejected{EBADF};
  constexpr std::uint64_t kRange = 1, kDomain = 2, kRights = 4;
  auto& region = get<driver::MemoryRegion>(words, 0);
  const driver::DmaMemory memory =
      (words[1] & kRange) != 0 ? range(words[3], words[4]) : driver::DmaMemory();
  const auto rights = static_cast<std::uint32_t>(words[5]);
  region.change((words[1] & kRange) != 0 ? &memory : nullptr, words[3],
                (words[1] & kDomain) != 0 ? &get<driver::ProtectionDomain>(words, 2) : nullptr,
                (words[1] & kRights) != 0 ? &rights : nullptr);
  return {region.key(), region.key()};
}

VerbsAgent::Words VerbsAgent::alloc_mw(const Words& words) {
  const auto type = struct_of<std::uint64_t>(words, 1) == 1 ? driver::WindowType::kType1
                                                            : driver::WindowType::kType2;
  auto window =
      std::make_unique<driver::MemoryWindow>(get<driver::ProtectionDomain>(words, 0), type);
  const std::uint64_t key = window->key();
  return {add(std::move(window)), key};
}

VerbsAgent::Words VerbsAgent::bind_mw(const Words& words) {
  const auto want = struct_of<agent_bind>(words);
  auto& window = get<driver::MemoryWindow>({want.window}, 0);
  const auto key = window.type() == driver::WindowType::kType1
                       ? window.next_key()
                       : static_cast<std::uint32_t>(want.key);
  driver::SendRequest request = driver::MemoryWindow::bind(
      key, get<driver::MemoryRegion>({want.region}, 0).key(), want.address, want.length,
      static_cast<std::uint32_t>(want.access));
  request.id = want.wr_id;
  request.signaled = (want.flags & kAgentSignaled) != 0;
  check(get<driver::QueuePair>(words, 0).post_send(&request, 1));
  window.set_key(key);
  return {key};
}

}  // namespace roci::cocotb
