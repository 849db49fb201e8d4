// SPDX-License-Identifier: Apache-2.0
// A foreign adapter as a device of the driver: commands, doorbells and rings become requests to its
// agent, and what the agent reports becomes entries of completion and event queues.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "driver/device/command_port.hpp"
#include "driver/error.hpp"
#include "testbench/verify/conform/target/agent.hpp"
#include "testbench/verify/conform/target/mirror.hpp"
#include "testbench/verify/conform/target/wire.hpp"

namespace roci::conform {

class TargetDevice final : public driver::Device, public driver::CommandPort {
 public:
  /// All outlive the device. Throws TargetLost.
  TargetDevice(Agent& agent, Wire& wire, const Timing& timing);

  /// GIDs of RoCE v2 that tests use, by their index there: an IPv4 one, then an IPv6 one, if any.
  const std::vector<driver::Gid>& gids() const { return gids_; }
  /// Device, firmware and host, as the agent names them.
  const std::string& text() const { return text_; }
  /// From now on the agent leaves completions in the device's queue while a test has some to take.
  void keep_completions(bool keep) { keep_ = keep; }
  /// Exchanges memory, completions and events with the agent.
  void exchange_news();
  /// Makes what the test changed and posted visible to the device, before the peer sends a frame.
  void settle();
  /// As wait(), but not longer than asked.
  bool wait_exactly(const std::function<bool()>& ready, std::uint64_t timeout_ns);

  // Device.
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const driver::DmaMemory& memory) override;
  std::uint32_t pasid() const override { return 0; }
  std::uint64_t now_ns() const override { return wire_.now_ns(); }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override {}
  driver::CommandPort* command_port() override { return this; }
  std::unique_ptr<driver::EventQueue> open_events() override;

  // CommandPort. Throws NotTestable for commands that libibverbs does not have.
  std::optional<driver::CommandReply> exchange(layout::AdminOp opcode, const driver::Body& body,
                                               std::uint64_t timeout_ns) override;

  std::deque<driver::Event>& events() { return events_; }

 private:
  struct Ring {
    std::uint64_t base = 0;
    unsigned log = 0, stride_log = 0;
    std::uint16_t tail = 0;  ///< next entry to pass on
  };
  struct CompletionRing {
    std::uint64_t handle = 0, base = 0;
    unsigned log = 0;
    std::uint32_t producer = 0, consumer = 0;
  };
  struct Pair {
    std::uint64_t handle = 0;
    Ring send, receive;
    bool datagrams = false;
  };
  struct Shared {
    std::uint64_t handle = 0;
    Ring ring;
  };
  struct Window {
    std::uint64_t handle = 0;
    std::uint32_t type = 1;
  };
  static constexpr std::uint32_t kVariant = 0xFF;  ///< bits of the key of a window
  struct Attachment {
    std::uint64_t pair = 0, high = 0, low = 0;
  };
  struct Region {
    std::uint64_t handle = 0, address = 0, bytes = 0;
    std::uint32_t lkey = 0;
  };
  using Words = std::vector<std::uint64_t>;

  Words kept() const;
  /// Writes what the test changed into the agent's memory.
  void push();

  driver::CommandReply run(layout::AdminOp opcode, const driver::Body& body);
  static driver::CommandReply rejection(driver::AdminStatus status);
  /// Entries of a list that fit into a work queue entry of as many blocks.
  static unsigned list_entries(unsigned stride_log) { return 1 + ((1u << stride_log) - 1) * 4; }
  /// Replies with the status of the agent's errno, or what `fill` makes of the words.
  driver::CommandReply result(const AgentReply& reply,
                              const std::function<void(driver::Body&)>& fill = {});
  driver::CommandReply destroy(std::uint64_t handle, const std::function<void()>& done);
  driver::CommandReply query_device();
  driver::CommandReply query_gid(const driver::Body& body);
  driver::CommandReply create_cq(const driver::Body& body);
  driver::CommandReply create_qp(const driver::Body& body);
  driver::CommandReply create_srq(const driver::Body& body);
  driver::CommandReply modify_qp(const driver::Body& body);
  driver::CommandReply query_qp(const driver::Body& body);
  driver::CommandReply create_ah(const driver::Body& body);
  driver::CommandReply reg_mr(const driver::Body& body);
  driver::CommandReply rereg_mr(const driver::Body& body);
  driver::CommandReply dereg_mr(const driver::Body& body);
  driver::CommandReply alloc_mw(const driver::Body& body);
  driver::CommandReply resize_cq(const driver::Body& body);
  driver::CommandReply attach(const driver::Body& body);
  driver::CommandReply detach(const driver::Body& body);

  std::uint8_t* entry(const Ring& ring, std::uint16_t index);
  void pass_sends(Pair& pair, std::uint16_t head);
  void pass_bind(const Pair& pair, const std::uint8_t* wqe);
  void pass_receives(std::uint64_t handle, Ring& ring, std::uint16_t head, bool tagged);
  void add_list(Words& words, const std::uint8_t* wqe) const;
  std::uint32_t local_key(std::uint32_t key) const;
  void post(agent_op op, const Words& words, const std::uint8_t* data, std::size_t bytes);
  void add_completion(const agent_completion& completion);
  void add_event(const agent_event& event);
  /// Number of the queue that the agent calls `handle`.
  static std::uint32_t number_of_cq(std::uint64_t handle);

  Agent& agent_;
  Wire& wire_;
  const Timing& timing_;
  agent_hello hello_{};
  std::string text_;
  std::vector<driver::Gid> gids_;
  std::vector<std::uint64_t> gid_indices_;  ///< numbers that the device has for them
  std::unique_ptr<Mirror> memory_;
  std::map<std::uint32_t, CompletionRing> cqs_;
  std::map<std::uint32_t, Pair> pairs_;
  std::map<std::uint32_t, Shared> srqs_;
  std::map<std::uint32_t, Region> regions_;  ///< by the key that tests use
  std::map<std::uint32_t, Window> windows_;  ///< by key without variant
  std::map<std::uint32_t, Attachment> attachments_;
  std::uint32_t attached_ = 0;  ///< attachments so far
  bool keep_ = false;
  std::deque<driver::Event> events_;
  bool posted_ = false;  ///< since the last settle()
};

}  // namespace roci::conform
