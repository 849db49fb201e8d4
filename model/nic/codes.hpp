// SPDX-License-Identifier: Apache-2.0
// The codes of model/spec that the model uses, under its own namespace.
#pragma once

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::nic {

namespace access = layout::access;
namespace syndrome = layout::syndrome;
using layout::DropCause;
using layout::EventKind;
using layout::KeyKind;
using layout::QpCounter;
using layout::QpState;
using layout::Service;
using layout::Status;
using layout::VendorErr;
using layout::WcOp;
using layout::WrOp;

}  // namespace roci::nic
