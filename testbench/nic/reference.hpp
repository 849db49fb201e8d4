// SPDX-License-Identifier: Apache-2.0
// The reference adapter with the sockets and the link of the test bench.
#pragma once

#include <optional>
#include <vector>

#include "model/nic/nic.hpp"
#include "testbench/nic/nic.hpp"

namespace roci::testbench {

/// Register accesses act when they arrive, host memory responds at once, and whole frames are sent
/// and received at the rate of the link. Work waits while the link is busy.
class ReferenceNic final : public Nic, private nic::HostMemory {
 public:
  ReferenceNic(const char* name, const NicConfig& config, LinkDirection& egress,
               LinkDirection& ingress, NicListener& listener);

  void clock(std::uint64_t now_ns) override;
  std::uint64_t wakes_at() const override;
  bool memory_changed() override { return std::exchange(wrote_, false); }
  const AxiHost::Counts& dma() const override { return counts_; }

 private:
  // nic::HostMemory
  bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
            nic::MemoryUse use) override;
  bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
             std::size_t bytes, nic::MemoryUse use) override;

  void forget_direct() override {
    direct_.clear();
    by_call_.reset();
  }
  /// Returns the range that holds `address`; nullptr: `found` gives the reason.
  const DirectRange* direct(std::uint32_t pasid, std::uint64_t address, AxiHost::Found* found);
  bool move(bool write, std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
            std::size_t bytes, bool goes_on = false);
  void report(BusUse use, std::uint32_t pasid, std::uint64_t address, const std::uint8_t* data,
              std::size_t bytes, bool good);
  /// Reports a packet; `queue_pair` is the one of this adapter.
  void report_packet(EngineRecordKind kind, std::uint32_t queue_pair, const packet::Parsed& packet);
  void report_received(packet::ByteView frame);
  void report_completion(const std::uint8_t* entry);
  void report_record(EngineRecordKind kind, std::uint32_t queue_pair, std::uint8_t code,
                     std::uint64_t number);
  void stepped(std::uint32_t queue_pair, bool responder);
  void perform(Access& access, std::uint64_t now_ns);
  void flush(std::uint64_t now_ns);

  nic::Nic model_;
  std::deque<packet::Bytes> outbox_;  ///< frames that wait for the link
  packet::Bytes arrived_;
  std::vector<DirectRange> direct_;
  std::optional<std::uint32_t> by_call_;  ///< the last address space that has no pointers
  std::uint64_t now_ns_ = 0;
  bool wrote_ = false;
  AxiHost::Counts counts_;
  const bool reports_;  ///< accesses and packets, to the listener
};

}  // namespace roci::testbench
