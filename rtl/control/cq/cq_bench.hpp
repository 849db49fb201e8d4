// SPDX-License-Identifier: Apache-2.0
// Engines, doorbells and host memory around the completion queues.
#pragma once

#include <Vroci_cq.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace cq_bench {

using layout::EventKind;
using layout::Status;
using layout::WcOp;

inline constexpr unsigned kCqs = 8;  // as in block.cmake
inline constexpr unsigned kEntryBytes = layout::cqe::kBytes;
inline constexpr unsigned kPasid = 7;
inline constexpr std::uint8_t kVendorErr = 0x5A;  // goes with a bad status
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Cqe {
  unsigned cqn = 0, qpn = 0, wqe_index = 0;
  Status status = Status::kSuccess;
  bool solicited = false;
  bool wait_data = false, wait_store = false;
  unsigned ticket = 0, store_ticket = 0;
};
struct Doorbell {
  unsigned cqn, index;
  bool arm, solicited;
};
struct Write {
  std::uint64_t address, cycle, due;
  unsigned cqn, wqe_index, qpn;
  Status status;
  bool owner, solicited;
};
struct Event {
  EventKind kind;
  unsigned number;
  std::uint64_t cycle;
};

struct Bench {
  Dut<Vroci_cq> dut;
  std::mt19937 random;
  std::deque<Cqe> in[2];
  std::deque<Doorbell> bells;
  std::deque<Write> flying;    // taken, without response so far
  std::vector<Write> visible;  // with response
  std::vector<Write> taken;
  std::vector<Event> events;
  std::vector<unsigned> fails;
  unsigned latency = 20;
  unsigned percent_ready = 100;
  unsigned percent_source = 100;
  std::uint64_t ns_per_clock = 4;
  unsigned log_of[kCqs] = {};
  unsigned bad_index = ~0u;  ///< the entry with this wqe_index does not reach memory

  explicit Bench(std::uint32_t seed = 1) : random(seed) {
    for (int i = 0; i < 20 || !dut->idle_o; ++i) step();
  }
  static std::uint64_t base(unsigned cqn) { return 0x100000000ull + cqn * 0x1000000ull; }
  bool chance(unsigned percent) { return random() % 100 < percent; }

  template <typename Port>
  static void put_cqe(Port& to, const Cqe& c) {
    port::clear(to);
    port::put(to, layout::cqe_req::cqn, c.cqn);
    port::put(to, layout::cqe_req::qpn, c.qpn);
    port::put(to, layout::cqe_req::wqe_index, c.wqe_index);
    port::put(to, layout::cqe_req::status, c.status);
    port::put(to, layout::cqe_req::opcode, WcOp::kRecv);
    port::put(to, layout::cqe_req::byte_len, 0x10000 + c.wqe_index);
    port::put(to, layout::cqe_req::imm, ~c.wqe_index);
    port::put(to, layout::cqe_req::with_imm, c.wqe_index & 1);
    port::put(to, layout::cqe_req::vendor_err, c.status != Status::kSuccess ? kVendorErr : 0);
    port::put(to, layout::cqe_req::solicited, c.solicited);
    port::put(to, layout::cqe_req::wait_data, c.wait_data);
    port::put(to, layout::cqe_req::ticket, c.ticket);
    port::put(to, layout::cqe_req::wait_store, c.wait_store);
    port::put(to, layout::cqe_req::store_ticket, c.store_ticket);
  }

  void step() {
    // A source that offers an entry keeps it up until it is taken.
    dut->cqe_sq_valid_i = !in[0].empty() && (dut->cqe_sq_valid_i || chance(percent_source));
    dut->cqe_rq_valid_i = !in[1].empty() && (dut->cqe_rq_valid_i || chance(percent_source));
    if (dut->cqe_sq_valid_i) put_cqe(dut->cqe_sq_i, in[0].front());
    if (dut->cqe_rq_valid_i) put_cqe(dut->cqe_rq_i, in[1].front());
    dut->doorbell_valid_i = !bells.empty();
    if (!bells.empty()) {
      port::put(dut->doorbell_i, layout::cq_doorbell::cqn, bells.front().cqn);
      port::put(dut->doorbell_i, layout::cq_doorbell::arm, bells.front().arm);
      port::put(dut->doorbell_i, layout::cq_doorbell::solicited, bells.front().solicited);
      port::put(dut->doorbell_i, layout::cq_doorbell::index, bells.front().index);
    }
    dut->bw_req_ready_i = chance(percent_ready);
    dut->event_ready_i = chance(percent_ready);
    dut->fail_ready_i = chance(percent_ready);
    dut->bw_rsp_valid_i = !flying.empty() && flying.front().due <= dut.cycle();
    port::put(dut->bw_rsp_i, layout::block_write_rsp::error,
              dut->bw_rsp_valid_i && flying.front().wqe_index == bad_index);
    dut.settle();
    if (dut->bw_rsp_valid_i) {
      visible.push_back(flying.front());
      flying.pop_front();
    }
    if (dut->cqe_sq_valid_i && dut->cqe_sq_ready_o) {
      in[0].pop_front();
      sq_taken = true;
    } else {
      sq_taken = false;
    }
    const bool rq_taken = dut->cqe_rq_valid_i && dut->cqe_rq_ready_o;
    if (rq_taken) in[1].pop_front();
    if (dut->doorbell_valid_i && dut->doorbell_ready_o) bells.pop_front();
    if (dut->bw_req_valid_o && dut->bw_req_ready_i) {
      Write w{};
      w.address = port::get(dut->bw_req_o, layout::block_write_req::addr);
      w.cqn = static_cast<unsigned>((w.address - base(0)) / 0x1000000);
      w.cycle = dut.cycle();
      w.due = dut.cycle() + latency;
      const auto get = [this](auto field) { return port::get(dut->bw_req_o, field); };
      w.wqe_index = get(layout::cqe::wqe_index);
      w.qpn = get(layout::cqe::qpn);
      w.status = Status{get(layout::cqe::status)};
      w.owner = get(layout::cqe::owner);
      w.solicited = get(layout::cqe::solicited);
      CHECK(port::get(dut->bw_req_o, layout::block_write_req::bytes) == kEntryBytes);
      CHECK(port::get(dut->bw_req_o, layout::block_write_req::pasid) == kPasid);
      CHECK(get(layout::cqe::byte_len) == 0x10000 + w.wqe_index);
      CHECK(get(layout::cqe::imm) == ~w.wqe_index);
      CHECK(get(layout::cqe::with_imm) == (w.wqe_index & 1));
      CHECK(WcOp{get(layout::cqe::opcode)} == WcOp::kRecv);
      CHECK(get(layout::cqe::vendor_err) ==
            (w.status != Status::kSuccess && w.status != Status::kFatalErr ? kVendorErr : 0));
      flying.push_back(w);
      taken.push_back(w);
    }
    if (dut->event_valid_o && dut->event_ready_i) {
      events.push_back({EventKind{port::get(dut->event_o, layout::event_req::kind)},
                        port::get(dut->event_o, layout::event_req::number), dut.cycle()});
    }
    if (dut->fail_valid_o && dut->fail_ready_i) {
      CHECK(EventKind{port::get(dut->fail_o, layout::event_req::kind)} == EventKind::kQpFatal);
      fails.push_back(port::get(dut->fail_o, layout::event_req::number));
    }
    dut.tick();
    if (sq_taken) dut->cqe_sq_valid_i = 0;
    if (rq_taken) dut->cqe_rq_valid_i = 0;
    dut->now_i += ns_per_clock;
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) step();
  }
  void drain() {
    do run(4);
    while (!in[0].empty() || !in[1].empty() || !bells.empty() || !dut->idle_o ||
           !dut->bells_idle_o);
  }

  void make(unsigned cqn, unsigned log, unsigned count = 0, unsigned period = 0, bool valid = true,
            std::uint64_t moved = 0) {
    port::clear(dut->row_data_i);
    port::put(dut->row_data_i, layout::cq::resize, moved != 0);
    port::put(dut->row_data_i, layout::cq::valid, valid);
    port::put(dut->row_data_i, layout::cq::pasid, kPasid);
    port::put(dut->row_data_i, layout::cq::base, base(cqn) + moved);
    port::put(dut->row_data_i, layout::cq::log, log);
    port::put(dut->row_data_i, layout::cq::moderation_count, count);
    port::put(dut->row_data_i, layout::cq::moderation_period, period);
    dut->row_index_i = cqn;
    dut->row_valid_i = 1;
    dut.settle();
    while (!dut->row_ready_o) step();
    step();
    dut->row_valid_i = 0;
    log_of[cqn] = log;
  }
  /// Moves the ring of a queue.
  void resize(unsigned cqn, unsigned log, std::uint64_t moved) {
    make(cqn, log, 0, 0, true, moved);
  }
  struct Live {
    unsigned producer, consumer;
    bool overflowed;
  };
  Live live(unsigned cqn) {
    dut->row_index_i = cqn;
    dut->live_valid_i = 1;
    dut.settle();
    for (int i = 0; !dut->live_ready_o; ++i) {
      REQUIRE(i < 100);
      step();
      dut.settle();
    }
    const auto get = [this](auto field) { return port::get(dut->live_o, field); };
    const Live live{get(layout::cq_live::producer), get(layout::cq_live::consumer),
                    get(layout::cq_live::overflowed)};
    step();
    dut->live_valid_i = 0;
    return live;
  }
  void complete(unsigned cqn, unsigned index, bool solicited = false,
                Status status = Status::kSuccess, unsigned source = 0) {
    Cqe c;
    c.cqn = cqn;
    c.qpn = 0x1000 + cqn;
    c.wqe_index = index & 0xFFFF;
    c.solicited = solicited;
    c.status = status;
    in[source].push_back(c);
  }
  void consume(unsigned cqn, unsigned index) {
    bells.push_back({cqn, index & 0xFFFF, false, false});
  }
  void arm(unsigned cqn, unsigned index, bool solicited = false) {
    bells.push_back({cqn, index & 0xFFFF, true, solicited});
  }

 private:
  bool sq_taken = false;
};

}  // namespace cq_bench
