// SPDX-License-Identifier: Apache-2.0
// DMA to the memory of processes: here to that of this one.
#include "sim/server/client_memory.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

using namespace roci;

namespace {

constexpr std::uint32_t kPasid = 0x1234;

struct OwnMemory {
  OwnMemory() {
    memory.follow(now);
    memory.add(kPasid, getpid(), &page);
  }
  std::uint64_t now = 0;
  driver::protocol::Page page{};
  sim::ClientMemory memory;
};

}  // namespace

TEST_CASE_FIXTURE(OwnMemory,
                  "dma: a fetched page is valid until a doorbell, a write or for a microsecond") {
  alignas(4096) static std::uint8_t bytes[8192];
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  std::uint8_t got[64];
  const auto first = [&] {
    REQUIRE(memory.read(kPasid, address + 64, got, sizeof got));
    return got[0];
  };
  bytes[64] = 1;
  CHECK(first() == 1);
  CHECK(memory.read(kPasid, address + 128, got, sizeof got));
  CHECK(memory.counts().calls_to_read == 1);
  bytes[64] = 2;
  memory.forget_pages();
  CHECK(first() == 2);
  bytes[64] = 3;
  now += 1000;
  CHECK(first() == 3);
  const std::uint8_t four = 4;
  CHECK(memory.write(kPasid, address + 64, &four, 1));
  CHECK(bytes[64] == 4);
  CHECK(first() == 4);
  CHECK(page.written.load() == 1);
  CHECK(memory.read(kPasid, address + 4090, got, 12));  // over the end of a page
}

TEST_CASE_FIXTURE(OwnMemory, "dma: unmapped memory and processes that exited give errors") {
  void* gap = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto address = reinterpret_cast<std::uintptr_t>(gap);
  std::uint8_t byte = 7;
  CHECK(memory.read(kPasid, address, &byte, 1));
  CHECK_FALSE(memory.write(kPasid, address, &byte, 1));  // for reading only
  munmap(gap, 4096);
  memory.forget_pages();
  CHECK_FALSE(memory.read(kPasid, address, &byte, 1));
  CHECK_FALSE(memory.read(kPasid + 1, reinterpret_cast<std::uintptr_t>(&page), &byte, 1));
  memory.retire(kPasid);
  CHECK(memory.holds(kPasid));
  CHECK_FALSE(memory.read(kPasid, reinterpret_cast<std::uintptr_t>(&page), &byte, 1));
  const std::uint8_t nine = 9;
  CHECK(memory.write(kPasid, reinterpret_cast<std::uintptr_t>(&byte), &nine, 1));
  CHECK(byte == 0);  // nowhere
  memory.remove(kPasid);
  CHECK_FALSE(memory.holds(kPasid));
  CHECK_FALSE(memory.write(kPasid, reinterpret_cast<std::uintptr_t>(&byte), &byte, 1));
}

TEST_CASE_FIXTURE(
    OwnMemory,
    "dma: memory that both map is reached without a system call, and up to its last byte") {
  constexpr std::uint64_t kAddress = 0x10000;  // nothing is mapped there
  constexpr std::size_t kBytes = 8192;
  sim::Descriptor file;
  const auto block = [&] {
    return sim::SharedBlock(sim::share_memory("roci-test", kBytes, file), kBytes);
  };
  REQUIRE(memory.share(kPasid, kAddress, block()));
  auto* process = static_cast<std::uint8_t*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  REQUIRE(process != MAP_FAILED);

  std::vector<std::uint8_t> entry(64);
  for (std::size_t i = 0; i < entry.size(); ++i) entry[i] = static_cast<std::uint8_t>(i + 1);
  CHECK(memory.write(kPasid, kAddress + kBytes - 64, entry.data(), 64));
  CHECK(std::equal(entry.begin(), entry.end(), process + kBytes - 64));
  CHECK(page.written.load() == 1);
  process[100] = 9;  // seen at once: nothing is kept
  std::uint8_t byte = 0;
  CHECK(memory.read(kPasid, kAddress + 100, &byte, 1));
  CHECK(byte == 9);
  process[100] = 8;
  CHECK(memory.read(kPasid, kAddress + 100, &byte, 1));
  CHECK(byte == 8);
  CHECK(memory.counts().calls_to_read == 0);
  // Beyond its ends there is no memory.
  CHECK_FALSE(memory.read(kPasid, kAddress - 1, &byte, 1));
  CHECK_FALSE(memory.read(kPasid, kAddress + kBytes, &byte, 1));
  CHECK_FALSE(memory.write(kPasid, kAddress + kBytes - 32, entry.data(), 64));
  CHECK_FALSE(memory.read(kPasid + 1, kAddress, &byte, 1));
  // Blocks do not overlap.
  CHECK_FALSE(memory.share(kPasid, kAddress, block()));
  CHECK_FALSE(memory.share(kPasid, kAddress + 4096, block()));
  CHECK_FALSE(memory.share(kPasid, kAddress - 4096, block()));
  CHECK(memory.share(kPasid, kAddress + kBytes, block()));
  CHECK_FALSE(memory.end_sharing(kPasid, kAddress + 4096));
  CHECK(memory.end_sharing(kPasid, kAddress));
  CHECK_FALSE(memory.read(kPasid, kAddress, &byte, 1));
  memory.retire(kPasid);
  CHECK_FALSE(memory.read(kPasid, kAddress + kBytes, &byte, 1));
  CHECK(process[kBytes - 1] == 64);  // the process keeps what it has mapped
  munmap(process, kBytes);
}

TEST_CASE_FIXTURE(OwnMemory, "dma: messages of one length are read with one call each") {
  constexpr std::size_t kPacket = 4096, kMessage = 16 * kPacket;
  std::vector<std::uint8_t> buffer(2 * kMessage), packet(kPacket);
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::uint8_t>(i / 100);
  const auto calls_of = [&](std::size_t bytes) {
    memory.forget_pages();
    const std::uint64_t before = memory.counts().calls_to_read;
    for (std::size_t at = 0; at < bytes; at += kPacket) {
      REQUIRE(memory.read(kPasid, reinterpret_cast<std::uintptr_t>(&buffer[at]), packet.data(),
                          kPacket));
      CHECK(std::equal(packet.begin(), packet.end(), &buffer[at]));
    }
    return memory.counts().calls_to_read - before;
  };
  calls_of(kMessage);
  calls_of(kMessage);
  calls_of(kMessage);
  CHECK(calls_of(kMessage) == 1);
  buffer[kMessage - 1] = 77;  // written between two messages
  CHECK(calls_of(kMessage) == 1);
  CHECK(calls_of(kPacket) == 1);      // a shorter one
  CHECK(calls_of(2 * kMessage) > 1);  // lengths that change are not foreseen
  CHECK(calls_of(kPacket) == 1);
}

TEST_CASE_FIXTURE(OwnMemory, "dma: a process shares so much at most, and gets it back") {
  sim::Descriptor file;
  std::uint64_t blocks = 0;
  while (memory.share(kPasid, blocks << 12,
                      sim::SharedBlock(sim::share_memory("roci-test", 4096, file), 4096))) {
    ++blocks;
    REQUIRE(blocks <= 4096);
  }
  CHECK(blocks == 4096);
  CHECK(memory.end_sharing(kPasid, 7 << 12));
  CHECK(memory.share(kPasid, 7 << 12,
                     sim::SharedBlock(sim::share_memory("roci-test", 4096, file), 4096)));
}

namespace {

/// A buffer of several packets, of which each byte names its packet.
struct Packets : OwnMemory {
  static constexpr std::size_t kPacket = 4096;
  Packets() : buffer(16 * kPacket) {}
  std::uint64_t address(std::size_t packet) {
    return reinterpret_cast<std::uintptr_t>(buffer.data()) + packet * kPacket;
  }
  bool write(std::size_t packet, bool goes_on) {
    const std::vector<std::uint8_t> bytes(kPacket, static_cast<std::uint8_t>(packet + 1));
    return memory.write(kPasid, address(packet), bytes.data(), kPacket, goes_on);
  }
  bool arrived(std::size_t packet) const {
    const auto first = buffer.begin() + static_cast<std::ptrdiff_t>(packet * kPacket);
    return std::all_of(first, first + kPacket,
                       [&](std::uint8_t byte) { return byte == packet + 1; });
  }
  std::uint64_t calls() const { return memory.counts().calls_to_write; }

  std::vector<std::uint8_t> buffer;
};

}  // namespace

TEST_CASE_FIXTURE(Packets, "dma: a message of 16 packets is written with one call") {
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(calls() == 0);
    CHECK(write(i, i != 15));
  }
  CHECK(calls() == 1);
  for (std::size_t i = 0; i < 16; ++i) CHECK(arrived(i));
}

TEST_CASE_FIXTURE(Packets, "dma: payload waits for its message until the process may look") {
  CHECK(write(0, true));
  CHECK_FALSE(arrived(0));
  SUBCASE("the simulator notifies the process") { memory.settle(); }
  SUBCASE("threads of processes are woken") { memory.wake_waiting(); }
  SUBCASE("a completion is written") {
    std::uint32_t entry = 0;
    CHECK(memory.write(kPasid, reinterpret_cast<std::uintptr_t>(&entry),
                       reinterpret_cast<const std::uint8_t*>("done"), sizeof entry));
  }
  SUBCASE("another message is written") { CHECK(write(8, true)); }
  SUBCASE("the adapter reads it") {
    std::uint8_t byte = 0;
    CHECK(memory.read(kPasid, address(0) + 7, &byte, 1));
    CHECK(byte == 1);
  }
  SUBCASE("faults are to see each access") { memory.set_decide({}); }
  CHECK(arrived(0));
  CHECK(write(1, false));
  CHECK(arrived(1));
}

TEST_CASE_FIXTURE(Packets,
                  "dma: what was fetched before payload is written is not served after it") {
  std::uint8_t byte = 0;
  CHECK(memory.read(kPasid, address(0), &byte, 1));
  CHECK(write(0, true));
  CHECK(memory.read(kPasid, address(0), &byte, 1));
  CHECK(byte == 1);
}

TEST_CASE_FIXTURE(Packets, "dma: a write that follows payload that was lost fails, once") {
  auto* gap = static_cast<std::uint8_t*>(
      mmap(nullptr, 2 * kPacket, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const auto at = reinterpret_cast<std::uintptr_t>(gap);
  REQUIRE(mprotect(gap, kPacket, PROT_READ) == 0);
  const std::vector<std::uint8_t> bytes(kPacket, 9);
  const auto write_gap = [&](std::size_t packet, bool goes_on) {
    return memory.write(kPasid, at + packet * kPacket, bytes.data(), kPacket, goes_on);
  };
  CHECK(write_gap(0, true));
  SUBCASE("in the same call") { CHECK_FALSE(write_gap(1, false)); }
  SUBCASE("after something else") {
    memory.settle();
    CHECK_FALSE(write_gap(1, true));
    CHECK(memory.counts().failures == 1);
    CHECK(write_gap(1, false));
    CHECK(gap[kPacket] == 9);
  }
  SUBCASE("unless the bytes were written anew, for another message") {
    memory.settle();
    REQUIRE(mprotect(gap, kPacket, PROT_READ | PROT_WRITE) == 0);
    CHECK(write_gap(0, true));
    CHECK(write_gap(1, false));
    CHECK(gap[0] == 9);
  }
  SUBCASE("but not in a process that has exited") {
    memory.retire(kPasid);
    CHECK(write_gap(1, false));
  }
  munmap(gap, 2 * kPacket);
}
