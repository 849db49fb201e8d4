// SPDX-License-Identifier: Apache-2.0
// The memory side of an AxiHost: reads and writes of host memory, directly or by transactions.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "testbench/host/axi.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint8_t kDecodeError = 3;
constexpr std::uint64_t kReadBlock = 64;  // unit of the adapter's reads at any width

}  // namespace

std::string AxiHost::text_of(const char* what, std::uint32_t pasid, std::uint64_t address) {
  char text[120];
  std::snprintf(text, sizeof text, "%s at 0x%llx of address space 0x%x", what,
                static_cast<unsigned long long>(address), pasid);
  return text;
}

const DirectRange* AxiHost::direct(std::uint32_t pasid, std::uint64_t address, Found& found) {
  found = Found::kMapped;
  for (std::size_t i = 0; i < direct_.size(); ++i) {
    if (direct_[i].holds(pasid, address, address)) {
      if (i != 0) std::swap(direct_[i], direct_[i / 2]);  // used ranges move to the front
      return &direct_[i / 2];
    }
  }
  DirectRange range;
  found = lookup_(pasid, address, range);
  if (found != Found::kMapped) return nullptr;
  direct_.push_back(range);
  return &direct_.back();
}

void AxiHost::fail_access(Transaction& t, const char* what, std::uint64_t address) {
  DirectRange range;
  if (lookup_(t.pasid, address, range) == Found::kNothing) fault_(text_of(what, t.pasid, address));
  t.resp = kDecodeError;
}

void AxiHost::perform_read(Transaction& t) {
  t.done = true;
  t.data = buffer(std::size_t{t.beats} * config_.bytes);
  const std::uint64_t start = t.address / config_.bytes * config_.bytes;
  const std::uint64_t end = start + std::uint64_t{t.beats} * config_.bytes;
  // The first and the last block may exceed the range, into its guard bytes.
  const auto block = [](std::uint64_t address) { return address / kReadBlock; };
  Found found;
  const DirectRange* range = direct(t.pasid, t.address, found);
  if (found == Found::kByCall) {
    if (!transfer_(false, t.pasid, start, t.data.data(), end - start)) t.resp = kDecodeError;
    return;
  }
  for (std::uint64_t a = t.address; range == nullptr && block(a) == block(t.address); ++a) {
    range = direct(t.pasid, a, found);
  }
  if (range != nullptr && block(start) >= block(range->first) &&
      block(end - 1) <= block(range->last)) {
    std::memcpy(t.data.data(), range->host - range->first + start, end - start);
    return;
  }
  const std::uint64_t bad = range == nullptr                     ? t.address
                            : block(start) < block(range->first) ? start
                                                                 : range->last + 1;
  fail_access(t, "read outside mapped memory", bad);
  for (std::uint8_t& byte : t.data) byte = static_cast<std::uint8_t>(random_());
}

void AxiHost::perform_write(Transaction& t) {
  t.done = true;
  wrote_ = true;
  Found found;
  direct(t.pasid, t.address, found);
  if (found == Found::kByCall) return write_by_call(t);
  const std::uint64_t start = t.address / config_.bytes * config_.bytes;
  for (unsigned i = 0; i < t.beats; ++i) write_beat(t, i, start + std::uint64_t{i} * config_.bytes);
  report_landing(t);
}

/// First and last byte of a beat that a strobe selects.
struct Lanes {
  unsigned low, high;
  bool whole;  ///< all between are selected
  explicit Lanes(std::uint64_t strobe)
      : low(static_cast<unsigned>(__builtin_ctzll(strobe))),
        high(63 - static_cast<unsigned>(__builtin_clzll(strobe))),
        whole(strobe >> low == (high - low == 63 ? ~std::uint64_t{0}
                                                 : (std::uint64_t{1} << (high - low + 1)) - 1)) {}
};

void AxiHost::write_beat(Transaction& t, unsigned beat, std::uint64_t address) {
  const std::uint64_t strobe = t.strobes[beat] & full_strobe();
  if (strobe == 0) return;
  const Lanes lanes(strobe);
  const std::uint64_t first = address + lanes.low;
  const std::uint64_t last = address + lanes.high;
  Found found;
  const DirectRange* range = direct(t.pasid, first, found);
  if (range == nullptr || !range->holds(t.pasid, first, last)) {
    fail_access(t, "write outside mapped memory", range == nullptr ? first : range->last + 1);
    return;
  }
  const std::uint8_t* from = t.data.data() + std::size_t{beat} * config_.bytes;
  std::uint8_t* to = range->host + (first - range->first);
  if (lanes.whole) {
    std::memcpy(to, from + lanes.low, lanes.high - lanes.low + 1);
  } else {
    for (unsigned b = lanes.low; b <= lanes.high; ++b) {
      if ((strobe >> b & 1) != 0) to[b - lanes.low] = from[b];
    }
  }
  counts_.write_bytes += static_cast<unsigned>(__builtin_popcountll(strobe));
}

AxiHost::Span AxiHost::span_of(const Transaction& t, bool write) const {
  const std::uint64_t start = t.address / config_.bytes * config_.bytes;
  if (!write) return {t.address, start + std::uint64_t{t.beats} * config_.bytes - 1};
  Span span{kNever, 0};
  for (unsigned i = 0; i < t.beats; ++i) {
    const std::uint64_t strobe = t.strobes[i] & full_strobe();
    if (strobe == 0) continue;
    const Lanes lanes(strobe);
    const std::uint64_t at = start + std::uint64_t{i} * config_.bytes;
    span.first = std::min(span.first, at + lanes.low);
    span.last = at + lanes.high;
  }
  return span;
}

void AxiHost::report_access(const Transaction& t, bool write) const {
  const auto [first, last] = span_of(t, write);
  if (first == kNever) return;
  accessed_({use_of(write, t.id), t.pasid, first, static_cast<std::size_t>(last - first + 1),
             t.from, t.at_memory, now_ns_, t.data.data() + first % config_.bytes, t.resp != 0});
}

/// A small write is reported once, whatever its number of beats.
void AxiHost::report_landing(const Transaction& t) {
  const auto [first, last] = span_of(t, true);
  if (first == kNever || last - first >= kReadBlock || t.resp != 0) return;
  Found found;
  const DirectRange* range = direct(t.pasid, first, found);
  if (range == nullptr || !range->holds(t.pasid, first, last)) return;
  landed_(first, range->host + (first - range->first), static_cast<unsigned>(last - first + 1));
}

void AxiHost::write_by_call(Transaction& t) {
  const std::uint64_t start = t.address / config_.bytes * config_.bytes;
  const auto named = [&](std::size_t byte) {
    return (t.strobes[byte / config_.bytes] >> byte % config_.bytes & 1) != 0;
  };
  // The strobes are merged into as few calls as possible, because a call is expensive.
  const std::size_t bytes = std::size_t{t.beats} * config_.bytes;
  for (std::size_t from = 0, to = 0; from < bytes; from = to + 1) {
    for (to = from; to < bytes && named(to);) ++to;
    if (to == from) continue;
    counts_.write_bytes += to - from;
    if (!transfer_(true, t.pasid, start + from, t.data.data() + from, to - from)) {
      t.resp = kDecodeError;
    } else if (to - from <= kReadBlock) {
      landed_(start + from, t.data.data() + from, static_cast<unsigned>(to - from));
    }
  }
}

}  // namespace roci::testbench
