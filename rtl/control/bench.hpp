// SPDX-License-Identifier: Apache-2.0
// Bench around roci_control: host memory with latency on the block ports, engines that take their
// commands, and a master on the register bus.
#pragma once

#include <Vroci_control.h>

#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "model/spec/layout/registers.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace control_bench {

namespace reg = layout::reg;
namespace window = layout::window;
using layout::DropCause;
using layout::EventKind;
using layout::PortCounter;
using layout::QpCounter;
using layout::QpEvent;
using layout::QpState;
using layout::Status;
using layout::Table;

constexpr unsigned kNumQps = 16, kNumKeys = 32, kNumCqs = 16, kNumSrqs = 8;  // as in block.cmake

constexpr unsigned kRowWords = layout::kRowBytes / 4;

/// A row of a table, as words of the window TableData.
struct Row {
  std::uint32_t word[kRowWords] = {};
  std::uint32_t& operator[](unsigned i) { return word[i]; }
  std::uint32_t operator[](unsigned i) const { return word[i]; }
  bool operator==(const Row& other) const { return std::equal(word, word + kRowWords, other.word); }
};
struct RowSeen {
  Table table;
  unsigned index;
  Row data;
  std::uint64_t cycle;
};
struct EventSeen {
  unsigned qpn;
  QpEvent kind;
  std::uint64_t cycle;
};
struct Doorbell {
  unsigned qpn;
  unsigned index;
};
/// Clients of block writes.
enum Writer : unsigned { kCqWrite, kEqWrite, kFirmwareWrite };

class Bench {
 public:
  explicit Bench(std::uint32_t seed = 1) : random(seed) {
    dut->sq_doorbell_ready_i = 1;
    dut->rq_doorbell_ready_i = 1;
    dut->srq_doorbell_ready_i = 1;
    dut->all_idle_i = 1;
    dut->s_axil_bready_i = 1;
    dut->s_axil_rready_i = 1;
    dut->m_axis_host_tready_i = 1;
    dut->m_axis_fw_tready_i = 1;
    for (int i = 0; i < 100; ++i) step();  // memories clear themselves
  }

  Dut<Vroci_control> dut;
  std::mt19937 random;

  // settings of the bench
  bool engines_ready = true;     ///< the engines take commands
  unsigned write_latency = 20;   ///< clocks from a block write to its response
  bool hold_writes = false;      ///< block writes get no response
  unsigned percent_ready = 100;  ///< clocks in which the block ports are ready
  std::uint64_t now_step = 4;    ///< ns per clock

  // what was seen
  std::vector<RowSeen> rows;
  std::vector<EventSeen> sq_events, rq_events;
  std::vector<Doorbell> sq_doorbells, rq_doorbells, srq_doorbells;
  std::vector<std::pair<Writer, unsigned>> writes;  ///< client and bytes, in the order taken
  std::vector<std::vector<std::uint8_t>> host_frames, fw_frames;
  std::map<std::uint64_t, std::uint8_t> memory;     ///< by pasid << 44 ^ address
  std::deque<std::vector<std::uint8_t>> rx_frames;  ///< to send into eth_rx
  std::vector<std::uint64_t> cqe_cycles;            ///< clocks in which entries were taken
  unsigned fw_beats = 0;
  bool read_error = false;

  /// A completion request, field by field.
  struct Cqe {
    unsigned cqn = 0, qpn = 0, wqe_index = 0, opcode = 0, byte_len = 0;
    Status status = Status::kSuccess;
    bool solicited = false, wait_data = false, wait_store = false;
    unsigned ticket = 0, store_ticket = 0;
  };
  std::deque<Cqe> cqes[2];  ///< to offer: sq, rq
  /// An event with the number of its queue.
  using Event = std::pair<EventKind, unsigned>;
  std::deque<Event> fails[2];
  std::deque<Event> plain_events;

  struct Count {
    unsigned qpn;
    QpCounter counter;
    unsigned bytes;
  };
  std::deque<Count> counts[2];

  static std::uint64_t key(std::uint32_t pasid, std::uint64_t address) {
    return static_cast<std::uint64_t>(pasid) << 44 ^ address;
  }
  std::uint8_t byte_at(std::uint32_t pasid, std::uint64_t address) const {
    const auto found = memory.find(key(pasid, address));
    return found == memory.end() ? 0xEE : found->second;
  }
  std::vector<std::uint8_t> bytes_at(std::uint32_t pasid, std::uint64_t address, unsigned n) const {
    std::vector<std::uint8_t> out(n);
    for (unsigned i = 0; i < n; ++i) out[i] = byte_at(pasid, address + i);
    return out;
  }

  /// One clock: every port is driven, and what is handed over is kept.
  void step() {
    drive();
    dut.settle();
    sample();
    dut.tick();
    dut->now_i += now_step;
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) step();
  }

  void write(std::uint32_t address, std::uint32_t data, unsigned strobes = 15) {
    dut->s_axil_awaddr_i = address;
    dut->s_axil_wdata_i = data;
    dut->s_axil_wstrb_i = strobes;
    dut->s_axil_awvalid_i = 1;
    dut->s_axil_wvalid_i = 1;
    bool taken = false;
    while (!taken) {
      step();
      taken = aw_taken_;
    }
    dut->s_axil_awvalid_i = 0;
    dut->s_axil_wvalid_i = 0;
    while (write_responses_ == 0) step();
    --write_responses_;
  }

  std::uint32_t read(std::uint32_t address) {
    dut->s_axil_araddr_i = address;
    dut->s_axil_arvalid_i = 1;
    do step();
    while (!ar_taken_);
    dut->s_axil_arvalid_i = 0;
    while (!r_taken_) step();
    r_taken_ = false;
    return read_data_;
  }

  void table_start(Table which, unsigned row, bool writes_row) {
    write(reg::kTableCommand, layout::bits(reg::table_command::row, row) |
                                  layout::bits(reg::table_command::table_id, which) |
                                  layout::bits(reg::table_command::write, writes_row) |
                                  layout::bits(reg::table_command::go, 1));
  }
  bool table_busy() { return layout::get(read(reg::kTableCommand), reg::table_command::go); }
  void table_wait() {
    int left = 10000;
    while (table_busy()) {
      if (--left == 0) throw "table port does not end";
    }
  }
  Row table_data() {
    Row out;
    for (unsigned i = 0; i < kRowWords; ++i) out[i] = read(window::kTableData.offset + 4 * i);
    return out;
  }
  void put_table_data(const Row& data) {
    for (unsigned i = 0; i < kRowWords; ++i) write(window::kTableData.offset + 4 * i, data[i]);
  }
  void table_write(Table which, unsigned row, const Row& data) {
    put_table_data(data);
    table_start(which, row, true);
    table_wait();
  }
  Row table_read(Table which, unsigned row) {
    table_start(which, row, false);
    table_wait();
    return table_data();
  }
  void set_state(unsigned qpn, QpState state) {
    Row row;
    port::put(row, layout::qp_state::state, state);
    table_write(Table::kQpState, qpn, row);
  }
  QpState get_state(unsigned qpn) {
    return QpState{port::get(table_read(Table::kQpState, qpn), layout::qp_state::state)};
  }

  void make_cq(unsigned cqn, std::uint64_t base, unsigned log, unsigned count = 0,
               unsigned period = 0, bool valid = true, unsigned pasid = 7) {
    Row row;
    port::put(row, layout::cq::valid, valid);
    port::put(row, layout::cq::pasid, pasid);
    port::put(row, layout::cq::base, base);
    port::put(row, layout::cq::log, log);
    port::put(row, layout::cq::moderation_count, count);
    port::put(row, layout::cq::moderation_period, period);
    table_write(Table::kCq, cqn, row);
  }

 private:
  struct Pending {
    std::uint64_t due;
  };
  std::deque<Pending> writes_[3];
  struct ReadPending {
    std::uint64_t due;
    std::vector<std::uint8_t> bytes;
  };
  std::deque<ReadPending> reads_;
  bus::BlockBeats beats_;
  unsigned write_responses_ = 0;
  bool aw_taken_ = false, ar_taken_ = false, r_taken_ = false;
  std::uint32_t read_data_ = 0;
  std::size_t rx_at_ = 0;
  std::vector<std::uint8_t> host_, fw_;
  static constexpr unsigned kBeat = DATA_WIDTH / 8;

  bool chance() { return random() % 100 < percent_ready; }

  void drive();

  bool due(Writer client) {
    return !hold_writes && !writes_[client].empty() && writes_[client].front().due <= dut.cycle();
  }
  static std::uint32_t event_word(const Event& event) {
    std::uint32_t word = 0;
    port::put(word, layout::event_req::kind, event.first);
    port::put(word, layout::event_req::number, event.second);
    return word;
  }
  static std::uint64_t count_word(const Count& c) {
    std::uint64_t word = 0;
    port::put(word, layout::count::qpn, c.qpn);
    port::put(word, layout::count::counter, c.counter);
    port::put(word, layout::count::bytes, c.bytes);
    return word;
  }

  template <typename Port>
  void take_write(Writer client, const Port& request) {
    const std::uint32_t pasid = port::get(request, layout::block_write_req::pasid);
    const std::uint64_t address = port::get(request, layout::block_write_req::addr);
    const unsigned bytes = port::get(request, layout::block_write_req::bytes);
    for (unsigned i = 0; i < bytes; ++i) memory[key(pasid, address + i)] = port::byte(request, i);
    writes.emplace_back(client, bytes);
    if (client == kCqWrite) cqe_cycles.push_back(dut.cycle());
    writes_[client].push_back({dut.cycle() + write_latency});
  }

  template <typename Data>
  static void collect(std::vector<std::uint8_t>& frame, std::vector<std::vector<std::uint8_t>>& out,
                      const Data& data, std::uint64_t keep, bool last) {
    for (unsigned i = 0; i < kBeat; ++i) {
      if (keep >> i & 1) frame.push_back(port::byte(data, i));
    }
    if (last) {
      out.push_back(frame);
      frame.clear();
    }
  }

  void sample();
};

}  // namespace control_bench

#include "rtl/control/bench_clock.hpp"  // IWYU pragma: keep
