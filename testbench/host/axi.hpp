// SPDX-License-Identifier: Apache-2.0
// The slave at the adapter's AXI4 master: latency, back-pressure, order of data, bounds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "testbench/host/bus_access.hpp"

namespace roci::testbench {

struct AxiConfig {
  unsigned bytes = 64;             ///< bytes of a beat
  std::uint64_t latency_ns = 400;  ///< each way
  bool out_of_order = false;       ///< reads take up to 1.5 times as long, in any order between ids
  double stall = 0;                ///< probability per clock that a channel begins to stall
  unsigned stall_clocks = 16;      ///< longest stall
  std::uint64_t seed = 1;
};

/// A range of memory that the bus may use by pointer.
struct DirectRange {
  std::uint32_t pasid = 0;
  std::uint64_t first = 1, last = 0;  ///< addresses, both inclusive
  std::uint8_t* host = nullptr;       ///< host address of `first`
  bool holds(std::uint32_t space, std::uint64_t a, std::uint64_t b) const {
    return space == pasid && a >= first && b <= last;
  }
};

/// AXI4 slave in front of host memory. For each clock: prepare(), which sets the outputs; then the
/// transfers of that clock's handshakes.
///
/// Reads come in blocks of 64 bytes, so a read may touch the rest of a block that holds mapped
/// bytes (these are guard bytes); a block that no range touches is an error, as is a write strobe
/// outside a range (I6).
class AxiHost {
 public:
  /// kByCall: no pointer, Transfer is used instead; kBroken: a test requests errors.
  enum class Found { kMapped, kByCall, kBroken, kNothing };
  using Lookup = std::function<Found(std::uint32_t pasid, std::uint64_t address, DirectRange&)>;
  /// Transfers bytes of memory without pointers; false: an invalid address.
  using Transfer = std::function<bool(bool write, std::uint32_t pasid, std::uint64_t address,
                                      std::uint8_t* data, std::size_t bytes)>;
  using Fault = std::function<void(const std::string&)>;
  /// Reports a write of at most 64 bytes at `host`; completions and events are such writes.
  using Landed =
      std::function<void(std::uint64_t address, const std::uint8_t* host, unsigned bytes)>;

  using Accessed = std::function<void(const BusAccess&)>;

  AxiHost(const AxiConfig& config, Lookup lookup, Transfer transfer, Fault fault, Landed landed);

  /// Reports every access from here on, when its response is taken.
  void report_accesses(Accessed accessed) { accessed_ = std::move(accessed); }

  // Outputs of this clock.
  bool ar_ready = false, aw_ready = false, w_ready = false;
  bool r_valid = false, r_last = false, b_valid = false;
  std::uint8_t r_id = 0, r_resp = 0, b_id = 0, b_resp = 0;
  const std::uint8_t* r_data = nullptr;

  void prepare(std::uint64_t now_ns);
  void address_read(std::uint64_t now_ns, std::uint8_t id, std::uint64_t address, unsigned len,
                    std::uint32_t pasid);
  void address_write(std::uint64_t now_ns, std::uint8_t id, std::uint64_t address, unsigned len,
                     std::uint32_t pasid);
  void write_data(std::uint64_t now_ns, const std::uint8_t* data, std::uint64_t strobe, bool last);
  void read_taken();
  void response_taken();

  bool idle() const { return reads_.empty() && writes_.empty() && beats_.empty(); }
  /// Whether a write reached memory since the last call.
  bool wrote() { return std::exchange(wrote_, false); }
  /// Invalidates all pointers obtained earlier.
  void forget_direct() { direct_.clear(); }

  struct Counts {
    std::uint64_t reads = 0, read_bytes = 0, writes = 0, write_bytes = 0;
    unsigned most_reads = 0, most_writes = 0;  ///< most accesses outstanding at once
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Transaction {
    std::uint8_t id = 0;
    std::uint32_t pasid = 0;
    std::uint64_t address = 0;
    unsigned beats = 0;
    std::uint64_t from = 0;  ///< time in ns of the address
    std::uint64_t at_memory =
        0;                   ///< time in ns at memory; all ones: the write's data is incomplete
    std::uint64_t back = 0;  ///< time in ns of the response
    bool done = false;       ///< memory was read or written
    std::uint8_t resp = 0;
    std::vector<std::uint8_t> data;
    std::vector<std::uint64_t> strobes;
  };
  static Transaction transaction(std::uint64_t now_ns, std::uint8_t id, std::uint64_t address,
                                 unsigned len, std::uint32_t pasid);
  /// First and last byte of an access; of a write, those that the strobes select. `first` is all
  /// ones when there is none.
  struct Span {
    std::uint64_t first, last;
  };
  Span span_of(const Transaction& t, bool write) const;
  void report_access(const Transaction& t, bool write) const;

  bool stalled(unsigned channel);
  std::uint64_t full_strobe() const {
    return config_.bytes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << config_.bytes) - 1;
  }
  /// Returns the range that holds `address`; nullptr: `found` gives the reason.
  const DirectRange* direct(std::uint32_t pasid, std::uint64_t address, Found& found);
  static std::string text_of(const char* what, std::uint32_t pasid, std::uint64_t address);
  void check_burst(const Transaction& t, const char* what);
  void fail_access(Transaction& t, const char* what, std::uint64_t address);
  void perform_read(Transaction& t);
  void perform_write(Transaction& t);
  void write_beat(Transaction& t, unsigned beat, std::uint64_t address);
  void report_landing(const Transaction& t);
  void write_by_call(Transaction& t);
  void choose_read(std::uint64_t now_ns);
  std::vector<std::uint8_t> buffer(std::size_t bytes);

  AxiConfig config_;
  Lookup lookup_;
  Transfer transfer_;
  Fault fault_;
  Landed landed_;
  Accessed accessed_;
  std::uint64_t now_ns_ = 0;  ///< time of this clock
  std::mt19937_64 random_;
  std::vector<DirectRange> direct_;
  std::deque<Transaction> reads_, writes_;
  std::size_t reads_done_ = 0, writes_done_ = 0;  ///< number of completed ones at the front
  std::size_t writes_full_ = 0;                   ///< writes whose data is complete
  struct Beat {
    std::uint64_t strobe;
    bool last;
  };
  std::deque<Beat> beats_;                 ///< data that came before its address
  std::deque<std::uint8_t> early_;         ///< their bytes
  std::size_t current_ = ~std::size_t{0};  ///< read whose data is on the bus
  unsigned beat_ = 0;
  unsigned stall_[3] = {};
  std::vector<std::vector<std::uint8_t>> pool_;
  bool wrote_ = false;
  Counts counts_;
};

}  // namespace roci::testbench
