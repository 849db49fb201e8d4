// SPDX-License-Identifier: Apache-2.0
// A SoC of LiteX with the adapter, verilated, under driver and firmware of the host.
//
// usage: <program> LIBRARY EVERY
//
// LIBRARY is program.cpp of testbench/board. Registers are read and written by the Wishbone master
// at the edge of the SoC; host memory is the array of the SoC's RAM. Frames that leave by GMII come
// back, and of each EVERY frames (0: none) one byte is damaged. Prints what was counted.
#include <dlfcn.h>
#include <verilated.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "Vboard.h"
#include "Vboard___024root.h"
#include "soc.hpp"
#include "testbench/board/program.hpp"

namespace {

constexpr std::uint64_t kSysPs = 20'000, kRxPs = 8'000, kTxPs = 8'001;  // half of it is rounded
constexpr std::uint32_t kId = 0x524F4349;
constexpr unsigned kPreamble = 8, kGap = 12, kShortest = 64, kPatience = 10'000;

[[noreturn]] void fail(const std::string& what) {
  std::printf("%s\n", what.c_str());
  std::exit(1);
}

/// A clock that toggles each half of its period.
struct Clock {
  CData* pin;
  std::uint64_t half, next;
};

class Bench {
 public:
  explicit Bench(unsigned every) : every_(every), board_(&context_) {
    clocks_ = {{&board_.sys_clk, kSysPs / 2, kSysPs / 2},
               {&board_.eth_rx_clk, kRxPs / 2, kRxPs / 3},
               {&board_.eth_tx_clk, kTxPs / 2, kTxPs / 2}};
    board_.sys_rst = 1;
    for (int i = 0; i < 20; ++i) clock();
    board_.sys_rst = 0;
    for (int i = 0; i < 20; ++i) clock();
  }

  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t value) {
    board_.host_cyc = board_.host_stb = 1;
    board_.host_we = write;
    board_.host_sel = 0xF;
    board_.host_adr = address / 4;
    board_.host_dat_w = value;
    board_.eval();
    for (unsigned i = 0; board_.host_ack == 0; ++i) {
      if (i == kPatience) fail("the bus does not respond");
      clock();
    }
    const std::uint32_t read = board_.host_dat_r;
    if (board_.host_err != 0) fail("the bus responds with an error");
    clock();
    board_.host_cyc = board_.host_stb = 0;
    clock();
    return read;
  }

  std::uint32_t run(std::uint64_t ns) {
    for (const std::uint64_t end = context_.time() + ns * 1000; context_.time() < end;) clock();
    return board_.attention;
  }

  std::uint64_t now() const { return context_.time() / 1000; }
  std::uint8_t* memory() { return reinterpret_cast<std::uint8_t*>(&board_.rootp->SOC_MEMORY[0]); }

  unsigned frames = 0, damaged = 0;
  std::uint64_t bytes = 0;

 private:
  /// Lets time pass until a rising edge of the clock of the SoC is over.
  void clock() {
    for (bool done = false; !done;) {
      std::uint64_t next = ~std::uint64_t{0};
      for (const Clock& one : clocks_) next = one.next < next ? one.next : next;
      context_.time(next);
      bool edges[3];
      for (int i = 0; i < 3; ++i) {
        Clock& one = clocks_[i];
        edges[i] = false;
        if (one.next != next) continue;
        *one.pin = *one.pin == 0;
        one.next += one.half;
        edges[i] = *one.pin == 1;
      }
      board_.eval();
      // Pins change after the edge.
      if (edges[1]) receive();
      if (edges[2]) transmitted();
      if (edges[1] || edges[2]) board_.eval();
      done = edges[0];
    }
  }

  /// A byte to the adapter, or a byte of the gap.
  void receive() {
    const bool sends = gap_ == 0 && !waiting_.empty();
    board_.gmii_rx_dv = sends;
    if (!sends) {
      gap_ -= gap_ != 0;
      return;
    }
    board_.gmii_rx_data = waiting_.front()[at_++];
    if (at_ < waiting_.front().size()) return;
    waiting_.pop_front();
    at_ = 0;
    gap_ = kGap;
  }

  /// A byte of the adapter. Whole frames are judged, and queued for the way back.
  void transmitted() {
    if (board_.gmii_tx_en != 0) {
      if (frame_.empty() && idle_ < kGap && frames != 0) fail("a gap of less than 12 bytes");
      frame_.push_back(board_.gmii_tx_data);
      idle_ = 0;
      return;
    }
    ++idle_;
    if (frame_.empty()) return;
    for (unsigned i = 0; i < kPreamble; ++i) {
      if (frame_[i] != (i + 1 < kPreamble ? 0x55 : 0xD5)) fail("no preamble");
    }
    const std::size_t length = frame_.size() - kPreamble;
    if (length < kShortest) fail("a frame of less than 64 bytes");
    // The CRC over a frame and its FCS is a constant.
    if (crc32(0, frame_.data() + kPreamble, static_cast<uInt>(length)) != 0x2144DF1C) {
      fail("a wrong FCS");
    }
    ++frames;
    bytes += length;
    if (every_ != 0 && frames % every_ == 0) {
      ++damaged;
      frame_[kPreamble + damaged * 7 % length] ^= 0x40;
    }
    waiting_.push_back(frame_);
    frame_.clear();
  }

  unsigned every_;
  VerilatedContext context_;
  Vboard board_;
  std::vector<Clock> clocks_;
  std::deque<std::vector<std::uint8_t>> waiting_;
  std::vector<std::uint8_t> frame_;
  std::size_t at_ = 0;
  unsigned gap_ = 0, idle_ = 0;
};

Bench* bench;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s LIBRARY EVERY\n", argv[0]);
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) fail(dlerror());
  const auto program = reinterpret_cast<decltype(&board_run)>(dlsym(library, "board_run"));
  if (program == nullptr) fail(dlerror());
  bench = new Bench(static_cast<unsigned>(std::atoi(argv[2])));
  if (bench->access(false, SOC_REGISTERS, 0) != kId) fail("the id register has another value");
  const BoardBus bus = {
      [](std::uint32_t offset) { return bench->access(false, SOC_REGISTERS + offset, 0); },
      [](std::uint32_t offset, std::uint32_t value) {
        bench->access(true, SOC_REGISTERS + offset, value);
      },
      [](std::uint64_t ns) { return bench->run(ns); }, [] { return bench->now(); },
      [](std::uint64_t, std::uint64_t) {}};
  char reason[300] = "";
  if (program(&bus, bench->memory(), SOC_BYTES, SOC_ADDRESS, "transfer", reason, sizeof reason) !=
      0) {
    fail(reason);
  }
  const auto counter = [](std::uint32_t address) { return bench->access(false, address, 0); };
  bench->run(10'000);
  std::printf("time %llu frames %u bytes %llu damaged %u\n",
              static_cast<unsigned long long>(bench->now()), bench->frames,
              static_cast<unsigned long long>(bench->bytes), bench->damaged);
  std::printf(
      "crc_errors %u preamble_errors %u rx_damaged %u rx_lost %u tx_lost %u bus_errors %u\n",
      counter(SOC_CRC_ERRORS), counter(SOC_PREAMBLE_ERRORS), counter(SOC_RX_DAMAGED),
      counter(SOC_RX_LOST), counter(SOC_TX_LOST), counter(SOC_BUS_ERRORS));
  std::fflush(stdout);
  std::_Exit(0);
}
