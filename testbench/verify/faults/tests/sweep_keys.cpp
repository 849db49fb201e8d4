// SPDX-License-Identifier: Apache-2.0
// Keys are invalidated, and memory deregistered, at each clock of a transfer.
#include "driver/memory_window.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr std::uint64_t kAddress = 0x7700'0000'1000;

/// Memory of the peer that is registered under its own key.
struct Place {
  explicit Place(SweepFixture& a, std::uint32_t rights = driver::access::kAll)
      : device(a.peer.node.device()),
        memory(device.allocate(SweepFixture::kBytes, 4096)),
        region(std::make_unique<driver::MemoryRegion>(a.peer.pd, memory, rights, kAddress)) {
    a.prepare(memory.host);
  }
  ~Place() {
    region.reset();
    device.release(memory);
  }
  SweepFixture::Remote remote() const { return {region->address(), region->key()}; }
  driver::Device& device;
  driver::DmaMemory memory;
  std::unique_ptr<driver::MemoryRegion> region;
};

void mark_all(SweepFixture& a, std::uint8_t* at) { a.mark(at, SweepFixture::kBytes); }

/// Statuses that the requester may get when the key became invalid before the request came.
const std::vector<Status> kDenied = {Status::kRemAccessErr};

}  // namespace

SCHEDULE(
    "F-90", "the region that is the target is deregistered at each clock",
    "success or REM_ACCESS_ERR; packets whole; nothing written, and nothing read and sent, after "
    "the call returned") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    Place place(a);
    a.post(place.remote());
    a.until(clock);
    place.region->deregister();
    a.targets_whole(place.memory.host);
    mark_all(a, place.memory.host);  // a response that is read from here on violates I7
    a.finish(kDenied);
    a.marks_hold();
    a.end();
  });
}

SCHEDULE("F-90", "the key is replaced by another one for the same memory at each clock",
         "requests of the old key use the old mapping as a whole or are rejected") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    Place place(a);
    const SweepFixture::Remote old = place.remote();
    a.post(old);
    a.until(clock);
    place.region->deregister();
    a.targets_whole(place.memory.host);
    driver::MemoryRegion again(a.peer.pd, place.memory, driver::access::kAll, kAddress);
    CHECK(again.key() != old.key);
    mark_all(a, place.memory.host);
    a.finish(kDenied);
    a.marks_hold();
    a.end();
  });
}

SCHEDULE("F-90", "the requester's own region is deregistered at each clock",
         "success or LOC_PROT_ERR; nothing written after the call returned") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    driver::Device& device = a.self.node.device();
    const driver::DmaMemory memory = device.allocate(SweepFixture::kBytes, 4096);
    auto region =
        std::make_unique<driver::MemoryRegion>(a.self.pd, memory, driver::access::kAll, kAddress);
    a.post_from(*region, memory.host);
    a.until(clock);
    region->deregister();
    a.mark(memory.host + SweepFixture::kRead, SweepFixture::kReadBytes);
    a.mark(memory.host + SweepFixture::kWord, 8);
    a.finish({Status::kLocProtErr, Status::kLocAccessErr}, false);
    a.marks_hold();
    a.end();
    region.reset();
    device.release(memory);
  });
}

/// Binds a window over `place` on the peer's queue pair, with all rights.
std::unique_ptr<driver::MemoryWindow> bind(SweepFixture& a, Place& place) {
  auto window = std::make_unique<driver::MemoryWindow>(a.peer.pd, driver::WindowType::kType2);
  const std::uint32_t key = window->next_key();
  a.peer.qp().send(driver::MemoryWindow::bind(
      key, place.region->key(), kAddress, SweepFixture::kBytes,
      driver::access::kRemoteWrite | driver::access::kRemoteRead | driver::access::kRemoteAtomic));
  CHECK(a.peer.sent().ok());
  window->set_key(key);
  return window;
}

SCHEDULE("F-90", "the peer invalidates the window that is the target at each clock",
         "success or REM_ACCESS_ERR; nothing written, and nothing read and sent, after the "
         "invalidation completed") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    Place place(a, driver::access::kAll | driver::access::kMwBind);
    const auto window = bind(a, place);
    a.post({kAddress, window->key()});
    a.until(clock);
    driver::SendRequest invalidate;
    invalidate.opcode = driver::Opcode::kLocalInv;
    invalidate.remote_key = window->key();
    a.peer.qp().send(invalidate);
    const driver::Completion done = a.peer.sent();
    // A rejected request has ended the queue pair before.
    CHECK((done.ok() || done.status == Status::kWrFlushErr));
    if (done.ok()) {
      a.targets_whole(place.memory.host);
      mark_all(a, place.memory.host);
    }
    a.finish(kDenied);
    a.marks_hold();
    a.end();
  });
}

SCHEDULE("F-90", "SEND with invalidate frees the window after its last use, at each clock",
         "success; nothing written, and nothing read and sent, after the receive completed") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.watch_nothing();
    Place place(a, driver::access::kAll | driver::access::kMwBind);
    const auto window = bind(a, place);
    a.post({kAddress, window->key()});
    a.until(clock);
    driver::SendRequest invalidate;
    invalidate.opcode = driver::Opcode::kSendInv;
    invalidate.imm = window->key();
    a.self.qp().send(invalidate);
    CHECK(a.peer.received().ok());
    const driver::Completion got = a.peer.received();
    CHECK(got.ok());
    CHECK(got.with_inv);
    a.targets_whole(place.memory.host);
    mark_all(a, place.memory.host);
    CHECK(a.finish({}) == SweepFixture::kMessages);
    CHECK(a.self.sent().ok());
    a.marks_hold();
    a.end();
  });
}
