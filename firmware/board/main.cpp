// SPDX-License-Identifier: Apache-2.0
// Firmware and host program of a board in one loop: docs/boards.md. Where the SoC has its registers
// is in board.hpp, which rtl/board/ecpix5/program.py writes.
#include "board.hpp"
#include "firmware/board/program.hpp"
#include "firmware/board/ring.hpp"

namespace {

using namespace roci::fw;  // NOLINT: this file is the program
namespace at = roci::fw::board::at;

constexpr uint32_t kPage = 4096;
constexpr uint32_t kPortMtu = 2200;  // path MTU 2048, and frames that fit the buffers at the MAC

/// What board.py changes in the image; it finds it by its first bytes.
struct Settings {
  char mark[8];
  uint32_t address;  ///< IPv4
  uint32_t mac_low, mac_high;
  uint32_t region_bytes;
};
__attribute__((section(".settings"), used)) const volatile Settings settings = {
    {'R', 'O', 'C', 'I', 'S', 'E', 'T', '1'}, 0x0A000005, 0x00000005, 0x5254, at::kRegionBytes};

// Not cleared at the start: nobody reads what was not written.
#define PAGE __attribute__((section(".pages"), aligned(kPage))) volatile uint32_t
PAGE commands[kPage / 4];
PAGE replies[kPage / 4];
PAGE queues[kPage / 4];
PAGE completions[kPage / 4];

uint32_t read_word(uintptr_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
void write_word(uintptr_t address, uint32_t value) {
  *reinterpret_cast<volatile uint32_t*>(address) = value;
}

uint32_t read32(void*, uint32_t offset) { return read_word(at::kAdapter + offset); }
void write32(void*, uint32_t offset, uint32_t value) { write_word(at::kAdapter + offset, value); }

void print(const char* text) {
  for (; *text != 0; ++text) {
    while (read_word(at::kUartFull) != 0) {
    }
    write_word(at::kUart, static_cast<uint8_t>(*text));
  }
}

/// What the functions of Platform work on.
struct Context {
  Port port;
  board::Ring ring;
  uint32_t status = 0, link = 0, downs = 0, wrong_rates = 0;
  bool wrong_rate = false;

  /// Follows the state that the PHY reports between frames (RGMII 2.0, 3.4.1). The MAC has the
  /// clock of 1 Gb/s, so that at another rate nothing arrives. The bits come from another clock:
  /// a state counts when two looks find it.
  void look() {
    const uint32_t before = status;
    status = read_word(at::kLinkStatus);
    if (status != before) return;
    const bool up = (status & 1) != 0, gigabit = (status >> 1 & 3) == 2;
    const uint32_t now = up && gigabit ? 1 : 0;
    if (link != 0 && now == 0) ++downs;
    link = now;
    if (up && !gigabit && !wrong_rate) {
      ++wrong_rates;
      print("rocinante: the link is not at 1 Gb/s\n");
    }
    wrong_rate = up && !gigabit;
  }
};

bool run(void* context, const Message& command, Message* reply) {
  return static_cast<Context*>(context)->ring.run(command, reply);
}

bool send(void* context, const uint8_t* frame, size_t bytes) {
  return static_cast<Context*>(context)->port.send_frame(frame, bytes);
}

uint64_t now(void* context) { return static_cast<Context*>(context)->port.now(); }

size_t receive(void*, uint8_t* frame, size_t room) {
  const size_t length = read_word(at::kFramesLength) & 0xFFFF;
  if (length == 0) return 0;
  // The program has room for whole words.
  for (size_t i = 0; i < length && i < room; i += 4) {
    const uint32_t word = read_word(at::kFrames + i);
    __builtin_memcpy(__builtin_assume_aligned(frame + i, 4), &word, sizeof word);
  }
  write_word(at::kFramesPop, 1);
  return length;
}

void count(void* context, uint32_t* counters) {
  auto* self = static_cast<Context*>(context);
  counters[board::kLink] = self->link;
  counters[board::kLinkDowns] = self->downs;
  counters[board::kWrongRate] = self->wrong_rates;
  counters[board::kWrongFcs] = read_word(at::kCrcErrors);
  counters[board::kWrongPreamble] = read_word(at::kPreambleErrors);
  counters[board::kRxLost] = read_word(at::kRxLost);
  counters[board::kTxLost] = read_word(at::kTxLost);
  counters[board::kFramesLost] = read_word(at::kFramesDropped);
  uint64_t dropped = 0;
  // The causes come first.
  for (uint32_t i = 0; i < number(roci::layout::PortCounter::kRxFrames); ++i)
    dropped += self->port.port_counter(i);
  counters[board::kRoceDropped] = static_cast<uint32_t>(dropped);
}

void print_number(uint32_t value, uint32_t base) {
  char digits[11] = {};
  uint32_t first = sizeof digits - 1;
  do {
    digits[--first] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  print(digits + first);
}

void print_address(uint32_t address) {
  for (uint32_t shift = 32; shift != 0; shift -= 8) {
    print_number(address >> (shift - 8) & 0xFF, 10);
    print(shift == 8 ? "" : ".");
  }
}

}  // namespace

int main() {
  const Hal hal = {nullptr, read32, write32};
  Config config;
  config.mac = settings.mac_low | Mac{settings.mac_high} << 32;
  config.port_mtu = kPortMtu;
  static Firmware firmware(hal, config);
  firmware.start();
  static Context context = {Port(hal), board::Ring(hal, &firmware, commands, replies)};
  context.ring.start();
  const board::Platform platform = {{&context, run}, &context, receive, send, now, count};
  const board::Export exported = {settings.address, at::kRegion, settings.region_bytes,
                                  reinterpret_cast<uintptr_t>(queues),
                                  reinterpret_cast<uintptr_t>(completions)};
  // In block RAM: bytes of frames are read one by one.
  __attribute__((section(".fast"))) static board::Program program(platform, config.mac, exported);
  const bool started = program.start();
  print(started ? "rocinante: " : "rocinante: the adapter rejects a command\n");
  if (started) {
    print_address(settings.address);
    print(", region of ");
    print_number(settings.region_bytes, 10);
    print(" bytes at 0x");
    print_number(static_cast<uint32_t>(at::kRegion), 16);
    print("\n");
  }
  for (;;) {
    context.look();
    firmware.poll();
    if (started) program.poll();
  }
}
