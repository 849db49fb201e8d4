// SPDX-License-Identifier: Apache-2.0
// The faults of a running simulator: decides about frames and memory accesses, counts and logs.
#pragma once

#include <functional>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/faults/memory_access.hpp"
#include "sim/faults/messages.hpp"
#include "sim/faults/naks.hpp"
#include "sim/faults/registry.hpp"
#include "sim/faults/rule.hpp"
#include "sim/faults/stopped.hpp"
#include "testbench/link/script.hpp"

namespace roci::sim::faults {

/// What faults need of the simulator around them. Senders are numbered as those of the link:
/// adapters first, then what is outside of each.
class Simulator {
 public:
  virtual ~Simulator() = default;
  /// The adapter of a MAC address; adapters(): none.
  virtual unsigned owner(packet::Mac mac) const = 0;
  /// Sends a frame on the link of a sender at `at_ns`, or later when `ready` holds; `ready` is
  /// given whether it is asked for the last time.
  virtual void send_nak(unsigned sender, std::uint64_t at_ns, packet::Bytes frame, std::string text,
                        std::function<bool(bool at_last)> ready) = 0;
  virtual void unplug(unsigned adapter, std::uint64_t until_ns) = 0;
  virtual void kill(unsigned adapter) = 0;
  /// Writes to the memory of a process, for an adapter; no fault applies.
  virtual void write(std::uint32_t pasid, std::uint64_t address, const packet::Bytes& bytes) = 0;
  /// Reports completions to the process that waits for them.
  virtual void report_completions(unsigned adapter, std::uint32_t queue) = 0;
  /// Calls a function at a simulated time.
  virtual void at(std::uint64_t at_ns, std::function<void()> call) = 0;
};

class Scripts final : public testbench::FrameScript, public Existing {
 public:
  Scripts(const Nodes& nodes, bool has_outside) : nodes_(nodes), has_outside_(has_outside) {}
  /// To be called before the first frame.
  void attach(Simulator& simulator, const std::uint64_t& now_ns) {
    simulator_ = &simulator;
    now_ns_ = &now_ns;
  }
  Registry& registry() { return registry_; }
  /// A command of a process that the adapter will execute, or has executed.
  void begun(unsigned adapter, layout::AdminOp opcode, const driver::Body& body);
  void done(unsigned adapter, std::uint32_t pasid, layout::AdminOp opcode, const driver::Body& body,
            const driver::Body& reply);
  /// The process with an address space has left.
  void left(std::uint32_t pasid);

  /// Adds the faults of a script, all or none. Returns their numbers. Throws UserError.
  std::vector<unsigned> add(const std::string& text, const std::string& source);
  /// Removes one fault, or all with 0; false: there is none.
  bool clear(unsigned number);
  nlohmann::json list() const;

  // FrameScript
  void decide(unsigned sender, std::uint64_t now_ns, const packet::Parsed& parsed,
              testbench::ScriptEffect& effect) override;
  /// Decides about an access to the memory of a process.
  MemoryEffect access(const MemoryAccess& access);
  bool watches_memory() const { return watches_memory_ || !stopped_.empty(); }
  /// Whether a completion event is kept until its queue goes on.
  bool keeps_event(unsigned adapter, std::uint32_t queue) {
    return stopped_.keep_event({adapter, queue});
  }

  // Existing
  const Nodes& nodes() const override { return nodes_; }
  bool has_outside() const override { return has_outside_; }
  bool has_process(int pid) const override;
  bool has_queue_pair(const std::vector<unsigned>& adapters, std::uint32_t number) const override {
    return registry_.has(adapters, number);
  }

 private:
  struct Fault {
    unsigned number;
    Rule rule;
    std::uint64_t seen = 0, fired = 0;
    std::vector<nlohmann::json> log;
  };
  /// A frame and its ends.
  struct Frame {
    const packet::Parsed& parsed;
    unsigned sender, receiver;  ///< as numbered by the link
    unsigned from, to;          ///< adapters, or kOutside
    const QueuePair* sending = nullptr;
    const QueuePair* receiving = nullptr;
    bool rc = false;       ///< a packet of RC that is parsed in full
    bool request = false;  ///< a request of RC
  };
  Frame ends_of(unsigned sender, const packet::Parsed& parsed) const;
  std::optional<Requester> requester_of(const Frame& frame) const;
  bool matches(const Rule& rule, const Frame& frame) const;
  bool matches_packet(const Rule& rule, const Frame& frame) const;
  bool matches_end(const Rule& rule, const Frame& frame, bool out) const;
  bool matches_process(const Rule& rule, const Process* process) const;
  /// The connection of a packet that has an opcode.
  static FlowName flow_of(const Frame& frame);
  std::optional<std::uint64_t> message_of(const Frame& frame) const;
  void follow(const Frame& frame, bool drop);
  void follow_messages(const Frame& frame);
  void fire(Fault& fault, const Frame& frame, std::uint64_t now_ns,
            testbench::ScriptEffect& effect);
  void log(Fault& fault, nlohmann::json entry);
  // memory.cpp
  bool fails(const MemoryAccess& access);
  std::size_t hold(const MemoryAccess& access);
  void count_completion(StoppedQueues::Name queue, const MemoryAccess& access,
                        const std::uint8_t* entry);
  void go_on(StoppedQueues::Name queue, std::uint64_t serial = 0);
  void refresh();

  const Nodes nodes_;
  const bool has_outside_;
  Simulator* simulator_ = nullptr;
  const std::uint64_t* now_ns_ = nullptr;
  Registry registry_;
  Naks naks_;
  Messages messages_;
  StoppedQueues stopped_;
  std::list<Fault> faults_;
  unsigned next_number_ = 1;
  bool watches_memory_ = false, follows_ = false, counts_messages_ = false;
};

}  // namespace roci::sim::faults
