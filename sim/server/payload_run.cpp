// SPDX-License-Identifier: Apache-2.0
#include "sim/server/payload_run.hpp"

#include <algorithm>
#include <cstring>

namespace roci::sim {

void PayloadRun::take(std::uint64_t address, const std::uint8_t* from, std::size_t bytes) {
  if (data_.empty()) data_.resize(kMost);
  if (empty()) begin_ = address;
  std::memcpy(data_.data() + bytes_, from, bytes);
  bytes_ += bytes;
}

void PayloadRun::lose() {
  if (lost_.size() == kMostLost) lost_.erase(lost_.begin());
  lost_.push_back(end());
  clear();
}

bool PayloadRun::lost_before(std::uint64_t address) {
  const auto found = std::find(lost_.begin(), lost_.end(), address);
  if (found == lost_.end()) return false;
  lost_.erase(found);
  return true;
}

void PayloadRun::renew(std::uint64_t address, std::size_t bytes) {
  const auto anew = [&](std::uint64_t end) { return end > address && end - address <= bytes; };
  lost_.erase(std::remove_if(lost_.begin(), lost_.end(), anew), lost_.end());
}

}  // namespace roci::sim
