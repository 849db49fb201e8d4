// SPDX-License-Identifier: Apache-2.0
// Test bench: one reference adapter with flat memory, and the frames that it sent. Rows are written
// through the table port.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/nic/nic.hpp"
#include "model/nic/register_map.hpp"
#include "model/packet/builder.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::nic::test {

using packet::Bytes;
using packet::Parsed;
using transport::Psn;

constexpr std::uint32_t kPasid = 5;
constexpr std::uint16_t kPd = 3;

/// Memory from address 0 on. Accesses to `broken` fail. Parts of messages wait as long as they may.
class FlatMemory final : public HostMemory {
 public:
  explicit FlatMemory(std::size_t bytes) : data(bytes) {}
  bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
            MemoryUse) override {
    if (!reachable(pasid, address, bytes)) return false;
    std::copy_n(&data[address], bytes, to);
    return true;
  }
  bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
             std::size_t bytes, MemoryUse use) override {
    waiting.push_back({pasid, address, Bytes(from, from + bytes)});
    if (use == MemoryUse::kPart) return true;
    bool good = true;
    for (const Waiting& part : waiting) {
      const bool here = reachable(part.pasid, part.address, part.bytes.size());
      if (here) std::copy(part.bytes.begin(), part.bytes.end(), &data[part.address]);
      good &= here || use != MemoryUse::kPayload;
    }
    good &= reachable(pasid, address, bytes);
    waiting.clear();
    return good;
  }
  std::uint64_t get(std::uint64_t address) const {
    return layout::get_memory(&data[address], {0, 64});
  }
  void put(std::uint64_t address, std::uint64_t value) {
    layout::put_memory(&data[address], {0, 64}, value);
  }

  struct Waiting {
    std::uint32_t pasid;
    std::uint64_t address;
    Bytes bytes;
  };
  Bytes data;
  std::uint64_t broken = ~std::uint64_t{0};
  std::vector<Waiting> waiting;  ///< parts; then the write that follows

 private:
  bool reachable(std::uint32_t pasid, std::uint64_t address, std::size_t bytes) const {
    if (broken >= address && broken - address < bytes) return false;
    return pasid == kPasid && address <= data.size() && bytes <= data.size() - address;
  }
};

/// Fields of a row or of an entry with their values.
using Fields = std::initializer_list<std::pair<layout::Place, std::uint64_t>>;

inline void fill_in(std::uint8_t* to, Fields fields) {
  for (const auto& [place, value] : fields) layout::put_memory(to, place, value);
}

/// The fields of a completion.
struct Cqe {
  Status status;
  std::uint32_t opcode, index, qpn, byte_len, imm, vendor;
  bool with_imm, with_inv, solicited;
  std::uint32_t src_qp;
  bool with_grh;
};

class Bench {
 public:
  static constexpr std::size_t kMemory = 1 << 22;
  static constexpr std::uint64_t kSq = 0x10000, kRq = 0x20000, kCqRing = 0x30000, kEq = 0x38000,
                                 kSrqRing = 0x3C000;
  static constexpr unsigned kLog = 6, kCqLog = 8;
  static constexpr std::uint32_t kPeer = 0x456;

  explicit Bench(const Sizes& sizes = {})
      : memory(kMemory),
        nic(sizes, memory,
            {[this](Bytes&& frame) { sent.push_back(std::move(frame)); },
             [this](packet::ByteView frame) { ethernet.push_back(frame.copy()); }}) {
    nic.write32(layout::reg::kControl, layout::mask(layout::reg::control::enable));
    nic.write32(layout::reg::kEqBaseLo, kEq);
    namespace eq_size = layout::reg::eq_size;
    nic.write32(layout::reg::kEqSize, layout::bits(eq_size::log, 4) |
                                          layout::bits(eq_size::enable, 1) |
                                          layout::bits(eq_size::pasid, kPasid));
    row(layout::Table::kCq, 0,
        {{layout::cq::valid, 1},
         {layout::cq::pasid, kPasid},
         {layout::cq::base, kCqRing},
         {layout::cq::log, kCqLog}});
  }

  void row(layout::Table table, std::uint32_t index, Fields fields) {
    Row bytes{};
    fill_in(bytes.data(), fields);
    raw_row(table, index, bytes);
  }
  void post_event(layout::EventKind kind, std::uint32_t number) {
    namespace event_post = layout::reg::event_post;
    nic.write32(layout::reg::kEventPost,
                layout::bits(event_post::kind, kind) | layout::bits(event_post::number, number));
  }
  void raw_row(layout::Table table, std::uint32_t index, const Row& bytes) {
    write_row(table, index, bytes);
  }
  Row read_row(layout::Table table, std::uint32_t index) {
    table_command(table, index, false);
    Row bytes{};
    for (unsigned i = 0; i < bytes.size(); i += 4) {
      layout::put_memory(&bytes[i], {0, 32}, nic.read32(layout::window::kTableData.offset + i));
    }
    return bytes;
  }
  void state(std::uint32_t qpn, QpState state) {
    Row bytes{};
    bytes[0] = static_cast<std::uint8_t>(state);
    raw_row(layout::Table::kQpState, qpn, bytes);
  }
  QpState state(std::uint32_t qpn) {
    return static_cast<QpState>(read_row(layout::Table::kQpState, qpn)[0]);
  }

  /// Writes a region over all of memory, with all rights or those given.
  void region(std::uint32_t key, std::uint64_t iova, std::uint64_t length, std::uint64_t addr,
              unsigned rights = 0x1F) {
    row(layout::Table::kKey, row_of(key),
        {{layout::key::valid, 1},
         {layout::key::variant, variant_of(key)},
         {layout::key::pd, kPd},
         {layout::key::access, rights},
         {layout::key::pasid, kPasid},
         {layout::key::iova, iova},
         {layout::key::length, length},
         {layout::key::addr, addr}});
  }

  std::uint32_t doorbell(std::uint32_t qpn) const { return layout::sq_doorbell_offset(qpn); }
  std::vector<Parsed> take() {
    while (nic.step()) {
    }
    seen.swap(sent);
    sent.clear();
    std::vector<Parsed> parsed;
    for (const Bytes& frame : seen) parsed.push_back(packet::parse(frame));
    return parsed;
  }
  void at(std::uint64_t now_ns) { nic.set_time(now_ns); }

  /// Takes the entries of CQ 0 that were not taken before.
  std::vector<Cqe> completions() {
    constexpr std::size_t kBytes = layout::cqe::kBytes;
    std::vector<Cqe> found;
    for (;; ++cq_index_) {
      const std::uint8_t* cqe = &memory.data[kCqRing + cq_index_ % (1u << kCqLog) * kBytes];
      const auto get = [&](auto field) { return layout::get(cqe, field); };
      if (get(layout::cqe::owner) != ((cq_index_ >> kCqLog & 1) == 0)) return found;
      found.push_back({static_cast<Status>(get(layout::cqe::status)), get(layout::cqe::opcode),
                       get(layout::cqe::wqe_index), get(layout::cqe::qpn),
                       get(layout::cqe::byte_len), get(layout::cqe::imm),
                       get(layout::cqe::vendor_err), get(layout::cqe::with_imm),
                       get(layout::cqe::with_inv), get(layout::cqe::solicited),
                       get(layout::ud_cqe::src_qp), get(layout::ud_cqe::with_grh)});
    }
  }
  /// Takes the events of the host that were not taken before: kind and number.
  std::vector<std::pair<unsigned, unsigned>> events() {
    constexpr std::size_t kBytes = layout::eqe::kBytes;
    std::vector<std::pair<unsigned, unsigned>> found;
    for (;; ++eq_index_) {
      const std::uint8_t* eqe = &memory.data[kEq + eq_index_ % 16 * kBytes];
      const auto get = [&](auto field) { return layout::get(eqe, field); };
      if (get(layout::eqe::owner) != ((eq_index_ >> 4 & 1) == 0)) return found;
      found.emplace_back(get(layout::eqe::kind), get(layout::eqe::number));
    }
  }

  FlatMemory memory;
  std::vector<Bytes> sent, seen, ethernet;
  Nic nic;

 private:
  void write_row(layout::Table table, std::uint32_t index, const Row& bytes) {
    for (unsigned i = 0; i < bytes.size(); i += 4) {
      nic.write32(layout::window::kTableData.offset + i,
                  static_cast<std::uint32_t>(layout::get_memory(&bytes[i], {0, 32})));
    }
    table_command(table, index, true);
  }
  void table_command(layout::Table table, std::uint32_t index, bool write) {
    namespace command = layout::reg::table_command;
    nic.write32(layout::reg::kTableCommand,
                layout::bits(command::row, index) | layout::bits(command::table_id, table) |
                    layout::bits(command::write, write) | layout::mask(command::go));
  }

  unsigned cq_index_ = 0, eq_index_ = 0;
};

}  // namespace roci::nic::test
