// SPDX-License-Identifier: Apache-2.0
// Drives the scheduler by rows, commands, doorbells and pointers, and keeps its grants and its
// commands to the requester.
#pragma once

#include <Vroci_sq_sched.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace sq_sched_rig {

using layout::QpEvent;
using layout::QpState;
using layout::Table;

inline constexpr unsigned kQps = 16;  // as in block.cmake

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
  unsigned less = 0;
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
      auto get = [&](auto field) { return port::get(dut->grant_o, field); };
      grants.push_back({get(layout::grant::qpn), get(layout::grant::epoch),
                        get(layout::grant::wqe_index), get(layout::grant::count),
                        get(layout::grant::offset)});
    }
    if (dut->control_valid_o) {
      auto get = [&](auto field) { return port::get(dut->control_o, field); };
      controls.push_back({get(layout::sq_control::qpn), get(layout::sq_control::index),
                          get(layout::sq_control::flush), get(layout::sq_control::clear)});
    }
    if (dut->fail_valid_o) {
      fails.push_back(port::get(dut->fail_o, layout::event_req::number));
    }
    dut.tick();
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) tick();
  }
  void row(Table table, unsigned qp) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, qp);
    tick();
    dut->row_write_valid_i = 0;
  }
  void state(unsigned qp, QpState value) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, value);
    row(Table::kQpState, qp);
  }
  /// Sets the size of the send queue.
  void ring_of(unsigned qp, unsigned log) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_attr::sq_log, log);
    row(Table::kQpAttr, qp);
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
  void command(unsigned qp, QpEvent kind) {
    port::put(dut->qp_event_i, layout::qp_event::qpn, qp);
    port::put(dut->qp_event_i, layout::qp_event::kind, kind);
    offer(dut->qp_event_valid_i, [&] { return dut->qp_event_ready_o != 0; });
  }
  void ring(unsigned qp, unsigned index) {
    port::put(dut->doorbell_i, layout::doorbell::qpn, qp);
    port::put(dut->doorbell_i, layout::doorbell::index, index & 0xFFFF);
    offer(dut->doorbell_valid_i, [&] { return dut->doorbell_ready_o != 0; });
  }
  void fill(VlWide<3>& record, const Pointer& p) {
    auto put = [&](auto field, auto v) { port::put(record, field, v); };
    put(layout::fetch_ptr::qpn, p.qpn);
    put(layout::fetch_ptr::epoch, p.epoch);
    put(layout::fetch_ptr::wqe_index, p.index & 0xFFFF);
    put(layout::fetch_ptr::offset, p.offset);
    put(layout::fetch_ptr::ready, p.ready);
    put(layout::fetch_ptr::less, p.less);
  }
  /// The requester states where to continue.
  void set(const Pointer& p) {
    fill(dut->set_ptr_i, p);
    offer(dut->set_ptr_valid_i, [&] { return dut->set_ptr_ready_o != 0; });
  }
  /// The end of a grant: the segmentation has come to a work request and an offset.
  void segmented(const Pointer& p) {
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
  /// Begins a generation in RTS at index 0 with epoch 1.
  void connect(unsigned qp, unsigned log = 8) {
    ring_of(qp, log);
    state(qp, QpState::kReset);
    state(qp, QpState::kRts);
    command(qp, QpEvent::kInitRequester);
    set({qp, 1, 0, 0, true});
    done(qp, 0);
    run(4);
  }
};

}  // namespace sq_sched_rig
