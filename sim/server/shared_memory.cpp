// SPDX-License-Identifier: Apache-2.0
#include "sim/server/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace roci::sim {

void* share_memory(const char* name, std::size_t bytes, Descriptor& file) {
  file = Descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return nullptr;
  }
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  return at == MAP_FAILED ? nullptr : at;
}

SharedBlock::~SharedBlock() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

}  // namespace roci::sim
