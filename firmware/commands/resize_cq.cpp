// SPDX-License-Identifier: Apache-2.0
// Command ResizeCq: the ring moves while completions arrive (11.2.6.3, CQ-13).
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

namespace body = layout::resize_cq;
namespace row = layout::cq;
namespace live = layout::cq_live;

constexpr uint32_t kMaxLog = 16;
constexpr uint32_t kIndexMask = 0xFFFF;
constexpr uint32_t kEntryBytes = layout::cqe::kBytes;
constexpr uint32_t kEntryWords = kEntryBytes / 4;
constexpr uint32_t kDoorbellBytes = 16;

struct Ring {
  uint64_t base;
  uint32_t log;

  uint64_t bytes() const { return uint64_t{kEntryBytes} << log; }
  /// Returns the completions that fit: the indices of software have 16 bits.
  uint32_t room() const { return log == kMaxLog ? kIndexMask : mask_of(log); }
  uint64_t entry(uint32_t index) const {
    return base + uint64_t{index & (mask_of(log) - 1)} * kEntryBytes;
  }
  /// Returns the owner bit of the entry with this index. The adapter's pass bit is that of its
  /// 17-bit index.
  bool owner(uint32_t index) const { return (index >> log & 1) == 0; }
};

constexpr uint32_t distance(uint32_t from, uint32_t to) { return (to - from) & kIndexMask; }

bool overlap(const Ring& a, const Ring& b) {
  return a.base < b.base + b.bytes() && b.base < a.base + a.bytes();
}

/// Copies entries `first` to `end` - 1, 17-bit indices. Entries whose owner bit shows that they are
/// not in the old ring were written to the new one by the adapter.
bool copy(Port* port, uint32_t pasid, const Ring& from, const Ring& to, uint32_t first,
          uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = first + i;
    const uint64_t at = from.entry(index);
    const auto half = static_cast<uint32_t>(at % layout::kBlockBytes / 4);
    uint32_t words[kEntryWords];
    port->dma_read(at - 4 * half, pasid);
    if (!port->dma_end()) return false;
    port->dma_words(words, half, half + kEntryWords);
    if ((get_bits(words, layout::cqe::owner) != 0) != from.owner(index)) continue;
    put_bits(words, layout::cqe::owner, to.owner(index));
    port->dma_write(to.entry(index), pasid, words, kEntryWords);
    if (!port->dma_end()) return false;
  }
  return true;
}

}  // namespace

Result resize_cq(Device* device, const Command& command, Reply*) {
  Port& port = device->port;
  const uint32_t cqn = command.get32(body::cqn);
  if (!device->objects.has_cq(cqn)) return bad_handle(body::cqn);
  CompletionQueue& cq = device->objects.cq[cqn];
  const Ring from = {cq.base, cq.log};
  const Ring to = {command.get(body::base), command.get32(body::log_entries)};
  const uint32_t consumer = command.get32(body::consumer);
  if (to.log < 1 || to.log > kMaxLog) return bad_parameter(body::log_entries);
  if (!is_ring(to.base, to.bytes()) || overlap(from, to)) return bad_parameter(body::base);
  Block config = {};
  if (!port.read_row(layout::Table::kCq, cqn, &config)) return hardware_error();

  Block before = {};
  Block after = {};
  if (!port.read_row(layout::Table::kCqLive, cqn, &before)) return hardware_error();
  const auto producer = static_cast<uint32_t>(before.get(live::producer));
  const auto known = static_cast<uint32_t>(before.get(live::consumer));
  const uint32_t unread = distance(consumer, producer);
  if (before.get(live::overflowed) != 0) return bad_state(body::cqn);
  if (unread > distance(known, producer)) return bad_parameter(body::consumer);
  if (unread > to.room()) return bad_parameter(body::log_entries);

  // The adapter counts unread entries from the consumer index that it knows.
  port.write(layout::window::kCqDoorbell.offset + cqn * kDoorbellBytes, consumer);
  config.put(row::base, to.base);
  config.put(row::log, to.log);
  config.put(row::resize, 1);
  // The owner bit shows in which ring a completion of the meantime is. The fence waits until those
  // of the old ring have reached it.
  if (!port.write_row(layout::Table::kCq, cqn, config)) return hardware_error();
  cq.base = to.base;
  cq.log = static_cast<uint8_t>(to.log);
  if (!port.read_row(layout::Table::kCqLive, cqn, &after) || !port.fence()) return hardware_error();
  const uint32_t late = distance(producer, static_cast<uint32_t>(after.get(live::producer)));
  // The pass of index 0 is odd or even with the 17th bit of the producer.
  const auto pass = static_cast<uint32_t>(before.get(live::pass));
  const uint32_t first = (pass << 16 | producer) - unread;
  return copy(&port, cq.pasid, from, to, first, unread + late) ? ok() : hardware_error();
}

}  // namespace roci::fw
