// SPDX-License-Identifier: Apache-2.0
// Observes the link during a run: the packets of each connection, and whether each payload byte is
// that of the region (I7).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "testbench/verify/faults/schedule_plan.hpp"

namespace roci::testbench::faults {

/// Connections are named by the node and number of the requesting queue pair and its peer's number.
class LinkWatch : public FrameTap {
 public:
  /// Begins to watch requests that node `from` sends to `peer_qpn` and their responses to `qpn`.
  /// Forgets the earlier state of this connection.
  void connect(unsigned from, std::uint32_t qpn, std::uint32_t peer_qpn, std::uint32_t psn);
  /// The next message takes its PSNs here: `content(offset)` are its payload bytes, of the request
  /// or of a READ's responses.
  void message(unsigned from, std::uint32_t peer_qpn, const Message& message,
               std::uint64_t pattern);
  void forget() { connections_.clear(); }
  void forget(std::uint32_t qpn, std::uint32_t peer_qpn);
  /// Accepts packets that request other bytes than the program did.
  void trust(bool payload) { trusts_ = payload; }

  const Seen& seen(unsigned from, std::uint32_t peer_qpn) const;
  /// Whether a payload is the expected one; for EgressMonitor.
  bool payload_is_right(const FrameEvent& event) const;

  void frame(const FrameEvent& event) override;

 private:
  struct Span {
    std::uint32_t first, packets, bytes;
    bool read;
    std::uint64_t pattern;
  };
  struct Connection {
    unsigned from;
    std::uint32_t qpn, peer_qpn;
    std::uint32_t next_psn;   ///< first PSN of the next message
    std::uint32_t next_sent;  ///< after the newest that was sent
    std::uint32_t next_new_response;
    std::vector<Span> spans;
    Seen seen;
  };
  const Connection* find(const FrameEvent& event) const;

  std::vector<Connection> connections_;
  bool trusts_ = false;
};

}  // namespace roci::testbench::faults
