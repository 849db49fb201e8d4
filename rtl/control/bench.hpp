// SPDX-License-Identifier: Apache-2.0
// Bench around roci_control: host memory with latency on the block ports, engines that take what
// they are reported, and a master on the register bus.
#pragma once

#include <Vroci_control.h>

#include <deque>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "model/spec/commands.hpp"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "model/spec/registers.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace control_bench {

namespace spec = roci::spec;
using spec::place_of;

template <std::size_t N>
constexpr unsigned code(const spec::Code (&codes)[N], std::string_view name) {
  for (const spec::Code& c : codes) {
    if (c.name == name) return c.value;
  }
  throw "no such code";
}
constexpr std::uint32_t reg(std::string_view name) {
  for (const spec::Register& r : spec::kRegisters) {
    if (r.name == name) return r.offset;
  }
  throw "no such register";
}
constexpr std::uint32_t window(std::string_view name) {
  for (const spec::Window& w : spec::kWindows) {
    if (w.name == name) return w.offset;
  }
  throw "no such window";
}
constexpr unsigned table(std::string_view name) { return code(spec::kTables, name); }
constexpr unsigned state(std::string_view name) { return code(spec::kQpStates, name); }
constexpr unsigned event_kind(std::string_view name) { return code(spec::kEvents, name); }

constexpr unsigned kBusy = 31;
constexpr unsigned kNumQps = 16, kNumKeys = 32, kNumCqs = 16, kNumSrqs = 8;  // as in block.cmake

struct Row {  // a row of a table, or any 512 bits
  std::uint32_t word[16] = {};
  std::uint32_t& operator[](int i) { return word[i]; }
  std::uint32_t operator[](int i) const { return word[i]; }
  bool operator==(const Row& other) const { return std::equal(word, word + 16, other.word); }
};
struct RowSeen {
  unsigned table;
  unsigned index;
  Row data;
  std::uint64_t cycle;
};
struct EventSeen {
  unsigned qpn;
  unsigned kind;
  std::uint64_t cycle;
};
struct Doorbell {
  unsigned qpn;
  unsigned index;
};
struct Beat {
  std::vector<std::uint8_t> bytes;
  bool last;
};

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

  // knobs
  bool engines_ready = true;     ///< take qp_event
  unsigned write_latency = 20;   ///< clocks from a block write to its response
  bool hold_writes = false;      ///< no responses
  unsigned percent_ready = 100;  ///< of block ports
  std::uint64_t now_step = 4;    ///< ns per clock

  // what was seen
  std::vector<RowSeen> rows;
  std::vector<EventSeen> sq_events, rq_events;
  std::vector<Doorbell> sq_doorbells, rq_doorbells, srq_doorbells;
  std::vector<std::pair<unsigned, unsigned>> writes;  ///< client, bytes: as taken
  std::vector<std::vector<std::uint8_t>> host_frames, fw_frames;
  std::map<std::uint64_t, std::uint8_t> memory;     ///< by pasid << 44 ^ address
  std::deque<std::vector<std::uint8_t>> rx_frames;  ///< to send into eth_rx
  std::vector<std::uint64_t> cqe_cycles;            ///< clocks in which entries were taken
  unsigned fw_beats = 0;
  bool read_error = false;

  /// A completion request, field by field.
  struct Cqe {
    unsigned cqn = 0, qpn = 0, wqe_index = 0, status = 0, opcode = 0, byte_len = 0;
    bool solicited = false, wait_data = false, wait_store = false;
    unsigned ticket = 0, store_ticket = 0;
  };
  std::deque<Cqe> cqes[2];                             ///< to offer: sq, rq
  std::deque<std::pair<unsigned, unsigned>> fails[2];  ///< kind, qpn
  std::deque<std::pair<unsigned, unsigned>> plain_events;

  struct Count {
    unsigned qpn, counter, bytes;
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

  /// One clock; answers every port.
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
    while (answers_ == 0) step();
    --answers_;
  }
  void write(std::string_view name, std::uint32_t data) { write(reg(name), data); }

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
  std::uint32_t read(std::string_view name) { return read(reg(name)); }

  void table_start(unsigned which, unsigned row, bool writes_row) {
    write("TableCommand", 1u << kBusy | (writes_row ? 1u << 30 : 0) | which << 24 | row);
  }
  void table_wait() {
    int left = 10000;
    while (read("TableCommand") >> kBusy & 1) {
      if (--left == 0) throw "table port does not end";
    }
  }
  void table_write(unsigned which, unsigned row, const Row& data) {
    for (int i = 0; i < 16; ++i) write(window("TableData") + 4 * i, data[i]);
    table_start(which, row, true);
    table_wait();
  }
  Row table_read(unsigned which, unsigned row) {
    table_start(which, row, false);
    table_wait();
    Row out;
    for (int i = 0; i < 16; ++i) out[i] = read(window("TableData") + 4 * i);
    return out;
  }
  void set_state(unsigned qpn, unsigned value) {
    Row row;
    row[0] = value;
    table_write(table("QpState"), qpn, row);
  }
  unsigned get_state(unsigned qpn) { return table_read(table("QpState"), qpn)[0]; }

  void make_cq(unsigned cqn, std::uint64_t base, unsigned log, unsigned count = 0,
               unsigned period = 0, bool valid = true, unsigned pasid = 7) {
    Row row;
    port::put(row, place_of(spec::kCq, "valid"), valid);
    port::put(row, place_of(spec::kCq, "pasid"), pasid);
    port::put(row, place_of(spec::kCq, "base"), base);
    port::put(row, place_of(spec::kCq, "log"), log);
    port::put(row, place_of(spec::kCq, "moderation_count"), count);
    port::put(row, place_of(spec::kCq, "moderation_period"), period);
    table_write(table("Cq"), cqn, row);
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
  unsigned answers_ = 0;
  bool aw_taken_ = false, ar_taken_ = false, r_taken_ = false;
  std::uint32_t read_data_ = 0;
  std::size_t rx_at_ = 0;
  std::vector<std::uint8_t> host_, fw_;
  static constexpr unsigned kBeat = DATA_WIDTH / 8;

  bool chance() { return random() % 100 < percent_ready; }

  void drive();

  bool due(int client) {
    return !hold_writes && !writes_[client].empty() && writes_[client].front().due <= dut.cycle();
  }
  static std::uint32_t event_word(std::pair<unsigned, unsigned> kind_number) {
    return kind_number.first << place_of(spec::kEventReq, "kind").offset |
           kind_number.second << place_of(spec::kEventReq, "number").offset;
  }
  static std::uint64_t count_word(const Count& c) {
    std::uint64_t word = 0;
    port::put(word, place_of(spec::kCount, "qpn"), c.qpn);
    port::put(word, place_of(spec::kCount, "counter"), c.counter);
    port::put(word, place_of(spec::kCount, "bytes"), c.bytes);
    return word;
  }

  template <typename Data>
  void take_write(int client, std::uint32_t pasid, std::uint64_t address, const Data& data,
                  unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) memory[key(pasid, address + i)] = port::byte(data, i);
    writes.emplace_back(client, bytes);
    if (client == 0) cqe_cycles.push_back(dut.cycle());
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
