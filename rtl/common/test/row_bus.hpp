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

  /// Writes an address handle for datagrams with these fields.
  void handle(unsigned number, const Fields& f) {
    put_av(bench().dut->row_write_i, f, Way::kOut);
    port::put(bench().dut->row_write_i, layout::ah::valid, 1);
    row(layout::Table::kAh, number);
  }

  /// Writes what such a frame needs to be sent: the address vector of its queue pair, or of a
  /// datagram a handle, and a row of its queue pair that has the partition alone.
  void sender(unsigned qpn, unsigned handle_number, const Fields& f) {
    if (!is_datagram(f.opcode)) return address(qpn, f, Way::kOut);
    handle(handle_number, f);
    bus::clear_data(bench().dut->row_write_i);
    port::put(bench().dut->row_write_i, layout::av::pkey, f.pkey);
    row(layout::Table::kAv, qpn);
  }

  /// Writes the destination of frames with these fields as an own GID.
  void gid(unsigned index, const Fields& f, bool valid = true) {
    auto& data = bench().dut->row_write_i;
    put_gid(f);
    port::put(data, layout::gid::valid, valid);
    port::put(data, layout::gid::roce_v1, f.v1);
    port::put(data, layout::gid::vlan, f.vlan);
    port::put(data, layout::gid::vid, f.vlan ? f.tci & 0xFFF : 0);
    row(layout::Table::kGid, index);
  }

  /// Attaches a queue pair to the group to which frames with these fields go.
  void attachment(unsigned index, const Fields& f, unsigned qpn, bool valid, bool more) {
    auto& data = bench().dut->row_write_i;
    put_gid(f);
    port::put(data, layout::multicast::qpn, qpn);
    port::put(data, layout::multicast::valid, valid);
    port::put(data, layout::multicast::more, more);
    row(layout::Table::kMulticast, index);
  }

  void set_state(unsigned qpn, layout::QpState state) {
    bus::clear_data(bench().dut->row_write_i);
    port::put(bench().dut->row_write_i, layout::qp_state::state, state);
    row(layout::Table::kQpState, qpn);
  }

  void set_service(unsigned qpn, layout::Service service, std::uint32_t qkey = 0) {
    bus::clear_data(bench().dut->row_write_i);
    port::put(bench().dut->row_write_i, layout::qp_service::service, service);
    port::put(bench().dut->row_write_i, layout::qp_service::qkey, qkey);
    row(layout::Table::kQpService, qpn);
  }

 private:
  /// Puts the destination of frames with these fields as a GID on the bus, and nothing else.
  void put_gid(const Fields& f) {
    static_assert(layout::gid::gid.offset == 0 && layout::multicast::gid.offset == 0);
    auto& data = bench().dut->row_write_i;
    bus::clear_data(data);
    for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
      port::put_byte(data, layout::gid::gid, i, f.dst_ip[i]);
    if (!f.ipv6) {  // the GID of an IPv4 address (A17.4.4)
      port::put_byte(data, layout::gid::gid, 10, 0xFF);
      port::put_byte(data, layout::gid::gid, 11, 0xFF);
    }
  }
  Bench& bench() { return static_cast<Bench&>(*this); }
};

}  // namespace roce
