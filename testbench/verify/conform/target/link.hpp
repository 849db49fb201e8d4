// SPDX-License-Identifier: Apache-2.0
// The connection to the agent of a foreign adapter.
#pragma once

#include "testbench/verify/conform/target/agent.hpp"

namespace roci::conform {

class AgentLink final : public Agent {
 public:
  /// Connects to "HOST:PORT". Throws TargetLost.
  explicit AgentLink(const std::string& where);
  ~AgentLink() override;
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  AgentReply request(agent_op op, const std::vector<std::uint64_t>& words,
                     const std::uint8_t* data = nullptr, std::size_t bytes = 0) override;
  void confirm() const override {
    if (!lost_.empty()) throw TargetLost(lost_);
  }
  void while_waiting(std::function<void()> idle) override { idle_ = std::move(idle); }

 private:
  void send(const void* from, std::size_t bytes);
  void receive(void* to, std::size_t bytes);
  [[noreturn]] void lost(const std::string& why);

  std::string where_;
  std::function<void()> idle_;
  std::string lost_;  ///< why no request is possible any more
  int fd_ = -1;
  std::uint16_t tag_ = 0;
};

}  // namespace roci::conform
