// SPDX-License-Identifier: Apache-2.0
// One direction of the link, from the beats that leave one MAC to those that enter the other.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "testbench/link/faults.hpp"
#include "testbench/link/frame.hpp"
#include "testbench/link/script.hpp"

namespace roci::testbench {

struct LinkConfig {
  unsigned node = 0;             ///< sender
  unsigned bytes = 64;           ///< bytes of a beat
  double rate_gbps = 100;        ///< rate of the link, with preamble (8), FCS (4) and gap (12)
  std::uint64_t delay_ns = 500;  ///< first bit in to first bit out
  std::uint64_t seed = 1;
  bool keep_log = true;  ///< keep a log of faults
  Faults faults;
  FrameScript* script = nullptr;  ///< decides before `faults`; nullptr: none
};

class LinkDirection {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  explicit LinkDirection(const LinkConfig& config);

  /// Adds an observer of every frame that enters, in order.
  void add_tap(FrameTap* tap) { taps_.push_back(tap); }

  // Sender. ready() holds for one clock; take() only with it.
  bool ready(std::uint64_t now_ns);
  void take(std::uint64_t now_ns, const std::uint8_t* data, unsigned bytes, bool last);
  bool in_frame() const { return !partial_.empty(); }
  /// Time at which ready() will hold, at `now_ns` or later.
  std::uint64_t ready_ns(std::uint64_t now_ns) const;
  /// Takes a whole frame of the sender at once; only with ready().
  void send(std::uint64_t now_ns, packet::Bytes frame);
  /// Injects a whole frame, as if the sender had sent it.
  void inject(std::uint64_t now_ns, packet::Bytes frame);
  /// Injects a frame to which no fault applies; `text` is for observers.
  void inject_as(std::uint64_t now_ns, const packet::Bytes& frame, const std::string& text);

  // Receiver.
  struct Beat {
    const std::uint8_t* data;
    unsigned bytes;  ///< valid bytes
    bool last;
  };
  /// Returns the beat that has arrived by `now_ns`, at most one a clock; pop() removes it.
  bool beat(std::uint64_t now_ns, Beat& beat);
  void pop();
  /// The frame of the present beat.
  const packet::Bytes& receiving() const { return current_.frame; }
  /// Returns the next frame that has arrived, for a receiver of whole frames.
  bool take_frame(std::uint64_t now_ns, packet::Bytes& frame);
  /// Earliest arrival of the next beat; kNever: the link is empty.
  std::uint64_t next_ns() const;
  /// Takes the whole frame that has arrived by `now_ns`, for a receiver that does not take beats.
  bool receive(std::uint64_t now_ns, packet::Bytes& frame);
  /// Earliest arrival of the next whole frame; kNever: the link is empty.
  std::uint64_t next_frame_ns() const;
  /// Number of frames on the link, including the one that the receiver takes.
  std::size_t waiting() const { return on_way_.size() + (receiving_ ? 1 : 0); }
  /// Whether no frame is on the link and none is partly sent.
  bool empty() const { return partial_.empty() && on_way_.empty() && !receiving_; }

  Faults& faults() { return config_.faults; }
  const std::vector<FaultRecord>& log() const { return log_; }
  struct Counts {
    std::uint64_t frames = 0, bytes = 0;               ///< frames that entered
    std::uint64_t injected = 0, injected_bytes = 0;    ///< those of them that the test injected
    std::uint64_t delivered = 0, delivered_bytes = 0;  ///< with the pad of the sender's MAC
    std::uint64_t dropped = 0, corrupted = 0, duplicated = 0, delayed = 0;
    std::uint64_t underruns = 0;  ///< frames that the sender interrupted for longer than a beat
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr unsigned kPreamble = 8, kFcs = 4, kGap = 12;  ///< bytes beside the frame

  struct Arrival {
    std::uint64_t start_ps;  ///< first byte of the preamble at the receiver
    packet::Bytes frame;
  };

  /// A whole frame that has entered the link.
  struct Admitted {
    packet::Bytes original;  ///< as the adapter sent it, for observers
    packet::Parsed parsed;   ///< parse of `original`
    packet::Bytes frame;     ///< padded; apply() changes it
    bool injected;
    double start_ps, length_ps;  ///< from the preamble on, without FCS and gap
  };
  /// The faults that apply to one frame.
  struct Decision {
    bool drop = false;
    std::optional<std::uint64_t> flipped_bit;  ///< counted from the first bit of the frame
    const FaultRule* replacement = nullptr;
    std::uint64_t delay_ns = 0;  ///< delay of the link and of the faults
    bool delayed = false;
    std::uint64_t copies = 0, copy_delay_ns = 0;
    unsigned after = 0;                     ///< frames to the same queue pair that overtake it
    std::optional<packet::Bytes> scripted;  ///< the frame that a script sends instead
    std::string text;                       ///< for observers; empty: no fault
  };

  /// A frame that waits for others to overtake it.
  struct Held {
    unsigned after;
    std::uint32_t qpn;
    packet::Bytes frame;
  };

  /// Transfers a whole frame: admit, decide, apply, deliver. When nothing looks at frames, the
  /// frame is neither parsed nor copied.
  void carry(packet::Bytes frame, bool injected);
  bool passes_all() const;
  /// Counts and pads a frame and gives it its time on the link. Returns the start of its preamble.
  double enter(packet::Bytes* frame, bool injected);
  double length_ps(const packet::Bytes& frame) const;
  void occupy(std::uint64_t now_ns, std::size_t bytes);
  Admitted admit(packet::Bytes frame, bool injected);
  Decision decide(const Admitted& admitted);
  void decide_by_rule(FaultRule& rule, const Admitted& admitted, Decision& decision);
  void decide_by_chance(const Admitted& admitted, Decision& decision);
  /// Returns whether a script acts on the frame.
  bool decide_by_script(const Admitted& admitted, Decision& decision);
  void hold(unsigned after, Admitted admitted);
  /// Delivers the frames that a frame to `qpn`, which arrives at `start_ps`, was the last to
  /// overtake.
  void release_held(std::uint32_t qpn, std::uint64_t start_ps);
  void apply(const Decision& decision, Admitted& admitted);
  void deliver(const Decision& decision, Admitted admitted);
  void enqueue(std::uint64_t start_ps, packet::Bytes frame);

  void start_next();
  std::uint64_t end_ps(std::uint64_t start_ps, std::size_t bytes) const;
  std::uint64_t due_ps() const;
  bool chance(double probability);
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  void flip(const Admitted& admitted, Decision& decision);
  void note(Decision& decision, FaultKind kind, const packet::Parsed& parsed, std::string what);
  bool spared(const packet::Parsed& parsed) const;
  FaultRule* matching(const packet::Parsed& parsed);

  LinkConfig config_;
  double ps_per_byte_;
  std::vector<FrameTap*> taps_;
  std::mt19937_64 random_;
  bool bad_ = false;  ///< Gilbert state

  packet::Bytes partial_;  ///< beats of the frame that the sender has begun
  double link_ps_ = 0;     ///< time at which all accepted frames have left
  std::uint64_t now_ns_ = 0;
  double receiver_free_ps_ = 0;
  double latest_ps_ = 0;  ///< arrival of the last frame so far, without copies

  std::deque<Arrival> on_way_;  ///< by start
  std::deque<Held> held_;       ///< in order of their entry
  Arrival current_{};           ///< frame that the receiver takes
  std::size_t given_ = 0;
  bool receiving_ = false;
  std::vector<packet::Bytes> pool_;

  std::vector<FaultRecord> log_;
  Counts counts_;
};

}  // namespace roci::testbench
