// SPDX-License-Identifier: Apache-2.0
// One node of a World: an adapter, the memory of its host, firmware and driver.
#pragma once

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "testbench/firmware/management.hpp"
#include "testbench/host/memory.hpp"
#include "testbench/host/waiters.hpp"
#include "testbench/nic/nic.hpp"
#include "testbench/scoreboard/counters.hpp"
#include "testbench/world.hpp"

namespace roci::testbench {

inline std::uint64_t ns_of(const sc_core::sc_time& time) {
  static const std::uint64_t kTicks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return time.value() / kTicks;
}

/// Programs see it as Node, the driver as Device, its adapter as NicListener. `report` receives
/// broken invariants, `lockstep` differences from the reference.
class NodeModule final : public sc_core::sc_module,
                         public Node,
                         public driver::Device,
                         public NicListener {
 public:
  NodeModule(sc_core::sc_module_name name, unsigned index, const Config& config,
             LinkDirection& egress, LinkDirection& ingress, Report report, Report lockstep);

  /// Reads the counters of the port, as the management processor would.
  PortCounterValues port_counters();
  Nic& nic() { return *nic_; }
  Shadow* shadow() { return shadow_.get(); }  ///< null: not in lock-step
  Management& management() { return *management_; }
  HostMemory& memory() { return memory_; }
  void join(ports::PortBridge* bridge) { bridge_ = bridge; }
  void open();
  void close() { context_.reset(); }
  /// Ends access to the adapter's registers after an interrupted run.
  void abandon() { static_cast<void>(context_.release()); }
  /// Wakes the threads whose condition holds after an edge that wrote host memory.
  void collect_woken(std::vector<sc_core::sc_event*>& woken) { waiters_.collect(woken); }
  void memory_changed() {
    if (shadow_) shadow_->memory_changed();
  }

  // Node
  unsigned index() const override { return index_; }
  driver::Device& device() override { return *this; }
  driver::Context& context() override { return *context_; }
  driver::Gid gid() const override;
  std::uint64_t mac() const override { return kNodeMac + host() - 1; }
  void send_ethernet(const packet::Bytes& frame) override { nic_->send_ethernet(frame); }
  const std::vector<packet::Bytes>& received_ethernet() const override { return ethernet_; }
  void poison(std::uint64_t address, std::size_t bytes) override { memory_.poison(address, bytes); }
  bool interrupt() const override { return nic_->interrupt(); }
  Counts counts() const override;
  Moments moments() const override { return nic_->moments(); }

  // driver::Device
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  bool write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) override;
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    return memory_.allocate(pasid(), bytes, alignment);
  }
  void release(const driver::DmaMemory& memory) override { memory_.release(pasid(), memory); }
  std::uint32_t pasid() const override;
  std::uint64_t now_ns() const override { return ns_of(sc_core::sc_time_stamp()); }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override {
    return waiters_.wait(ready, timeout_ns);
  }
  void wake() override { waiters_.wake(); }

  // NicListener
  void memory_written(std::uint64_t address, const std::uint8_t* host, unsigned bytes) override;
  void register_written(std::uint32_t offset, std::uint32_t value) override;
  void frame_received(const packet::Bytes& frame) override;
  void bus_access(const BusAccess& access) override { config_.tap->bus_access(index_, access); }
  void block_works(EngineBlock block, std::uint64_t time_ns, bool works) override {
    config_.tap->block_works(index_, block, time_ns, works);
  }
  void record_taken(const EngineRecord& record) override {
    config_.tap->record_taken(index_, record);
  }
  void bus_fault(const std::string& text) override;
  void ethernet_frame(const packet::Bytes& frame) override;

  tlm_utils::simple_initiator_socket<NodeModule> port;
  WorkMonitor work;
  std::uint64_t edge_ns = 0;  ///< time of the edge being evaluated
  sc_core::sc_event firmware_wakes;
  bool firmware_sleeps = false;

 private:
  unsigned host() const { return config_.first_host + index_; }
  std::uint32_t access(bool write, std::uint32_t offset, std::uint32_t value,
                       sc_core::sc_time delay);

  unsigned index_;
  const Config& config_;
  Report report_;
  HostMemory memory_;
  std::unique_ptr<Shadow> shadow_;
  std::unique_ptr<Nic> nic_;
  std::unique_ptr<Management> management_;
  std::unique_ptr<driver::Context> context_;
  Waiters waiters_;
  std::vector<packet::Bytes> ethernet_;
  ports::PortBridge* bridge_ = nullptr;
};

}  // namespace roci::testbench
