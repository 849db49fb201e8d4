// SPDX-License-Identifier: Apache-2.0
// The fixture of a test: the adapter, memory, time, and connections whose peer is the test.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "model/packet/builder.hpp"
#include "model/packet/check.hpp"
#include "model/spec/layout/codes.hpp"
#include "testbench/verify/conform/adapter.hpp"
#include "testbench/verify/conform/registry.hpp"

namespace roci::conform {

using driver::Completion;
using driver::EventKind;
using driver::Opcode;
using driver::QpState;
using driver::Status;
using packet::Builder;
using packet::Bytes;

/// Simulated nanoseconds.
using Time = std::uint64_t;
constexpr Time operator""_ns(unsigned long long n) { return n; }
constexpr Time operator""_us(unsigned long long n) { return n * 1000; }
constexpr Time operator""_ms(unsigned long long n) { return n * 1'000'000; }

/// A deviation of the adapter from a statement.
class Failure : public std::runtime_error {
 public:
  /// `frame`: that of the adapter which deviates, if it is one. `broken`: statements that the
  /// deviation breaks beside the subject of the test.
  Failure(const std::string& expected, const std::string& seen, Bytes frame = {},
          std::vector<std::string> broken = {})
      : std::runtime_error("expected " + expected + "; seen " + seen),
        expected_(expected),
        seen_(seen),
        frame_(std::move(frame)),
        broken_(std::move(broken)) {}
  const std::string& expected() const { return expected_; }
  const std::string& seen() const { return seen_; }
  const Bytes& frame() const { return frame_; }
  const std::vector<std::string>& broken() const { return broken_; }

 private:
  std::string expected_, seen_;
  Bytes frame_;
  std::vector<std::string> broken_;
};

/// Fails unless `holds`; `expected` completes "expected ...".
void require(bool holds, const std::string& expected, const std::string& seen = "otherwise");
/// Fails unless `seen` is `expected`.
void same(const std::string& what, std::uint64_t seen, std::uint64_t expected);

std::string hex(std::uint64_t value);
/// Returns `count` bytes that are a function of `seed`.
Bytes payload_of(std::size_t count, std::uint64_t seed = 1);

class Fixture {
 public:
  static constexpr std::size_t kMemory = 128 * 1024;
  /// Memory whose upper half is the target of peers.
  static constexpr std::size_t kTarget = kMemory / 2;

  Fixture(Adapter& adapter, std::uint64_t seed, bool thorough);
  ~Fixture();

  Adapter& adapter() { return adapter_; }
  driver::Context& context() { return adapter_.context(); }
  driver::ProtectionDomain& pd() { return *pd_; }
  /// A region with all rights.
  driver::MemoryRegion& memory() { return *memory_; }
  std::uint8_t* local(std::size_t offset = 0) { return memory_->data() + offset; }
  std::uint8_t* target(std::size_t offset = 0) { return memory_->data() + kTarget + offset; }
  std::uint64_t target_address(std::size_t offset = 0) {
    return memory_->address() + kTarget + offset;
  }
  std::mt19937_64& random() { return random_; }
  /// Returns a count: `thorough` in a long run, `quick` in a quick one.
  unsigned times(unsigned quick, unsigned thorough) const { return thorough_ ? thorough : quick; }

  Time now() { return context().device().now_ns(); }
  void sleep(Time ns);
  /// Waits for something that must not happen; returns whether it did within `ns`.
  bool wait_quietly(const std::function<bool()>& ready, Time ns) {
    return adapter_.wait_quietly(ready, ns);
  }
  /// Waits until `ready` holds; returns whether it did within `ns`.
  bool wait(const std::function<bool()>& ready, Time ns) {
    return context().device().wait(ready, ns);
  }

  /// Sends bytes on the link to the adapter.
  void feed(const Bytes& frame);
  void feed(const Builder& frame) { feed(frame.build()); }

  /// Returns the frames that the port dropped so far, for all causes.
  std::uint64_t drops();
  std::uint64_t drops(layout::DropCause cause);
  /// Sends a frame and fails unless it is dropped: one more drop counted, no response, no write
  /// into the memory, no completion anywhere, no change of state of the connections.
  void drops_silently(const Bytes& frame, const std::string& what);
  void drops_silently(const Builder& frame, const std::string& what) {
    drops_silently(frame.build(), what);
  }
  /// As drops_silently, for frames that may not be RoCE: the counters are ignored.
  void takes_no_notice(const Bytes& frame, const std::string& what);

  /// Returns the next event about `number`, of any kind, or none after `ns`. Others are kept.
  std::optional<driver::Event> event(std::uint32_t number, Time ns = 100_us);
  /// Fails unless the next event about the object of that number, a queue pair, a CQ or an SRQ as
  /// the kind says, is `kind`.
  void expect_event(EventKind kind, std::uint32_t number, Time ns = 100_us);
  void expect_no_event(std::uint32_t number, Time ns = 20_us);

  /// Checks all frames that the adapter sent during the test.
  void finish();
  /// What this adapter does not show and the test would have checked; empty: nothing.
  const std::string& unseen() const { return unseen_; }
  /// The newest frames of the test by their time. `omitted` becomes the number of those before.
  std::vector<Exchanged> exchanged(std::size_t& omitted) const;

 private:
  friend class Connection;
  Adapter& adapter_;
  std::mt19937_64 random_;
  bool thorough_;
  std::size_t first_frame_;
  std::deque<Exchanged> fed_;
  std::size_t forgotten_ = 0;  ///< frames that fed_ had
  std::unique_ptr<driver::ProtectionDomain> pd_;
  std::unique_ptr<driver::MemoryRegion> memory_;
  std::optional<driver::Event> take_event(const std::function<bool(const driver::Event&)>& wanted,
                                          Time ns);

  std::string unseen_;
  std::vector<driver::Event> events_;
  std::vector<class Connection*> connections_;
};

}  // namespace roci::conform
