// Memory windows, invalidation and fast registration.
#include "driver/memory_window.hpp"
#include "testbench/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

namespace access = driver::access;
using driver::MemoryWindow;
using driver::WindowType;

constexpr std::uint32_t kRegionRights = access::kAll | access::kMwBind;
constexpr std::uint64_t kAt = 1024, kBytes = 64;  ///< of a window in its region

/// A region that windows may be bound to.
struct Place {
  explicit Place(Bench& dut, std::uint32_t rights = kRegionRights)
      : region(dut.pd(), 8192, rights) {}
  driver::MemoryRegion region;
  std::uint64_t window() const { return region.address() + kAt; }
};

/// Posts a bind with the window's next key.
std::uint32_t post_bind(Connection& c, MemoryWindow& window, Place& place, std::uint64_t address,
                        std::uint64_t bytes, std::uint32_t rights) {
  const std::uint32_t key = window.next_key();
  c.post(MemoryWindow::bind(key, place.region.key(), address, bytes, rights));
  return key;
}

/// Binds to the usual range and takes the completion; the key.
std::uint32_t bind(Connection& c, MemoryWindow& window, Place& place,
                   std::uint32_t rights = access::kRemoteWrite | access::kRemoteRead) {
  const std::uint32_t key = post_bind(c, window, place, place.window(), kBytes, rights);
  const Completion done = c.sent();
  same("operation", static_cast<unsigned>(done.opcode),
       static_cast<unsigned>(driver::WcOpcode::kBindMw));
  window.set_key(key);
  return key;
}

void invalidate(Connection& c, std::uint32_t key, Status status = Status::kSuccess) {
  driver::SendRequest r;
  r.opcode = Opcode::kLocalInv;
  r.remote_key = key;
  c.post(r);
  const Completion done = c.sent(status);
  if (done.ok()) {
    same("operation", static_cast<unsigned>(done.opcode),
         static_cast<unsigned>(driver::WcOpcode::kLocalInv));
  }
}

/// What a WRITE of `bytes` brings: kAck, or the NAK.
unsigned try_write(Connection& c, std::uint32_t psn, std::uint64_t va, std::uint32_t key,
                   std::uint32_t bytes) {
  c.feed(c.from_peer(kRcWriteOnly, psn).ack_req().reth(va, key, bytes).payload(payload_of(bytes)));
  const auto frame = c.next();
  require(frame.has_value(), "an answer to a WRITE", "silence");
  return frame->parsed().aeth().syndrome();
}

unsigned try_read(Connection& c, std::uint32_t psn, std::uint64_t va, std::uint32_t key,
                  std::uint32_t bytes) {
  c.feed(c.from_peer(kRcReadRequest, psn).ack_req().reth(va, key, bytes));
  const auto frame = c.next();
  require(frame.has_value(), "an answer to a READ", "silence");
  return frame->parsed().aeth().syndrome();
}

}  // namespace

TEST("RQ-54 CQ-04", "WRITE, bind, invalidate and SEND complete in order") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  c.write(10);
  const std::uint32_t key =
      post_bind(c, window, place, place.window(), kBytes, access::kRemoteWrite);
  window.set_key(key);
  driver::SendRequest r;
  r.opcode = Opcode::kLocalInv;
  r.remote_key = key;
  c.post(r);
  c.send(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.no_completion(20_us);
  c.ack(c.sq(0));
  for (unsigned i = 1; i <= 3; ++i) same("wr_id", c.sent().id, i);
  c.expect(packet_of(kRcSendOnly, c.sq(1)));
  c.ack(c.sq(1));
  same("wr_id", c.sent().id, 4);
}

TEST("MR-08", "a region with a bound window is not deregistered") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType1);
  Connection c(dut);
  bind(c, window, place);
  bool refused = false;
  try {
    place.region.deregister();
  } catch (const driver::Error&) {
    refused = true;
  }
  require(refused, "refused", "deregistered");
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
  // On every queue pair of the domain.
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
          Case{"across the start", -1, 2, false, false}, Case{"behind it", 64, 1, false, false},
          Case{"a READ without the right", 0, 8, true, false}}) {
      MemoryWindow window(dut.pd(), type);
      Connection c(dut);
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
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut), other(dut);
  const std::uint32_t key = bind(c, window, place);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kAck);
  same("syndrome on another queue pair", try_write(other, other.rq(0), place.window(), key, 64),
       kNakAccess);
}

TEST("MR-11 WC-06", "type 2: bound again while bound is refused, after an invalidate it is not") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t first = bind(c, window, place);
  invalidate(c, first);
  const std::uint32_t second = bind(c, window, place);
  same("variant chosen by the consumer", second & 0xFF, (first + 1) & 0xFF);
  same("syndrome", try_write(c, c.rq(0), place.window(), second, 64), kAck);
  post_bind(c, window, place, place.window(), kBytes, access::kRemoteWrite);
  c.sent(Status::kMwBindErr);
  c.is_in(QpState::kErr);
}

TEST("MR-12 WC-06", "binds that are refused") {
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
      MemoryWindow window(one.foreign ? pd : dut.pd(), type);
      Connection c(dut);
      post_bind(c, window, place, place.region.address() + static_cast<std::uint64_t>(one.offset),
                one.bytes, one.rights);
      c.write(10);
      const auto done = c.send_cq().wait(1_ms);
      require(done.has_value(), std::string("an error for ") + one.what, "nothing");
      require(done->status == Status::kMwBindErr, std::string("MwBindErr for ") + one.what,
              driver::name_of(done->status));
      c.sent(Status::kWrFlushErr);
      c.is_in(QpState::kErr);
    }
  }
}

TEST("MR-12", "a window over a region that is read only may be read") {
  Place place(dut, access::kRemoteRead | access::kMwBind);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t key = bind(c, window, place, access::kRemoteRead);
  same("syndrome", try_read(c, c.rq(0), place.window(), key, 64), kAck);
  same("syndrome of a WRITE", try_write(c, c.rq(1), place.window(), key, 64), kNakAccess);
}

TEST("MR-13", "a peer that gets the key by the SEND behind the bind can use it") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
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

TEST("MR-14", "local invalidate ends a key in order, and a wrong key ends the queue pair") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t key = bind(c, window, place);
  invalidate(c, key);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kNakAccess);
  for (const std::uint32_t wrong : {key, key ^ 1, 0xFFFFFF00u, place.region.key()}) {
    Connection d(dut);
    driver::SendRequest r;
    r.opcode = Opcode::kLocalInv;
    r.remote_key = wrong;
    d.post(r);
    const auto done = d.send_cq().wait(1_ms);
    require(done && (done->status == Status::kLocQpOpErr || done->status == Status::kMwBindErr),
            "LocQpOpErr or MwBindErr for key " + hex(wrong),
            done ? driver::name_of(done->status) : "nothing");
    d.is_in(QpState::kErr);
  }
}

TEST("MR-15", "fast registration works on a free key only, with a variant of the consumer") {
  using driver::Body;
  const std::uint32_t key = static_cast<std::uint32_t>(
      dut.context()
          .execute(
              packet::code_of(spec::kAdminOps, "AllocFastMr"),
              Body()
                  .put(spec::place_of(spec::kAllocFastMr, "pd"), dut.pd().number())
                  .put(spec::place_of(spec::kAllocFastMr, "pasid"), dut.context().device().pasid()),
              "allocate fast region")
          .get(spec::place_of(spec::kAllocFastMrReply, "key")));
  driver::SendRequest r;
  r.opcode = Opcode::kRegMr;
  r.remote_address = 0x5000;
  r.swap_add = 4096;
  r.compare = access::kAll;
  r.dma_address = dut.target_address();
  {
    Connection c(dut);
    r.remote_key = (key & ~0xFFu) | 0x77;
    c.post(r);
    same("operation", static_cast<unsigned>(c.sent().opcode),
         static_cast<unsigned>(driver::WcOpcode::kRegMr));
    same("syndrome", try_write(c, c.rq(0), 0x5010, r.remote_key, 64), kAck);
    const Bytes data = payload_of(64);
    require(std::equal(data.begin(), data.end(), dut.target(0x10)), "the WRITE in memory", "not");
    invalidate(c, r.remote_key);
    c.post(r);
    c.sent();
    c.post(r);  // twice without invalidate
    const auto done = c.send_cq().wait(1_ms);
    require(done && !done->ok(), "an error", "success or nothing");
    c.is_in(QpState::kErr);
  }
  Connection c(dut);
  same("syndrome of another variant", try_write(c, c.rq(0), 0x5010, r.remote_key ^ 1, 64),
       kNakAccess);
  dut.context().execute(packet::code_of(spec::kAdminOps, "DeregMr"),
                        Body().put(spec::place_of(spec::kDeregMr, "key"), r.remote_key),
                        "free fast region");
}

TEST("MR-16", "addresses of a zero-based window count from its start") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t key = bind(c, window, place, access::kRemoteWrite | access::kZeroBased);
  same("syndrome", try_write(c, c.rq(0), 0, key, 64), kAck);
  const Bytes data = payload_of(64);
  require(std::equal(data.begin(), data.end(), place.region.data() + kAt),
          "the WRITE in the window", "elsewhere");
  same("syndrome of one byte more", try_write(c, c.rq(1), 1, key, 64), kNakAccess);
}

TEST("RSP-46 CQ-05 MR-11", "SEND with invalidate ends the key before its receive completes") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t key = bind(c, window, place);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kAck);
  c.receive(100);
  const Bytes data = payload_of(100);
  c.feed(c.send_request(kRcSendOnlyInv, c.rq(1), data).ieth(key));
  const Completion done = c.received();
  require(done.with_inv, "WITH_INV", "not");
  same("key invalidated", done.imm, key);
  same("byte_len", done.byte_len, 100);
  require(std::equal(data.begin(), data.end(), dut.local()), "the payload in memory", "not");
  c.expect(answer(kAck, c.rq(1)));
  same("syndrome afterwards", try_write(c, c.rq(2), place.window(), key, 64), kNakAccess);
}

TEST("RSP-46", "SEND with invalidate of many packets, and what may come after it") {
  Place place(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  Connection c(dut);
  const std::uint32_t key = bind(c, window, place);
  c.receive(1000);
  c.feed(c.send_request(kRcSendFirst, c.rq(0), payload_of(256)));
  c.feed(c.send_request(kRcSendLastInv, c.rq(1), payload_of(100)).ieth(key));
  same("byte_len", c.received().byte_len, 356);
  c.expect_acked(c.rq(1));
  window.set_key(key);
  bind(c, window, place);  // the window is free
  c.still_works(c.rq(2), c.sq(0));
}

TEST("RSP-47", "SEND with invalidate of a key that cannot be invalidated") {
  Place place(dut);
  for (const std::uint32_t key : {0xDEADBE00u, place.region.key()}) {
    Connection c(dut);
    c.receive(100);
    c.receive(100);
    c.feed(c.send_request(kRcSendOnlyInv, c.rq(0), payload_of(10)).ieth(key));
    c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(10)));
    const auto done = c.receive_cq().wait(100_us);
    require(
        done && (done->status == Status::kRemInvReqErr || done->status == Status::kLocAccessErr),
        "RemInvReqErr or LocAccessErr", done ? driver::name_of(done->status) : "nothing");
    c.received(Status::kWrFlushErr);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-05 WIRE-29", "SEND with invalidate carries its key on the last packet") {
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kSendInv, 300);
  r.imm = 0x11223344;
  c.post(r);
  c.expect(packet_of(kRcSendFirst, c.sq(0)));
  c.expect(packet_of(kRcSendLastInv, c.sq(1)).with(invalidates(0x11223344)));
  r = c.work(Opcode::kSendInv, 30);
  r.imm = 0x55667788;
  c.post(r);
  c.expect(packet_of(kRcSendOnlyInv, c.sq(2)).with(invalidates(0x55667788)));
  c.ack(c.sq(2));
  c.sent();
  same("operation", static_cast<unsigned>(c.sent().opcode),
       static_cast<unsigned>(driver::WcOpcode::kSend));
}

}  // namespace roci::conform
