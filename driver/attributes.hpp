// SPDX-License-Identifier: Apache-2.0
// Attributes of a queue pair as the bodies of ModifyQp and QueryQp have them.
#pragma once

#include "driver/context.hpp"
#include "driver/types.hpp"

namespace roci::driver {

Body body_of(std::uint32_t qpn, const QpAttributes& attributes, std::uint32_t mask);
QpAttributes attributes_of(const Body& body);

}  // namespace roci::driver
