// SPDX-License-Identifier: Apache-2.0
// Two sides whose queue pair begins a new generation for each clock of a window (cycle sweeps).
#pragma once

#include <functional>
#include <memory>
#include <tuple>

#include "testbench/verify/faults/link_watch.hpp"
#include "testbench/verify/faults/witness.hpp"

namespace roci::testbench::faults {

/// A transfer of each operation, an action at one clock of it, and the checks after it. Memory of
/// both sides has the same layout: a WRITE, a SEND, a READ, an atomic, apart from each other.
class SweepFixture {
 public:
  static constexpr std::size_t kWrite = 0, kSend = 1024, kRead = 2048, kWord = 3072;
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::uint32_t kWriteBytes = 600, kSendBytes = 300, kReadBytes = 600;
  static constexpr unsigned kMessages = 4;

  SweepFixture(World& world, LinkWatch& watch, const driver::ConnectOptions& connect);

  /// Begins a generation: new memory contents, both queue pairs from RESET to RTS, two receives.
  void begin(unsigned receives = 2);
  void receive(unsigned id) { peer.qp().receive({id, {peer.region.sge(kSend, kSendBytes)}}); }
  /// Connects two other queue pairs.
  void connect(driver::QueuePair& a, driver::QueuePair& b);
  /// Ends the generation: RESET, nothing left in the completion queues.
  void end();

  /// WRITE, READ, fetch-and-add and SEND with one doorbell; `remote` gives their targets.
  struct Remote {
    std::uint64_t address;
    std::uint32_t key;
  };
  void post(const Remote& remote);
  void post() { post({peer.region.address(), peer.region.key()}); }
  /// Posts the same from and to other memory of the requester.
  void post_from(driver::MemoryRegion& local, std::uint8_t* memory);
  /// Fills other memory of the peer for post().
  void prepare(std::uint8_t* memory) const;
  /// Leaves the check of this generation's payload to the test.
  void watch_nothing() { watch_.forget(self.qp().number(), peer.qp().number()); }
  /// Posts SENDs only, with one doorbell.
  void post_sends(unsigned count);
  const Seen& seen() { return watch_.seen(0, peer.qp().number()); }
  /// Sleeps until `clock` clocks after post().
  void until(unsigned clock);
  /// Polls the completions of all four, each once and in order: successful ones, whose data must be
  /// in memory, then at most one of `first`, then flushes. Returns the number of successes. With
  /// `landed` false the target of the READ is not compared.
  unsigned finish(const std::vector<Status>& first, bool landed = true);
  /// Fails when there is a completion.
  void no_completion();
  /// Polls the completed receives: successes first, then flushes; returns the number of successes.
  unsigned receives(bool flushed);

  /// Checks that the bytes of each packet from the peer are all old or all new, and new packets a
  /// prefix (F-55); with `good`, at least those of successful messages are new.
  void targets_whole(const std::uint8_t* target);
  /// Fills memory that must not be written from here on; marks_hold() compares it later.
  void mark(std::uint8_t* at, std::size_t bytes);
  void marks_hold();
  /// Runs one of each operation successfully: the queue pair, or its successor, works.
  void works();

  World& world;
  Endpoint self, peer;
  unsigned generation = 0;

 private:
  std::uint64_t pattern_of(unsigned what) const { return std::uint64_t{generation} << 8 | what; }
  void connect(driver::QueuePair& a, driver::QueuePair& b, std::uint32_t psn);
  void post(driver::MemoryRegion& local, std::uint8_t* memory, const Remote& remote);
  bool new_at(const std::uint8_t* base, std::size_t at, std::size_t bytes, unsigned what) const;
  bool old_at(const std::uint8_t* base, std::size_t at, std::size_t bytes) const;

  LinkWatch& watch_;
  driver::ConnectOptions connect_;
  std::uint64_t posted_ns_ = 0, word_ = 0;
  struct Mark {
    std::uint8_t* at;
    std::size_t bytes;
  };
  std::vector<Mark> marks_;
};

struct Sweep {
  unsigned clocks = 1500;  ///< window
  unsigned quick = 40;     ///< offsets of the short run
  driver::ConnectOptions connect = fast();
  Config config;

  static driver::ConnectOptions fast() {
    driver::ConnectOptions options;
    options.path_mtu = 1;
    options.timeout = 3;  // 33 us
    options.retry_cnt = 1;
    options.rnr_retry = 7;
    options.min_rnr_timer = 1;  // 10 us
    return options;
  }
  /// A run at one offset.
  static Sweep once() {
    Sweep plan;
    plan.clocks = plan.quick = 1;
    return plan;
  }
};

class ScheduleRunner;

/// Runs `body` for each clock of the window (thorough()) or for some, spread over it.
void sweep(const Sweep& plan, const std::function<void(SweepFixture&, unsigned clock)>& body);
void sweep_on(ScheduleRunner& runner, const Sweep& plan,
              const std::function<void(SweepFixture&, unsigned clock)>& body);

}  // namespace roci::testbench::faults
