// SPDX-License-Identifier: Apache-2.0
// Two sides whose queue pair begins a new generation for each clock of a window (cycle sweeps).
#pragma once

#include <functional>
#include <memory>
#include <tuple>

#include "testbench/verify/faults/link_watch.hpp"
#include "testbench/verify/faults/witness.hpp"

namespace roci::testbench::faults {

/// A transfer of each sort, something done at one clock of it, and what must hold then. Memory of
/// both sides has the same layout: a WRITE, a SEND, a READ, an atomic, apart from each other.
class SweepFixture {
 public:
  static constexpr std::size_t kWrite = 0, kSend = 1024, kRead = 2048, kWord = 3072;
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::uint32_t kWriteBytes = 600, kSendBytes = 300, kReadBytes = 600;
  static constexpr unsigned kMessages = 4;

  SweepFixture(World& world, LinkWatch& watch, const driver::ConnectOptions& connect);

  /// New memory contents, both queue pairs from RESET to RTS, two receives.
  void begin(unsigned receives = 2);
  void receive(unsigned id) { peer.qp().receive({id, {peer.region.sge(kSend, kSendBytes)}}); }
  /// Connects two other queue pairs.
  void connect(driver::QueuePair& a, driver::QueuePair& b);
  /// Ends the generation: RESET, nothing left in the completion queues.
  void end();

  /// WRITE, READ, fetch-and-add and SEND with one doorbell; `remote` names where they aim.
  struct Remote {
    std::uint64_t address;
    std::uint32_t key;
  };
  void post(const Remote& remote);
  void post() { post({peer.region.address(), peer.region.key()}); }
  /// The same from and into other memory of the requester.
  void post_from(driver::MemoryRegion& local, std::uint8_t* memory);
  /// Fills other memory of the peer that post() will name.
  void prepare(std::uint8_t* memory) const;
  /// Payload of this generation is the test's own business.
  void watch_nothing() { watch_.forget(self.qp().number(), peer.qp().number()); }
  /// SENDs only, one doorbell.
  void post_sends(unsigned count);
  const Seen& seen() { return watch_.seen(0, peer.qp().number()); }
  /// Sleeps until `clock` clocks after post().
  void until(unsigned clock);
  /// Takes the completions of all four, each once and in order: good ones, whose data must be
  /// there, then at most one of `first`, then flushes. Gives how many were good. With `landed`
  /// false the memory that READ data went to is not compared.
  unsigned finish(const std::vector<Status>& first, bool landed = true);
  /// No completion now.
  void no_completion();
  /// The receives that complete now: good ones first, then flushes; how many were good.
  unsigned receives(bool flushed);

  /// Every packet's worth of what the peer may write is whole, old or new, and new ones are a
  /// prefix (F-55); with `good`, at least what completed good is there.
  void targets_whole(const std::uint8_t* target);
  /// Nothing writes there from here on: fills and, in marks_hold(), compares after a while.
  void mark(std::uint8_t* at, std::size_t bytes);
  void marks_hold();
  /// One of each again, all good: the queue pair, or the one that took its place, works.
  void works();

  World& world;
  Endpoint self, peer;
  unsigned life = 0;

 private:
  std::uint64_t pattern_of(unsigned what) const { return std::uint64_t{life} << 8 | what; }
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
};

class ScheduleRunner;

/// Runs `body` for each clock of the window (thorough()) or for some, spread over it.
void sweep(const Sweep& plan, const std::function<void(SweepFixture&, unsigned clock)>& body);
void sweep_on(ScheduleRunner& runner, const Sweep& plan,
              const std::function<void(SweepFixture&, unsigned clock)>& body);

}  // namespace roci::testbench::faults
