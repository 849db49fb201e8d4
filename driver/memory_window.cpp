// SPDX-License-Identifier: Apache-2.0
#include "driver/memory_window.hpp"

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::driver {

MemoryWindow::MemoryWindow(ProtectionDomain& pd, WindowType type)
    : context_(pd.context()),
      type_(type),
      allocated_(static_cast<std::uint32_t>(
          context_
              .execute(layout::AdminOp::kAllocMw,
                       Body()
                           .put(layout::alloc_mw::pd, pd.number())
                           .put(layout::alloc_mw::kind, static_cast<std::uint64_t>(type)),
                       "allocate memory window")
              .get(layout::alloc_mw_reply::key))),
      key_(allocated_) {}

MemoryWindow::~MemoryWindow() {
  try {
    context_.execute(layout::AdminOp::kDeallocMw, Body().put(layout::dealloc_mw::key, allocated_),
                     "free memory window");
  } catch (const Error&) {  // a destructor cannot report it; the row stays allocated
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
