// SPDX-License-Identifier: Apache-2.0
#include "driver/memory_window.hpp"

namespace roci::driver {

MemoryWindow::MemoryWindow(ProtectionDomain& pd, WindowType type)
    : context_(pd.context()),
      type_(type),
      key_(static_cast<std::uint32_t>(
          context_
              .execute(code_of(spec::kAdminOps, "AllocMw"),
                       Body()
                           .put(place_of(spec::kAllocMw, "pd"), pd.number())
                           .put(place_of(spec::kAllocMw, "kind"), static_cast<std::uint64_t>(type)),
                       "allocate memory window")
              .get(place_of(spec::kAllocMwReply, "key")))) {}

MemoryWindow::~MemoryWindow() {
  try {
    context_.execute(code_of(spec::kAdminOps, "DeallocMw"),
                     Body().put(place_of(spec::kDeallocMw, "key"), key_), "free memory window");
  } catch (const Error&) {  // a destructor has nobody to tell; the row stays taken
  }
}

SendRequest MemoryWindow::bind(std::uint32_t key, std::uint32_t region_key, std::uint64_t address,
                               std::uint64_t bytes, std::uint32_t rights) {
  SendRequest request;
  request.opcode = Opcode::kBindMw;
  request.remote_key = key;
  request.region_key = region_key;
  request.remote_address = address;
  request.swap_add = bytes;
  request.compare = rights;
  return request;
}

}  // namespace roci::driver
