// SPDX-License-Identifier: Apache-2.0
// Connects the faults of a script to the fabric and the server, and serves requests about them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "driver/device/protocol.hpp"
#include "sim/faults/scripts.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/fabric.hpp"

namespace roci::sim {

/// A new file in memory that holds `text`; none: no memory.
Descriptor file_of(const std::string& text);

class FaultControl final : public faults::Simulator {
 public:
  /// What faults do by the server.
  struct Actions {
    std::function<void(unsigned adapter, bool up)> set_link;
    std::function<void(unsigned adapter)> kill;
    std::function<void(std::uint32_t pasid, std::uint64_t address, const packet::Bytes&)> write;
    std::function<void(unsigned adapter, const driver::Event&)> report;
  };
  FaultControl(Fabric& fabric, faults::Scripts& scripts, Actions actions);

  faults::Registry& registry() { return scripts_.registry(); }
  faults::Scripts& scripts() { return scripts_; }
  const faults::Scripts& scripts() const { return scripts_; }
  /// Whether an event is kept until its completion queue goes on.
  bool keeps(unsigned adapter, const driver::Event& event) {
    return event.kind == driver::EventKind::kCompletion &&
           scripts_.keeps_event(adapter, event.number);
  }
  /// Sets the function to call when faults on memory begin or end; calls it.
  void set_on_memory(std::function<void(bool watched)> call);
  bool killed(unsigned adapter) const { return !killed_.empty() && killed_.count(adapter) != 0; }

  /// The reply to a request; `script` comes with FaultRequest::kAdd.
  nlohmann::json request(const driver::protocol::Faults& message, const Descriptor& script);

  // faults::Simulator
  unsigned owner(packet::Mac mac) const override;
  void send_nak(unsigned sender, std::uint64_t at_ns, packet::Bytes frame, std::string text,
                std::function<bool(bool)> ready) override;
  void unplug(unsigned adapter, std::uint64_t until_ns) override;
  void kill(unsigned adapter) override;
  void write(std::uint32_t pasid, std::uint64_t address, const packet::Bytes& bytes) override;
  void report_completions(unsigned adapter, std::uint32_t queue) override;
  void at(std::uint64_t at_ns, std::function<void()> call) override;

 private:
  /// A NAK that waits for the responses before it.
  struct Waiting {
    unsigned sender;
    packet::Bytes frame;
    std::string text;
    std::function<bool(bool)> ready;
    unsigned tries = 0;
  };
  void try_to_send(std::uint64_t at_ns, Waiting nak);

  Fabric& fabric_;
  faults::Scripts& scripts_;
  Actions actions_;
  std::function<void(bool)> on_memory_;
  std::set<unsigned> killed_;
};

}  // namespace roci::sim
