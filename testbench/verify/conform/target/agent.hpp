// SPDX-License-Identifier: Apache-2.0
// What does on a foreign adapter what the tests ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/verify/conform/agent/protocol.h"

namespace roci::conform {

/// The target cannot be tested any further: its agent or its wire is gone, or never was there. One
/// line of text.
class TargetLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// Reply of the agent; `words` and `bytes` are valid when `error`, an errno, is 0.
struct AgentReply {
  int error = 0;
  std::vector<std::uint64_t> words;
  std::vector<std::uint8_t> bytes;

  /// The words from `at` on as a struct of the protocol. Throws TargetLost when there are fewer.
  template <typename T>
  T part(std::size_t at = 0) const {
    T value;
    read(at, &value, sizeof value / kWordBytes);
    return value;
  }
  std::uint64_t word(std::size_t at) const { return part<std::uint64_t>(at); }

 private:
  void read(std::size_t at, void* to, std::size_t count) const;
};

class Agent {
 public:
  virtual ~Agent() = default;
  /// Carries a request out and returns its reply. Throws TargetLost.
  virtual AgentReply request(agent_op op, const std::vector<std::uint64_t>& words,
                             const std::uint8_t* data = nullptr, std::size_t bytes = 0) = 0;
  /// Throws TargetLost when a request did.
  virtual void confirm() const {}
  /// The first byte of the agent's memory, for an agent in this process; nullptr: what changes
  /// there is exchanged by requests.
  virtual std::uint8_t* memory() { return nullptr; }
  /// `idle` is called while a reply is awaited, at least every millisecond of real time.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): an agent that waits keeps it.
  virtual void while_waiting(std::function<void()> /*idle*/) {}

  /// The words of a request that is a struct of the protocol.
  template <typename T>
  static std::vector<std::uint64_t> words_of(const T& value) {
    const auto* first = reinterpret_cast<const std::uint64_t*>(&value);
    return {first, first + sizeof value / kWordBytes};
  }
};

}  // namespace roci::conform
