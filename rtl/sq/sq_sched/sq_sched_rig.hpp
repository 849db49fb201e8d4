// SPDX-License-Identifier: Apache-2.0
// Drives the scheduler by rows, commands, doorbells and pointers, and keeps what it gives out.
#pragma once

#include <Vroci_sq_sched.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace sq_sched_rig {

using namespace roci::spec;

inline constexpr unsigned kQps = 16, kReset = 0, kRts = 3, kSqd = 4, kErr = 6;

struct Grant {
  unsigned qpn, epoch, index, count, offset;
};
struct Control {
  unsigned qpn, index;
  bool flush, clear;
};
struct Pointer {
  unsigned qpn, epoch, index, offset;
  bool ready;
};

class Rig {
 public:
  Dut<Vroci_sq_sched> dut;
  std::vector<Grant> grants;
  std::vector<Control> controls;
  std::vector<unsigned> fails;

  Rig() {
    bus::clear_data(dut->row_write_i);
    dut->grant_ready_i = 1;
    dut->control_ready_i = 1;
    dut->fail_ready_i = 1;
    run(kQps + 10);
  }
  void tick() {
    dut.settle();
    if (dut->grant_valid_o && dut->grant_ready_i) {
      auto get = [&](const char* n) {
        return unsigned(port::get(dut->grant_o, place_of(kGrant, n)));
      };
      grants.push_back({get("qpn"), get("epoch"), get("wqe_index"), get("count"), get("offset")});
    }
    if (dut->control_valid_o) {
      auto get = [&](const char* n) {
        return unsigned(port::get(dut->control_o, place_of(kSqControl, n)));
      };
      controls.push_back({get("qpn"), get("index"), get("flush") != 0, get("clear") != 0});
    }
    if (dut->fail_valid_o) {
      fails.push_back(unsigned(port::get(dut->fail_o, place_of(kEventReq, "number"))));
    }
    dut.tick();
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) tick();
  }
  void row(unsigned table, unsigned qp) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, qp);
    tick();
    dut->row_write_valid_i = 0;
  }
  void state(unsigned qp, unsigned value) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, 0, 3, value);
    row(2, qp);
  }
  void ring_of(unsigned qp, unsigned log) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, place_of(kQpAttr, "sq_log"), log);
    row(0, qp);
  }
  template <typename Ready>
  void offer(CData& valid, Ready ready) {
    valid = 1;
    for (unsigned clocks = 0;; ++clocks) {
      REQUIRE(clocks < 5000);
      dut.settle();
      const bool taken = ready();
      tick();
      if (taken) break;
    }
    valid = 0;
  }
  void command(unsigned qp, unsigned kind) {
    port::put(dut->qp_event_i, place_of(kQpEvent, "qpn"), qp);
    port::put(dut->qp_event_i, place_of(kQpEvent, "kind"), kind);
    offer(dut->qp_event_valid_i, [&] { return dut->qp_event_ready_o != 0; });
  }
  void ring(unsigned qp, unsigned index) {
    port::put(dut->doorbell_i, place_of(kDoorbell, "qpn"), qp);
    port::put(dut->doorbell_i, place_of(kDoorbell, "index"), index & 0xFFFF);
    offer(dut->doorbell_valid_i, [&] { return dut->doorbell_ready_o != 0; });
  }
  void fill(VlWide<3>& record, const Pointer& p) {
    auto put = [&](const char* n, unsigned v) { port::put(record, place_of(kFetchPtr, n), v); };
    put("qpn", p.qpn);
    put("epoch", p.epoch);
    put("wqe_index", p.index & 0xFFFF);
    put("offset", p.offset);
    put("ready", p.ready);
  }
  void set(const Pointer& p) {
    fill(dut->set_ptr_i, p);
    offer(dut->set_ptr_valid_i, [&] { return dut->set_ptr_ready_o != 0; });
  }
  void cut(const Pointer& p) {
    fill(dut->segment_ptr_i, p);
    offer(dut->segment_ptr_valid_i, [&] { return dut->segment_ptr_ready_o != 0; });
  }
  void done(unsigned qp, unsigned index) {
    dut->done_valid_i = 1;
    dut->done_row_i = qp;
    dut->done_index_i = index;
    tick();
    dut->done_valid_i = 0;
  }
  /// A generation: RTS, begun at index 0 with epoch 1.
  void connect(unsigned qp, unsigned log = 8) {
    ring_of(qp, log);
    state(qp, kReset);
    state(qp, kRts);
    command(qp, 0);
    set({qp, 1, 0, 0, true});
    done(qp, 0);
    run(4);
  }
};

}  // namespace sq_sched_rig
