// SPDX-License-Identifier: Apache-2.0
// Contexts, counters and event queues on a device made of host memory.
#include <doctest/doctest.h>

#include <cstring>

#include "driver/event_ring.hpp"
#include "driver/test/bench.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

using namespace roci;
using namespace roci::driver;
using namespace roci::driver::test;

TEST_CASE("context: reads Id, sets up rings and PASID, and releases all memory") {
  FakeDevice device;
  {
    Context context(device);
    CHECK(context.limits().max_sge == 13);
    CHECK(device.registers[layout::reg::kControl] == 3);
    CHECK(device.registers[layout::reg::kAdminDoorbell] == 1);
    CHECK(get(device.registers[layout::reg::kEqSize], layout::reg::eq_size::log) == 8);
    CHECK(get(device.registers[layout::reg::kEqSize], layout::reg::eq_size::enable));
    ProtectionDomain pd(context);
    MemoryRegion region(pd, 5000, access::kAll);
    CHECK(region.size() == 5000);
    CHECK(region.sge(7, 9).address == region.address() + 7);
  }
  CHECK(device.live.empty());
  CHECK(device.registers[layout::reg::kControl] == 0);
  CHECK(device.registers[layout::reg::kEqSize] == 0);
}

TEST_CASE("context: another kind of device is rejected") {
  FakeDevice device;
  device.id = 0xFFFFFFFF;
  CHECK_THROWS_AS(Context{device}, Error);
}

TEST_CASE("context: a rejected command throws its status and the field that caused it") {
  FakeDevice device;
  Context context(device);
  device.reject_status = layout::number(layout::AdminStatus::kBadParameter);
  try {
    context.set_gid(3, gid_of_ipv4(0x0A000001));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == AdminStatus::kBadParameter);
    CHECK(error.detail() == 24);
    CHECK(std::string(error.what()).find("set GID: BadParameter") == 0);
  }
}

TEST_CASE("context: a command without a reply throws HardwareError") {
  FakeDevice device;
  Context context(device);
  device.alive = false;
  try {
    context.query_port();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == AdminStatus::kHardwareError);
  }
  device.alive = true;
}

TEST_CASE(
    "context: a GID of an IPv4 address is ::ffff:a.b.c.d (WIRE-08), first byte in the upper bits") {
  FakeDevice device;
  Context context(device);
  context.set_gid(2, gid_of_ipv4(0xC0A80105), 100);
  const std::uint8_t* body = device.command.data() + 8;
  CHECK(layout::get(body, layout::set_gid::gid_hi) == 0);
  CHECK(layout::get(body, layout::set_gid::gid_lo) == 0x0000FFFFC0A80105);
  CHECK(layout::get(body, layout::set_gid::vlan) == 1);
  CHECK(layout::get(body, layout::set_gid::vid) == 100);
}

TEST_CASE("context: commands wrap around their ring") {
  FakeDevice device;
  Context context(device);
  for (int i = 0; i < 70000; ++i) context.query_port();
  CHECK(device.registers[layout::reg::kAdminDone] == static_cast<std::uint16_t>(70001));
}

TEST_CASE("counters: fields of the port and of a queue pair in their order") {
  Bench bench;
  constexpr std::uint64_t kFirst = 0x010000000000u;
  const PortCounters port = bench.context.port_counters();
  CHECK(bench.device.command[8] == 0);
  for (unsigned i = 0; i < 10; ++i) CHECK(port.drops[i] == kFirst + i);
  CHECK(port.rx_frames == kFirst + 10);
  CHECK(port.rx_bytes == kFirst + 11);
  CHECK(port.tx_frames == kFirst + 12);
  CHECK(port.tx_bytes == kFirst + 13);
  CHECK(port.rx_roce == kFirst + 14);
  CHECK(port.rx_ethernet == kFirst + 15);
  const QpCounters qp = bench.qp.counters();
  CHECK(bench.device.command[8] == 1);
  CHECK(bench.device.command[12] == bench.qp.number());
  CHECK(qp.tx_packets == kFirst);
  CHECK(qp.rx_bytes == kFirst + 3);
  CHECK(qp.retries == kFirst + 4);
  CHECK(qp.timeouts == kFirst + 5);
  CHECK(qp.naks_sent == kFirst + 6);
  CHECK(qp.naks_received == kFirst + 7);
}

TEST_CASE("event queue: events in order, owner flips with each pass, consumer index is written") {
  FakeDevice device;
  EventRing events(device, 1);
  std::uint8_t* ring = device.at(layout::reg::kEqBaseLo, layout::reg::kEqBaseHi);
  for (unsigned i = 0; i < 10; ++i) {
    CHECK_FALSE(events.poll());
    std::uint8_t* eqe = ring + 16 * (i % 2);
    put(eqe, layout::eqe::kind, 3);
    put(eqe, layout::eqe::number, 100 + i);
    put(eqe, layout::eqe::owner, i / 2 % 2 == 0);
    const auto event = events.poll();
    REQUIRE(event);
    CHECK(event->kind == EventKind::kQpFatal);
    CHECK(event->number == 100 + i);
    CHECK(device.registers[layout::reg::kEqConsumer] == i + 1);
  }
}
