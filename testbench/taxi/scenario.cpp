// SPDX-License-Identifier: Apache-2.0
#include "testbench/taxi/scenario.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace roci::testbench {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

void require(driver::Status status, driver::Status expected, const std::string& what) {
  require(status == expected, what + ": " + driver::name_of(status));
}

driver::ContextOptions patient() {
  driver::ContextOptions options;
  options.command_timeout_ns = Pair::kPatienceNs;
  return options;
}

driver::SendRequest request(driver::Opcode opcode, const driver::Sge& local, std::uint64_t address,
                            std::uint32_t key) {
  driver::SendRequest one;
  one.opcode = opcode;
  one.sges = {local};
  one.remote_address = address;
  one.remote_key = key;
  return one;
}

/// Consecutive parts of the file, of 1 byte to 32 KiB.
std::vector<std::uint32_t> lengths(std::uint64_t bytes, std::mt19937_64& random) {
  std::vector<std::uint32_t> all;
  while (bytes != 0) {
    const std::uint64_t most = random() % 4 == 0 ? 300 : 32768;
    all.push_back(static_cast<std::uint32_t>(std::min(bytes, random() % most + 1)));
    bytes -= all.back();
  }
  return all;
}

/// Posts a request for each part, some in flight; returns what that took.
template <typename Make>
std::uint64_t pass(Pair& pair, const std::vector<std::uint32_t>& parts, Make make) {
  const std::uint64_t start = pair.left.device.now_ns();
  std::uint64_t offset = 0;
  std::size_t posted = 0;
  for (std::size_t done = 0; done < parts.size(); ++done) {
    for (; posted < parts.size() && posted - done < Pair::kDepth; ++posted) {
      pair.left.pair->send(make(offset, parts[posted]));
      offset += parts[posted];
    }
    require(pair.finish().status, driver::Status::kSuccess, "part " + std::to_string(done));
  }
  return pair.left.device.now_ns() - start;
}

/// The bytes of the region are the file at `at`, and elsewhere 0.
void compare(const driver::MemoryRegion& region, std::uint64_t at, const ShellWork& work,
             const std::string& what) {
  for (std::uint64_t i = 0; i < region.size(); ++i) {
    const bool inside = i >= at && i - at < work.bytes;
    require(region.data()[i] == (inside ? work.file[i - at] : 0),
            what + ": byte " + std::to_string(i) + " of " + std::to_string(region.size()));
  }
}

}  // namespace

bool ShellDevice::wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  const std::uint64_t start = now_ns();
  while (!ready()) {
    if (now_ns() - start >= timeout_ns) return false;
    work(kTurnNs);
    if (peer_ != nullptr) peer_->work(0);
  }
  return true;
}

Side::Side(const ShellSide& side, std::uint64_t mac, std::uint32_t address)
    : device(side, mac),
      context(device, patient()),
      domain(context),
      queue(context, 32),
      gid(driver::gid_of_ipv4(address)) {
  context.set_gid(0, gid);
}

Pair::Pair(const ShellSide& left_side, const ShellSide& right_side, std::uint8_t mtu)
    : left(left_side, BoardDevice::kMac, 0x0A000001),
      right(right_side, BoardDevice::kMac + 1, 0x0A000002),
      path_mtu(mtu) {
  left.device.join(right.device);
  right.device.join(left.device);
  connect();
}

void Pair::connect() {
  constexpr std::uint32_t kFirstPsn = 0xFFFFFA;  // wraps
  driver::QpOptions options;
  options.send_entries = options.receive_entries = 16;
  options.max_inline = 0;
  for (Side* side : {&left, &right}) {
    side->pair.reset();
    side->pair =
        std::make_unique<driver::QueuePair>(side->domain, side->queue, side->queue, options);
  }
  driver::ConnectOptions connect;
  connect.path_mtu = path_mtu;
  connect.max_rd_atomic = connect.max_dest_rd_atomic = 4;
  connect.timeout = 6;  // 262 us
  connect.dst_mac = right.device.mac();
  left.pair->connect({right.pair->number(), kFirstPsn, right.gid}, kFirstPsn, connect);
  connect.dst_mac = left.device.mac();
  right.pair->connect({left.pair->number(), kFirstPsn, left.gid}, kFirstPsn, connect);
}

driver::Completion Pair::finish() {
  const auto done = left.queue.wait(kPatienceNs);
  require(done.has_value(), "no completion");
  return *done;
}

void carry(Pair& pair, ShellWork& work) {
  std::mt19937_64 random(work.seed);
  const std::uint64_t from = random() % 4096, at = random() % 4096, back = random() % 4096;
  const std::size_t room = work.bytes + 8192;
  driver::MemoryRegion source(pair.left.domain, room, driver::access::kAll);
  driver::MemoryRegion target(pair.right.domain, room, driver::access::kAll);
  driver::MemoryRegion result(pair.left.domain, room, driver::access::kAll);
  std::memcpy(source.data() + from, work.file, work.bytes);

  const auto writes = lengths(work.bytes, random);
  work.write_count = writes.size();
  work.write_ns = pass(pair, writes, [&](std::uint64_t offset, std::uint32_t bytes) {
    return request(driver::Opcode::kWrite, source.sge(from + offset, bytes),
                   target.address() + at + offset, target.key());
  });
  compare(target, at, work, "WRITE");

  const auto reads = lengths(work.bytes, random);
  work.read_count = reads.size();
  work.read_ns = pass(pair, reads, [&](std::uint64_t offset, std::uint32_t bytes) {
    return request(driver::Opcode::kRead, result.sge(back + offset, bytes),
                   target.address() + at + offset, target.key());
  });
  compare(result, back, work, "READ");
  for (Side* side : {&pair.left, &pair.right}) {
    for (const std::uint64_t drops : side->context.port_counters().drops) {
      require(drops == 0, "packets were dropped");
    }
  }
}

void interrupt(Pair& pair) {
  constexpr std::uint64_t kSoonNs = 50'000;
  driver::MemoryRegion source(pair.left.domain, 4096, driver::access::kAll);
  driver::MemoryRegion target(pair.right.domain, 4096, driver::access::kAll);
  const auto write =
      request(driver::Opcode::kWrite, source.sge(0, 64), target.address(), target.key());
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = pair.left.device.interrupts();
    pair.left.pair->send(write);
    require(pair.finish().status, driver::Status::kSuccess, "WRITE");
    require(!pair.left.context.events().poll().has_value(),
            "an event of a queue that is not armed");
    require(pair.left.device.interrupts() == before, "an interrupt of a queue that is not armed");

    pair.left.queue.arm();
    pair.left.pair->send(write);
    require(pair.left.device.wait([&] { return pair.left.device.interrupts() != before; }, kSoonNs),
            "no interrupt");
    require(pair.left.device.interrupts() == before + 1, "more than one interrupt");
    const auto event = pair.left.context.events().poll();
    require(event.has_value() && event->kind == driver::EventKind::kCompletion,
            "no event of the CQ");
    require(pair.finish().status, driver::Status::kSuccess, "WRITE of an armed queue");
  }
}

void errors(Pair& pair) {
  constexpr std::uint32_t kBytes = 16384;
  driver::MemoryRegion source(pair.left.domain, kBytes, driver::access::kAll);
  driver::MemoryRegion target(pair.right.domain, kBytes, driver::access::kAll);
  // Registered, but the host has nothing there.
  const driver::DmaMemory nothing{nullptr, pair.left.device.nowhere(), kBytes};
  driver::MemoryRegion absent_left(pair.left.domain, nothing, driver::access::kAll, nothing.dma);
  driver::MemoryRegion absent_right(pair.right.domain, nothing, driver::access::kAll, nothing.dma);
  for (std::uint32_t i = 0; i < kBytes; ++i)
    source.data()[i] = static_cast<std::uint8_t>(i * 7 + 1);

  int turn = 0;
  const auto works = [&] {
    std::memset(target.data(), 0, kBytes);
    const std::uint32_t at = 13 + static_cast<std::uint32_t>(++turn);
    pair.left.pair->send(
        request(driver::Opcode::kWrite, source.sge(at, 5000), target.address() + at, target.key()));
    require(pair.finish().status, driver::Status::kSuccess, "WRITE after an error");
    require(std::memcmp(target.data() + at, source.data() + at, 5000) == 0, "bytes after an error");
  };
  const auto ends = [&](const driver::SendRequest& one, driver::Status status, const char* what) {
    pair.left.pair->send(one);
    require(pair.finish().status, status, what);
    pair.left.device.fail(source.data(), 0);  // no memory fails any more
    pair.connect();
    works();
  };

  works();
  ends(request(driver::Opcode::kWrite, absent_left.sge(100, 3000), target.address(), target.key()),
       driver::Status::kLocProtErr, "WRITE from no memory");
  pair.left.device.fail(source.data() + 4096, 4096);
  ends(request(driver::Opcode::kWrite, source.sge(4000, 2000), target.address(), target.key()),
       driver::Status::kLocProtErr, "WRITE from memory that fails");
  ends(request(driver::Opcode::kRead, source.sge(0, 3000), absent_right.address() + 100,
               absent_right.key()),
       driver::Status::kRemOpErr, "READ from no memory");
}

}  // namespace roci::testbench
