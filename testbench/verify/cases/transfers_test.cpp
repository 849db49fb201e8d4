// SPDX-License-Identifier: Apache-2.0
// Every operation with sizes at the limits, without faults.
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;
using driver::WcOpcode;

namespace {

constexpr std::size_t kHalf = 1 << 19;  // the second half of a region is target

struct Shape {
  unsigned width;
  std::uint8_t mtu;
  bool ipv6;
};

/// Sizes: 0, 1, 3, around one and some packets, and 64 KiB.
std::vector<std::uint32_t> sizes(std::uint8_t mtu) {
  const std::uint32_t p = 128u << mtu;
  return {0, 1, 3, 4, 63, 64, 65, p - 1, p, p + 1, 2 * p, 5 * p + 7, 65536};
}

void carry(const Shape& shape) {
  CAPTURE(shape.width);
  CAPTURE(shape.mtu);
  CAPTURE(shape.ipv6);
  Config config;
  config.width = shape.width;
  config.ipv6 = shape.ipv6;
  config.seed = 11;
  ConnectionOptions options;
  options.connect.path_mtu = shape.mtu;
  Pair pair(config, options);
  const std::vector<std::uint32_t> all = sizes(shape.mtu);

  pair.run([&](Endpoint& self, Endpoint& peer) {
    std::uint64_t message = 0;
    for (const std::uint32_t bytes : all) {
      for (const Opcode opcode :
           {Opcode::kWrite, Opcode::kWriteImm, Opcode::kSend, Opcode::kSendImm, Opcode::kRead}) {
        CAPTURE(bytes);
        CAPTURE(static_cast<int>(opcode));
        ++message;
        // The alignments of both sides differ.
        const std::size_t local = 7 * message % 129;
        const std::size_t remote = kHalf + 13 * message % 131;
        const bool read = opcode == Opcode::kRead;
        Endpoint& source = read ? peer : self;
        Endpoint& target = read ? self : peer;
        const std::size_t from = read ? remote : local;
        const std::size_t to = read ? local : remote;
        fill(source.data(from), bytes, message);
        // Frame the target with a marker.
        std::memset(target.data(to), 0, bytes);
        std::uint8_t after[64];
        std::memset(target.data(to + bytes), 0xC3, sizeof after);
        std::memset(after, 0xC3, sizeof after);

        const bool two_sided = opcode == Opcode::kSend || opcode == Opcode::kSendImm;
        if (two_sided || opcode == Opcode::kWriteImm) {
          peer.qp().receive({message, two_sided && bytes != 0
                                          ? std::vector<driver::Sge>{peer.region.sge(to, bytes)}
                                          : std::vector<driver::Sge>{}});
        }
        driver::SendRequest r = request(opcode, self, local, bytes, peer, remote);
        if (bytes == 0) r.remote_key = 0;  // RQ-45: keys of empty operations do not matter
        r.id = message;
        r.imm = static_cast<std::uint32_t>(0xABCD0000 + message);
        self.qp().send(r);
        const driver::Completion done = self.sent();
        CHECK(done.status == Status::kSuccess);
        CHECK(done.id == message);
        if (read) CHECK(done.byte_len == bytes);
        if (two_sided || opcode == Opcode::kWriteImm) {
          const driver::Completion got = peer.received();
          CHECK(got.status == Status::kSuccess);
          CHECK(got.id == message);
          CHECK(got.byte_len == bytes);
          CHECK(got.opcode == (two_sided ? WcOpcode::kRecv : WcOpcode::kRecvWriteImm));
          CHECK(got.with_imm == (opcode != Opcode::kSend));
          if (got.with_imm) CHECK(got.imm == r.imm);
        }
        CHECK(first_wrong(target.data(to), bytes, message) == bytes);
        CHECK(std::memcmp(target.data(to + bytes), after, sizeof after) == 0);
      }
    }
  });
}

}  // namespace

// WIRE-07, WIRE-08, WIRE-29, WIRE-32, WIRE-41, RQ-45, CQ-03 to CQ-05, I3, I6, I12
TEST_CASE("transfers: 512 bits, PMTU 256, 1024 and 4096, IPv4 and IPv6") {
  for (const std::uint8_t mtu : {1, 3, 5}) {
    carry({512, mtu, false});
    carry({512, mtu, true});
  }
}

TEST_CASE("transfers: 64 bits, PMTU 256, 1024 and 4096, IPv4 and IPv6") {
  for (const std::uint8_t mtu : {1, 3, 5}) {
    carry({64, mtu, false});
    carry({64, mtu, true});
  }
}

// WIRE-02
TEST_CASE("transfers: on a VLAN") {
  Config config;
  config.vlan = 100;
  Pair pair(config);
  pair.run([&](Endpoint& self, Endpoint& peer) {
    fill(self.data(), 5000, 1);
    self.qp().send(request(Opcode::kWrite, self, 0, 5000, peer, 100));
    CHECK(self.sent().ok());
    CHECK(first_wrong(peer.data(100), 5000, 1) == 5000);
  });
}

// RQ-41, RSP-40, CQ-04
TEST_CASE("atomics: swap on a match, no swap without, add with wrap; the original is returned") {
  for (const unsigned width : {64u, 512u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    Pair pair(config);
    pair.run([&](Endpoint& self, Endpoint& peer) {
      const auto remote = [&] {
        std::uint64_t value;
        std::memcpy(&value, peer.data(4096), 8);
        return value;
      };
      const auto original = [&] {
        std::uint64_t value;
        std::memcpy(&value, self.data(24), 8);
        return value;
      };
      const auto atomic = [&](Opcode opcode, std::uint64_t swap_add, std::uint64_t compare) {
        driver::SendRequest r = request(opcode, self, 24, 8, peer, 4096);
        r.swap_add = swap_add;
        r.compare = compare;
        self.qp().send(r);
        const driver::Completion done = self.sent();
        CHECK(done.ok());
        CHECK(done.byte_len == 8);
      };
      constexpr std::uint64_t kStart = 0x8877665544332211;
      std::memcpy(peer.data(4096), &kStart, 8);
      atomic(Opcode::kCmpSwap, 5, 4);
      CHECK(original() == kStart);
      CHECK(remote() == kStart);
      atomic(Opcode::kCmpSwap, ~std::uint64_t{0}, kStart);
      CHECK(original() == kStart);
      CHECK(remote() == ~std::uint64_t{0});
      atomic(Opcode::kFetchAdd, 3, 0);
      CHECK(original() == ~std::uint64_t{0});
      CHECK(remote() == 2);
    });
  }
}

// RQ-46, QP-21; conformance of lists
TEST_CASE("lists: up to 13 entries gathered and scattered, empty ones among them") {
  Config config;
  ConnectionOptions options;
  options.qp.send_sges = options.qp.receive_sges = 13;
  Pair pair(config, options);
  pair.run([&](Endpoint& self, Endpoint& peer) {
    for (unsigned entries = 1; entries <= 13; ++entries) {
      CAPTURE(entries);
      driver::SendRequest send;
      driver::ReceiveRequest receive;
      std::vector<std::uint8_t> message;
      std::size_t at = 0;
      std::uint32_t total = 0;
      for (unsigned i = 0; i < entries; ++i) {
        const std::uint32_t bytes = i % 4 == 3 ? 0 : 1 + 97 * i % 301;
        send.sges.push_back(self.region.sge(at + i, bytes));
        fill(self.data(at + i), bytes, 100 * entries + i);
        message.insert(message.end(), self.data(at + i), self.data(at + i) + bytes);
        at += 512;
        total += bytes;
      }
      // The receiver's list is the reverse.
      std::uint32_t left = total;
      for (unsigned i = 0; i < entries; ++i) {
        const std::uint32_t bytes = i + 1 == entries ? left : std::min(left, 1 + 61 * i % 211);
        receive.sges.push_back(peer.region.sge(600 * i + 3 * i, bytes));
        left -= bytes;
      }
      peer.qp().receive(receive);
      self.qp().send(send);
      CHECK(self.sent().ok());
      CHECK(peer.received().byte_len == total);
      std::vector<std::uint8_t> got;
      for (unsigned i = 0; i < entries; ++i) {
        const std::uint8_t* segment = peer.data(600 * i + 3 * i);
        got.insert(got.end(), segment, segment + receive.sges[i].length);
      }
      CHECK(got == message);
    }
  });
}

TEST_CASE("inline: the buffer may change as soon as it is posted (RQ-46)") {
  for (const unsigned width : {64u, 512u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    ConnectionOptions options;
    options.qp.max_inline = 192;
    Pair pair(config, options);
    pair.run([&](Endpoint& self, Endpoint& peer) {
      for (const std::uint32_t bytes : {1u, 7u, 63u, 64u, 65u, 128u, 191u, 192u}) {
        CAPTURE(bytes);
        std::vector<std::uint8_t> data(bytes);
        fill(data.data(), bytes, bytes);
        driver::SendRequest r = request(Opcode::kWrite, self, 0, 0, peer, 1000 + bytes);
        r.inline_data = data.data();
        r.inline_bytes = bytes;
        self.qp().send(r);
        std::fill(data.begin(), data.end(), std::uint8_t{0});
        CHECK(self.sent().ok());
        CHECK(first_wrong(peer.data(1000 + bytes), bytes, bytes) == bytes);
      }
    });
  }
}
