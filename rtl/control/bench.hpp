// SPDX-License-Identifier: Apache-2.0
// Bench around roci_control: host memory with latency on the block ports, engines that take what
// they are told, and a master on the register bus.
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

  template <typename Port>
  void put_cqe(Port& to, const Cqe& c) {
    port::clear(to);
    port::put(to, place_of(spec::kCqeReq, "cqn"), c.cqn);
    port::put(to, place_of(spec::kCqeReq, "qpn"), c.qpn);
    port::put(to, place_of(spec::kCqeReq, "wqe_index"), c.wqe_index);
    port::put(to, place_of(spec::kCqeReq, "status"), c.status);
    port::put(to, place_of(spec::kCqeReq, "opcode"), c.opcode);
    port::put(to, place_of(spec::kCqeReq, "byte_len"), c.byte_len);
    port::put(to, place_of(spec::kCqeReq, "solicited"), c.solicited);
    port::put(to, place_of(spec::kCqeReq, "wait_data"), c.wait_data);
    port::put(to, place_of(spec::kCqeReq, "ticket"), c.ticket);
    port::put(to, place_of(spec::kCqeReq, "wait_store"), c.wait_store);
    port::put(to, place_of(spec::kCqeReq, "store_ticket"), c.store_ticket);
  }

  void drive() {
    dut->qp_event_sq_ready_i = engines_ready;
    dut->qp_event_rq_ready_i = engines_ready;
    dut->cqe_sq_valid_i = !cqes[0].empty();
    if (!cqes[0].empty()) put_cqe(dut->cqe_sq_i, cqes[0].front());
    dut->cqe_rq_valid_i = !cqes[1].empty();
    if (!cqes[1].empty()) put_cqe(dut->cqe_rq_i, cqes[1].front());
    dut->fail_sq_valid_i = !fails[0].empty();
    if (!fails[0].empty()) dut->fail_sq_i = event_word(fails[0].front());
    dut->fail_rq_valid_i = !fails[1].empty();
    if (!fails[1].empty()) dut->fail_rq_i = event_word(fails[1].front());
    dut->event_rq_valid_i = !plain_events.empty();
    if (!plain_events.empty()) dut->event_rq_i = event_word(plain_events.front());
    dut->count_sq_valid_i = !counts[0].empty();
    if (!counts[0].empty()) dut->count_sq_i = count_word(counts[0].front());
    dut->count_rq_valid_i = !counts[1].empty();
    if (!counts[1].empty()) dut->count_rq_i = count_word(counts[1].front());
    dut->bw_cq_req_ready_i = chance();
    dut->bw_eq_req_ready_i = chance();
    dut->bw_fw_req_ready_i = chance();
    dut->br_fw_req_ready_i = chance();
    dut->bw_cq_rsp_valid_i = due(0);
    dut->bw_eq_rsp_valid_i = due(1);
    dut->bw_fw_rsp_valid_i = due(2);
    const bool data = !reads_.empty() && reads_.front().due <= dut.cycle();
    dut->br_fw_rsp_valid_i = data;
    port::put(dut->br_fw_rsp_i, bus::kReadError, read_error);
    if (data) {
      for (unsigned i = 0; i < 64; ++i)
        port::put_byte(dut->br_fw_rsp_i, i, reads_.front().bytes[i]);
    }
    dut->s_axis_eth_rx_tvalid_i = !rx_frames.empty();
    if (!rx_frames.empty()) {
      const auto& frame = rx_frames.front();
      port::clear(dut->s_axis_eth_rx_tdata_i);
      std::uint64_t keep = 0;
      for (unsigned i = 0; i < kBeat && rx_at_ + i < frame.size(); ++i) {
        port::put_byte(dut->s_axis_eth_rx_tdata_i, i, frame[rx_at_ + i]);
        keep |= std::uint64_t{1} << i;
      }
      port::put(dut->s_axis_eth_rx_tkeep_i, 0, kBeat, keep);
      dut->s_axis_eth_rx_tlast_i = rx_at_ + kBeat >= frame.size();
    }
  }

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

  void sample() {
    aw_taken_ = dut->s_axil_awvalid_i && dut->s_axil_awready_o;
    ar_taken_ = dut->s_axil_arvalid_i && dut->s_axil_arready_o;
    if (dut->s_axil_bvalid_o && dut->s_axil_bready_i) ++answers_;
    if (dut->s_axil_rvalid_o && dut->s_axil_rready_i) {
      r_taken_ = true;
      read_data_ = dut->s_axil_rdata_o;
    }
    if (dut->row_write_valid_o) {
      RowSeen seen{static_cast<unsigned>(port::get(dut->row_write_o, bus::kRowTable)),
                   static_cast<unsigned>(port::get(dut->row_write_o, bus::kRowIndex)),
                   {},
                   dut.cycle()};
      for (int i = 0; i < 16; ++i) {
        seen.data[i] = static_cast<std::uint32_t>(port::get(dut->row_write_o, 32 * i, 32));
      }
      rows.push_back(seen);
    }
    const auto qp_event = [this](std::uint32_t word) {
      return EventSeen{static_cast<unsigned>(port::get(word, place_of(spec::kQpEvent, "qpn"))),
                       static_cast<unsigned>(port::get(word, place_of(spec::kQpEvent, "kind"))),
                       dut.cycle()};
    };
    if (dut->qp_event_sq_valid_o && engines_ready)
      sq_events.push_back(qp_event(dut->qp_event_sq_o));
    if (dut->qp_event_rq_valid_o && engines_ready)
      rq_events.push_back(qp_event(dut->qp_event_rq_o));
    const auto doorbell = [](std::uint64_t word) {
      return Doorbell{static_cast<unsigned>(port::get(word, place_of(spec::kDoorbell, "qpn"))),
                      static_cast<unsigned>(port::get(word, place_of(spec::kDoorbell, "index")))};
    };
    if (dut->sq_doorbell_valid_o && dut->sq_doorbell_ready_i) {
      sq_doorbells.push_back(doorbell(dut->sq_doorbell_o));
    }
    if (dut->rq_doorbell_valid_o && dut->rq_doorbell_ready_i) {
      rq_doorbells.push_back(doorbell(dut->rq_doorbell_o));
    }
    if (dut->srq_doorbell_valid_o && dut->srq_doorbell_ready_i) {
      srq_doorbells.push_back(doorbell(dut->srq_doorbell_o));
    }
    if (dut->cqe_sq_valid_i && dut->cqe_sq_ready_o) cqes[0].pop_front();
    if (dut->cqe_rq_valid_i && dut->cqe_rq_ready_o) cqes[1].pop_front();
    if (dut->fail_sq_valid_i && dut->fail_sq_ready_o) fails[0].pop_front();
    if (dut->fail_rq_valid_i && dut->fail_rq_ready_o) fails[1].pop_front();
    if (dut->event_rq_valid_i && dut->event_rq_ready_o) plain_events.pop_front();
    if (dut->count_sq_valid_i && dut->count_sq_ready_o) counts[0].pop_front();
    if (dut->count_rq_valid_i && dut->count_rq_ready_o) counts[1].pop_front();
    if (dut->bw_cq_rsp_valid_i) writes_[0].pop_front();
    if (dut->bw_eq_rsp_valid_i) writes_[1].pop_front();
    if (dut->bw_fw_rsp_valid_i) writes_[2].pop_front();
    if (dut->bw_cq_req_valid_o && dut->bw_cq_req_ready_i) {
      take_write(0, port::get(dut->bw_cq_req_o, bus::kWritePasid),
                 port::get(dut->bw_cq_req_o, bus::kWriteAddr), dut->bw_cq_req_o,
                 port::get(dut->bw_cq_req_o, bus::kWriteBytes));
    }
    if (dut->bw_eq_req_valid_o && dut->bw_eq_req_ready_i) {
      take_write(1, port::get(dut->bw_eq_req_o, bus::kWritePasid),
                 port::get(dut->bw_eq_req_o, bus::kWriteAddr), dut->bw_eq_req_o,
                 port::get(dut->bw_eq_req_o, bus::kWriteBytes));
    }
    if (dut->bw_fw_req_valid_o && dut->bw_fw_req_ready_i) {
      take_write(2, port::get(dut->bw_fw_req_o, bus::kWritePasid),
                 port::get(dut->bw_fw_req_o, bus::kWriteAddr), dut->bw_fw_req_o,
                 port::get(dut->bw_fw_req_o, bus::kWriteBytes));
    }
    if (dut->br_fw_rsp_valid_i && dut->br_fw_rsp_ready_o) reads_.pop_front();
    if (dut->br_fw_req_valid_o && dut->br_fw_req_ready_i) {
      reads_.push_back(
          {dut.cycle() + 30, bytes_at(port::get(dut->br_fw_req_o, bus::kReadPasid),
                                      port::get(dut->br_fw_req_o, bus::kReadAddr), 64)});
    }
    if (dut->s_axis_eth_rx_tvalid_i && dut->s_axis_eth_rx_tready_o) {
      rx_at_ += kBeat;
      if (dut->s_axis_eth_rx_tlast_i) {
        rx_at_ = 0;
        rx_frames.pop_front();
      }
    }
    if (dut->m_axis_host_tvalid_o && dut->m_axis_host_tready_i) {
      collect(host_, host_frames, dut->m_axis_host_tdata_o,
              port::get(dut->m_axis_host_tkeep_o, 0, kBeat), dut->m_axis_host_tlast_o);
    }
    if (dut->m_axis_fw_tvalid_o && dut->m_axis_fw_tready_i) {
      ++fw_beats;
      collect(fw_, fw_frames, dut->m_axis_fw_tdata_o, port::get(dut->m_axis_fw_tkeep_o, 0, kBeat),
              dut->m_axis_fw_tlast_o);
    }
  }
};

}  // namespace control_bench
