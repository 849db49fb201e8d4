// SPDX-License-Identifier: Apache-2.0
// What the receive side sees without atomics, key operations and SRQs.
#include <Vroci_rq_absent.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <random>

#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

template <typename Port>
void fill(Port& wide, unsigned bits, std::mt19937& random) {
  for (unsigned at = 0; at < bits; at += 8)
    port::put(wide, at, bits - at < 8 ? bits - at : 8, random());
}

template <typename Port>
void expect(const Port& out, const Port& in, unsigned bits) {
  for (unsigned at = 0; at < bits; ++at) {
    CAPTURE(at);
    CHECK(port::get(out, at, 1) == port::get(in, at, 1));
  }
}

}  // namespace

TEST_CASE("rq_absent: opcodes of absent options become the reserved one, nothing else changes") {
  Vroci_rq_absent dut;
  std::printf("seed 3\n");
  std::mt19937 random(3);
  // Table 38 of the specification: CmpSwap, FetchAdd, SEND LAST and SEND ONLY with invalidate.
  constexpr unsigned kReserved = 0x15;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    CAPTURE(opcode);
    const bool absent = (!RTL_Atomics && (opcode == 0x13 || opcode == 0x14)) ||
                        (!RTL_KeyOps && (opcode == 0x16 || opcode == 0x17));
    fill(dut.meta_i, layout::rx_meta::kBits, random);
    port::put(dut.meta_i, layout::rx_meta::opcode, opcode);
    dut.eval();
    CHECK(port::get(dut.meta_o, layout::rx_meta::opcode) == (absent ? kReserved : opcode));
    port::put(dut.meta_i, layout::rx_meta::opcode, absent ? kReserved : opcode);
    expect(dut.meta_o, dut.meta_i, layout::rx_meta::kBits);
  }
}

TEST_CASE("rq_absent: no queue pair has an SRQ") {
  Vroci_rq_absent dut;
  std::printf("seed 4\n");
  std::mt19937 random(4);
  for (unsigned i = 0; i < 20; ++i) {
    fill(dut.row_write_i, layout::row_write::kBits, random);
    dut.eval();
    if (!RTL_Srq) port::put(dut.row_write_i, layout::qp_attr::srq, 0);
    expect(dut.row_write_o, dut.row_write_i, layout::row_write::kBits);
  }
}
