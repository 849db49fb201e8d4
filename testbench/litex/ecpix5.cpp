// SPDX-License-Identifier: Apache-2.0
// The board, verilated, between its RGMII pins and a wire of Unix datagrams.
//
// usage: <program> [--from-rom] [--slip N] [--delay N] [--dead N] IMAGE LOCAL REMOTE EVERY CLOCK
//                  CONSOLE
//
// IMAGE is the program of the board, which stands in its memory after reset; with --from-rom it is
// the content of the flash, and the processor begins in the BIOS. --slip, --delay and --dead are
// the pins of the memory's model (ddr3.py).
// Frames that come at the socket LOCAL wait for the link and arrive at 1 Gb/s; a byte of one in
// EVERY frames (0: none), by chance, is damaged on the way: a fixed period could hit each
// repetition of a packet. Those that leave go to the socket REMOTE, without preamble, FCS and gap,
// which are judged. The file CLOCK shows the time, in ns, to the simulation at the other end
// (`roci up --clock`). What the board prints is written into the file CONSOLE, what stands in
// standard input is typed there. SIGUSR1 takes the link down or up, SIGUSR2 gives it 100 Mb/s or
// 1 Gb/s again, and SIGTERM ends the run and prints what was counted.
#include <fcntl.h>
#include <getopt.h>
#include <sys/mman.h>
#include <verilated.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "Vboard.h"
#include "Vboard___024root.h"
#include "soc.hpp"
#include "testbench/litex/console.hpp"
#include "testbench/litex/rgmii.hpp"
#include "testbench/litex/spi_flash.hpp"
#include "testbench/litex/wire.hpp"

namespace {

using namespace roci::board;

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
constexpr std::uint64_t kLookPs = 1'000'000;       // between two looks at the socket
constexpr std::uint64_t kPhyResetPs = 30'000'000;  // LiteEth holds its PHY in reset for 5.1 us
constexpr unsigned kMostWaiting = 64;

volatile std::sig_atomic_t ended = 0, toggles = 0, rates = 0;

struct Options {
  bool from_rom = false;
  unsigned slip = 0, delay = 0, dead = 0, every = 0;
  std::vector<char> image;
  const char* console = nullptr;
};

/// Makes the file in which the other end sees the time.
std::atomic<std::uint64_t>* show_time(const char* file) {
  const int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* mapped = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, sizeof(std::uint64_t)) == 0) {
    mapped = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (mapped == MAP_FAILED) fail(std::string("cannot make ") + file);
  return static_cast<std::atomic<std::uint64_t>*>(mapped);
}

/// A clock that toggles each half of its period.
struct Clock {
  CData* pin;
  std::uint64_t half, next;
};

class Bench {
 public:
  Bench(const Wire& wire, const Options& options)
      : wire_(wire),
        link_(options.every),
        flash_(options.from_rom ? options.image : std::vector<char>{}),
        console_(options.console, kPsPerSecond / SOC_BAUD),
        board_(&context_) {
    clocks_ = {{&board_.eth_clocks_rx, kEthPs / 2, kEthPs / 3},
               {&board_.sys_clk, kPsPerSecond / SOC_SYS_HZ / 2, kPsPerSecond / SOC_SYS_HZ / 2},
               {&board_.core_clk, kPsPerSecond / SOC_CORE_HZ / 2, kPsPerSecond / SOC_CORE_HZ / 3}};
    board_.from_rom = options.from_rom;
    board_.ddr3_slip = static_cast<CData>(options.slip);
    board_.ddr3_delay = static_cast<CData>(options.delay);
    board_.ddr3_dead = static_cast<CData>(options.dead);
    board_.serial_rx = console_.typed(0);
    board_.sys_rst = 1;
    run(kLookPs);
    if (!options.from_rom) std::memcpy(memory(), options.image.data(), options.image.size());
    board_.sys_rst = 0;
    run(kPhyResetPs);
  }

  void serve(std::atomic<std::uint64_t>* shown) {
    while (ended == 0) {
      run(kLookPs);
      console_.type(context_.time());
      shown->store(context_.time() / 1000, std::memory_order_release);
      // A peer that is busy goes on only when the time does.
      while (!link_.sent().empty() && wire_.send(link_.sent().front())) link_.sent().pop_front();
      link_.set_status(toggles % 2 != 0 ? kDown : rates % 2 != 0 ? kSlow : kUp);
      Frame frame;
      while (link_.waiting() < kMostWaiting && wire_.receive(frame)) link_.put(frame);
    }
  }

  void report() const {
    const auto ns = [](std::uint64_t ps) { return static_cast<unsigned long long>(ps / 1000); };
    const Way &in = link_.in(), &out = link_.out();
    std::printf("time %llu in %u out %u damaged %u full_in %u in_ns %llu full_out %u out_ns %llu\n",
                ns(context_.time()), in.frames, out.frames, link_.damaged(), in.full,
                ns(in.full_to_ps - in.full_from_ps), out.full,
                ns(out.full_to_ps - out.full_from_ps));
    std::fflush(stdout);
  }

 private:
  std::uint8_t* memory() { return reinterpret_cast<std::uint8_t*>(&board_.rootp->SOC_MEMORY[0]); }

  void run(std::uint64_t ps) {
    for (const std::uint64_t end = context_.time() + ps; context_.time() < end;) edge();
  }

  /// The next edge of any clock. Pins change between the edges of their clock.
  void edge() {
    std::uint64_t next = ~std::uint64_t{0};
    for (const Clock& one : clocks_) next = one.next < next ? one.next : next;
    context_.time(next);
    const bool link = clocks_[0].next == next, sys = clocks_[1].next == next;
    for (Clock& one : clocks_) {
      if (one.next != next) continue;
      *one.pin = *one.pin == 0;
      one.next += one.half;
    }
    board_.eval();
    if (sys && board_.sys_clk != 0) {
      console_.look(board_.serial_tx != 0, next);
      board_.serial_rx = console_.typed(next);
      board_.spiflash_miso = flash_.step(board_.spiflash_cs_n != 0, board_.spiflash_clk != 0,
                                         board_.spiflash_mosi != 0);
    }
    if (!link) return;
    const bool high = board_.eth_clocks_rx != 0;
    link_.transmitted({board_.eth_tx_ctl, board_.eth_tx_data}, high, next);
    const Link::Pins pins = link_.receive(high, next);
    board_.eth_rx_ctl = pins.control;
    board_.eth_rx_data = pins.data;
    board_.eval();
  }

  const Wire& wire_;
  Link link_;
  SpiFlash flash_;
  Console console_;
  VerilatedContext context_;
  Vboard board_;
  std::vector<Clock> clocks_;
};

unsigned number(const char* text) { return static_cast<unsigned>(std::strtoul(text, nullptr, 0)); }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const option names[] = {{"from-rom", no_argument, nullptr, 'r'},
                          {"slip", required_argument, nullptr, 's'},
                          {"delay", required_argument, nullptr, 'd'},
                          {"dead", required_argument, nullptr, 'x'},
                          {}};
  for (int found; (found = getopt_long(argc, argv, "", names, nullptr)) != -1;) {
    if (found == 'r') options.from_rom = true;
    if (found == 's') options.slip = number(optarg);
    if (found == 'd') options.delay = number(optarg);
    if (found == 'x') options.dead = number(optarg);
    if (found == '?') return 2;
  }
  if (argc - optind != 6) {
    std::fprintf(stderr, "usage: %s [OPTION ...] IMAGE LOCAL REMOTE EVERY CLOCK CONSOLE\n",
                 argv[0]);
    return 2;
  }
  char** words = argv + optind;
  std::signal(SIGTERM, [](int) { ended = 1; });
  std::signal(SIGUSR1, [](int) { toggles = toggles + 1; });
  std::signal(SIGUSR2, [](int) { rates = rates + 1; });
  std::ifstream file(words[0], std::ios::binary);
  options.image.assign(std::istreambuf_iterator<char>(file), {});
  if (options.image.empty() || options.image.size() > SOC_BYTES) {
    fail(std::string(words[0]) + ": no image");
  }
  options.every = number(words[3]);
  options.console = words[5];
  const Wire wire(words[1], words[2]);
  static Bench bench(wire, options);
  std::atomic<std::uint64_t>* shown = show_time(words[4]);
  std::printf("ready\n");
  std::fflush(stdout);
  bench.serve(shown);
  bench.report();
  std::_Exit(0);
}
