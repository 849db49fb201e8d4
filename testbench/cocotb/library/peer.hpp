// SPDX-License-Identifier: Apache-2.0
// The model adapter with firmware and driver, whose time and frames are inputs.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "model/nic/nic.hpp"
#include "testbench/cocotb/library/verbs_agent.hpp"
#include "testbench/firmware/host_management.hpp"
#include "testbench/verify/conform/target/mirror.hpp"

namespace roci::cocotb {

/// The adapter as a device of the driver. Nothing waits: what a command needs happens at once.
class PeerDevice final : public driver::Device, private nic::HostMemory {
 public:
  PeerDevice(std::uint64_t mac, unsigned port_mtu, std::size_t memory_bytes);

  void set_time(std::uint64_t now_ns);
  std::uint64_t deadline() const;
  void receive(packet::ByteView frame);
  /// The frames that have left, after all work that there is.
  std::deque<packet::Bytes>& frames();

  // Device.
  std::uint32_t read32(std::uint32_t offset) override { return model_.read32(offset); }
  void write32(std::uint32_t offset, std::uint32_t value) override {
    model_.write32(offset, value);
  }
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    return pool_.allocate(bytes, alignment);
  }
  void release(const driver::DmaMemory& memory) override { pool_.release(memory); }
  std::uint32_t pasid() const override { return 0; }
  std::uint64_t now_ns() const override { return now_ns_; }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;
  void wake() override {}

 private:
  bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
            nic::MemoryUse) override;
  bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
             std::size_t bytes, nic::MemoryUse) override;
  std::uint8_t* find(std::uint64_t address, std::size_t bytes);
  void work();

  std::vector<std::uint8_t> memory_;
  conform::Mirror pool_;
  std::deque<packet::Bytes> frames_;
  nic::Nic model_;
  testbench::HostManagement firmware_;
  std::uint64_t now_ns_ = 0, firmware_deadline_ = ~std::uint64_t{0};
};

}  // namespace roci::cocotb
