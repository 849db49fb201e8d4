// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/axi.hpp"

#include <cstring>
#include <utility>

namespace roci::testbench {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::size_t kMostOutstanding = 512;

}  // namespace

AxiHost::AxiHost(const AxiConfig& config, Lookup lookup, Transfer transfer, Fault fault,
                 Landed landed)
    : config_(config),
      lookup_(std::move(lookup)),
      transfer_(std::move(transfer)),
      fault_(std::move(fault)),
      landed_(std::move(landed)),
      random_(config.seed) {}

bool AxiHost::stalled(unsigned channel) {
  if (config_.stall <= 0) return false;
  if (stall_[channel] != 0) {
    --stall_[channel];
  } else if (static_cast<double>(random_() >> 11) * 0x1p-53 < config_.stall) {
    stall_[channel] = 1 + static_cast<unsigned>(random_() % config_.stall_clocks);
  }
  return stall_[channel] != 0;
}

void AxiHost::prepare(std::uint64_t now_ns) {
  now_ns_ = now_ns;
  while (writes_done_ < writes_full_ && writes_[writes_done_].at_memory <= now_ns) {
    perform_write(writes_[writes_done_++]);
  }
  while (reads_done_ < reads_.size() && reads_[reads_done_].at_memory <= now_ns) {
    perform_read(reads_[reads_done_++]);
  }
  ar_ready = reads_.size() < kMostOutstanding && !stalled(0);
  aw_ready = writes_.size() < kMostOutstanding && !stalled(1);
  w_ready = beats_.size() < kMostOutstanding && !stalled(2);

  if (current_ == kNever) choose_read(now_ns);
  r_valid = current_ != kNever;
  if (r_valid) {
    const Transaction& t = reads_[current_];
    r_id = t.id;
    r_resp = t.resp;
    r_last = beat_ + 1 == t.beats;
    r_data = t.data.data() + std::size_t{beat_} * config_.bytes;
  }
  b_valid = writes_done_ != 0 && writes_.front().back <= now_ns;
  if (b_valid) {
    b_id = writes_.front().id;
    b_resp = writes_.front().resp;
  }
}

void AxiHost::choose_read(std::uint64_t now_ns) {
  if (reads_done_ == 0) return;
  std::size_t chosen = 0;
  if (config_.out_of_order) {
    // Selects a response that is due; the oldest of its id comes first.
    std::size_t due = 0;
    for (std::size_t i = 0; i < reads_done_; ++i) {
      if (reads_[i].back <= now_ns && random_() % ++due == 0) chosen = i;
    }
    for (std::size_t i = 0; i < chosen; ++i) {
      if (reads_[i].id == reads_[chosen].id) chosen = i;
    }
  }
  if (reads_[chosen].back > now_ns) return;
  current_ = chosen;
  beat_ = 0;
}

AxiHost::Transaction AxiHost::transaction(std::uint64_t now_ns, std::uint8_t id,
                                          std::uint64_t address, unsigned len,
                                          std::uint32_t pasid) {
  Transaction t;
  t.from = now_ns;
  t.id = id;
  t.pasid = pasid;
  t.address = address;
  t.beats = len + 1;
  return t;
}

void AxiHost::address_read(std::uint64_t now_ns, std::uint8_t id, std::uint64_t address,
                           unsigned len, std::uint32_t pasid) {
  Transaction t = transaction(now_ns, id, address, len, pasid);
  t.at_memory = now_ns + config_.latency_ns;
  t.back = now_ns + 2 * config_.latency_ns;
  if (config_.out_of_order) t.back += random_() % (config_.latency_ns + 1);
  check_burst(t, "read burst");
  ++counts_.reads;
  counts_.read_bytes += std::uint64_t{t.beats} * config_.bytes;
  reads_.push_back(std::move(t));
  if (reads_.size() > counts_.most_reads) counts_.most_reads = static_cast<unsigned>(reads_.size());
}

void AxiHost::address_write(std::uint64_t now_ns, std::uint8_t id, std::uint64_t address,
                            unsigned len, std::uint32_t pasid) {
  Transaction t = transaction(now_ns, id, address, len, pasid);
  t.at_memory = kNever;
  t.back = kNever;
  t.data = buffer(std::size_t{t.beats} * config_.bytes);
  t.strobes.reserve(t.beats);
  check_burst(t, "write burst");
  ++counts_.writes;
  writes_.push_back(std::move(t));
  if (writes_.size() > counts_.most_writes) {
    counts_.most_writes = static_cast<unsigned>(writes_.size());
  }
  // Data that came before its address.
  std::vector<std::uint8_t> beat(config_.bytes);
  while (!beats_.empty() && writes_full_ < writes_.size()) {
    const Beat head = beats_.front();
    beats_.pop_front();
    for (std::uint8_t& byte : beat) {
      byte = early_.front();
      early_.pop_front();
    }
    write_data(now_ns, beat.data(), head.strobe, head.last);
  }
}

void AxiHost::write_data(std::uint64_t now_ns, const std::uint8_t* data, std::uint64_t strobe,
                         bool last) {
  if (writes_full_ == writes_.size()) {
    beats_.push_back({strobe, last});
    early_.insert(early_.end(), data, data + config_.bytes);
    return;
  }
  Transaction& t = writes_[writes_full_];
  std::memcpy(t.data.data() + t.strobes.size() * config_.bytes, data, config_.bytes);
  t.strobes.push_back(strobe);
  if (last != (t.strobes.size() == t.beats)) {
    fault_(text_of("wlast at the wrong beat of a burst", t.pasid, t.address));
  }
  if (t.strobes.size() == t.beats) {
    t.at_memory = now_ns + config_.latency_ns;
    t.back = now_ns + 2 * config_.latency_ns;
    ++writes_full_;
  }
}

void AxiHost::read_taken() {
  if (++beat_ != reads_[current_].beats) return;
  if (accessed_) report_access(reads_[current_], false);
  pool_.push_back(std::move(reads_[current_].data));
  reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(current_));
  --reads_done_;
  current_ = kNever;
}

void AxiHost::response_taken() {
  if (accessed_) report_access(writes_.front(), true);
  pool_.push_back(std::move(writes_.front().data));
  writes_.pop_front();
  --writes_done_;
  --writes_full_;
}

void AxiHost::check_burst(const Transaction& t, const char* what) {
  const std::uint64_t first = t.address / config_.bytes * config_.bytes;
  const std::uint64_t last = first + std::uint64_t{t.beats} * config_.bytes - 1;
  if (first / 4096 != last / 4096) {
    fault_(text_of(what, t.pasid, t.address) + " crosses 4 KiB");
  }
}

std::vector<std::uint8_t> AxiHost::buffer(std::size_t bytes) {
  std::vector<std::uint8_t> result;
  if (!pool_.empty()) {
    result = std::move(pool_.back());
    pool_.pop_back();
  }
  result.resize(bytes);
  return result;
}

}  // namespace roci::testbench
