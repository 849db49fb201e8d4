// SPDX-License-Identifier: Apache-2.0
#include "testbench/board/program.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "driver/queue_pair.hpp"
#include "testbench/board/device.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint64_t kPatienceNs = 5'000'000;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Two queue pairs of one adapter, whose frames the bench carries from its output to its input.
struct Pair {
  static constexpr std::uint32_t kBytes = 32768;
  static constexpr std::uint32_t kFirstPsn = 0xFFFFFA;  // wraps

  explicit Pair(BoardDevice& board)
      : device(board),
        context(device, options()),
        domain(context),
        queue(context, 32),
        source(domain, kBytes, driver::access::kAll),
        target(domain, kBytes, driver::access::kAll) {
    const driver::Gid gid = driver::gid_of_ipv4(0x0A000001);
    context.set_gid(0, gid);
    driver::QpOptions options;
    options.send_entries = options.receive_entries = 16;
    options.max_inline = 0;
    from = std::make_unique<driver::QueuePair>(domain, queue, queue, options);
    to = std::make_unique<driver::QueuePair>(domain, queue, queue, options);
    driver::ConnectOptions connect;
    connect.dst_mac = BoardDevice::kMac;
    connect.max_rd_atomic = connect.max_dest_rd_atomic = 4;
    connect.timeout = 3;  // 33 us
    from->connect({to->number(), kFirstPsn, gid}, kFirstPsn, connect);
    to->connect({from->number(), kFirstPsn, gid}, kFirstPsn, connect);
    for (std::uint32_t i = 0; i < kBytes; ++i) {
      source.data()[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8));
    }
  }

  static driver::ContextOptions options() {
    driver::ContextOptions options;
    options.command_timeout_ns = kPatienceNs;
    return options;
  }

  driver::Status finish(const char* what) {
    const auto done = queue.wait(kPatienceNs);
    require(done.has_value(), std::string(what) + ": no completion");
    return done->status;
  }

  void move(driver::Opcode opcode, std::uint64_t local, std::uint64_t remote, std::uint32_t bytes) {
    driver::SendRequest request;
    request.opcode = opcode;
    request.sges = {source.sge(local, bytes)};
    request.remote_address = target.address() + remote;
    request.remote_key = target.key();
    from->send(request);
  }

  BoardDevice& device;
  driver::Context context;
  driver::ProtectionDomain domain;
  driver::CompletionQueue queue;
  driver::MemoryRegion source, target;
  std::unique_ptr<driver::QueuePair> from, to;
};

void compare(const std::uint8_t* got, const std::uint8_t* expected, std::size_t bytes,
             const char* what) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (got[i] != expected[i]) {
      throw std::runtime_error(std::string(what) + ": byte " + std::to_string(i) + " of " +
                               std::to_string(bytes) + " differs");
    }
  }
}

/// Any alignment, across pages of 4 KiB, by each operation.
void transfer(Pair& pair) {
  struct Case {
    std::uint32_t local, remote, bytes;
  };
  for (const Case& one : {Case{0, 0, 64}, {4091, 13, 5000}, {1, 4095, 4097}, {8187, 16381, 9}}) {
    std::memset(pair.target.data(), 0, Pair::kBytes);
    pair.move(driver::Opcode::kWrite, one.local, one.remote, one.bytes);
    require(pair.finish("WRITE") == driver::Status::kSuccess, "WRITE: failed");
    std::string expected(Pair::kBytes, '\0');
    std::memcpy(expected.data() + one.remote, pair.source.data() + one.local, one.bytes);
    compare(pair.target.data(), reinterpret_cast<const std::uint8_t*>(expected.data()),
            Pair::kBytes, "WRITE");
  }

  driver::ReceiveRequest receive;
  receive.sges = {pair.target.sge(100, 4000)};
  pair.to->receive(receive);
  pair.move(driver::Opcode::kSend, 33, 0, 3001);
  for (int i = 0; i < 2; ++i) {
    require(pair.finish("SEND") == driver::Status::kSuccess, "SEND: failed");
  }
  compare(pair.target.data() + 100, pair.source.data() + 33, 3001, "SEND");

  for (std::uint32_t i = 0; i < 7000; ++i) pair.target.data()[4090 + i] = i * 3 + 1;
  pair.move(driver::Opcode::kRead, 20001, 4090, 7000);
  require(pair.finish("READ") == driver::Status::kSuccess, "READ: failed");
  compare(pair.source.data() + 20001, pair.target.data() + 4090, 7000, "READ");
}

/// Memory that rejects a read and a write: the request ends with the status that
/// docs/engine/memory_faults.md states.
void memory_faults(Pair& pair, bool read) {
  driver::MemoryRegion& region = read ? pair.source : pair.target;
  pair.device.fail(region.data() + 4096, 4096);
  pair.move(driver::Opcode::kWrite, 4000, 4000, 2000);
  const driver::Status status = pair.finish("WRITE");
  pair.device.fail(region.data(), 0);
  require(status == (read ? driver::Status::kLocProtErr : driver::Status::kRemOpErr),
          std::string("WRITE: ") + driver::name_of(status));
}

void run(const BoardBus& bus, const driver::DmaMemory& memory, const std::string& scenario) {
  BoardDevice device(bus, memory.host, memory.bytes, memory.dma);
  Pair pair(device);
  if (scenario == "transfer") {
    transfer(pair);
  } else if (scenario == "read fails" || scenario == "write fails") {
    memory_faults(pair, scenario == "read fails");
  } else {
    throw std::runtime_error("there is no scenario " + scenario);
  }
}

}  // namespace
}  // namespace roci::testbench

int board_run(const BoardBus* bus, std::uint8_t* memory, std::uint64_t bytes, std::uint64_t address,
              const char* scenario, char* reason, std::uint64_t reason_bytes) {
  try {
    roci::testbench::run(*bus, {memory, address, bytes}, scenario);
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(reason, reason_bytes, "%s", error.what());
    return 1;
  }
}
