// SPDX-License-Identifier: Apache-2.0
// Accesses of firmware to host memory: one block at a time.
#include <Vroci_fw_dma.h>
#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "model/spec/layout/registers.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

namespace dma_command = layout::reg::dma_command;
constexpr std::uint32_t kGo = layout::mask(dma_command::go),
                        kWrite = layout::mask(dma_command::write),
                        kError = layout::mask(dma_command::error);

void command(Dut<Vroci_fw_dma>& dut, std::uint32_t word) {
  dut->word_i = word;
  dut->command_i = 1;
  dut.tick();
  dut->command_i = 0;
}
void data(Dut<Vroci_fw_dma>& dut, unsigned index, std::uint32_t word) {
  dut->word_i = word;
  dut->data_word_i = index;
  dut->data_i = 1;
  dut.tick();
  dut->data_i = 0;
}

/// A word of DmaData.
std::uint32_t read(Dut<Vroci_fw_dma>& dut, unsigned index) {
  dut->read_word_i = index;
  dut->read_i = 1;
  dut.tick();
  dut->read_i = 0;
  dut->read_word_i = 15 - index;
  dut.tick();
  return dut->read_data_o;
}

}  // namespace

TEST_CASE("fw_dma: a write keeps address and data while firmware prepares the next") {
  Dut<Vroci_fw_dma> dut;
  for (unsigned i = 0; i < 16; ++i) data(dut, i, 0x01010101 * i);
  dut->address_i = 0xFEDCBA9876543280ull + 0x3F;
  command(dut, kGo | kWrite | 0x54321);
  dut->address_i = 0;
  data(dut, 0, 0xFFFFFFFF);
  command(dut, kGo | 0x11111);  // busy: ignored
  for (int i = 0; i < 5; ++i) {
    dut.tick();
    CHECK(dut->bw_req_valid_o == 1);
  }
  CHECK(port::get(dut->bw_req_o, layout::block_write_req::addr) ==
        0xFEDCBA9876543280ull);  // a block
  CHECK(port::get(dut->bw_req_o, layout::block_write_req::pasid) == 0x54321);
  CHECK(port::get(dut->bw_req_o, layout::block_write_req::bytes) == 64);
  for (unsigned i = 0; i < 64; ++i) CHECK(port::byte(dut->bw_req_o, i) == i / 4);
  dut->bw_req_ready_i = 1;
  dut.tick();
  CHECK(dut->bw_req_valid_o == 0);
  CHECK(dut->command_o == (kGo | kWrite | 0x54321));
  CHECK(dut->idle_o == 0);
  dut->bw_rsp_valid_i = 1;
  dut.tick();
  dut->bw_rsp_valid_i = 0;
  CHECK(dut->command_o == (kWrite | 0x54321));
  CHECK(dut->idle_o == 1);
}

TEST_CASE("fw_dma: a write of 1 to 64 bytes; 0 and more than 64 mean 64") {
  Dut<Vroci_fw_dma> dut;
  constexpr std::uint64_t kAddress = 0x123456780;
  dut->address_i = kAddress + 0x3F;
  for (unsigned bytes = 0; bytes < 128; ++bytes) {
    command(dut, kGo | kWrite | layout::bits(dma_command::bytes, bytes) | 0xFFFFF);
    CHECK(dut->bw_req_valid_o == 1);
    CHECK(port::get(dut->bw_req_o, layout::block_write_req::bytes) ==
          (bytes == 0 || bytes > 64 ? 64 : bytes));
    CHECK(port::get(dut->bw_req_o, layout::block_write_req::pasid) == 0xFFFFF);
    CHECK(port::get(dut->bw_req_o, layout::block_write_req::addr) ==
          (bytes == 0 || bytes > 32 ? kAddress : kAddress + 0x20));
    dut->bw_req_ready_i = 1;
    dut.tick();
    dut->bw_req_ready_i = 0;
    dut->bw_rsp_valid_i = 1;
    dut.tick();
    dut->bw_rsp_valid_i = 0;
    CHECK(dut->idle_o == 1);
  }
}

TEST_CASE("fw_dma: a read fills the window and reports an error until the next command") {
  Dut<Vroci_fw_dma> dut;
  for (unsigned i = 0; i < 16; ++i) CHECK(read(dut, i) == 0);  // nothing was read yet
  dut->address_i = 0x103F;                                     // a read begins at a block
  command(dut, kGo | 7);
  CHECK(dut->br_req_valid_o == 1);
  CHECK(port::get(dut->br_req_o, layout::block_read_req::addr) == 0x1000);
  CHECK(port::get(dut->br_req_o, layout::block_read_req::count) == 1);
  dut->br_req_ready_i = 1;
  dut.tick();
  dut->br_req_ready_i = 0;
  for (int i = 0; i < 10; ++i) dut.tick();
  CHECK(dut->command_o == (kGo | 7));
  CHECK(dut->br_rsp_ready_o == 1);
  std::array<std::uint8_t, 64> block;
  for (unsigned i = 0; i < 64; ++i) block[i] = static_cast<std::uint8_t>(200 + i);
  for (unsigned beat = 0; beat < bus::kBlockBeats; ++beat) {
    CHECK((dut->command_o & kGo) != 0);
    bus::put_beat(dut->br_rsp_i, block.data(), beat, true);
    dut->br_rsp_valid_i = 1;
    dut.tick();
    dut->br_rsp_valid_i = 0;
    dut.tick();
  }
  CHECK(dut->command_o == (kError | 7));
  for (unsigned i = 0; i < 16; ++i) {
    std::uint32_t expect;
    std::memcpy(&expect, block.data() + 4 * i, sizeof expect);
    CHECK(read(dut, i) == expect);
  }
  command(dut, kGo | 7);
  CHECK((dut->command_o & kError) == 0);
}
