// SPDX-License-Identifier: Apache-2.0
// Statuses of completions: a wrong one breaks the statement of the status beside the test's
// subject.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "testbench/verify/conform/fixture.hpp"

namespace roci::conform {

/// The failure of a completion that has another status than `wanted`; nullopt: than an error. It
/// breaks WC-01 too when the completion is a success.
Failure wrong_status(const std::string& expected, std::optional<Status> wanted,
                     const Completion& seen);

/// Fails unless there is a completion with one of the statuses; the first is that of the statement.
void require_status(const std::optional<Completion>& seen, std::initializer_list<Status> allowed,
                    const std::string& expected);
/// Fails when there is no completion, or a success.
void require_error(const std::optional<Completion>& seen, const std::string& expected);

}  // namespace roci::conform
