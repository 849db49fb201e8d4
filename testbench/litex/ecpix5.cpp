// SPDX-License-Identifier: Apache-2.0
// The board, verilated, between its RGMII pins and a wire of Unix datagrams (one Ethernet frame in
// each, as QEMU's -netdev dgram).
//
// usage: <program> IMAGE LOCAL REMOTE EVERY CLOCK
//
// IMAGE is the program of the board, which stands in its memory after reset. Frames that come at
// the socket LOCAL wait for the link and arrive at 1 Gb/s; a byte of one in EVERY frames (0:
// none), by chance, is damaged on the way: a fixed period could hit each repetition of a packet.
// Those that leave go to the socket REMOTE, without preamble, FCS and gap, which are judged.
// The file CLOCK shows the time, in ns, to the simulation at the other end (`roci up --clock`).
// SIGUSR1 takes the link down or up, SIGUSR2 gives it 100 Mb/s or 1 Gb/s again, and SIGTERM ends
// the run and prints what was counted.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <verilated.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "Vboard.h"
#include "Vboard___024root.h"
#include "soc.hpp"

namespace {

using Frame = std::vector<std::uint8_t>;

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000, kEthPs = 8'000;
constexpr std::uint64_t kLookPs = 1'000'000;       // between two looks at the socket
constexpr std::uint64_t kPhyResetPs = 30'000'000;  // LiteEth holds its PHY in reset for 5.1 us
constexpr unsigned kPreamble = 8, kGap = 12, kFcs = 4, kShortest = 64, kMostWaiting = 64;
constexpr std::size_t kLongest = 9216;
constexpr std::size_t kFull = 1024;  // bytes of a frame with a payload of the path MTU, at least
// Status between frames, with full duplex: at 1 Gb/s, without a link, at 100 Mb/s.
constexpr std::uint8_t kUp = 0xD, kDown = 0xC, kSlow = 0xB;

volatile std::sig_atomic_t ended = 0, toggles = 0, rates = 0;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

/// The socket of the wire.
class Wire {
 public:
  Wire(const std::string& local, const std::string& remote) : remote_(address(remote)) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    const sockaddr_un here = address(local);
    unlink(local.c_str());
    const int room = 4 << 20;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(fd_, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
      fail("cannot bind " + local);
    }
  }

  bool receive(Frame& frame) const {
    frame.resize(kLongest);
    const ssize_t length = recv(fd_, frame.data(), frame.size(), 0);
    if (length < 14) return false;
    frame.resize(static_cast<std::size_t>(length));
    return true;
  }

  /// False: the peer is busy. Without a peer the frame is lost, as on a cable.
  bool send(const Frame& frame) const {
    return sendto(fd_, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&remote_),
                  sizeof remote_) >= 0 ||
           (errno != EAGAIN && errno != ENOBUFS);
  }

 private:
  static sockaddr_un address(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    if (path.size() >= sizeof made.sun_path) fail(path + ": too long");
    std::memcpy(made.sun_path, path.c_str(), path.size());
    return made;
  }

  sockaddr_un remote_;
  int fd_ = -1;
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

/// What went one way: all frames, and from the first to the last with a full payload.
struct Way {
  unsigned frames = 0, full = 0;
  std::uint64_t full_from_ps = 0, full_to_ps = 0;

  /// A frame of `bytes` without preamble has ended.
  void count(std::size_t bytes, std::uint64_t now_ps) {
    ++frames;
    if (bytes < kFull) return;
    if (full++ == 0) full_from_ps = now_ps - (kPreamble + bytes) * kEthPs;
    full_to_ps = now_ps + kGap * kEthPs;
  }
};

/// A clock that toggles each half of its period.
struct Clock {
  CData* pin;
  std::uint64_t half, next;
};

class Bench {
 public:
  Bench(const Wire& wire, const std::vector<char>& image, unsigned every)
      : wire_(wire), every_(every), board_(&context_) {
    clocks_ = {{&board_.eth_clocks_rx, kEthPs / 2, kEthPs / 3},
               {&board_.sys_clk, kPsPerSecond / SOC_SYS_HZ / 2, kPsPerSecond / SOC_SYS_HZ / 2},
               {&board_.core_clk, kPsPerSecond / SOC_CORE_HZ / 2, kPsPerSecond / SOC_CORE_HZ / 3}};
    board_.sys_rst = 1;
    run(kLookPs);
    std::memcpy(memory(), image.data(), image.size());
    board_.sys_rst = 0;
    run(kPhyResetPs);
  }

  std::uint8_t* memory() { return reinterpret_cast<std::uint8_t*>(&board_.rootp->SOC_MEMORY[0]); }

  void run(std::uint64_t ps) {
    for (const std::uint64_t end = context_.time() + ps; context_.time() < end;) edge();
  }

  void serve(std::atomic<std::uint64_t>* shown) {
    while (ended == 0) {
      run(kLookPs);
      shown->store(context_.time() / 1000, std::memory_order_release);
      // A peer that is busy goes on only when the time does.
      while (!unsent_.empty() && wire_.send(unsent_.front())) unsent_.pop_front();
      status_ = toggles % 2 != 0 ? kDown : rates % 2 != 0 ? kSlow : kUp;
      Frame frame;
      while (waiting_.size() < kMostWaiting && wire_.receive(frame)) {
        if (status_ == kUp) waiting_.push_back(on_link(frame));
      }
    }
  }

  void report() const {
    const auto ns = [](std::uint64_t ps) { return static_cast<unsigned long long>(ps / 1000); };
    std::printf("time %llu in %u out %u damaged %u full_in %u in_ns %llu full_out %u out_ns %llu\n",
                ns(context_.time()), in_.frames, out_.frames, damaged_, in_.full,
                ns(in_.full_to_ps - in_.full_from_ps), out_.full,
                ns(out_.full_to_ps - out_.full_from_ps));
    std::fflush(stdout);
  }

 private:
  /// A frame with preamble and FCS, damaged when its turn has come.
  Frame on_link(Frame frame) {
    if (frame.size() < kShortest - kFcs) frame.resize(kShortest - kFcs);
    const uLong fcs = crc32(0, frame.data(), static_cast<uInt>(frame.size()));
    for (unsigned i = 0; i < kFcs; ++i) frame.push_back(static_cast<std::uint8_t>(fcs >> 8 * i));
    if (every_ != 0 && random_() % every_ == 0) frame[++damaged_ * 7 % frame.size()] ^= 0x40;
    static const Frame preamble = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5};
    frame.insert(frame.begin(), preamble.begin(), preamble.end());
    return frame;
  }

  /// The next edge of any clock. Pins of the link change between the edges of its clock.
  void edge() {
    std::uint64_t next = ~std::uint64_t{0};
    for (const Clock& one : clocks_) next = one.next < next ? one.next : next;
    context_.time(next);
    const bool link = clocks_[0].next == next;
    for (Clock& one : clocks_) {
      if (one.next != next) continue;
      *one.pin = *one.pin == 0;
      one.next += one.half;
    }
    board_.eval();
    if (!link) return;
    const bool high = board_.eth_clocks_rx != 0;
    transmitted(high);
    receive(high);
    board_.eval();
  }

  /// Four bits to the board: the lower ones of a byte before the rising edge, so after the falling.
  void receive(bool high) {
    if (!high && at_ == 0 && gap_ == 0 && !waiting_.empty()) sending_ = true;
    if (!sending_) {
      board_.eth_rx_ctl = 0;
      board_.eth_rx_data = status_;
      if (!high && gap_ != 0) --gap_;
      return;
    }
    const Frame& frame = waiting_.front();
    board_.eth_rx_ctl = 1;
    board_.eth_rx_data = high ? frame[at_] >> 4 : frame[at_] & 0xF;
    if (!high) return;
    if (++at_ < frame.size()) return;
    in_.count(frame.size() - kPreamble, context_.time());
    waiting_.pop_front();
    sending_ = false;
    at_ = 0;
    gap_ = kGap;
  }

  /// Four bits of the board: the lower ones of a byte while the clock is high.
  void transmitted(bool high) {
    if (high) {
      low_ = board_.eth_tx_data;
      return;
    }
    if (board_.eth_tx_ctl != 0) {
      if (leaving_.empty() && idle_ < kGap && out_.frames != 0) fail("a gap of less than 12 bytes");
      leaving_.push_back(static_cast<std::uint8_t>(low_ | board_.eth_tx_data << 4));
      idle_ = 0;
      return;
    }
    ++idle_;
    if (!leaving_.empty()) leave();
  }

  void leave() {
    for (unsigned i = 0; i < kPreamble; ++i) {
      if (leaving_[i] != (i + 1 < kPreamble ? 0x55 : 0xD5)) fail("no preamble");
    }
    const std::size_t length = leaving_.size() - kPreamble;
    if (leaving_.size() < kPreamble + kShortest) fail("a frame of less than 64 bytes");
    // The CRC over a frame and its FCS is a constant.
    if (crc32(0, leaving_.data() + kPreamble, static_cast<uInt>(length)) != 0x2144DF1C) {
      fail("a wrong FCS");
    }
    out_.count(length, context_.time());
    if (status_ == kUp) unsent_.emplace_back(leaving_.begin() + kPreamble, leaving_.end() - kFcs);
    leaving_.clear();
  }

  const Wire& wire_;
  unsigned every_;
  std::mt19937 random_{1};
  VerilatedContext context_;
  Vboard board_;
  std::vector<Clock> clocks_;
  std::deque<Frame> waiting_, unsent_;
  Frame leaving_;
  std::size_t at_ = 0;
  std::uint8_t status_ = kUp, low_ = 0;
  bool sending_ = false;
  unsigned gap_ = 0, idle_ = 0, damaged_ = 0;
  Way in_, out_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s IMAGE LOCAL REMOTE EVERY CLOCK\n", argv[0]);
    return 2;
  }
  std::signal(SIGTERM, [](int) { ended = 1; });
  std::signal(SIGUSR1, [](int) { toggles = toggles + 1; });
  std::signal(SIGUSR2, [](int) { rates = rates + 1; });
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> image((std::istreambuf_iterator<char>(file)), {});
  if (image.empty() || image.size() > SOC_BYTES) fail(std::string(argv[1]) + ": no image");
  const Wire wire(argv[2], argv[3]);
  static Bench bench(wire, image, static_cast<unsigned>(std::atoi(argv[4])));
  std::atomic<std::uint64_t>* shown = show_time(argv[5]);
  std::printf("ready\n");
  std::fflush(stdout);
  bench.serve(shown);
  bench.report();
  std::_Exit(0);
}
