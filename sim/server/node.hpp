// SPDX-License-Identifier: Apache-2.0
// One adapter of the fabric with its firmware, and the context through which the simulator sends
// commands for processes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "driver/context.hpp"
#include "testbench/adapter_tap.hpp"
#include "testbench/firmware/management.hpp"
#include "testbench/host/memory.hpp"
#include "testbench/host/waiters.hpp"
#include "testbench/nic/nic.hpp"
#include "testbench/ports/port_bridge.hpp"

namespace roci::sim {

/// An address of an adapter.
struct NodeGid {
  driver::Gid gid;
  bool roce_v1;
};

/// What the addresses of an adapter follow from.
struct AdapterAddress {
  unsigned host = 1;     ///< last byte of all addresses of the node
  unsigned network = 0;  ///< number of the adapter in its node: 10.0.network.host

  std::uint64_t mac() const;
};

class FabricAdapter final : public sc_core::sc_module,
                            public driver::Device,
                            public testbench::NicListener {
 public:
  /// A job in the thread that owns the context; may take simulated time.
  using Job = std::function<void(driver::Context&)>;
  using OnEvent = std::function<void(unsigned adapter, const driver::Event&)>;
  using OnFault = std::function<void(const std::string&)>;

  FabricAdapter(sc_core::sc_module_name name, unsigned index, const AdapterAddress& address,
                testbench::Engine engine, unsigned width, testbench::FirmwareOn firmware,
                const testbench::NicConfig& config, testbench::LinkDirection& egress,
                testbench::LinkDirection& ingress, testbench::AddressSpaces& processes,
                OnFault on_fault, testbench::AdapterTap* tap);

  unsigned index() const { return index_; }
  std::uint64_t mac() const { return address_.mac(); }
  /// Contents of the adapter's tables, once ready().
  const std::vector<NodeGid>& gids() const { return gids_; }
  const std::vector<std::uint16_t>& pkeys() const { return pkeys_; }
  const driver::DeviceLimits& limits() const { return context_->limits(); }
  testbench::Nic& nic() { return *nic_; }
  /// Connects the adapter to its external ports, before its initialization. With a TAP the host
  /// resolves addresses.
  void join(testbench::ports::PortBridge* line) { line_ = line; }
  bool host_resolves() const { return line_ != nullptr && line_->ports().tap != nullptr; }
  void set_on_event(OnEvent on_event) { on_event_ = std::move(on_event); }

  /// The bodies of this adapter's SystemC threads.
  void run_firmware();
  void run_jobs();
  void run_events();
  /// The context is open, the addresses are set.
  bool ready() const { return ready_; }

  /// Appends a job; the event is to be notified.
  sc_core::sc_event& submit(Job job);

  /// After a clock: events of threads that can continue.
  void collect_woken(std::vector<sc_core::sc_event*>& woken);
  /// At the end, when no thread runs any more.
  void abandon() { static_cast<void>(context_.release()); }

  std::uint64_t edge_ns = 0;  ///< time of the edge being evaluated

  // driver::Device, for the threads above
  std::uint32_t read32(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const driver::DmaMemory& memory) override;
  std::uint32_t pasid() const override;
  std::uint64_t now_ns() const override;
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override;

 private:
  // NicListener
  void memory_written(std::uint64_t, const std::uint8_t*, unsigned) override {}
  void bus_fault(const std::string& text) override;
  void ethernet_frame(const packet::Bytes& frame) override {
    if (line_ != nullptr) line_->from_ethernet(now_ns(), frame);
  }
  void register_written(std::uint32_t offset, std::uint32_t value) override {
    if (tap_ != nullptr) tap_->register_written(index_, edge_ns, offset, value);
  }
  void bus_access(const testbench::BusAccess& access) override { tap_->bus_access(index_, access); }
  void block_works(testbench::EngineBlock block, std::uint64_t time_ns, bool works) override {
    tap_->block_works(index_, block, time_ns, works);
  }
  void record_taken(const testbench::EngineRecord& record) override {
    tap_->record_taken(index_, record);
  }
  void frame_received(const packet::Bytes&) override {}

  void open();
  void firmware_stopped(const std::string& why);
  std::uint32_t access(bool write, std::uint32_t offset, std::uint32_t value);

  unsigned index_;
  AdapterAddress address_;
  testbench::ports::PortBridge* line_ = nullptr;
  OnFault on_fault_;
  testbench::AdapterTap* tap_;
  OnEvent on_event_;
  testbench::HostMemory memory_;
  std::unique_ptr<testbench::Nic> nic_;
  tlm_utils::simple_initiator_socket<FabricAdapter> port_;
  std::unique_ptr<testbench::Management> management_;
  std::unique_ptr<driver::Context> context_;
  sc_core::sc_event opened_, job_came_, firmware_wakes_;
  bool firmware_sleeps_ = false;
  bool ready_ = false;
  std::vector<NodeGid> gids_;
  std::vector<std::uint16_t> pkeys_;
  std::deque<Job> jobs_;
  testbench::Waiters waiters_;
};

}  // namespace roci::sim
