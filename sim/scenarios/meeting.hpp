// SPDX-License-Identifier: Apache-2.0
// Exchange of connection parameters and barriers between the programs of two nodes, as programs do
// over a socket.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/device/device.hpp"
#include "driver/types.hpp"

namespace roci::sim {

/// Connection parameters of one side.
struct Offer {
  std::vector<driver::Endpoint> endpoints;  ///< one for each queue pair
  std::uint64_t address = 0;                ///< first address of the region for the peer
  std::uint32_t key = 0;
};

/// Two sides, 0 and 1, with barriers between them.
class Meeting {
 public:
  explicit Meeting(std::array<driver::Device*, 2> devices) : devices_(devices) {}

  /// Sends `offer` to the other side and returns its offer.
  Offer exchange(unsigned side, const Offer& offer) {
    offers_[side] = offer;
    step(side);
    return offers_[1 - side];
  }

  /// Waits until the other side has reached the same step. Throws when it failed.
  void step(unsigned side) {
    ++steps_[side];
    devices_[1 - side]->wake();
    devices_[side]->wait([&] { return steps_[1 - side] >= steps_[side] || !failure_.empty(); },
                         driver::Device::kForever);
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }

  /// Stops both sides with this text; the first call counts.
  void fail(const std::string& text) {
    if (failure_.empty()) failure_ = text;
    for (driver::Device* device : devices_) device->wake();
  }

  /// Runs one side's part; its exception stops the other side too.
  template <typename Part>
  void guard(Part part) {
    try {
      part();
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
  }

 private:
  std::array<driver::Device*, 2> devices_;
  std::array<unsigned, 2> steps_{};
  std::array<Offer, 2> offers_;
  std::string failure_;
};

}  // namespace roci::sim
