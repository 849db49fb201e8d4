// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/statuses.hpp"

#include <algorithm>

namespace roci::conform {
namespace {

/// Returns the statement of an error status, WC-02 to WC-10; nullptr: none.
const char* statement_of(Status status) {
  switch (status) {
    case Status::kLocLenErr:
      return "WC-02";
    case Status::kLocQpOpErr:
      return "WC-03";
    case Status::kLocProtErr:
      return "WC-04";
    case Status::kWrFlushErr:
      return "WC-05";
    case Status::kMwBindErr:
      return "WC-06";
    case Status::kBadRespErr:
      return "WC-07";
    case Status::kLocAccessErr:
      return "WC-08";
    case Status::kRemInvReqErr:
    case Status::kRemAccessErr:
    case Status::kRemOpErr:
      return "WC-09";
    case Status::kRetryExcErr:
    case Status::kRnrRetryExcErr:
      return "WC-10";
    default:
      return nullptr;
  }
}

}  // namespace

Failure wrong_status(const std::string& expected, std::optional<Status> wanted,
                     const Completion& seen) {
  std::vector<std::string> broken;
  const char* statement = wanted ? statement_of(*wanted) : nullptr;
  if (statement != nullptr) broken.emplace_back(statement);
  if (seen.ok()) broken.emplace_back("WC-01");
  return {expected,
          std::string(driver::name_of(seen.status)) + ", vendor error " +
              std::to_string(seen.vendor_err),
          {},
          std::move(broken)};
}

void require_status(const std::optional<Completion>& seen, std::initializer_list<Status> allowed,
                    const std::string& expected) {
  if (!seen) throw Failure(expected, "no completion");
  if (std::find(allowed.begin(), allowed.end(), seen->status) == allowed.end()) {
    throw wrong_status(expected, *allowed.begin(), *seen);
  }
}

void require_error(const std::optional<Completion>& seen, const std::string& expected) {
  if (!seen) throw Failure(expected, "no completion");
  if (seen->ok()) throw wrong_status(expected, {}, *seen);
}

}  // namespace roci::conform
