// SPDX-License-Identifier: Apache-2.0
#include "driver/memory.hpp"

namespace roci::driver {

ProtectionDomain::ProtectionDomain(Context& context)
    : context_(context),
      number_(static_cast<std::uint32_t>(
          context.execute(code_of(spec::kAdminOps, "AllocPd"), {}, "allocate protection domain")
              .get(place_of(spec::kAllocPdReply, "pd")))) {}

ProtectionDomain::~ProtectionDomain() {
  try {
    context_.execute(code_of(spec::kAdminOps, "DeallocPd"),
                     Body().put(place_of(spec::kDeallocPd, "pd"), number_),
                     "free protection domain");
  } catch (const Error&) {  // a destructor has nobody to tell; the number stays taken
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
          .execute(code_of(spec::kAdminOps, "RegMr"),
                   Body()
                       .put(place_of(spec::kRegMr, "pd"), pd_->number())
                       .put(place_of(spec::kRegMr, "access"), rights)
                       .put(place_of(spec::kRegMr, "pasid"), pd_->context().device().pasid())
                       .put(place_of(spec::kRegMr, "iova"), address_)
                       .put(place_of(spec::kRegMr, "length"), memory_.bytes)
                       .put(place_of(spec::kRegMr, "addr"), memory_.dma),
                   "register memory")
          .get(place_of(spec::kRegMrReply, "key")));
  registered_ = true;
}

void MemoryRegion::deregister() {
  pd_->context().execute(code_of(spec::kAdminOps, "DeregMr"),
                         Body().put(place_of(spec::kDeregMr, "key"), key_), "deregister memory");
  registered_ = false;
}

void MemoryRegion::change(const DmaMemory* memory, std::uint64_t address, ProtectionDomain* pd,
                          const std::uint32_t* rights) {
  const DmaMemory& range = memory != nullptr ? *memory : memory_;
  const std::uint64_t first = memory != nullptr ? address : address_;
  ProtectionDomain& domain = pd != nullptr ? *pd : *pd_;
  pd_->context().execute(
      code_of(spec::kAdminOps, "ReregMr"),
      Body()
          .put(place_of(spec::kReregMr, "key"), key_)
          .put(place_of(spec::kReregMr, "what"), (memory != nullptr ? 1u : 0) |
                                                     (pd != nullptr ? 2u : 0) |
                                                     (rights != nullptr ? 4u : 0))
          .put(place_of(spec::kReregMr, "pd"), domain.number())
          .put(place_of(spec::kReregMr, "access"), rights != nullptr ? *rights : 0)
          .put(place_of(spec::kReregMr, "iova"), first)
          .put(place_of(spec::kReregMr, "length"), range.bytes)
          .put(place_of(spec::kReregMr, "addr"), range.dma),
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
