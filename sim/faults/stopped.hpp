// SPDX-License-Identifier: Apache-2.0
// Completion queues that a fault stopped: entries that the adapter wrote and programs do not see
// yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::sim::faults {

class StoppedQueues {
 public:
  using Name = std::pair<unsigned, std::uint32_t>;  ///< adapter and number
  struct Queue {
    std::uint32_t pasid;
    unsigned fault;
    std::uint64_t most;    ///< ends with this number of entries; 0: not by their number
    std::uint64_t serial;  ///< number of this stop
    std::vector<std::pair<std::uint64_t, packet::Bytes>> entries{};  ///< by address, in order
    bool event = false;                                              ///< an event waits
  };

  bool empty() const { return queues_.empty(); }
  bool has(Name name) const { return queues_.count(name) != 0; }
  /// Begins a stop. Returns its serial number.
  std::uint64_t stop(Name name, std::uint32_t pasid, unsigned fault, std::uint64_t most) {
    queues_.insert_or_assign(name, Queue{pasid, fault, most, ++serial_});
    return serial_;
  }
  void keep(Name name, std::uint64_t address, packet::Bytes entry) {
    queues_.at(name).entries.emplace_back(address, std::move(entry));
  }
  /// Whether as many entries are kept as the stop may hold back.
  bool full(Name name) const {
    const Queue& queue = queues_.at(name);
    return queue.most != 0 && queue.entries.size() >= queue.most;
  }
  /// Keeps a completion event; false: the queue is not stopped.
  bool keep_event(Name name) {
    const auto found = queues_.find(name);
    if (found != queues_.end()) found->second.event = true;
    return found != queues_.end();
  }
  /// Ends a stop, of this serial number unless it is 0; none: there is none such.
  std::optional<Queue> take(Name name, std::uint64_t serial = 0) {
    const auto found = queues_.find(name);
    if (found == queues_.end() || (serial != 0 && found->second.serial != serial)) return {};
    Queue queue = std::move(found->second);
    queues_.erase(found);
    return queue;
  }
  /// The queues that a fault stopped, or all with 0.
  std::vector<Name> of_fault(unsigned fault) const {
    std::vector<Name> names;
    for (const auto& [name, queue] : queues_) {
      if (fault == 0 || queue.fault == fault) names.push_back(name);
    }
    return names;
  }
  /// Drops what is kept for an address space that ends.
  void drop(std::uint32_t pasid) {
    for (auto queue = queues_.begin(); queue != queues_.end();) {
      queue = queue->second.pasid == pasid ? queues_.erase(queue) : std::next(queue);
    }
  }

 private:
  std::map<Name, Queue> queues_;
  std::uint64_t serial_ = 0;
};

}  // namespace roci::sim::faults
