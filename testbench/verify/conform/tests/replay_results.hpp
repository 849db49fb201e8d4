// SPDX-License-Identifier: Apache-2.0
// Responses and receive completions of an exchange as text, as a capture's index and the adapter
// give them.
#pragma once

#include <string>
#include <vector>

#include "testbench/verify/conform/replay.hpp"

namespace roci::conform {

/// Responses as one line each; a plain ACK counts by the newest PSN only, since one may acknowledge
/// many packets.
struct Responses {
  std::vector<std::string> others;
  std::string newest_ack;
  bool operator==(const Responses& other) const {
    return others == other.others && newest_ack == other.newest_ack;
  }
  std::string text() const {
    std::string all;
    for (const std::string& one : others) all += one + " ";
    return all + (newest_ack.empty() ? "" : "ACK@" + newest_ack);
  }
};

/// Reads the responses from the index of a capture.
Responses responses_of(const std::string& text);
/// Reads the responses from the frames that the adapter sent.
Responses responses_of(Connection& c);
/// Describes receive completions as "100 0 64 101 5 0" (number, status, length when good).
std::string receives_of(const std::string& text);
std::string receives_of(Connection& c);

}  // namespace roci::conform
