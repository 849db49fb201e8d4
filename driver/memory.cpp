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
    : pd_(pd),
      memory_(pd.context().device().allocate(bytes, 4096)),
      address_(memory_.dma),
      owned_(true) {
  try {
    enter(rights);
  } catch (...) {
    pd_.context().device().release(memory_);
    throw;
  }
}

MemoryRegion::MemoryRegion(ProtectionDomain& pd, const DmaMemory& memory, std::uint32_t rights,
                           std::uint64_t address)
    : pd_(pd), memory_(memory), address_(address), owned_(false) {
  enter(rights);
}

void MemoryRegion::enter(std::uint32_t rights) {
  key_ = static_cast<std::uint32_t>(
      pd_.context()
          .execute(code_of(spec::kAdminOps, "RegMr"),
                   Body()
                       .put(place_of(spec::kRegMr, "pd"), pd_.number())
                       .put(place_of(spec::kRegMr, "access"), rights)
                       .put(place_of(spec::kRegMr, "pasid"), pd_.context().device().pasid())
                       .put(place_of(spec::kRegMr, "iova"), address_)
                       .put(place_of(spec::kRegMr, "length"), memory_.bytes)
                       .put(place_of(spec::kRegMr, "addr"), memory_.dma),
                   "register memory")
          .get(place_of(spec::kRegMrReply, "key")));
}

MemoryRegion::~MemoryRegion() {
  try {
    pd_.context().execute(code_of(spec::kAdminOps, "DeregMr"),
                          Body().put(place_of(spec::kDeregMr, "key"), key_), "deregister memory");
  } catch (const Error&) {
    return;  // the key may still work: the memory must stay
  }
  if (owned_) pd_.context().device().release(memory_);
}

}  // namespace roci::driver
