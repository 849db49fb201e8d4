// SPDX-License-Identifier: Apache-2.0
// Words of requests and replies of the agent's protocol.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "testbench/verify/conform/target/agent.hpp"

namespace roci::cocotb {

/// A request that is not of the protocol, or names what is not there: an errno.
struct Rejected {
  int error;
};

/// The words from `at` on as a struct of the protocol.
template <typename T>
T struct_of(const std::vector<std::uint64_t>& words, std::size_t at = 0) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): no message of the protocol is a pointer.
  constexpr std::size_t kWords = sizeof(T) / sizeof(std::uint64_t);
  if (at > words.size() || words.size() - at < kWords) throw Rejected{EBADF};
  T value;
  std::memcpy(&value, words.data() + at, sizeof value);
  return value;
}

template <typename T>
void append(std::vector<std::uint64_t>& words, const T& value) {
  const std::vector<std::uint64_t> more = conform::Agent::words_of(value);
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace roci::cocotb
