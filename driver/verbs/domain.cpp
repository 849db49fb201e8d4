// SPDX-License-Identifier: Apache-2.0
// Protection domains, regions, windows, address handles.
#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

constexpr int kReregFailedNothingChanged = IBV_REREG_MR_ERR_CMD;

ibv_pd* alloc_pd(ibv_context* context) {
  return guarded_pointer([&]() -> ibv_pd* {
    OpenDevice& device = device_of(context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto pd = std::make_unique<Pd>();
    pd->ibv = {};
    pd->pd = std::make_shared<driver::ProtectionDomain>(device.context());
    pd->ibv.handle = pd->pd->number();
    return &pd.release()->ibv;
  });
}

int dealloc_pd(ibv_pd* ibv) {
  if (!genuine(ibv)) return ENOENT;
  OpenDevice& device = device_of(ibv->context);
  const std::lock_guard<std::mutex> lock(device.mutex);
  Pd& pd = ours<Pd>(ibv);
  // Objects of the domain exist; those of a parent domain hold the domain below it.
  if (!pd.parent && pd.pd.use_count() > 1) return EBUSY;
  delete &pd;
  return 0;
}

/// A parent domain shares the domain it was made of; thread domains change nothing here.
ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* attr) {
  if (attr->pd == nullptr || !genuine(attr->pd) || attr->comp_mask != 0) {
    errno = attr->comp_mask != 0 ? EOPNOTSUPP : EINVAL;
    return nullptr;
  }
  return guarded_pointer([&]() -> ibv_pd* {
    const std::lock_guard<std::mutex> lock(device_of(context).mutex);
    auto pd = std::make_unique<Pd>(ours<Pd>(attr->pd));
    pd->ibv.context = context;
    pd->parent = true;
    return &pd.release()->ibv;
  });
}

ibv_td* alloc_td(ibv_context* context, ibv_td_init_attr* attr) {
  if (attr->comp_mask != 0) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  return new ibv_td{context};
}

ibv_mr* reg_mr(ibv_pd* ibv, void* address, std::size_t length, std::uint64_t iova, int access) {
  if ((access & IBV_ACCESS_ON_DEMAND) != 0) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  std::uint32_t rights = 0;
  if (!genuine(ibv) || !convert_access(static_cast<unsigned>(access), rights)) {
    errno = EINVAL;
    return nullptr;
  }
  if ((rights & driver::access::kZeroBased) != 0) iova = 0;  // its first byte has the address 0
  rights &= ~driver::access::kZeroBased;
  return guarded_pointer([&]() -> ibv_mr* {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto region = std::make_unique<Region>();
    region->mr = {};
    region->pd = ours<Pd>(ibv).pd;
    region->region = std::make_unique<driver::MemoryRegion>(
        *region->pd,
        driver::DmaMemory{static_cast<std::uint8_t*>(address),
                          reinterpret_cast<std::uint64_t>(address), length},
        rights, iova);
    region->mr.ibv.lkey = region->mr.ibv.rkey = region->region->key();
    region->mr.ibv.handle = region->region->key() >> 8;
    region->mr.access = access;
    return &region.release()->mr.ibv;
  });
}

int dereg_mr(Mr* mr) {
  return guarded([&] {
    OpenDevice& device = device_of(mr->ibv.context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto& region = ours<Region>(mr);
    if (!genuine(mr->ibv, region.region->key() >> 8)) return ENOENT;
    if (!device.remote().gone()) region.region->deregister();  // else nothing is registered
    delete &region;
    return 0;
  });
}

int rereg_mr(Mr* mr, int flags, ibv_pd* ibv, void* address, std::size_t length, int access) {
  std::uint32_t rights = 0;
  if ((flags & IBV_REREG_MR_CHANGE_ACCESS) != 0 &&
      !convert_access(static_cast<unsigned>(access), rights)) {
    errno = EINVAL;
    return IBV_REREG_MR_ERR_INPUT;
  }
  const int last = (flags & IBV_REREG_MR_CHANGE_ACCESS) != 0 ? access : mr->access;
  const bool zero_based = (last & IBV_ACCESS_ZERO_BASED) != 0;
  rights &= ~driver::access::kZeroBased;
  const int error = guarded([&] {
    OpenDevice& device = device_of(mr->ibv.context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto& region = ours<Region>(mr);
    const driver::DmaMemory memory{static_cast<std::uint8_t*>(address),
                                   reinterpret_cast<std::uint64_t>(address), length};
    Pd* pd = (flags & IBV_REREG_MR_CHANGE_PD) != 0 ? &ours<Pd>(ibv) : nullptr;
    region.region->change((flags & IBV_REREG_MR_CHANGE_TRANSLATION) != 0 ? &memory : nullptr,
                          zero_based ? 0 : memory.dma, pd != nullptr ? pd->pd.get() : nullptr,
                          (flags & IBV_REREG_MR_CHANGE_ACCESS) != 0 ? &rights : nullptr);
    if (pd != nullptr) region.pd = pd->pd;
    if ((flags & IBV_REREG_MR_CHANGE_ACCESS) != 0) mr->access = access;
    return 0;
  });
  if (error == 0) return 0;
  errno = error;
  return kReregFailedNothingChanged;
}

ibv_mw* alloc_mw(ibv_pd* ibv, ibv_mw_type type) {
  if (!genuine(ibv) || (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)) {
    errno = EINVAL;
    return nullptr;
  }
  return guarded_pointer([&]() -> ibv_mw* {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto window = std::make_unique<Window>();
    window->pd = ours<Pd>(ibv).pd;
    window->window = std::make_unique<driver::MemoryWindow>(
        *window->pd,
        type == IBV_MW_TYPE_1 ? driver::WindowType::kType1 : driver::WindowType::kType2);
    window->ibv = {ibv->context, ibv, window->window->key(), window->window->key() >> 8, type};
    return &window.release()->ibv;
  });
}

int dealloc_mw(ibv_mw* ibv) {
  OpenDevice& device = device_of(ibv->context);
  const std::lock_guard<std::mutex> lock(device.mutex);
  auto& window = ours<Window>(ibv);
  if (!genuine(*ibv, window.window->key() >> 8)) return ENOENT;
  device.binding.erase(&window);
  delete &window;
  return 0;
}

/// Without UD an address handle stays in the process: nothing uses it.
ibv_ah* create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  OpenDevice& device = device_of(pd->context);
  if (!genuine(pd) || attr->is_global == 0 || attr->port_num != 1 ||
      attr->grh.sgid_index >= device.context().limits().max_gid) {
    errno = EINVAL;  // RoCE addresses by GID
    return nullptr;
  }
  return guarded_pointer([&]() -> ibv_ah* {
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto handle = std::make_unique<Handle>();
    handle->ibv = {pd->context, pd, 0};
    handle->pd = ours<Pd>(pd).pd;
    if (device.context().limits().has(driver::Service::kUd)) {
      handle->handle = std::make_unique<driver::AddressHandle>(*handle->pd, address_of(*attr));
      handle->ibv.handle = handle->handle->number();
    } else if (device.handles_of_process == kMostHandlesOfProcess) {
      errno = ENOMEM;
      return nullptr;
    } else {
      ++device.handles_of_process;
    }
    return &handle.release()->ibv;
  });
}

int destroy_ah(ibv_ah* ah) {
  OpenDevice& device = device_of(ah->context);
  const std::lock_guard<std::mutex> lock(device.mutex);
  auto& handle = ours<Handle>(ah);
  if (!genuine(*ah, handle.handle != nullptr ? handle.handle->number() : 0)) return ENOENT;
  if (handle.handle == nullptr) --device.handles_of_process;
  delete &handle;
  return 0;
}

}  // namespace

bool genuine(ibv_pd* ibv) {
  driver::ProtectionDomain& pd = *ours<Pd>(ibv).pd;
  return ibv->handle == pd.number() && &pd.context() == &device_of(ibv->context).context();
}

void add_domain_operations(ContextOps& operations) {
  operations.alloc_pd = alloc_pd;
  operations.dealloc_pd = reporting<dealloc_pd>;
  operations.alloc_parent_domain = alloc_parent_domain;
  operations.alloc_td = alloc_td;
  operations.dealloc_td = [](ibv_td* td) {
    delete td;
    return 0;
  };
  operations.reg_mr = reg_mr;
  operations.dereg_mr = reporting<dereg_mr>;
  operations.rereg_mr = rereg_mr;
  operations.alloc_mw = alloc_mw;
  operations.dealloc_mw = reporting<dealloc_mw>;
  operations.create_ah = create_ah;
  operations.destroy_ah = reporting<destroy_ah>;
}

}  // namespace roci::verbs
