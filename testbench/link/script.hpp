// SPDX-License-Identifier: Apache-2.0
// Faults of a script on the frames that enter a link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/packet/parser.hpp"

namespace roci::testbench {

/// What a script does to one frame.
struct ScriptEffect {
  bool drop = false;
  std::uint64_t delay_ns = 0;
  unsigned copies = 0;
  unsigned after = 0;  ///< the frame arrives after this number of later ones to its queue pair
  std::optional<packet::Bytes> replacement;
  std::string text;  ///< for observers; empty: the script does nothing
};

class FrameScript {
 public:
  virtual ~FrameScript() = default;
  bool active() const { return active_; }
  /// Decides about a frame that `sender` has sent; asked in the order of the link.
  virtual void decide(unsigned sender, std::uint64_t now_ns, const packet::Parsed& parsed,
                      ScriptEffect& effect) = 0;

 protected:
  void set_active(bool active) { active_ = active; }

 private:
  bool active_ = false;
};

}  // namespace roci::testbench
