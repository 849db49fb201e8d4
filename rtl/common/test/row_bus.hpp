// SPDX-License-Identifier: Apache-2.0
// Rows that a bench of a receive or transmit block writes on the row bus.
#pragma once

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace roce {

/// Base of a `Bench` with a row bus of the block `dut` and a `clock()`.
template <typename Bench>
class RowBus {
 public:
  /// Writes what lies on the bus to a row of a table.
  void row(layout::Table table, unsigned index) {
    auto& dut = bench().dut;
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, index);
    bench().clock();
    dut->row_write_valid_i = 0;
  }

  /// Writes an address vector for frames with these fields.
  void address(unsigned qpn, const Fields& f, Way way) {
    put_av(bench().dut->row_write_i, f, way);
    row(layout::Table::kAv, qpn);
  }

  void set_state(unsigned qpn, layout::QpState state) {
    bus::clear_data(bench().dut->row_write_i);
    port::put(bench().dut->row_write_i, layout::qp_state::state, state);
    row(layout::Table::kQpState, qpn);
  }

  void set_service(unsigned qpn, layout::Service service) {
    bus::clear_data(bench().dut->row_write_i);
    port::put(bench().dut->row_write_i, layout::qp_service::service, service);
    row(layout::Table::kQpService, qpn);
  }

 private:
  Bench& bench() { return static_cast<Bench&>(*this); }
};

}  // namespace roce
