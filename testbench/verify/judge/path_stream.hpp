// SPDX-License-Identifier: Apache-2.0
// One direction of a reliable connection as a place in its path sees it: which requests reached the
// responder, which responses reached the requester, and what each has to do therefore.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "testbench/verify/judge/request_stream.hpp"

namespace roci::judge {

/// What is known of the connections beside their packets, and how late an end may be.
struct PathRules {
  std::uint64_t jitter_ns = 60'000'000;  ///< from the path to an end and back, and scheduling
  unsigned timeout = 0;                  ///< code of the transport timer; 0: not known
  unsigned retries = 7;                  ///< retry_cnt
  std::uint64_t cnp_interval_ns = 0;     ///< least time between CNPs for a queue pair
};

/// Where a stream puts what it finds about its requester, or its responder. `of_frame`: about the
/// frame that was sent last, and not about one that is missing.
class PathReport {
 public:
  virtual ~PathReport() = default;
  virtual void find(bool requester, const char* statement, std::string text, bool of_frame) = 0;
  virtual void note(std::string text) = 0;
};

class PathStream {
 public:
  explicit PathStream(const PathRules& rules) : rules_(rules) {}

  /// The requester sent this; `requests` has it already.
  void requested(std::uint64_t now, const packet::Parsed& packet, const RequestStream& requests,
                 PathReport& report);
  /// It reached the responder; `packet` is what did, perhaps corrupt.
  void request_reached(std::uint64_t now, const packet::Parsed& packet,
                       const RequestStream& requests);
  void responded(std::uint64_t now, const packet::Parsed& packet, const RequestStream& requests,
                 PathReport& report);
  void response_reached(std::uint64_t now, const packet::Parsed& packet,
                        const RequestStream& requests);
  /// Judges what is due.
  void look(std::uint64_t now, PathReport& report);
  void finish(PathReport& report) const;

  std::uint64_t retransmitted() const { return retransmitted_; }

 private:
  struct Due {
    Place place;
    std::uint64_t since;
    bool duplicate = false;
    std::uint64_t overdue = 0;  ///< since when; 0: it is not
  };
  struct Responder {
    Place last = 0;                ///< the newest request that it took
    std::optional<Place> awaited;  ///< expected in place of what follows `last`
    bool after_rnr = false;        ///< it drops all other requests
    Place most = 0;                ///< the highest place that it ever expected
    std::set<Place> gaps;          ///< places that were missing while a later one came
    std::set<Place> rejected;      ///< those of its sequence NAKs
    std::set<Place> corrupt;       ///< those of which a corrupt packet came
    std::optional<Place> nak_due;  ///< the gap that is open
    std::optional<Place> closed;   ///< a gap that was closed before its NAK was seen
    std::vector<Due> due;          ///< requests without their response
  };
  struct Wait {
    Place place;
    std::uint64_t since, until;
  };
  struct Requester {
    Place first = 0;             ///< the first request without acknowledgement
    Place end = 0;               ///< follows the newest request
    Place after = 0;             ///< follows the request that was sent last
    std::uint64_t timer = 0;     ///< when its timer was started
    std::uint64_t progress = 0;  ///< when `first` changed
    unsigned tries = 0;          ///< retries since then
    bool explained = false;      ///< a response that reached it asks for a retry
    std::optional<Due> retry;    ///< after a sequence NAK
    std::optional<Wait> wait;    ///< after an RNR NAK
    bool silent = false;         ///< its timer is overdue, and that was found
  };

  Place place_after(Place place, const RequestStream& requests) const;
  Place expected(const RequestStream& requests) const;
  void judge_wait(std::uint64_t now, Place place, PathReport& report);
  void judge_restart(std::uint64_t now, Place place, PathReport& report);
  void judge_retry(std::uint64_t now, Place place, const RequestStream& requests,
                   PathReport& report);
  void judge_acknowledgement(Place place, const RequestStream& requests, PathReport& report);
  void judge_nak(Place place, PathReport& report);
  void judge_missing(std::uint64_t now, Place place, bool is_nak, PathReport& report);
  void acknowledge(std::uint64_t now, Place end, const RequestStream& requests);
  void advance(std::uint64_t now, Place to);

  PathRules rules_;
  unsigned generation_ = 0;
  bool ended_ = false;  ///< by a fatal NAK
  Responder responder_;
  Requester requester_;
  std::uint64_t retransmitted_ = 0;
};

}  // namespace roci::judge
