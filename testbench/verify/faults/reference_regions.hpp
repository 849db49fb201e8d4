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
/// All memory is filled with patterns. A message is compared when it completes; then the bytes that
/// it wrote are overwritten by a marker, which no late packet may change. At the end every byte of
/// both regions is compared.
class ReferenceRegions {
 public:
  /// `generation` separates the patterns of one generation from those of the next.
  ReferenceRegions(const std::vector<Message>& messages, unsigned generation, Endpoint& self,
                   Endpoint& peer);
  static std::size_t region_bytes(const std::vector<Message>& messages);

  std::uint64_t pattern_of(unsigned i) const { return tag_ + i; }
  /// Fills the source and returns the request.
  driver::SendRequest post(unsigned i);
  driver::ReceiveRequest receive(unsigned i) const;
  driver::ReceiveRequest spare(unsigned k) const;

  /// Checks message `i`, which succeeded: all of it must be in memory. `late`: it may come a write
  /// latency later, since a sequence NAK does not wait for it (docs/decisions/0003).
  void good(unsigned i, bool late);
  /// Notes that message `i` failed: each byte of its target may be old or new.
  void bad(unsigned i) { doubtful_.push_back(i); }
  /// Checks memory when the receive of message `i` completed: all earlier data must be there (I14).
  void received(unsigned i);
  /// Checks I14 with a READ and a SEND after a WRITE.
  std::size_t order_at() const { return order_; }
  /// Notes that the program itself changed the atomic word, or `bytes` of the peer's region.
  void atomic_word(std::uint64_t value);
  std::size_t atomic_at() const { return atomic_; }
  void touched(Endpoint& side, std::size_t at, std::size_t bytes);
  std::size_t source(unsigned i) const { return i % slots_ * slot_ + 3; }
  std::size_t target(unsigned i) const { return (slots_ + i % slots_) * slot_ + 5; }

  /// Compares all memory with its expected content.
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
  ReferenceMemory reference_[2];  ///< regions of the requester and of the responder
  std::vector<bool> marked_;
  std::vector<unsigned> doubtful_;
  std::vector<std::uint64_t> values_;  ///< value of the atomic word, after each atomic posted
  std::vector<std::uint64_t> before_;  ///< value that an atomic must find, by message
  unsigned atomics_good_ = 0;
};

}  // namespace roci::testbench::faults
