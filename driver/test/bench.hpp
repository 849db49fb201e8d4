// SPDX-License-Identifier: Apache-2.0
// A device made of host memory, and a connected queue pair on it.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "driver/queue_pair.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver::test {

/// Replies to admin commands at once, with numbers that count up; DMA addresses are host addresses.
class FakeDevice : public Device {
 public:
  std::uint32_t read32(std::uint32_t offset) override {
    if (offset == layout::reg::kId) return id;
    return registers[offset];
  }
  void write32(std::uint32_t offset, std::uint32_t value) override {
    registers[offset] = value;
    if (offset == layout::reg::kAdminDoorbell && alive) serve();
  }
  bool write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) override {
    if (!has_posts) return false;
    posted.emplace_back(offset, std::vector<std::uint8_t>(words, words + bytes));
    return true;
  }
  DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, whole));
    std::memset(memory, 0, bytes);
    live[reinterpret_cast<std::uint64_t>(memory)] = bytes;
    return {memory, reinterpret_cast<std::uint64_t>(memory), bytes};
  }
  void release(const DmaMemory& memory) override {
    CHECK(live.erase(memory.dma) == 1);
    std::free(memory.host);
  }
  std::uint32_t pasid() const override { return 0x12345; }
  std::uint64_t now_ns() const override { return now; }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override {
    if (ready()) return true;
    now += timeout_ns;
    return ready();
  }
  void wake() override {}

  std::uint8_t* at(std::uint32_t low, std::uint32_t high) {
    return reinterpret_cast<std::uint8_t*>(std::uint64_t{registers[high]} << 32 | registers[low]);
  }

  std::uint32_t id = 0x524F4349;
  bool alive = true, has_posts = true;
  std::uint32_t absent = 0;  ///< bits by Option
  std::vector<std::pair<std::uint32_t, std::vector<std::uint8_t>>> posted;
  unsigned reject_status = 0;  ///< status of the next reply
  std::map<std::uint32_t, std::uint32_t> registers;
  std::map<std::uint64_t, std::size_t> live;
  std::uint64_t now = 0;
  std::array<std::uint8_t, 128> command{};  ///< the last command
  std::uint32_t next = 5;

 private:
  void serve() {
    const std::uint32_t producer = registers[layout::reg::kAdminDoorbell];
    const std::uint32_t size = registers[layout::reg::kAdminSize];
    CHECK(layout::get(size, layout::reg::admin_size::pasid) == pasid());
    const std::size_t slot =
        ((producer - 1) & ((1u << layout::get(size, layout::reg::admin_size::log)) - 1)) * 128;
    std::memcpy(command.data(), at(layout::reg::kAdminBaseLo, layout::reg::kAdminBaseHi) + slot,
                128);
    std::uint8_t* reply = at(layout::reg::kAdminReplyLo, layout::reg::kAdminReplyHi) + slot;
    std::memset(reply, 0, 128);
    layout::put(reply, layout::reply_header::tag,
                layout::get(command.data(), layout::command_header::tag));
    layout::put(reply, layout::reply_header::status, reject_status);
    layout::put(reply, layout::reply_header::detail, reject_status != 0 ? 24 : 0);
    std::uint8_t* body = reply + 8;
    switch (command[0]) {
      case 1:  // QueryDevice
        layout::put(body, layout::query_device_reply::max_qp_wr, 32768);
        layout::put(body, layout::query_device_reply::max_sge, 13);
        layout::put(body, layout::query_device_reply::absent, absent);
        layout::put(body, layout::query_device_reply::max_inline, 192);
        layout::put(body, layout::query_device_reply::max_cqe, 65536);
        layout::put(body, layout::query_device_reply::max_srq_wr, 32768);
        break;
      case 17:  // QueryCounters
        for (unsigned i = 0; i < 16; ++i) {
          const unsigned bits = command[8] != 0 ? 64 : 48;
          if (i * bits < 120 * 8) layout::put_memory(body, {i * bits, bits}, 0x010000000000u + i);
        }
        break;
      case 10:  // QueryQp: the attributes of the last ModifyQp
        std::memcpy(body, modified.data(), 120);
        break;
      case 9:
        std::memcpy(modified.data(), command.data() + 8, 120);
        break;
      default:
        layout::put_memory(body, {0, 32}, next++);
    }
    reject_status = 0;
    registers[layout::reg::kAdminDone] = producer;
  }
  std::array<std::uint8_t, 120> modified{};
};

/// A connected queue pair on a fake device.
struct Bench {
  explicit Bench(const QpOptions& options = {}) : qp(pd, cq, cq, options) {
    qp.connect({0x77, 0x123456, gid_of_ipv4(0x0A000002)}, 0xABCDEF);
  }
  void complete(unsigned slot, unsigned index, unsigned status, unsigned opcode, bool owner) {
    std::uint8_t* cqe = cq_ring + 32 * slot;
    put(cqe, layout::cqe::wqe_index, index);
    put(cqe, layout::cqe::status, status);
    put(cqe, layout::cqe::opcode, opcode);
    put(cqe, layout::cqe::byte_len, 1000 + index);
    put(cqe, layout::cqe::qpn, qp.number());
    put(cqe, layout::cqe::owner, owner);
  }

  /// Records where the driver put its rings.
  struct Rings : Observer {
    void cq_created(std::uint32_t, std::uint64_t dma, unsigned log) override {
      cq = reinterpret_cast<std::uint8_t*>(dma);
      cq_log = log;
    }
    std::uint8_t* cq = nullptr;
    unsigned cq_log = 0;
  };

  FakeDevice device;
  Rings rings;
  Context context{device};
  bool observed = (context.set_observer(&rings), true);
  ProtectionDomain pd{context};
  CompletionQueue cq{context, 12};
  std::uint8_t* cq_ring = rings.cq;
  QueuePair qp;
};

inline std::uint8_t* sq_ring(FakeDevice& device) {
  return reinterpret_cast<std::uint8_t*>(
      layout::get(device.command.data() + 8, layout::create_qp::sq_base));
}

inline SendRequest write_of(unsigned sges) {
  SendRequest request;
  request.opcode = Opcode::kWrite;
  for (unsigned i = 0; i < sges; ++i) request.sges.push_back({0x1000u + i, 10 + i, 0x55 + i});
  return request;
}

}  // namespace roci::driver::test
