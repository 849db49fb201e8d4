// SPDX-License-Identifier: Apache-2.0
// The responses to a stream of requests.
#pragma once

#include <map>
#include <optional>

#include "testbench/verify/judge/request_stream.hpp"

namespace roci::judge {

/// Judges responses against the requests of their connection (RSP-03, RSP-11, RSP-13, RSP-32,
/// RSP-43).
class ResponseStream {
 public:
  void take(std::size_t frame, const packet::Parsed& packet, RequestStream& requests,
            Report& report);

 private:
  void check_read(std::size_t frame, const packet::Parsed& packet, Place place,
                  const RequestStream::Sent::value_type& sent, const RequestStream& requests,
                  Report& report);
  void check_atomic(std::size_t frame, const packet::Parsed& packet, Place place,
                    const Request& request, Report& report);
  void check_msn(std::size_t frame, const packet::Parsed& packet, std::int64_t least,
                 const RequestStream& requests, Report& report);

  std::map<Place, std::uint64_t> originals_;  ///< values that atomics returned
  /// Bounds of the MSN before the first message of the stream, as the responses so far give them.
  std::optional<std::pair<std::int64_t, std::int64_t>> base_;
};

}  // namespace roci::judge
