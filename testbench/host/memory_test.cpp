// SPDX-License-Identifier: Apache-2.0
// Host memory: guard bytes, addresses, address spaces.
#include "testbench/host/memory.hpp"

#include <doctest/doctest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

using namespace roci::testbench;

namespace {

/// TLM requires a bound socket.
struct Master : sc_core::sc_module {
  explicit Master(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<Master> socket;
};

}  // namespace

TEST_CASE("memory: guards, addresses used once, ranges by address space") {
  HostMemory memory("memory", 1ull << 40, 1);
  Master master("master");
  master.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto a = memory.allocate(1, 100, 4096);
  const auto b = memory.allocate(1, 100, 64);
  CHECK(a.dma % 4096 == 0);
  CHECK(b.dma >= a.dma + 100 + 4096);
  CHECK(a.host[99] == 0);
  CHECK(memory.check_guards().empty());
  a.host[100] ^= 1;
  CHECK(memory.check_guards().size() == 1);
  a.host[100] ^= 1;
  b.host[-1] ^= 0x80;
  memory.release(1, b);
  CHECK(memory.check_guards().size() == 1);
  const auto c = memory.allocate(1, 100, 64);
  CHECK(c.dma > b.dma);
  CHECK_THROWS_AS(memory.release(2, c), std::logic_error);
}
