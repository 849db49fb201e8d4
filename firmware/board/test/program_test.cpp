// SPDX-License-Identifier: Apache-2.0
#include "firmware/board/program.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "firmware/test/bench.hpp"

namespace roci::fw::board {
namespace {

using test::Bench, test::Frame;

constexpr uint32_t kBoard = 0x0A000005, kHost = 0x0A000001;
constexpr Mac kBoardMac = test::kOwnMac, kHostMac = test::kPeerMac;
constexpr uint64_t kRegion = 0x40100000, kRegionBytes = 0x300000;
// An echo request of ping from 10.0.0.1 to 10.0.0.5, made by scapy 2.5.0 (IP id 0x1234).
constexpr const char* kEcho =
    "525400000001525400000002080045000028123400004001549c0a0000010a0000050800b390000100026869746865"
    "7220626f617264";

Frame bytes_of(const std::string& hex) {
  Frame bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

uint32_t sum16(const std::uint8_t* bytes, std::size_t count, uint32_t start = 0) {
  for (std::size_t i = 0; i < count; ++i) start += uint32_t{bytes[i]} << (i % 2 == 0 ? 8 : 0);
  while (start >> 16 != 0) start = (start & 0xFFFF) + (start >> 16);
  return start;
}

/// The program on firmware and the mock adapter.
struct Board {
  Board() { REQUIRE(program.start()); }

  Bench bench;
  std::deque<Frame> received;
  std::vector<Frame> sent;
  uint64_t now = 1'000'000;
  unsigned fails_from = ~0u, commands = 0;
  Program program{
      {{this, [](void* self, const Message& command,
                 Message* reply) { return static_cast<Board*>(self)->run(command, reply); }},
       this,
       [](void* self, uint8_t* frame, size_t room) {
         return static_cast<Board*>(self)->receive(frame, room);
       },
       [](void* self, const uint8_t* frame, size_t bytes) {
         static_cast<Board*>(self)->sent.emplace_back(frame, frame + bytes);
         return true;
       },
       [](void* self) { return static_cast<Board*>(self)->now; },
       [](void*, uint32_t* counters) { counters[kWrongFcs] = 77; }},
      kBoardMac,
      {kBoard, kRegion, kRegionBytes, 0x40000000, 0x40001000}};

  bool run(const Message& command, Message* reply) {
    if (commands++ >= fails_from) return false;
    const auto opcode =
        static_cast<layout::AdminOp>(get_bits(command.word, layout::command_header::opcode));
    test::Body body;
    body.message = command;
    *reply = bench.run(opcode, body).message;
    return true;
  }

  size_t receive(uint8_t* frame, size_t room) {
    if (received.empty()) return 0;
    const Frame first = received.front();
    received.pop_front();
    std::memcpy(frame, first.data(), std::min(first.size(), room));
    return first.size();
  }

  /// What the program sends when it gets a frame.
  std::vector<Frame> give(const Frame& frame) {
    sent.clear();
    received.push_back(frame);
    CHECK(program.poll());
    CHECK_FALSE(program.poll());
    return sent;
  }

  /// The bytes of the reply to a datagram for a port; none: no reply.
  Frame ask(const Frame& request, uint32_t from = kHost, uint16_t to_port = kPort) {
    Frame frame(kFrameBytes);
    std::copy(request.begin(), request.end(), datagram_bytes(frame.data()));
    Datagram to = {};
    to.mac = kBoardMac;
    to.address = kBoard;
    to.port = to_port;
    to.to_port = 5000;
    frame.resize(make_datagram(frame.data(), kHostMac, from, to, request.size()));
    const std::vector<Frame> replies = give(frame);
    if (replies.empty()) return {};
    Datagram reply = {};
    REQUIRE(read_frame(replies[0].data(), replies[0].size(), from, &reply) == Kind::kDatagram);
    CHECK(reply.mac == kBoardMac);
    CHECK(reply.address == kBoard);
    CHECK(reply.port == kPort);
    CHECK(reply.to_port == 5000);
    return {reply.bytes, reply.bytes + reply.length};
  }
};

Frame request_of(Operation operation, uint32_t token, uint32_t qpn, uint32_t psn = 100,
                 uint32_t mtu = 3, uint32_t reads = 4) {
  Frame bytes(request::kBytes);
  put_wire(bytes.data(), request::magic, kMagic);
  put_wire(bytes.data(), request::version, kVersion);
  put_wire(bytes.data(), request::operation, number(operation));
  put_wire(bytes.data(), request::token, token);
  put_wire(bytes.data(), request::qpn, qpn);
  put_wire(bytes.data(), request::psn, psn);
  put_wire(bytes.data(), request::mtu, mtu);
  put_wire(bytes.data(), request::reads, reads);
  return bytes;
}

Status status_of(const Frame& reply) {
  REQUIRE(reply.size() >= request::kBytes);
  return static_cast<Status>(get_wire(reply.data(), request::status));
}

uint32_t qpn_of(const Frame& reply) {
  return static_cast<uint32_t>(get_wire(reply.data(), request::qpn));
}

}  // namespace

TEST_CASE("program: replies to ping") {
  Board board;
  Frame echo = bytes_of(kEcho);
  echo.resize(kShortestFrame + 4);  // padding is not part of the message
  const std::vector<Frame> replies = board.give(echo);
  REQUIRE(replies.size() == 1);
  const Frame& reply = replies[0];
  CHECK(reply.size() == bytes_of(kEcho).size());
  CHECK(get_wire(reply.data(), layout::ethernet::dst_mac) == kHostMac);
  CHECK(get_wire(reply.data(), layout::ethernet::src_mac) == kBoardMac);
  const std::uint8_t* ip = reply.data() + layout::ethernet::kBytes;
  CHECK(get_wire(ip, layout::ipv4::src_ip) == kBoard);
  CHECK(get_wire(ip, layout::ipv4::dst_ip) == kHost);
  CHECK(sum16(ip, layout::ipv4::kBytes) == 0xFFFF);
  CHECK(ip[layout::ipv4::kBytes] == 0);  // echo reply
  CHECK(sum16(ip + layout::ipv4::kBytes, reply.size() - 34) == 0xFFFF);
  CHECK(std::memcmp(ip + 24, echo.data() + 38, reply.size() - 38) == 0);
}

TEST_CASE("program: the reply to a ping with options of IPv4 has none") {
  Board board;
  Frame echo = bytes_of(kEcho);
  const Frame options = {7, 7, 4, 0, 0, 0, 0, 0};  // record route
  echo.insert(echo.begin() + 34, options.begin(), options.end());
  std::uint8_t* ip = echo.data() + 14;
  put_wire(ip, layout::ipv4::ihl, 7);
  put_wire(ip, layout::ipv4::total_length, echo.size() - 14);
  put_wire(ip, layout::ipv4::checksum, 0);
  put_wire(ip, layout::ipv4::checksum, ~sum16(ip, 28) & 0xFFFF);
  const std::vector<Frame> replies = board.give(echo);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].size() == bytes_of(kEcho).size());
}

TEST_CASE("program: frames that are damaged, for others or in fragments get no reply") {
  Board board;
  const Frame echo = bytes_of(kEcho);
  for (std::size_t at = 12; at < echo.size(); ++at) {
    // The source address may differ: the checksums find it.
    Frame bad = echo;
    bad[at] ^= 0x21;
    CAPTURE(at);
    CHECK(board.give(bad).empty());
  }
  for (std::size_t bytes = 1; bytes < echo.size(); ++bytes) {
    CHECK(board.give({echo.begin(), echo.begin() + static_cast<std::ptrdiff_t>(bytes)}).empty());
  }
  Frame fragment = echo;
  put_wire(fragment.data() + 14, layout::ipv4::flags, 1);
  put_wire(fragment.data() + 14, layout::ipv4::checksum, 0);
  put_wire(fragment.data() + 14, layout::ipv4::checksum, ~sum16(fragment.data() + 14, 20) & 0xFFFF);
  CHECK(board.give(fragment).empty());
  Frame group = echo;
  group[6] |= 1;
  CHECK(board.give(group).empty());
}

TEST_CASE("program: a host gets a queue pair, the key and the place of the region") {
  Board board;
  const Frame reply = board.ask(request_of(Operation::kConnect, 9, 0x1234, 0xABCDEF, 3, 16));
  CHECK(status_of(reply) == Status::kOk);
  CHECK(get_wire(reply.data(), request::token) == 9);
  CHECK(get_wire(reply.data(), region::address) == kRegion);
  CHECK(get_wire(reply.data(), region::bytes) == kRegionBytes);
  const uint32_t qpn = qpn_of(reply);
  CHECK(board.bench.nic.states[qpn] == layout::QpState::kRtr);
  const Block& av = board.bench.nic.row(layout::Table::kAv, qpn);
  CHECK(av.get(layout::av::dst_mac) == kHostMac);
  CHECK(av.get(layout::av::dest_qpn) == 0x1234);
  // The reply to a repeated request is the same; a new one replaces the connection.
  CHECK(board.ask(request_of(Operation::kConnect, 9, 0x1234, 0xABCDEF, 3, 16)) == reply);
  CHECK(board.program.exchange().connections() == 1);
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 10, 0x1234))) == Status::kOk);
  CHECK(board.program.exchange().connections() == 1);
  // Only its peer can give it back.
  CHECK(status_of(board.ask(request_of(Operation::kDisconnect, 11, 0x1234), kHost + 1)) ==
        Status::kNotConnected);
  CHECK(status_of(board.ask(request_of(Operation::kDisconnect, 12, 0x1234))) == Status::kOk);
  CHECK(status_of(board.ask(request_of(Operation::kDisconnect, 13, 0x1234))) ==
        Status::kNotConnected);
  // A request that was repeated and comes late makes no second queue pair.
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 10, 0x1234))) == Status::kNotConnected);
  CHECK(board.program.exchange().connections() == 0);
}

TEST_CASE("program: without a free queue pair a host is rejected until one has been idle") {
  Board board;
  const uint32_t all = (1u << test::kLogQps) - kFirstQpn;
  for (uint32_t i = 0; i < all; ++i) {
    CHECK(status_of(board.ask(request_of(Operation::kConnect, i, 100 + i))) == Status::kOk);
  }
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 50, 50))) == Status::kFull);
  board.now += Exchange::kIdleNs + 1;
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 51, 50))) == Status::kOk);
  CHECK(board.program.exchange().connections() == all);
  CHECK(status_of(board.ask(request_of(Operation::kDisconnect, 52, 100))) == Status::kNotConnected);
}

TEST_CASE("program: requests with values out of range, of other versions and ports") {
  Board board;
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 1, 0x1000000))) == Status::kMalformed);
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 1, 5, 0x1000000))) ==
        Status::kMalformed);
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 1, 5, 1, 6))) == Status::kMalformed);
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 1, 5, 1, 0))) == Status::kMalformed);
  CHECK(status_of(board.ask(request_of(Operation::kConnect, 1, 5, 1, 3, 0))) == Status::kMalformed);
  CHECK(status_of(board.ask(request_of(static_cast<Operation>(9), 1, 5))) == Status::kMalformed);
  Frame other = request_of(Operation::kStatus, 1, 5);
  other[4] = 2;
  CHECK(status_of(board.ask(other)) == Status::kMalformed);
  // A larger path MTU and more READs than the board has are lowered.
  const Frame reply = board.ask(request_of(Operation::kConnect, 1, 5, 1, 5, 200));
  CHECK(get_wire(reply.data(), request::mtu) == 5);
  CHECK(get_wire(reply.data(), request::reads) == kMaxRdAtomic);
  // What is no request gets no reply.
  Frame magic = request_of(Operation::kStatus, 1, 5);
  magic[0] ^= 1;
  CHECK(board.ask(magic).empty());
  Frame reply_bit = request_of(Operation::kStatus, 1, 5);
  reply_bit[5] |= kReplyBit;
  CHECK(board.ask(reply_bit).empty());
  CHECK(board.ask(Frame(request::kBytes - 1)).empty());
  CHECK(board.ask(request_of(Operation::kStatus, 1, 5), kHost, kPort + 1).empty());
}

TEST_CASE("program: counters of the board and its own") {
  Board board;
  Frame wrong = bytes_of(kEcho);
  wrong.back() ^= 1;
  board.give(wrong);
  board.give(bytes_of(kEcho));
  board.ask(request_of(Operation::kConnect, 1, 5));
  const Frame reply = board.ask(request_of(Operation::kStatus, 2, 0));
  REQUIRE(reply.size() == kStatusBytes);
  const auto count = [&](uint32_t number) { return get_wire(reply.data(), counter(number)); };
  CHECK(count(kConnections) == 1);
  CHECK(count(kWrongFcs) == 77);
  CHECK(count(kFramesWrong) == 1);
  CHECK(count(kPings) == 1);
  CHECK(count(kRequests) == 2);
}

TEST_CASE("program: a command that fails leaves no queue pair") {
  Board board;
  // CreateQp, two of ModifyQp.
  for (unsigned good = 0; good < 3; ++good) {
    board.commands = 0;
    board.fails_from = good;
    const Status status = status_of(board.ask(request_of(Operation::kConnect, good, 5)));
    board.fails_from = ~0u;
    CAPTURE(good);
    CHECK(status == Status::kFailed);
    board.ask(request_of(Operation::kDisconnect, 100, 5));
    CHECK(board.program.exchange().connections() == 0);
  }
}

}  // namespace roci::fw::board
