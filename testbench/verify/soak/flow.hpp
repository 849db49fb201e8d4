// SPDX-License-Identifier: Apache-2.0
// One direction of a connection: the work that one node posts, checked at both ends.
#pragma once

#include <deque>
#include <memory>
#include <random>

#include "driver/memory_window.hpp"
#include "driver/queue_pair.hpp"
#include "testbench/verify/soak/round_context.hpp"

namespace roci::soak {

class Connection;

struct Message {
  std::uint64_t number = 0;  ///< counts over all generations
  Kind kind{};
  std::uint32_t bytes = 0;
  unsigned slot = 0;
  std::size_t local = 0, target = 0;  ///< offsets in the regions
  std::uint64_t key = 0, key_at = 0;  ///< pattern of the payload, and offset in it
  std::uint32_t imm = 0;
  bool signaled = true;
  bool bad_key = false;
  bool common = false;                  ///< an atomic on the common sum
  std::uint64_t before = 0, after = 0;  ///< value before and after an own atomic
  std::uint64_t add = 0;
  bool done = false, received = false;
  unsigned users = 0;  ///< READs that read it back

  bool consumes() const { return kind <= Kind::kSendInv || kind == Kind::kWriteImm; }
  bool sends() const { return kind <= Kind::kSendInv; }
  bool writes() const { return kind == Kind::kWrite || kind == Kind::kWriteImm; }
  bool atomic() const { return kind >= Kind::kCmpSwap; }
  std::uint64_t back_of = ~std::uint64_t{0};  ///< READ of what this message wrote
};

class Flow {
 public:
  Flow(RoundContext& context, Connection& connection, unsigned from);

  /// Memory and window of a new generation; the queue pairs are in RTS.
  void begin(std::uint64_t generation_key);
  /// Posts and completes until `count` messages have completed or the generation ends.
  void send(unsigned count, unsigned trigger);
  /// Polls completions after the end of the generation; false: no more can come.
  void drain();
  /// Serves the receiving end until the generation is closed.
  void receive();
  /// Whether all receives of the generation have completed or were lost.
  bool all_received() const { return consuming_.empty(); }
  /// Checks memory after both queue pairs are destroyed: undecided messages, and bytes that must
  /// not have changed.
  void end();
  /// Handles a bind of the window that completed or was flushed.
  void bound(bool good);

  unsigned done() const { return done_; }
  /// Handles a receive that ended with its queue pair.
  bool receive_flushed() const { return receive_flushed_; }
  std::size_t receives_posted() const { return receives_posted_; }
  std::size_t receives_ended() const { return receives_ended_; }

 private:
  using Flight = std::shared_ptr<Message>;
  static constexpr std::uint64_t kBind = std::uint64_t{1} << 63;  ///< identifier of a bind
  static constexpr std::size_t kEdge = 64;  ///< bytes around a message that must not change

  static std::size_t area_of(const RoundPlan& plan);
  void post(bool bad_key, bool last);
  void choose(Message& m);
  void place(Message& m);
  driver::SendRequest request(Message& m);
  std::vector<driver::Sge> list(driver::MemoryRegion& region, std::size_t at, std::uint32_t bytes);
  void post_receive(const Flight& flight);
  void bind();

  void take(const driver::Completion& c);
  void good(Message& m);
  void judge(const driver::Completion& c, const Message& m);
  void take_receive(const driver::Completion& c);
  void check_target(const Message& m, const char* when);
  void check_landed(const Message& up_to);
  void release(const Flight& flight);
  void settle();
  void mark(std::size_t at, std::size_t bytes);
  void check_mark(unsigned slot, const char* when);
  [[noreturn]] void fail(const std::string& text);
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }

  RoundContext& context_;
  Connection& connection_;
  unsigned from_;
  std::mt19937_64 random_;
  std::size_t stride_, area_at_, counter_at_;
  driver::MemoryRegion local_, target_;  ///< at the sender, at the receiver
  std::unique_ptr<driver::MemoryWindow> window_;
  bool window_open_ = false;

  std::uint64_t generation_key_ = 0;
  std::uint64_t next_number_ = 0;
  std::vector<unsigned> free_;                     ///< free slots
  std::vector<std::size_t> mark_at_, mark_bytes_;  ///< used part of a slot, which must not change
  std::deque<Flight> flights_;                     ///< not completed, in order
  std::deque<Flight> waiting_;                     ///< completed, to be received or read back
  std::deque<Flight> failed_lot_;                  ///< failed: executed or not
  std::deque<Flight> consuming_;                   ///< receive not completed, in order
  std::deque<Flight> landing_;  ///< writes not yet checked at the target, in order
  struct Late {
    std::uint64_t at_ns;
    Flight flight;
  };
  std::deque<Late> late_;  ///< receives to post
  unsigned sent_ = 0, done_ = 0;
  std::size_t receives_posted_ = 0, receives_ended_ = 0;
  std::uint64_t counter_ = 0, common_seen_ = 0;
  bool receive_flushed_ = false;
  bool failed_ = false;  ///< a completion failed: only flushes may follow
};

}  // namespace roci::soak
