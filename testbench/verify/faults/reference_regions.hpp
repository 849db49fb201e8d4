// SPDX-License-Identifier: Apache-2.0
// Reference memory of a run: what each byte of the two regions must be (I3 to I6, I8).
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/connection/reference_memory.hpp"
#include "testbench/verify/faults/schedule_plan.hpp"

namespace roci::testbench::faults {

/// Both regions have the same layout:
///
///   | sources, READ data | targets | two receives that stay | atomic word | order check |
///
/// Everything is filled with patterns. A message is compared the moment it completes; then what it
/// wrote is overwritten by a marker, which no late packet may touch. At the end every byte of both
/// regions is compared.
class ReferenceRegions {
 public:
  /// `life` separates the patterns of one generation from those of the next.
  ReferenceRegions(const std::vector<Message>& messages, unsigned life, Endpoint& self,
                   Endpoint& peer);
  static std::size_t region_bytes(const std::vector<Message>& messages);

  std::uint64_t pattern_of(unsigned i) const { return tag_ + i; }
  /// Fills the source and gives the request.
  driver::SendRequest post(unsigned i);
  driver::ReceiveRequest receive(unsigned i) const;
  driver::ReceiveRequest spare(unsigned k) const;

  /// Message `i` completed good: all of it must be there. `late`: it may come a write latency
  /// later, since a sequence NAK does not wait for it (docs/decisions/0003).
  void good(unsigned i, bool late);
  /// Message `i` completed bad: each byte of its target may be old or new.
  void bad(unsigned i) { doubtful_.push_back(i); }
  /// The receive of message `i` completed: whatever was sent before it is there (I14).
  void received(unsigned i);
  /// I14, and the queue pair works: READ after WRITE sees it, SEND after WRITE shows it.
  std::size_t order_at() const { return order_; }
  /// The program itself changed the atomic word, or `bytes` of the peer's region.
  void atomic_word(std::uint64_t value);
  std::size_t atomic_at() const { return atomic_; }
  void touched(Endpoint& side, std::size_t at, std::size_t bytes);
  std::size_t source(unsigned i) const { return i % slots_ * slot_ + 3; }
  std::size_t target(unsigned i) const { return (slots_ + i % slots_) * slot_ + 5; }

  /// Compares everything with what it must be.
  void finish();

 private:
  void check(Endpoint& side, std::size_t at, std::uint32_t bytes, std::uint64_t pattern, unsigned i,
             const char* what);
  ReferenceMemory& reference(Endpoint& side) { return reference_[&side == &self_ ? 0 : 1]; }

  const std::vector<Message>& messages_;
  std::uint64_t tag_;
  Endpoint& self_;
  Endpoint& peer_;
  unsigned slots_;
  std::size_t slot_, atomic_, order_;
  ReferenceMemory reference_[2];  ///< of the requester and of the responder
  std::vector<bool> marked_;
  std::vector<unsigned> doubtful_;
  std::vector<std::uint64_t> values_;  ///< value of the atomic word, after each atomic posted
  std::vector<std::uint64_t> before_;  ///< by message: value that an atomic must find
  unsigned atomics_good_ = 0;
};

}  // namespace roci::testbench::faults
