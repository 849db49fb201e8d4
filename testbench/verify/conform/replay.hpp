// SPDX-License-Identifier: Apache-2.0
// Captured exchanges of a test peer with Linux Soft-RoCE, replayed to the adapter under test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// One exchange of a capture, from raw_index.json.
struct Exchange {
  std::string name;
  struct Step {
    bool from_peer;  ///< else Soft-RoCE sent it
    packet::Bytes frame;
  };
  std::vector<Step> steps;
  std::string responses;  ///< packets that Soft-RoCE sent as responder
  std::string receives;   ///< its receive completions
  std::string sends;      ///< its send completions
  std::string state;
  std::uint32_t expected_psn = 0;
  bool memory_untouched = false;
};

/// Exchanges of `capture` ("raw_write").
std::vector<Exchange> exchanges_of(const std::string& capture);

/// Sends a captured frame to this connection: MAC address, number of the queue pair and remote keys
/// (old to new) replaced, checksums and ICRC stay correct or wrong. Throws NotTestable for an
/// adapter of another IP address than that of the captures.
void replay(Fixture& dut, const packet::Bytes& frame, std::uint32_t qpn,
            const std::map<std::uint32_t, std::uint32_t>& keys);

/// Converts a status text of libibverbs, such as "success", to a status; fails for another text.
Status status_of(const std::string& text);

}  // namespace roci::conform
