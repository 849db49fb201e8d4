// SPDX-License-Identifier: Apache-2.0
// The messages of queue pairs of RC and UC, numbered as the link sees them (decision 0010).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "sim/faults/naks.hpp"

namespace roci::sim::faults {

class Messages {
 public:
  /// A request that enters the link.
  void sent(const FlowName& name, const Requester& requester, const packet::Parsed& request);
  /// A response: its MSN numbers the messages of a connection that was found in the middle.
  void responded(const FlowName& name, const Requester& requester, const packet::Parsed& response);
  /// The number of the message to which a PSN belongs, from 1; none: it is not known.
  std::optional<std::uint64_t> number(const FlowName& name, const Requester& requester,
                                      transport::Psn psn) const;
  void clear() { flows_.clear(); }

 private:
  struct Message {
    transport::Psn first, last;
    std::uint64_t place;  ///< among those that were seen, from 1
    bool ended;           ///< `last` is its last PSN
  };
  struct Flow {
    std::uint64_t generation = 0;
    std::deque<Message> messages;         ///< the newest ones
    std::optional<std::uint64_t> before;  ///< messages before the first that was seen
  };
  static constexpr std::size_t kMostMessages = 1024;  ///< many more than are outstanding

  const Flow* find(const FlowName& name, const Requester& requester) const;
  static const Message* holding(const Flow& flow, transport::Psn psn);

  std::map<FlowName, Flow> flows_;
};

}  // namespace roci::sim::faults
