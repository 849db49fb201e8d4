// SPDX-License-Identifier: Apache-2.0
// Carries out requests of the agent's protocol on an adapter of ours, by its driver.
#pragma once

#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "driver/address_handle.hpp"
#include "driver/memory_window.hpp"
#include "driver/queue_pair.hpp"
#include "testbench/cocotb/library/verbs_words.hpp"

namespace roci::cocotb {

struct VerbsAgentOptions {
  std::vector<driver::Gid> gids;  ///< by index, from 0
  std::uint64_t next_hop = 0;     ///< MAC address of every destination
  std::size_t memory_bytes = 0;
};

/// Throws Rejected when a work request was not posted.
inline void check(const driver::PostResult& result) {
  if (result) return;
  throw Rejected{result.error == driver::PostError::kQueueFull ? ENOMEM : EINVAL};
}

/// Requests do not wait: a queue pair needs no address resolution, as the next hop is known.
class VerbsAgent final : public conform::Agent {
 public:
  /// `device` outlives it. Throws driver::Error, std::bad_alloc.
  VerbsAgent(driver::Device& device, const VerbsAgentOptions& options);
  ~VerbsAgent() override;

  conform::AgentReply request(agent_op op, const std::vector<std::uint64_t>& words,
                              const std::uint8_t* data = nullptr, std::size_t bytes = 0) override;
  std::uint8_t* memory() override { return memory_.host; }

 private:
  using Words = std::vector<std::uint64_t>;
  using Object =
      std::variant<std::monostate, std::unique_ptr<driver::ProtectionDomain>,
                   std::unique_ptr<driver::MemoryRegion>, std::unique_ptr<driver::CompletionQueue>,
                   std::unique_ptr<driver::SharedReceiveQueue>, std::unique_ptr<driver::QueuePair>,
                   std::unique_ptr<driver::AddressHandle>, std::unique_ptr<driver::MemoryWindow>>;

  void run(agent_op op, const Words& words, const std::uint8_t* data, std::size_t bytes,
           conform::AgentReply& reply);
  /// The object that word `at` names.
  template <typename T>
  T& get(const Words& words, std::size_t at) {
    const auto handle = struct_of<std::uint64_t>(words, at);
    if (handle >= objects_.size()) throw Rejected{EBADF};
    auto* object = std::get_if<std::unique_ptr<T>>(&objects_[handle]);
    if (object == nullptr) throw Rejected{EBADF};
    return **object;
  }
  /// Returns its handle.
  std::uint64_t add(Object object);
  void destroy(std::uint64_t handle);
  template <typename T>
  void destroy_all();
  driver::DmaMemory range(std::uint64_t address, std::uint64_t bytes) const;

  Words hello();
  Words reg_mr(const Words& words);
  Words rereg_mr(const Words& words);
  Words create_qp(const Words& words);
  Words create_ah(const Words& words);
  void modify_qp(const Words& words);
  Words query_qp(const Words& words);
  void post_send(const Words& words, const std::uint8_t* data, std::size_t bytes);
  void post_receive(const Words& words);
  Words alloc_mw(const Words& words);
  Words bind_mw(const Words& words);
  void change_group(const Words& words, bool attach);
  Words poll(const Words& words);

  driver::Context context_;
  VerbsAgentOptions options_;
  driver::DmaMemory memory_;
  std::vector<Object> objects_;  ///< by handle
};

}  // namespace roci::cocotb
