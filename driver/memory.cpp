// SPDX-License-Identifier: Apache-2.0
#include "driver/memory.hpp"

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::driver {

ProtectionDomain::ProtectionDomain(Context& context)
    : context_(context),
      number_(static_cast<std::uint32_t>(
          context.execute(layout::AdminOp::kAllocPd, {}, "allocate protection domain")
              .get(layout::alloc_pd_reply::pd))) {}

ProtectionDomain::~ProtectionDomain() {
  try {
    context_.execute(layout::AdminOp::kDeallocPd, Body().put(layout::dealloc_pd::pd, number_),
                     "free protection domain");
  } catch (const Error&) {  // a destructor cannot report it; the number stays allocated
  }
}

MemoryRegion::MemoryRegion(ProtectionDomain& pd, std::size_t bytes, std::uint32_t rights)
    : pd_(&pd),
      memory_(pd.context().device().allocate(bytes, 4096)),
      address_(memory_.dma),
      owned_(true) {
  try {
    enter(rights);
  } catch (...) {
    pd_->context().device().release(memory_);
    throw;
  }
}

MemoryRegion::MemoryRegion(ProtectionDomain& pd, const DmaMemory& memory, std::uint32_t rights,
                           std::uint64_t address)
    : pd_(&pd), memory_(memory), address_(address), owned_(false) {
  enter(rights);
}

void MemoryRegion::enter(std::uint32_t rights) {
  key_ = static_cast<std::uint32_t>(
      pd_->context()
          .execute(layout::AdminOp::kRegMr,
                   Body()
                       .put(layout::reg_mr::pd, pd_->number())
                       .put(layout::reg_mr::access, rights)
                       .put(layout::reg_mr::pasid, pd_->context().device().pasid())
                       .put(layout::reg_mr::iova, address_)
                       .put(layout::reg_mr::length, memory_.bytes)
                       .put(layout::reg_mr::addr, memory_.dma),
                   "register memory")
          .get(layout::reg_mr_reply::key));
  registered_ = true;
}

void MemoryRegion::deregister() {
  pd_->context().execute(layout::AdminOp::kDeregMr, Body().put(layout::dereg_mr::key, key_),
                         "deregister memory");
  registered_ = false;
}

void MemoryRegion::change(const DmaMemory* memory, std::uint64_t address, ProtectionDomain* pd,
                          const std::uint32_t* rights) {
  const DmaMemory& range = memory != nullptr ? *memory : memory_;
  const std::uint64_t first = memory != nullptr ? address : address_;
  ProtectionDomain& domain = pd != nullptr ? *pd : *pd_;
  pd_->context().execute(
      layout::AdminOp::kReregMr,
      Body()
          .put(layout::rereg_mr::key, key_)
          .put(layout::rereg_mr::what, (memory != nullptr ? 1u : 0) | (pd != nullptr ? 2u : 0) |
                                           (rights != nullptr ? 4u : 0))
          .put(layout::rereg_mr::pd, domain.number())
          .put(layout::rereg_mr::access, rights != nullptr ? *rights : 0)
          .put(layout::rereg_mr::iova, first)
          .put(layout::rereg_mr::length, range.bytes)
          .put(layout::rereg_mr::addr, range.dma),
      "change memory region");
  memory_ = range;
  address_ = first;
  pd_ = &domain;
}

MemoryRegion::~MemoryRegion() {
  try {
    if (registered_) deregister();
  } catch (const Error&) {
    return;  // the key may still work: the memory must stay
  }
  if (owned_) pd_->context().device().release(memory_);
}

}  // namespace roci::driver
