// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/apart.hpp"

#include <algorithm>

namespace roci::testbench::faults {

const std::vector<Apart>& apart() {
  static const std::vector<Apart> kAll = {
      {"the data of a READ cannot be read: first, middle or last packet",
       "the model stops at the first packet that it cannot read, the RTL detects it when others "
       "have left"},
      {"payload that arrives cannot be written: WRITE, SEND, READ data, atomic",
       "the RTL has counted messages whose write fails later, the model has not"},
      {"UC: payload that arrives cannot be written: WRITE, WRITE with immediate, SEND",
       "the model stops at the first packet, the RTL has taken the whole message"},
      {"eight queue pairs send into a shared receive queue that runs empty repeatedly",
       "the assignment of receives to queue pairs depends on timing"},
      {"the requester's own region is deregistered at each clock",
       "the model has read what the RTL still has to read"},
      {"the peer invalidates the window that is the target at each clock",
       "the change of the key takes effect in the model at once"},
      {"the entry of a posted WRITE changes at each clock after its doorbell",
       "the two read it at different times"},
  };
  return kAll;
}

bool is_apart(std::string_view test_case) {
  return std::any_of(apart().begin(), apart().end(), [&](const Apart& a) {
    return test_case.find(a.title) != std::string_view::npos;
  });
}

}  // namespace roci::testbench::faults
