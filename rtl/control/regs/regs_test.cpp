// SPDX-License-Identifier: Apache-2.0
// Decoding of writes: each address acts on its own block and on no other.
#include <Vroci_regs.h>
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "model/spec/layout/records.hpp"
#include "model/spec/layout/registers.hpp"
#include "model/spec/registers.hpp"
#include "rtl/common/test/dut.hpp"

namespace spec = roci::spec;

namespace {

/// A strobe that a write may cause, by the name of its register, window or doorbell.
struct Strobe {
  const char* name;
  bool on;
};

unsigned strobes(Dut<Vroci_regs>& dut, std::string* names) {
  const Strobe all[] = {{"TableCommand", dut->table_command_o != 0},
                        {"TableData", dut->table_data_o != 0},
                        {"FenceCommand", dut->fence_command_o != 0},
                        {"DmaCommand", dut->dma_command_o != 0},
                        {"DmaData", dut->dma_data_o != 0},
                        {"TxFrameCommand", dut->tx_command_o != 0},
                        {"TxFrameData", dut->tx_data_o != 0},
                        {"RxFramePop", dut->rx_pop_o != 0},
                        {"CounterSelect", dut->counter_select_o != 0},
                        {"EqSize", dut->eq_size_o != 0},
                        {"EqConsumer", dut->eq_consumer_o != 0},
                        {"EqStatus", dut->eq_status_o != 0},
                        {"EventPost", dut->event_post_valid_o != 0},
                        {"sq", dut->sq_doorbell_valid_o != 0},
                        {"rq", dut->rq_doorbell_valid_o != 0},
                        {"srq", dut->srq_doorbell_valid_o != 0},
                        {"cq", dut->cq_doorbell_valid_o != 0},
                        {"post", dut->post_word_valid_o != 0}};
  unsigned n = 0;
  for (const Strobe& s : all) {
    if (s.on) {
      ++n;
      *names = s.name;
    }
  }
  return n;
}

bool acts(std::string_view name) {
  for (const char* one :
       {"TableCommand", "FenceCommand", "DmaCommand", "TxFrameCommand", "RxFramePop",
        "CounterSelect", "EqSize", "EqConsumer", "EqStatus", "EventPost"}) {
    if (name == one) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("regs: every address of the low page strobes what the tables say") {
  Dut<Vroci_regs> dut;
  dut->wr_valid_i = 1;
  dut->wr_data_i = 0xFFFFFFFF;
  for (std::uint32_t a = 0; a < 0x5000; ++a) {
    std::string expect;
    for (const auto& r : spec::kRegisters) {
      if (r.offset == (a & ~3u) && acts(r.name)) expect = r.name;
    }
    for (const auto& w : spec::kWindows) {
      if (a >= w.offset && a < w.offset + w.bytes && w.name != "RxFrameData") expect = w.name;
    }
    dut->wr_addr_i = a;
    dut.settle();
    std::string got;
    const unsigned n = strobes(dut, &got);
    CHECK(n == !expect.empty());
    CHECK(got == expect);
    if (expect != "EventPost") CHECK(dut->wr_ready_o == 1);
  }
}

TEST_CASE("regs: doorbells by row and word; out of range they are taken and lost") {
  Dut<Vroci_regs> dut;
  dut->wr_valid_i = 1;
  namespace cq_arm = layout::reg::cq_arm;
  dut->wr_data_i = layout::bits(cq_arm::solicited, 1) | layout::bits(cq_arm::index, 0xABCD);
  const unsigned kQps = 16, kSrqs = 8;
  for (const bool cq : {false, true}) {
    const std::uint32_t base =
        cq ? layout::window::kCqDoorbell.offset : layout::window::kQpDoorbell.offset;
    for (unsigned row : {0u, 1u, 15u, 16u, 255u, 32767u}) {
      for (unsigned word = 0; word < 4; ++word) {
        dut->wr_addr_i = base + layout::doorbell_word::kStride * row + 4 * word;
        dut.settle();
        std::string got;
        const unsigned n = strobes(dut, &got);
        // The block of completion queues checks their range itself.
        const bool expect = cq ? word < 2 : word < 2 ? row < kQps : word == 2 && row < kSrqs;
        CHECK(n == expect);
        CHECK(dut->wr_ready_o == !expect);  // no receiver is ready
        if (!expect) continue;
        CHECK(got == (cq ? "cq" : word == 2 ? "srq" : word ? "rq" : "sq"));
        if (cq) {
          CHECK(port::get(dut->cq_doorbell_o, layout::cq_doorbell::cqn) == row);
          CHECK(port::get(dut->cq_doorbell_o, layout::cq_doorbell::arm) == word);
          CHECK(port::get(dut->cq_doorbell_o, layout::cq_doorbell::index) == 0xABCD);
          CHECK(port::get(dut->cq_doorbell_o, layout::cq_doorbell::solicited) == 1);
        } else {
          const auto& bell = word == 2   ? dut->srq_doorbell_o
                             : word == 1 ? dut->rq_doorbell_o
                                         : dut->sq_doorbell_o;
          CHECK(port::get(bell, layout::doorbell::qpn) == row);
          CHECK(port::get(bell, layout::doorbell::index) == 0xABCD);
        }
      }
    }
  }
}

TEST_CASE("regs: words of work requests by queue pair and place") {
  Dut<Vroci_regs> dut;
  dut->wr_valid_i = 1;
  dut->wr_data_i = 0xCAFEF00D;
  constexpr unsigned kWords = layout::kPostBytes / 4;
  for (unsigned qpn : {0u, 1u, 15u, 16u, 255u, 16383u}) {
    for (unsigned place = 0; place < kWords; ++place) {
      dut->wr_addr_i = layout::post_offset(qpn) + 4 * place;
      dut.settle();
      std::string got;
      CHECK(strobes(dut, &got) == 1);
      CHECK(dut->wr_ready_o == 1);
      CHECK(got == "post");
      CHECK(port::get(dut->post_word_o, layout::post_word::qpn) == qpn);
      CHECK(port::get(dut->post_word_o, layout::post_word::place) == place);
      CHECK(port::get(dut->post_word_o, layout::post_word::data) == 0xCAFEF00D);
    }
  }
}
