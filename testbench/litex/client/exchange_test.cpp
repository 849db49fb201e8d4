// SPDX-License-Identifier: Apache-2.0
// The client of a board (driver/examples/board) and the board's side of the exchange, over UDP.
#include "driver/examples/board/exchange.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "firmware/board/exchange.hpp"
#include "firmware/test/bench.hpp"

namespace roci::fw::board {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kRegion = 0x40100000, kRegionBytes = 0x1234567890;
constexpr unsigned kTries = 6;

/// The board's side at an address of the loopback interface that no other test has.
class Board {
 public:
  Board()
      : exchange_(
            {this, [](void* self, const Message& command,
                      Message* reply) { return static_cast<Board*>(self)->run(command, reply); }},
            {0x0A000005, kRegion, kRegionBytes, 0x40000000, 0x40001000}) {
    const auto pid = static_cast<unsigned>(getpid());
    address_ = "127." + std::to_string(1 + pid / 256 % 250) + "." + std::to_string(pid % 256) + ".";
    REQUIRE(exchange_.start());
    fd_ = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(kPort);
    inet_pton(AF_INET, address().c_str(), &here.sin_addr);
    REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~Board() {
    ended_ = true;
    thread_.join();
    close(fd_);
  }

  std::string address() const { return address_ + "5"; }
  std::string host() const { return address_ + "9"; }
  std::uint32_t connections() const { return exchange_.connections(); }

  /// Changes what is sent for the request of this number; the replies that leave.
  std::function<std::vector<Bytes>(unsigned request, const Bytes& reply)> change;

 private:
  bool run(const Message& command, Message* reply) {
    const auto opcode =
        static_cast<layout::AdminOp>(get_bits(command.word, layout::command_header::opcode));
    test::Body body;
    body.message = command;
    *reply = bench_.run(opcode, body).message;
    return true;
  }

  void serve() {
    while (!ended_) {
      pollfd ready = {fd_, POLLIN, 0};
      if (poll(&ready, 1, 10) <= 0) continue;
      Bytes request(1500), reply(kMostBytes);
      sockaddr_in from{};
      socklen_t length = sizeof from;
      const ssize_t got = recvfrom(fd_, request.data(), request.size(), 0,
                                   reinterpret_cast<sockaddr*>(&from), &length);
      std::uint32_t counters[kCounters];
      for (std::uint32_t i = 0; i < kCounters; ++i) counters[i] = 1000 + i;
      reply.resize(exchange_.handle(request.data(), static_cast<std::size_t>(got),
                                    {ntohl(from.sin_addr.s_addr), test::kPeerMac}, 1'000'000,
                                    counters, reply.data()));
      const std::vector<Bytes> replies =
          change ? change(requests_++, reply) : std::vector<Bytes>{reply};
      for (const Bytes& one : replies) {
        sendto(fd_, one.data(), one.size(), 0, reinterpret_cast<const sockaddr*>(&from), length);
      }
    }
  }

  test::Bench bench_;
  Exchange exchange_;
  std::string address_;
  int fd_ = -1;
  unsigned requests_ = 0;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

std::string why(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("exchange: the client gets what the board gives") {
  Board board;
  ::Exchange client(board.address(), board.host(), kTries);
  const Granted granted = client.connect(0xABCDEF, 0xFEDCBA, 3, 200);
  CHECK(granted.qpn >= kFirstQpn);
  CHECK(granted.psn != 0);
  CHECK(granted.mtu == 3);
  CHECK(granted.reads == kMaxRdAtomic);
  CHECK(granted.key != 0);
  CHECK(granted.address == kRegion);
  CHECK(granted.bytes == kRegionBytes);
  CHECK(client.connect(5, 6, 5, 1).mtu == 5);
  CHECK(board.connections() == 2);
  client.disconnect(0xABCDEF);
  CHECK(board.connections() == 1);
  client.disconnect(0xABCDEF);  // its reply may have been lost
}

TEST_CASE("exchange: each counter has its name") {
  Board board;
  const auto counters = ::Exchange(board.address(), board.host(), kTries).status();
  REQUIRE(counters.size() == kCounters);
  const std::map<std::string, std::uint32_t> by_name(counters.begin(), counters.end());
  CHECK(by_name.size() == kCounters);
  CHECK(by_name.at("connections") == 1000 + kConnections);
  CHECK(by_name.at("link") == 1000 + kLink);
  CHECK(by_name.at("link_downs") == 1000 + kLinkDowns);
  CHECK(by_name.at("wrong_fcs") == 1000 + kWrongFcs);
  CHECK(by_name.at("wrong_preamble") == 1000 + kWrongPreamble);
  CHECK(by_name.at("rx_lost") == 1000 + kRxLost);
  CHECK(by_name.at("tx_lost") == 1000 + kTxLost);
  CHECK(by_name.at("frames_lost") == 1000 + kFramesLost);
  CHECK(by_name.at("frames_wrong") == 1000 + kFramesWrong);
  CHECK(by_name.at("pings") == 1000 + kPings);
  CHECK(by_name.at("requests") == 1000 + kRequests);
  CHECK(by_name.at("roce_dropped") == 1000 + kRoceDropped);
}

TEST_CASE("exchange: a reply that is lost, for another request or cut off") {
  Board board;
  std::uint32_t first = 0;
  board.change = [&](unsigned request, const Bytes& reply) -> std::vector<Bytes> {
    const auto qpn = static_cast<std::uint32_t>(get_wire(reply.data(), request::qpn));
    if (request == 0) {
      first = qpn;
      return {};
    }
    Bytes other = reply;
    put_wire(other.data(), request::token, get_wire(reply.data(), request::token) + 1);
    put_wire(other.data(), request::qpn, 77);
    const Bytes header(reply.begin(), reply.begin() + request::kBytes - 1);
    if (request == 1) return {other, header, reply};
    return {Bytes(reply.begin(), reply.begin() + request::kBytes)};
  };
  ::Exchange client(board.address(), board.host(), kTries);
  CHECK(client.connect(0x1234, 1, 3, 4).qpn == first);
  CHECK(board.connections() == 1);
  CHECK(why([&] { client.status(); }) == "the reply is too short");
}

TEST_CASE("exchange: what the board rejects, and a board that is silent") {
  Board board;
  ::Exchange client(board.address(), board.host(), kTries);
  CHECK(why([&] { client.connect(0x1000000, 1, 3, 4); }) == "the board finds a value out of range");
  for (unsigned i = 0; i < (1u << test::kLogQps) - kFirstQpn; ++i) client.connect(i, 1, 3, 4);
  CHECK(why([&] { client.connect(100, 1, 3, 4); }) == "all queue pairs of the board are in use");
  board.change = [](unsigned, const Bytes&) { return std::vector<Bytes>(); };
  ::Exchange hasty(board.address(), board.host(), 1);
  CHECK(why([&] { hasty.status(); }) == "the board does not reply");
}

}  // namespace roci::fw::board
