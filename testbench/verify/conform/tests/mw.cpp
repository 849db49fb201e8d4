// SPDX-License-Identifier: Apache-2.0
// Memory windows.
#include "testbench/verify/conform/tests/window.hpp"

namespace roci::conform {
using namespace packet;

TEST("MR-08", "a region with a bound window is not deregistered") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType1);
  Connection c(dut);
  bind(c, window, place);
  bool rejected = false;
  try {
    place.region.deregister();
  } catch (const driver::Error&) {
    rejected = true;
  }
  require(rejected, "rejected", "deregistered");
  const std::uint32_t key = post_bind(c, window, place, 0, 0, 0);
  c.sent();
  window.set_key(key);
  place.region.deregister();
}

TEST("MR-09", "type 1: each bind gives a new key and ends the old one, length 0 unbinds") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType1);
  std::uint32_t first = 0, second = 0;
  {
    Connection c(dut);
    first = bind(c, window, place);
    same("syndrome", try_write(c, c.rq(0), place.window(), first, 64), kAck);
    second = bind(c, window, place);
    require(first != second, "a new key", "the old one");
    same("syndrome", try_write(c, c.rq(1), place.window(), second, 64), kAck);
    same("syndrome of the old key", try_write(c, c.rq(2), place.window(), first, 64), kNakAccess);
  }
  Connection c(dut);
  // The key works on every queue pair of the domain.
  same("syndrome", try_write(c, c.rq(0), place.window(), second, 64), kAck);
  window.set_key(post_bind(c, window, place, 0, 0, 0));
  c.sent();
  same("syndrome after unbinding", try_write(c, c.rq(1), place.window(), second, 64), kNakAccess);
}

TEST("MR-10", "a window gives its own range and rights, not the region's") {
  Place place(dut);
  std::fill(place.region.data(), place.region.data() + 8192, std::uint8_t{0x5A});
  for (const WindowType type : {WindowType::kType1, WindowType::kType2}) {
    struct Case {
      const char* what;
      std::int64_t offset;
      std::uint32_t bytes;
      bool read;
      bool good;
    };
    for (const Case& one :
         {Case{"the whole window", 0, 64, false, true}, Case{"its last byte", 63, 1, false, true},
          Case{"one byte more", 0, 65, false, false}, Case{"the byte before", -1, 1, false, false},
          Case{"across the start", -1, 2, false, false}, Case{"after it", 64, 1, false, false},
          Case{"a READ without the right", 0, 8, true, false}}) {
      Connection c(dut);
      MemoryWindow window(dut.pd(), type);
      const std::uint32_t key = bind(c, window, place, access::kRemoteWrite);
      const std::uint64_t va = place.window() + static_cast<std::uint64_t>(one.offset);
      const unsigned seen = one.read ? try_read(c, c.rq(0), va, key, one.bytes)
                                     : try_write(c, c.rq(0), va, key, one.bytes);
      same(std::string("syndrome for ") + one.what, seen, one.good ? kAck : kNakAccess);
    }
  }
  for (std::size_t i = 0; i < 8192; ++i) {
    if (i >= kAt && i < kAt + kBytes) continue;
    same("byte outside the window", place.region.data()[i], 0x5A);
  }
}

TEST("MR-11", "type 2: only on the queue pair that bound it") {
  Place place(dut);
  Connection c(dut), other(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kAck);
  same("syndrome on another queue pair", try_write(other, other.rq(0), place.window(), key, 64),
       kNakAccess);
}

TEST("MR-11 WC-06", "type 2: a bind while bound is rejected, after an invalidate it is accepted") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t first = bind(c, window, place);
  invalidate(c, first);
  const std::uint32_t second = bind(c, window, place);
  same("variant chosen by the consumer", second & 0xFF, (first + 1) & 0xFF);
  same("syndrome", try_write(c, c.rq(0), place.window(), second, 64), kAck);
  post_bind(c, window, place, place.window(), kBytes, access::kRemoteWrite);
  c.sent(Status::kMwBindErr);
  c.is_in(QpState::kErr);
}

TEST("MR-12 WC-06", "binds that are rejected") {
  driver::ProtectionDomain pd(dut.context());
  struct Case {
    const char* what;
    std::uint32_t region_rights;
    std::int64_t offset;
    std::uint64_t bytes;
    std::uint32_t rights;
    bool foreign;
  };
  for (const WindowType type : {WindowType::kType1, WindowType::kType2}) {
    for (const Case& one :
         {Case{"a region without the right to bind", access::kAll, 0, 64, access::kRemoteRead,
               false},
          Case{"remote write without local write", access::kRemoteRead | access::kMwBind, 0, 64,
               access::kRemoteWrite, false},
          Case{"remote atomic without local write", access::kRemoteRead | access::kMwBind, 0, 64,
               access::kRemoteAtomic, false},
          Case{"a range that ends outside", kRegionRights, 8192 - 63, 64, access::kRemoteRead,
               false},
          Case{"a range that starts before", kRegionRights, -1, 64, access::kRemoteRead, false},
          Case{"a length that wraps", kRegionRights, 64, ~std::uint64_t{0} - 8, access::kRemoteRead,
               false},
          Case{"a window of another domain", kRegionRights, 0, 64, access::kRemoteRead, true}}) {
      Place place(dut, one.region_rights);
      Connection c(dut);
      MemoryWindow window(one.foreign ? pd : dut.pd(), type);
      post_bind(c, window, place, place.region.address() + static_cast<std::uint64_t>(one.offset),
                one.bytes, one.rights);
      c.write(10);
      const auto done = c.send_cq().wait(1_ms);
      require_status(done, {Status::kMwBindErr}, std::string("MwBindErr for ") + one.what);
      c.sent(Status::kWrFlushErr);
      c.is_in(QpState::kErr);
    }
  }
}

TEST("MR-12", "a window of a read-only region permits READs") {
  Place place(dut, access::kRemoteRead | access::kMwBind);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place, access::kRemoteRead);
  same("syndrome", try_read(c, c.rq(0), place.window(), key, 64), kAck);
  same("syndrome of a WRITE", try_write(c, c.rq(1), place.window(), key, 64), kNakAccess);
}

TEST("MR-13", "a peer that gets the key by the SEND after the bind can use it") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  for (unsigned round = 0; round < 8; ++round) {
    const std::uint32_t key =
        post_bind(c, window, place, place.window(), kBytes, access::kRemoteWrite);
    window.set_key(key);
    c.send(10);
    c.expect(packet_of(kRcSendOnly, c.sq(round)));
    same("syndrome", try_write(c, c.rq(round), place.window(), key, 64), kAck);
    c.ack(c.sq(round));
    c.sent();
    c.sent();
    invalidate(c, key);
  }
}

TEST("MR-16", "addresses of a zero-based window count from its start") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place, access::kRemoteWrite | access::kZeroBased);
  same("syndrome", try_write(c, c.rq(0), 0, key, 64), kAck);
  const Bytes data = payload_of(64);
  require(std::equal(data.begin(), data.end(), place.region.data() + kAt),
          "the WRITE in the window", "elsewhere");
  same("syndrome of one byte more", try_write(c, c.rq(1), 1, key, 64), kNakAccess);
}
}  // namespace roci::conform
